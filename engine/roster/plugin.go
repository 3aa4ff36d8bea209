package roster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/plugin"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// plugged is an agent that is a plug-in: one of kind agent works in a checkout by a
// prompt, one of kind operator makes texts of texts.
type plugged struct {
	name     string
	host     *plugin.Host
	p        *plugin.Plugin
	checkout func(ctx context.Context, tree record.Hash) (dir string, release func(), err error)
	render   func(ctx context.Context, j agent.Job, t agent.Tree) (string, error)
	redact   func(string) string
}

var _ agent.Agent = (*plugged)(nil)

// plugin builds the agent that a plug-in is.
func (h *Builder) plugin(c *Roster, a config.Agent) (agent.Agent, error) {
	p, err := plugin.OpenAs(a.Plugin, h.Getenv, plugin.Agent, plugin.Operator)
	if err != nil {
		return nil, err
	}
	for _, op := range a.Operators {
		if p.Kind == plugin.Operator && !slices.Contains(p.Capabilities, op) {
			return nil, fmt.Errorf("the plug-in %s does not carry out %s, but %s", p.Name, op, strings.Join(p.Capabilities, ", "))
		}
	}
	if p.Kind == plugin.Operator && len(a.Operators) == 0 {
		return nil, fmt.Errorf("say what it is asked for: operators: [%s]", strings.Join(p.Capabilities, ", "))
	}
	if p.Permissions.Net && h.Config.Budget.CostUSD > 0 {
		return nil, fmt.Errorf("the plug-in %s has the network, and nobody can meter what it spends there; take budget.cost_usd out, or do without it", p.Name)
	}
	c.Mute[a.Name] = p.Kind == plugin.Operator
	c.OwnLogin[a.Name] = p.Permissions.Net
	l := h.Config.Limits
	return &plugged{
		name: a.Name, p: p, checkout: h.Repo.Checkout, render: c.Prompts.WorkTree,
		redact: func(s string) string { return agent.Redact(s, c.Secrets...) },
		host:   &plugin.Host{Box: h.Box, Getenv: h.Getenv, Most: sandbox.Limits{Wall: a.Timeout, Memory: l.Memory, Procs: l.Procs, Output: l.Output, Disk: l.Disk}},
	}, nil
}

// Edit implements [agent.Agent].
func (x *plugged) Edit(ctx context.Context, j agent.Job, t agent.Tree) (agent.Result, error) {
	usage := agent.FreeOfCharge()
	if x.p.Permissions.Net {
		usage = record.Usage{Unmetered: true}
	}
	if j.Progress != nil {
		j.Progress("editing")
	}
	seed := j.Rand.Uint64() >> 11 // every language holds 53 bits exactly
	var res agent.Result
	var said string
	var err error
	if x.p.Kind == plugin.Operator {
		res, said, err = x.propose(ctx, &j, t, seed)
	} else {
		res, said, err = x.edit(ctx, &j, t, seed)
	}
	if ctx.Err() != nil {
		return agent.Result{}, context.Cause(ctx)
	}
	if said != "" {
		res.Evidence = append(res.Evidence, record.Evidence{Kind: "stderr", Text: []byte(x.redact(said))})
	}
	if err != nil {
		return agent.Result{}, x.failed(err, usage, res.Evidence)
	}
	if len(res.Changes) == 0 {
		return agent.Result{}, &agent.Error{Class: record.ClassNoChange, Reason: x.name + " changed nothing", Usage: usage, Evidence: res.Evidence, Err: agent.ErrNoChange}
	}
	res.Usage = usage
	return res, nil
}

// failed is a failure of the plug-in with its class.
func (x *plugged) failed(err error, usage record.Usage, evidence []record.Evidence) error {
	var own *agent.Error
	if errors.As(err, &own) {
		return err
	}
	class := record.ClassInternal
	for _, known := range []error{plugin.ErrLimit, plugin.ErrProtocol, plugin.ErrAnswer} {
		if errors.Is(err, known) {
			class = record.ClassAgent
		}
	}
	return &agent.Error{Class: class, Reason: x.redact(err.Error()), Usage: usage, Evidence: evidence}
}

