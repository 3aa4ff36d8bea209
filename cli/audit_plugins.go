package cli

import (
	"context"
	"fmt"
	"slices"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/campaign/audit"
	"atoll/engine/plugin"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/store/record"
)

// auditors are the plug-ins that look for what should be mended.
type auditors struct {
	box    func(context.Context) (*sandbox.Box, error)
	getenv func(string) string
	list   []*plugin.Plugin
	warn   func(text string)
	warned map[string]bool // by text: a campaign audits again and again
}

// openAuditors opens the plug-ins of a configuration whose folders are absolute.
func (a *App) openAuditors(cfg config.Config, box func(context.Context) (*sandbox.Box, error), warn func(string)) (*auditors, error) {
	x := &auditors{box: box, getenv: a.getenv, warn: warn, warned: map[string]bool{}}
	for _, dir := range cfg.Plugins.Auditors {
		p, err := plugin.OpenAs(dir, a.getenv, plugin.Auditor)
		if err != nil {
			return nil, fmt.Errorf("auditor: %w", err)
		}
		x.list = append(x.list, p)
	}
	return x, nil
}

// names are those of the plug-ins.
func (x *auditors) names() []string {
	var out []string
	for _, p := range x.list {
		out = append(out, p.Name)
	}
	return out
}

// find has every plug-in look at a tree. Rules carry the name of their plug-in. What is said
// of files that the tree does not have is left out, with a warning.
func (x *auditors) find(ctx context.Context, ses *engine.Session, tree record.Hash) ([]audit.Finding, error) {
	box, err := x.box(ctx)
	if err != nil {
		return nil, err
	}
	dir, release, err := ses.Repo.Checkout(ctx, tree)
	if err != nil {
		return nil, err
	}
	defer release()
	t, err := ses.Repo.Tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, f := range t.Files() {
		there[f.Path] = true
	}
	host := &plugin.Host{Box: box, Getenv: x.getenv}
	var out []audit.Finding
	for _, p := range x.list {
		reply, err := host.Call(ctx, p, plugin.Call{Params: plugin.Nothing{}, Base: dir})
		if err != nil {
			return nil, err
		}
		found, err := plugin.ReadFindings(reply.Result)
		if err != nil {
			return nil, fmt.Errorf("plug-in %s: %w", p.Name, err)
		}
		for _, f := range found {
			if !there[f.Path] {
				x.leftOut(p.Name, f.Path)
				continue
			}
			place, rule := f.Path, p.Name+"/"+f.Rule
			if f.Function != "" {
				place += ":" + f.Function
			}
			out = append(out, audit.Finding{
				Key: "audit:" + rule + ":" + place, Path: f.Path, Function: f.Function, Line: f.Line, Figure: rule + " " + place,
				Value: f.Value, Bound: f.Bound, Priority: f.Priority, Text: f.Text,
			})
		}
	}
	return out, nil
}

func (x *auditors) leftOut(name, path string) {
	text := fmt.Sprintf("plug-in %s found something in %s, which is no file of the tree: that is left out", name, view.CleanLine(path))
	if !x.warned[text] {
		x.warned[text] = true
		x.warn(text)
	}
}

// auditPlugged is what the plug-ins of the configuration and of a verb's flags find.
func (a *App) auditPlugged(ctx context.Context, ses *engine.Session, p place, tree record.Hash, more []string) ([]audit.Finding, error) {
	l, err := a.load(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	for _, dir := range more {
		l.Plugins.Auditors = append(slices.Clip(l.Plugins.Auditors), a.folder(dir))
	}
	if len(l.Plugins.Auditors) == 0 {
		return nil, nil
	}
	box, err := sandbox.New(ctx, sandbox.Options{Mode: sandbox.Mode(l.Sandbox.Mode), Scratch: l.Sandbox.Scratch})
	if err != nil {
		return nil, err
	}
	defer box.Close()
	x, err := a.openAuditors(l.Config, func(context.Context) (*sandbox.Box, error) { return box, nil },
		func(text string) { fmt.Fprintln(a.Err, "atoll: "+text) })
	if err != nil {
		return nil, err
	}
	return x.find(ctx, ses, tree)
}
