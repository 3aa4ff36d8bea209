package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path"
	"strings"

	"github.com/spf13/pflag"

	"atoll/config"
	"atoll/engine/forge"
	"atoll/engine/report"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
)

// pushing is what the flags of `promote --push` ask for.
type pushing struct {
	remote string
	pr     bool
	base   string
	kind   string
	api    string
	yes    bool
}

func (p *pushing) add(f *pflag.FlagSet) {
	f.StringVar(&p.remote, "push", "", "send the branch to this remote, with your git's credentials; a branch that is there is never replaced")
	f.BoolVar(&p.pr, "pr", false, "with --push: open a pull request there")
	f.StringVar(&p.base, "base", "", "with --pr: the branch to take it in (default: the one the experiment started from)")
	f.StringVar(&p.kind, "forge", "", "with --pr: github, gitlab or gitea, where the remote's name does not tell")
	f.StringVar(&p.api, "api", "", "with --pr: address of the forge's interface, where it is not the usual one")
	f.BoolVar(&p.yes, "yes", false, "with --push: do not ask before anything is sent")
}

func (p *pushing) consistent() error {
	switch {
	case p.remote == "" && (p.pr || p.yes):
		return usage("--pr and --yes go with --push REMOTE")
	case !p.pr && (p.base != "" || p.kind != "" || p.api != ""):
		return usage("--base, --forge and --api go with --pr")
	}
	return nil
}

// destination is where a branch is sent, and who opens the pull request.
type destination struct {
	remote gitops.Remote
	forge  *forge.Forge // nil: no pull request
	base   string
}

// destination finds out where a branch goes; nil for nowhere. It sends nothing.
func (a *App) destination(ctx context.Context, o *opened, p promotion) (*destination, error) {
	if p.push.remote == "" {
		return nil, nil
	}
	if o.Target.Path == "" {
		return nil, usage("the repository is not known here: run this inside it, or name it with --repo")
	}
	r, err := gitops.RemoteOf(ctx, o.Target, p.push.remote, a.Env)
	if err != nil {
		return nil, usage("%v", err)
	}
	to := &destination{remote: r, base: p.push.base}
	if !p.push.pr {
		return to, nil
	}
	if to.base == "" {
		to.base = o.exp.Branch
	}
	project := r.Path
	if r.Host == "" && p.push.api != "" { // a mirror on this machine
		project = lastTwo(r.URL)
	}
	to.forge, err = forge.Find(r.Host, project, forge.Options{Kind: forge.Kind(p.push.kind), API: p.push.api, Getenv: a.getenv, Look: exec.LookPath})
	if err == nil {
		err = to.forge.Ready(ctx)
	}
	if err != nil {
		return nil, usage("%v", err)
	}
	return to, nil
}

// lastTwo are the last parts of a path as a project: "owner/name".
func lastTwo(p string) string {
	p = strings.TrimSuffix(strings.TrimRight(p, "/"), ".git")
	return path.Base(path.Dir(p)) + "/" + path.Base(p)
}

// send shows what would leave this machine, asks, pushes, and opens the pull request.
func (a *App) send(ctx context.Context, o *opened, c *record.Candidate, p promotion, to *destination, verified string) error {
	var r forge.Request
	fmt.Fprintf(a.Err, "\nwould push %s to %s (%s)\n", p.branch, to.remote.Name, view.CleanLine(to.remote.URL))
	if to.forge != nil {
		var err error
		if r, err = a.pullRequest(ctx, o, c, p, to, verified); err != nil {
			return err
		}
		fmt.Fprintf(a.Err, "would open a pull request into %s of %s:\n\n%s\n\n%s\n", to.base, view.CleanLine(to.forge.String()), r.Title, r.Body)
	}
	if !p.push.yes {
		rest := fmt.Sprintf("; the branch %s stays here, and nothing was sent", p.branch)
		agreed, err := a.confirm(ctx, "Send it?", "nobody is here to agree to sending: say --yes, or run this in a terminal"+rest)
		if err != nil {
			return err
		}
		if !agreed {
			_, err = fmt.Fprintln(a.Err, "atoll: not sent"+rest)
			return err
		}
	}
	if err := gitops.Push(ctx, o.Target, to.remote.Name, p.branch, a.Env); err != nil {
		return err
	}
	told := a.Out
	if a.flags.json { // the document is whole
		told = a.Err
	}
	fmt.Fprintf(told, "pushed %s to %s\n", p.branch, to.remote.Name)
	if to.forge == nil {
		return nil
	}
	page, err := to.forge.Open(ctx, r)
	if err != nil {
		return fmt.Errorf("%w; the branch is pushed, so that it can be opened by hand", err)
	}
	_, err = fmt.Fprintf(told, "pull request %s\n", view.CleanLine(page))
	return err
}

// pullRequest writes what the pull request says.
func (a *App) pullRequest(ctx context.Context, o *opened, c *record.Candidate, p promotion, to *destination, verified string) (forge.Request, error) {
	snap, err := o.snapshot(ctx)
	if err != nil {
		return forge.Request{}, err
	}
	t, err := report.Propose(ctx, o.reader(), snap, c.ID)
	if err != nil {
		return forge.Request{}, err
	}
	cfg, err := config.Decode(o.exp.Config)
	if err != nil {
		return forge.Request{}, fmt.Errorf("read the stored configuration of %s: %w", o.exp.Name, err)
	}
	t.Program, t.Verified = "atoll "+a.Build.Version, verified
	t.Evaluator = strings.TrimSpace(cfg.Evaluator.Adapter + " " + strings.Join(cfg.Evaluator.Command, " "))
	var body bytes.Buffer
	if err := report.PullRequest(&body, t); err != nil {
		return forge.Request{}, err
	}
	return forge.Request{Title: t.Title(), Body: body.String(), Head: p.branch, Base: to.base}, nil
}
