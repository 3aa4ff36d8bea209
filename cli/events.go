package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine/view"
	"atoll/store/record"
)

func (a *App) eventsCmd() *cobra.Command {
	var after int64
	var tail int
	var follow bool
	cmd := &cobra.Command{
		Use: "events", Short: "Print the ordered log", Example: "  atoll events --tail 20\n  atoll events --follow --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := a.openUnfolded(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			return a.events(cmd.Context(), o, record.Seq(after), tail, follow)
		},
	}
	cmd.Flags().Int64Var(&after, "after", 0, "only rows behind this number")
	cmd.Flags().IntVar(&tail, "tail", 0, "only the last so many rows")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as rows are written")
	return cmd
}

func (a *App) events(ctx context.Context, o *opened, after record.Seq, tail int, follow bool) error {
	if tail > 0 {
		rows, err := o.DB.Tail(ctx, o.exp.ID, tail)
		if err != nil {
			return err
		}
		after = a.printRows(rows, after)
		if !follow {
			return nil
		}
	}
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for {
		rows, err := o.DB.Log(ctx, o.exp.ID, after, 1000)
		if follow && ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		after = a.printRows(rows, after)
		if len(rows) > 0 {
			continue
		}
		if !follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
		}
	}
}

func (a *App) printRows(rows []record.LogRow, after record.Seq) record.Seq {
	for _, r := range rows {
		after = r.Seq
		if a.flags.json {
			writeJSONLine(a.Out, r)
			continue
		}
		subject := ""
		if r.Job != record.NoJob {
			subject = r.Job.String()
		}
		if r.Candidate != record.NoCandidate {
			subject += " " + r.Candidate.String()
		}
		fmt.Fprintf(a.Out, "%d %s %-10s %s %s\n", r.Seq, time.UnixMilli(int64(r.At)).Format("15:04:05.000"), r.Kind, subject, view.CleanLine(string(r.Data)))
	}
	return after
}