// edit has a plug-in work in a checkout of the parent. New files outside of the
// job's scope are left out; changes of files that are there are for the gate to judge.
func (x *plugged) edit(ctx context.Context, j *agent.Job, t agent.Tree, seed uint64) (res agent.Result, said string, err error) {
	prompt, err := x.render(ctx, *j, t)
	if err != nil {
		return res, "", err
	}
	j.Tell(agent.RoleCoder, x.redact(prompt))
	dir, release, err := x.checkout(ctx, j.Parent.Tree)
	if err != nil {
		return res, "", fmt.Errorf("check out the parent: %w", err)
	}
	defer release()
	reply, err := x.host.Call(ctx, x.p, plugin.Call{
		Params: plugin.EditParams{Prompt: prompt, Goal: j.Goal, Operator: string(j.Operator), Seed: seed}, Base: dir, Harvest: true, Live: j.Live,
	})
	if err != nil {
		return res, reply.Stderr, err
	}
	answer, err := plugin.ReadEdit(reply.Result)
	if err != nil {
		return res, reply.Stderr, err
	}
	modes := modesOf(t)
	res.Changes = slices.DeleteFunc(reply.Changes, func(c record.Change) bool {
		_, there := modes[c.Path]
		return !there && !j.Allowed(c.Path)
	})
	res.Intent = answer.Intent
	return res, reply.Stderr, nil
}

// maxSent bounds the texts that an operator is sent.
const maxSent = 8 << 20

// propose has an operator make changes of the parent's texts and those of others.
func (x *plugged) propose(ctx context.Context, j *agent.Job, t agent.Tree, seed uint64) (res agent.Result, said string, err error) {
	left := maxSent
	parent, err := texts(ctx, j, t, nil, &left)
	if err != nil {
		return res, "", err
	}
	ask := plugin.ProposeParams{
		Operator: string(j.Operator), Seed: seed, Goal: j.Goal, Metric: j.Metric, Direction: j.Direction,
		Parent: plugin.Source{Objective: j.Parent.Objective, Files: parent}, Others: []plugin.Other{},
	}
	for _, it := range j.Inspirations {
		if it.Files == nil {
			continue
		}
		files, err := texts(ctx, j, it.Files, t, &left)
		if err != nil {
			return res, "", err
		}
		ask.Others = append(ask.Others, plugin.Other{Objective: it.Objective, Files: files})
	}
	reply, err := x.host.Call(ctx, x.p, plugin.Call{Params: ask, Live: j.Live})
	if err != nil {
		return res, reply.Stderr, err
	}
	proposal, err := plugin.ReadProposal(reply.Result)
	if err != nil {
		return res, reply.Stderr, err
	}
	modes := modesOf(t)
	res.Intent = proposal.Intent
	for _, c := range proposal.Record(func(path string) (record.Mode, bool) { m, ok := modes[path]; return m, ok }) {
		if old, err := t.Read(ctx, c.Path); modes[c.Path] == 0 || c.Mode == record.Deleted || err != nil || !bytes.Equal(old, c.Data) {
			res.Changes = append(res.Changes, c)
		}
	}
	return res, reply.Stderr, nil
}

// modesOf are the modes of a tree's files.
func modesOf(t agent.Tree) map[string]record.Mode {
	out := map[string]record.Mode{}
	for _, f := range t.Files() {
		out[f.Path] = f.Mode
	}
	return out
}

// texts reads the texts of a tree that the job may change, those that are alike in
// another tree left out, until the room is used up.
func texts(ctx context.Context, j *agent.Job, t, like agent.Tree, left *int) ([]plugin.Text, error) {
	same := map[string]record.Hash{}
	if like != nil {
		for _, f := range like.Files() {
			same[f.Path] = f.Hash
		}
	}
	out := []plugin.Text{}
	for _, f := range t.Files() {
		if f.Mode != record.Regular && f.Mode != record.Executable || !j.Allowed(f.Path) || same[f.Path] == f.Hash && !f.Hash.IsZero() {
			continue
		}
		text, err := t.Read(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		if len(text) > *left || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		*left -= len(text)
		out = append(out, plugin.Text{Path: f.Path, Text: string(text)})
	}
	return out, nil
}
