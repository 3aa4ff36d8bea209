package eval

import (
	"errors"

	"atoll/engine/eval/output"
	"atoll/engine/plugin"
	"atoll/engine/sandbox"
)

// pluginRun is an evaluator that is a plug-in: what it is asked, and how its answer
// is read.
type pluginRun struct {
	p    *plugin.Plugin
	talk *plugin.Talk
}

// plugged runs the plug-in in evaluator.dir, which the person has to trust.
func plugged(o *Options) (*adapter, error) {
	if o.Dir == "" {
		return nil, errors.New("the adapter plugin needs evaluator.dir: the folder of the plug-in")
	}
	if len(o.Command) > 0 {
		return nil, errors.New("the adapter plugin takes no evaluator.command: the plug-in's manifest has it")
	}
	getenv := func(name string) string { v, _ := o.LookupEnv(name); return v }
	p, err := plugin.OpenAs(o.Dir, getenv, plugin.Evaluator)
	if err != nil {
		return nil, err
	}
	run := &pluginRun{p, p.NewTalk()}
	o.Env = append(o.Env[:len(o.Env):len(o.Env)], p.Permissions.Env...)
	return &adapter{
		name: "plugin", stdout: true, plugin: run,
		why:     "the plug-in answers on stdout; the answer has an id that nobody can guess, but code that it starts with its own stdin could read that id",
		command: func(in places) []string { return p.Args(in.dir) },
		parse:   run.answer,
	}, nil
}

// asks is what the plug-in reads on stdin.
func (r *pluginRun) asks(c *contextFile) ([]byte, error) {
	return r.talk.Input(plugin.EvaluateParams{
		Candidate: c.Candidate, Goal: c.Goal, Objective: c.Objective, Stage: c.Stage, Repeat: c.Repeat, Seed: c.Seed, Root: c.Root,
	})
}

// answer reads what it wrote.
func (r *pluginRun) answer(res *sandbox.Result, _ string) (output.Report, error) {
	if res.StdoutCut > 0 {
		return output.Report{}, errCut
	}
	raw, err := r.talk.Answer(res.Stdout)
	if err != nil {
		return output.Report{}, err
	}
	return output.ParseReport(raw)
}
