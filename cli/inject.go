package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

func (a *App) injectCmd() *cobra.Command {
	return &cobra.Command{
		Use: "inject REVISION", Short: "Add a commit of your repository as a candidate",
		Long: "inject queues a commit of your repository as a candidate of the experiment that is there; it is measured\n" +
			"by the next run that its budget lets make a job, or by the one that is under way. Before the first run there\n" +
			"is no experiment: begin with `atoll run`.",
		Example: "  atoll inject my-branch", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				commit, _, err := engine.Inject(cmd.Context(), o.Session, o.exp.ID, engine.Injection{Revision: args[0]}, a.who())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.Out, folded(a.spell(injectedText(commit.Short(), o)), a.width(a.Out)))
				return err
			})
		},
	}
}

// injectedText says what becomes of a commit: nothing is measured where the root cannot be, nor in an experiment that is done.
func injectedText(commit string, o *opened) string {
	queued := "queued " + commit + " as a candidate"
	if o.OwnerPID() != 0 {
		return queued
	}
	why := view.CleanLine(view.StateText(o.state.Run, o.state.Reason))
	switch o.state.Run {
	case record.ExperimentBroken:
		return fmt.Sprintf("%s waits, for the experiment is %s: once that is mended `atoll run` goes on and takes it; `atoll run --new` begins anew, with another evaluator too, and knows nothing of it", commit, why)
	case record.ExperimentDone:
		more := "`atoll run` takes it once that is raised"
		if most := o.state.Settings.MaxJobs; most > 0 {
			more = fmt.Sprintf("a run that may make more jobs takes it first, such as `atoll run --max-jobs %d`", furtherJobs(most))
		}
		return fmt.Sprintf("%s; it waits, for the experiment is %s; %s", queued, why, more)
	}
	return queued
}
