package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/store/record"
)

// steerCmds are the verbs that append a decision. A running engine carries it
// out at once; without one it waits in the log for the next run.
func (a *App) steerCmds() []*cobra.Command {
	return []*cobra.Command{
		a.candidateVerb(record.Approve, "Let a held candidate go on"),
		a.candidateVerb(record.Reject, "Take a candidate out of the archive; the runner-up takes its niche"),
		a.candidateVerb(record.Restore, "Take a rejection back"),
		a.nicheVerb(record.Freeze, "Keep the elite of a niche and do not use it as a parent"),
		a.nicheVerb(record.Boost, "Choose parents from a niche more often"),
		a.nicheVerb(record.Release, "End the freeze and the boost of a niche"),
		a.candidateVerb(record.Pin, "Protect a candidate from retention"),
		a.candidateVerb(record.Measure, "Measure a candidate again; its value is then that of all its samples"),
		a.candidateVerb(record.Unpin, "End the protection"),
		a.plainVerb(record.Pause, "Claim no new jobs"),
		a.plainVerb(record.Resume, "Claim jobs again"),
		a.plainVerb(record.Stop, "Finish what runs and end the engine"),
		a.jobVerb(record.Cancel, "End a queued, running or held job"),
		a.jobVerb(record.Retry, "Queue a job like this one again"),
		a.jobVerb(record.Prioritise, "Change the priority of a queued job"),
		a.plainVerb(record.Refit, "Fit the learned map anew"),
		a.startCmd(), a.setCmd(), a.noteCmd(), a.injectCmd(), a.promoteCmd(), a.unwindCmd(record.Undo, "Take the last decision back"), a.unwindCmd(record.Redo, "Do the last undone decision again"),
	}
}

// decide checks and appends a decision and says what it did.
func (a *App) decide(ctx context.Context, o *opened, d record.Decision) error {
	d.Who = a.who()
	d, err := o.state.Prepare(d)
	if err != nil {
		return err
	}
	return a.append(ctx, o, d)
}

func (a *App) append(ctx context.Context, o *opened, d record.Decision) error {
	seq, err := o.DB.AppendDecision(ctx, o.exp.ID, d)
	if err != nil {
		return err
	}
	if a.flags.json {
		d.Seq = seq
		return writeJSON(a.Out, d)
	}
	then := ""
	if o.OwnerPID() == 0 {
		then = " (no engine runs: it takes effect with the next `atoll run`)"
	}
	_, err = fmt.Fprintf(a.Out, "%s%s\n", engine.DecisionText(d), then)
	return err
}

func noObject(verb record.Verb) record.Decision {
	return record.Decision{Verb: verb, Candidate: record.NoCandidate, Job: record.NoJob, Cell: -1}
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

// with opens the experiment for fn.
func (a *App) with(ctx context.Context, fn func(*opened) error) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	return fn(o)
}

func (a *App) candidateVerb(verb record.Verb, short string) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: string(verb) + " CANDIDATE...", Short: short, Example: fmt.Sprintf("  atoll %s c128", verb), Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				for _, arg := range args {
					id, err := o.parseCandidate(arg)
					if err != nil {
						return err
					}
					d := noObject(verb)
					d.Candidate, d.Text = id, reason
					if err := a.decide(cmd.Context(), o, d); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	if verb == record.Reject {
		cmd.Flags().StringVarP(&reason, "reason", "m", "", "why, in your words")
	}
	return cmd
}

// nicheVerb takes a candidate (c12), a niche (9,4) or target:NAME.
func (a *App) nicheVerb(verb record.Verb, short string) *cobra.Command {
	factor := 3.0
	cmd := &cobra.Command{
		Use: string(verb) + " NICHE|CANDIDATE|target:NAME", Short: short,
		Example: fmt.Sprintf("  atoll %s 9,4\n  atoll %s c128\n  atoll %s target:parser", verb, verb, verb), Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				for _, arg := range args {
					d, err := o.niche(arg)
					if err != nil {
						return err
					}
					d.Verb = verb
					if verb == record.Boost {
						d.Value = factor
					}
					if err := a.decide(cmd.Context(), o, d); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	if verb == record.Boost {
		cmd.Flags().Float64Var(&factor, "by", 3, "factor, above 0; below 1 chooses it less often")
	}
	return cmd
}

// niche reads what a niche verb is about.
func (o *opened) niche(arg string) (record.Decision, error) {
	d := noObject("")
	if name, ok := strings.CutPrefix(arg, "target:"); ok {
		d.Text = name
		return d, nil
	}
	if !strings.Contains(arg, ",") {
		id, err := o.parseCandidate(arg)
		d.Candidate = id
		return d, err
	}
	var coords []int
	for _, p := range strings.Split(strings.Trim(arg, "()"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil {
			return d, usage("%q is no niche: write 9,4", arg)
		}
		coords = append(coords, n)
	}
	cell, err := o.state.Cell(coords)
	d.Cell = cell
	return d, err
}

func (a *App) jobVerb(verb record.Verb, short string) *cobra.Command {
	priority := 1
	cmd := &cobra.Command{
		Use: string(verb) + " JOB...", Short: short, Example: fmt.Sprintf("  atoll %s 341", verb), Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				for _, arg := range args {
					n, err := record.ParseCandidateID(arg)
					if err != nil {
						return usage("%q is no job: write 341 or '#341'", arg)
					}
					j, err := o.DB.Job(cmd.Context(), o.exp.ID, record.JobID(n))
					if err != nil {
						return fmt.Errorf("there is no job %s: %w", record.JobID(n), err)
					}
					if j.State.Ended() && verb != record.Retry {
						return usage("%s has ended: %s", j.ID, j.State)
					}
					d := noObject(verb)
					d.Job = record.JobID(n)
					if verb == record.Prioritise {
						d.Value = float64(priority)
					}
					if err := a.decide(cmd.Context(), o, d); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	if verb == record.Prioritise {
		cmd.Flags().IntVar(&priority, "to", 1, "higher comes first; 0 is usual")
	}
	return cmd
}

func (a *App) unwindCmd(verb record.Verb, short string) *cobra.Command {
	return &cobra.Command{
		Use: string(verb), Short: short, Example: "  atoll " + string(verb), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				next := o.state.NextUndo
				if verb == record.Redo {
					next = o.state.NextRedo
				}
				d, err := next(a.who())
				if err != nil {
					return err
				}
				return a.append(cmd.Context(), o, d)
			})
		},
	}
}

func (a *App) startCmd() *cobra.Command {
	var parent, operator, agent, goal string
	cmd := &cobra.Command{
		Use: "start", Short: "Queue one job of your choice", Example: "  atoll start --parent c128 --operator mutate --goal 'make the inner loop shorter'", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				job := record.Job{Parent: record.NoCandidate, Operator: record.Operator(operator), Agent: agent, Goal: goal}
				if parent != "" {
					id, err := o.parseCandidate(parent)
					if err != nil {
						return err
					}
					job.Parent = id
				}
				args, err := json.Marshal(job)
				if err != nil {
					return err
				}
				d := noObject(record.StartJob)
				d.Args, d.Text = args, strings.TrimSpace(operator+" "+goal)
				return a.decide(cmd.Context(), o, d)
			})
		},
	}
	cmd.Flags().StringVar(&parent, "parent", "", "the candidate to edit (default: drawn)")
	cmd.Flags().StringVar(&operator, "operator", "", "tune, mutate, crossover, ... (default: drawn)")
	cmd.Flags().StringVar(&agent, "agent", "", "who edits (default: drawn)")
	cmd.Flags().StringVar(&goal, "goal", "", "goal of this job alone")
	return cmd
}

