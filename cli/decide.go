package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/fold"
	"atoll/store/record"
)

// steerCmds are the verbs that append a decision. A running engine carries it
// out at once; without one it waits in the log for the next run. Verbs that take
// the same kind of thing are made alike; the others have files of their own.
func (a *App) steerCmds() []*cobra.Command {
	cmds := []*cobra.Command{
		a.candidateVerb(record.Approve, "Let a held candidate go on"),
		a.candidateVerb(record.Reject, "Take a candidate out of the archive; the runner-up takes its niche"),
		a.restoreCmd(),
		a.nicheVerb(record.Freeze, "Keep the elite of a niche and do not use it as a parent"),
		a.nicheVerb(record.Boost, "Choose parents from a niche more often"),
		a.nicheVerb(record.Release, "End the freeze and the boost of a niche"),
		a.candidateVerb(record.Pin, "Keep everything of a candidate and of all it descends from, whatever `atoll gc` removes"),
		a.candidateVerb(record.Measure, "Measure a candidate again; its value is then that of all its samples"),
		a.candidateVerb(record.Unpin, "Take the mark of pin away"),
		a.plainVerb(record.Pause, "Claim no new jobs"),
		a.plainVerb(record.Resume, "Claim jobs again"),
		a.plainVerb(record.Stop, "Finish what runs and end the engine"),
		a.jobVerb(record.Cancel, "End a queued, running or held job"),
		a.jobVerb(record.Retry, "Queue a job like this one again"),
		a.jobVerb(record.Prioritise, "Change the priority of a queued job"),
		a.plainVerb(record.Refit, "Fit the learned map anew"),
		a.startCmd(), a.setCmd(), a.noteCmd(), a.injectCmd(), a.promoteCmd(), a.unwindCmd(record.Undo, "Take the last decision back, or those that were made together"), a.unwindCmd(record.Redo, "Do again what undo took back"),
	}
	for _, cmd := range cmds {
		if slices.Contains([]string{"approve", "boost", "pause", "set"}, cmd.Name()) { // one of each kind; --help has all
			cmd.SuggestFor = []string{"steer"}
		}
	}
	return cmds
}

// decide checks and appends decisions, all or none, and says what they do.
func (a *App) decide(ctx context.Context, o *opened, ds ...record.Decision) error {
	for i := range ds {
		ds[i].Who = a.who()
	}
	o.rest()
	prepared, err := o.state.PrepareStep(ds)
	if err != nil {
		return err
	}
	ds = prepared
	said := make([]string, len(ds))
	for i, d := range ds {
		said[i] = o.state.DecisionText(d)
	}
	return a.append(ctx, o, strings.Join(said, "; "), ds...)
}

// rejected reports whether people or the guard rejected a candidate, which may have its value all the same.
func rejected(s *fold.State, id record.CandidateID) bool {
	m := s.Candidate(id)
	return m != nil && m.Rejected
}

// append writes decisions that are one step; said tells what they do. As JSON
// each is a line.
func (a *App) append(ctx context.Context, o *opened, said string, ds ...record.Decision) error {
	return a.appendBy(ctx, o, said, func(ctx context.Context) (record.Seq, error) { return o.DB.AppendDecisions(ctx, o.exp.ID, ds...) }, ds...)
}

// appendBy tells what was decided after write wrote it.
func (a *App) appendBy(ctx context.Context, o *opened, said string, write func(context.Context) (record.Seq, error), ds ...record.Decision) error {
	seq, err := write(ctx)
	if err == nil {
		err = engine.Settle(ctx, o.Session, o.exp.ID, ds...)
	}
	if err != nil {
		return err
	}
	if a.flags.json {
		for i, d := range ds {
			d.Seq = seq - record.Seq(len(ds)-1-i)
			if len(ds) > 1 {
				d.Group = seq - record.Seq(len(ds)-1)
			}
			if err := writeJSON(a.Out, d); err != nil {
				return err
			}
		}
		return nil
	}
	then := ""
	if o.OwnerPID() == 0 {
		then = a.spell(atRest(o.state.Run, ds))
	}
	_, err = fmt.Fprintf(a.Out, "%s%s\n", said, then)
	return err
}

// atRest says when decisions take effect while no engine runs, the experiment being in a state before.
func atRest(was record.ExperimentState, ds []record.Decision) string {
	switch verb := ds[0].Verb; {
	case was == record.ExperimentBroken && (verb == record.Pause || verb == record.Resume):
		return " (no engine runs: it is broken until `atoll run`, which tries again)"
	case verb == record.Pause:
		return " (no engine runs: it stays paused until `atoll run`)"
	case verb == record.Resume:
		return " (no engine runs: it is stopped until `atoll run`)"
	}
	return " (no engine runs: it takes effect with the next `atoll run`)"
}

// rest has the state say what holds while no engine runs: an experiment that was left as running has stopped.
func (o *opened) rest() {
	if o.state.Run == record.ExperimentRunning && o.OwnerPID() == 0 {
		o.state.Run = record.ExperimentStopped
	}
}

func noObject(verb record.Verb) record.Decision {
	return record.NewDecision(verb)
}

// with opens the experiment for fn.
func (a *App) with(ctx context.Context, fn func(*opened) error) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	return fn(o)
}

func (a *App) plainVerb(verb record.Verb, short string) *cobra.Command {
	return &cobra.Command{
		Use: string(verb), Short: short, Example: "  atoll " + string(verb), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				if verb == record.Stop && o.OwnerPID() == 0 {
					return usage("no engine runs here: there is nothing to stop")
				}
				return a.decide(cmd.Context(), o, noObject(verb))
			})
		},
	}
}

func (a *App) unwindCmd(verb record.Verb, short string) *cobra.Command {
	var of int64
	cmd := &cobra.Command{
		Use: string(verb), Short: short, Example: "  atoll " + string(verb) + "\n  atoll " + string(verb) + " --seq 341", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				next := o.state.NextUndo
				if verb == record.Redo {
					next = o.state.NextRedo
				}
				if cmd.Flags().Changed("seq") && of <= 0 {
					return usage("--seq: the position of a decision, as `events` names it, from 1 on")
				}
				o.rest()
				step, err := next(a.who())
				if err == nil {
					err = o.state.Means(step, record.Seq(of))
				}
				if err != nil {
					return err
				}
				seen := o.state.Seq
				return a.appendBy(cmd.Context(), o, o.state.StepText(step), func(ctx context.Context) (record.Seq, error) {
					return o.DB.AppendDecisionsBehind(ctx, o.exp.ID, seen, step...)
				}, step...)
			})
		},
	}
	cmd.Flags().Int64Var(&of, "seq", 0, "only if this is the position of the decision (`status --json` has it as "+string(verb)+")")
	return cmd
}
