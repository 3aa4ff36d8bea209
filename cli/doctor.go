package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/doctor"
	"atoll/engine/view"
	"atoll/gitops"
)

func (a *App) doctorCmd() *cobra.Command {
	var deep, strict bool
	var speed, mutants int
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the machine, the repository, the configuration, the evaluator and what is kept",
		Long: `Each finding is a line with what to do next. Of what is kept here it checks the database and its write-ahead log, git's
files, that every elite's commit is there and a ref leads to it, and that the archive is the fold of the log; --deep
does it for every candidate and every object.

Exit codes: 0 all is well, or only warnings; 1 a check failed; 2 warnings under --strict, or usage.`,
		Example: "  atoll doctor\n  atoll doctor --deep          measure the root twice, and try every agent on one line of work\n  atoll doctor --mutants 40    break the root 40 times: does the evaluator notice?\n  atoll doctor --speed 20000   overhead of one job in a target of so many files",
		Args: func(cmd *cobra.Command, args []string) error {
			if n, given := mutantsBehind(cmd, args); given {
				mutants, args = n, nil
			}
			return cobra.NoArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			d := a.doing()
			defer d.end()
			if speed > 0 {
				return a.speed(ctx, speed)
			}
			p, placeErr := a.placeBy(ctx, gitops.Inspect)
			var checks []view.CheckLine
			if placeErr != nil {
				checks = append(checks, misplaced(placeErr))
			}
			loaded, loadErr := a.load(ctx, p, nil)
			if cmd.Flags().Changed("mutants") {
				if placeErr != nil {
					return placeErr
				}
				return a.mutants(ctx, doctor.Options{Target: p.target, Config: loaded, ConfigErr: loadErr, Now: a.Now, Env: a.Env, Doing: d.begin}, p.state, mutants, d.tell)
			}
			target := p.target
			target.Dirty = dirtyText(ctx, target) != "" // what init wrote is read from the work tree
			checks = append(checks, engine.Doctor(ctx, doctor.Options{
				Target: target, State: p.state, Config: loaded, ConfigErr: loadErr, Deep: deep, Now: a.Now, Env: a.Env, Doing: d.begin,
			})...)
			if files := uncommitted(ctx, p, loaded); loadErr == nil && len(files) > 0 {
				checks = append(checks, view.CheckLine{Group: "evaluator", Name: "command", Detail: strings.Join(files, ", ") + " is not committed, so no candidate would have it", Cure: committing(files)})
			}
			if err := checkKeys(loaded); loadErr == nil && err != nil {
				checks = append(checks, view.CheckLine{Group: "configuration", Name: "console.keys", Detail: err.Error(), Cure: "docs/keys.md lists the actions"})
			}
			return a.printChecks(checks, strict)
		},
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "also measure the root, try every agent and read every object")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit 2 when there are warnings")
	cmd.Flags().IntVar(&mutants, "mutants", 0, "put the evaluator on trial: run it on so many programs broken on purpose")
	cmd.Flags().Lookup("mutants").NoOptDefVal = "20"
	cmd.Flags().IntVar(&speed, "speed", 0, "measure the engine's own overhead per job in a target of so many files")
	return cmd
}

// misplaced is the finding that there is no repository to work with, and what to do.
func misplaced(err error) view.CheckLine {
	l := view.CheckLine{Group: "repository", Name: "repository", Detail: err.Error(), Cure: "run this inside a repository, or name one with --repo"}
	var refusal *gitops.Refusal
	if errors.As(err, &refusal) && refusal.Next != "" && !errors.Is(err, gitops.ErrNotRepository) {
		l.Detail, l.Cure = fmt.Sprintf("cannot use %s: %s", refusal.Path, refusal.Reason), refusal.Next
	}
	return l
}

func (a *App) printChecks(checks []view.CheckLine, strict bool) error {
	bad, warn := 0, 0
	for _, c := range checks {
		switch {
		case c.OK:
		case c.Warn:
			warn++
		default:
			bad++
		}
	}
	if a.flags.json {
		if err := writeJSON(a.Out, checks); err != nil {
			return err
		}
	} else {
		tw := table(a.Out)
		for _, c := range checks {
			mark := "ok"
			if !c.OK {
				mark = "FAIL"
				if c.Warn {
					mark = "warn"
				}
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", mark, c.Group, c.Name, a.spell(view.CleanLine(c.Detail)))
			if !c.OK && c.Cure != "" {
				fmt.Fprintf(tw, "\t\t\t-> %s\n", a.spell(c.Cure))
			}
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	switch {
	case bad > 0:
		return fmt.Errorf("%s failed", view.Plural(bad, "check"))
	case warn > 0 && strict:
		return usage("%s", view.Plural(warn, "warning"))
	}
	return nil
}