func (a *App) setCmd() *cobra.Command {
	return &cobra.Command{
		Use: "set KEY VALUE", Short: "Change a setting while the experiment runs", Example: "  atoll set workers 4\n  atoll set budget.jobs 1000\n  atoll set review.niche risky", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				args, err := json.Marshal(map[string]string{"key": args[0], "value": args[1]})
				if err != nil {
					return err
				}
				d := noObject(record.Set)
				d.Args = args
				return a.decide(cmd.Context(), o, d)
			})
		},
	}
}

func (a *App) noteCmd() *cobra.Command {
	var target, kind string
	cmd := &cobra.Command{
		Use: "note TEXT", Short: "Give agents a lesson or a direction for later prompts", Example: "  atoll note 'the parser is the bottleneck, not the scorer'", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				text := strings.Join(args, " ")
				b, err := json.Marshal(record.Note{Kind: kind, Target: target, Text: text, Author: a.who()})
				if err != nil {
					return err
				}
				d := noObject(record.WriteNote)
				d.Args, d.Text = b, text
				return a.decide(cmd.Context(), o, d)
			})
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "only for jobs on this target")
	cmd.Flags().StringVar(&kind, "kind", "direction", "direction, failure, short or long")
	return cmd
}

func (a *App) injectCmd() *cobra.Command {
	return &cobra.Command{
		Use: "inject REVISION", Short: "Add a commit of your repository as a candidate", Example: "  atoll inject my-branch", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				commit, err := engine.Inject(cmd.Context(), o.Session, o.exp.ID, args[0], a.who())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Out, "queued %s as a candidate\n", commit.Short())
				return err
			})
		},
	}
}

func (a *App) promoteCmd() *cobra.Command {
	var branch, patch, bundle string
	cmd := &cobra.Command{
		Use: "promote CANDIDATE", Short: "Make a branch of a candidate in your repository, or a patch or bundle file",
		Example: "  atoll promote best --branch faster-packing\n  atoll promote best --patch best.patch", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				id, err := o.parseCandidate(args[0])
				if err != nil {
					return err
				}
				c, err := o.DB.Candidate(cmd.Context(), o.exp.ID, id)
				if err != nil {
					return fmt.Errorf("there is no candidate %s: %w", id, err)
				}
				switch {
				case patch != "":
					text, err := o.Repo.ExportPatch(cmd.Context(), o.exp.RootCommit, c.Commit)
					if err != nil {
						return err
					}
					if patch == "-" {
						_, err = a.Out.Write(text)
						return err
					}
					if err := os.WriteFile(a.abs(patch), text, 0o644); err != nil {
						return fmt.Errorf("write the patch: %w", err)
					}
					_, err = fmt.Fprintf(a.Out, "wrote %s; try it with `git apply --check %s`\n", patch, patch)
					return err
				case bundle != "":
					if err := o.Repo.Bundle(cmd.Context(), c.Commit, a.abs(bundle)); err != nil {
						return err
					}
					_, err = fmt.Fprintf(a.Out, "wrote %s; read it with `git fetch %s`\n", bundle, bundle)
					return err
				}
				name, err := engine.Promote(cmd.Context(), o.Session, o.exp.ID, id, branch, a.who())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Out, "branch %s is %s (%s); look at it with `git diff %s...%s`\n", name, id, c.Commit.Short(), o.exp.Branch, name)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&branch, "branch", "", "name of the new branch (default: atoll/EXPERIMENT-CANDIDATE)")
	cmd.Flags().StringVar(&patch, "patch", "", "write a patch file instead (- for stdout)")
	cmd.Flags().StringVar(&bundle, "bundle", "", "write a git bundle instead")
	return cmd
}
