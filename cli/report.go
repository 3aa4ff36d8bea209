package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine/query"
	"atoll/engine/report"
	"atoll/engine/view"
	"atoll/store/whole"
)

func (a *App) reportCmd() *cobra.Command {
	var page, document string
	cmd := &cobra.Command{
		Use: "report", Short: "Tell what became of the experiment, as Markdown or as one HTML file",
		Long:    "The report is for people who never saw atoll: what was gained and how sure that is, the winner's change and\nhow it came about, curves, the map with every elite's change, operators, agents, failures, lessons, settings and how\nto do it again. The HTML file needs no network. Without a file the Markdown is printed.",
		Example: "  atoll report --html report.html\n  atoll report --md report.md", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.foldersThere(page, document); err != nil {
				return err
			}
			return a.with(cmd.Context(), func(o *opened) error { return a.report(cmd.Context(), o, page, document) })
		},
	}
	cmd.Flags().StringVar(&page, "html", "", "write one HTML file")
	cmd.Flags().StringVar(&document, "md", "", "write Markdown into this file (- for stdout)")
	return cmd
}

func (a *App) report(ctx context.Context, o *opened, page, document string) error {
	if a.flags.json {
		return usage("a report is for people; `atoll status --json`, `atoll candidates --json` and `atoll niches --json` have its numbers")
	}
	snap, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	story, err := report.Gather(ctx, o.reader(), snap, "atoll "+a.Build.String(), a.now())
	if err != nil {
		return err
	}
	if page == "" && (document == "" || document == "-") {
		return report.Markdown(a.Out, story)
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer, *report.Story) error
	}{{page, report.HTML}, {document, report.Markdown}} {
		if f.name == "" {
			continue
		}
		if err := whole.Write(a.abs(f.name), whole.Options{Mode: 0o644}, func(w io.Writer) error { return f.write(w, story) }); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
		if _, err := fmt.Fprintf(a.Out, "wrote %s\n", view.CleanLine(f.name)); err != nil {
			return err
		}
	}
	return nil
}

// reader answers questions about the experiment from the state that was folded.
func (o *opened) reader() *query.Reader {
	return query.NewReader(query.Options{Experiment: o.exp.ID, DB: o.DB, Repo: o.Repo, Asker: query.Alone{State: o.state}})
}

// now is the time by the app's clock.
func (a *App) now() time.Time {
	if a.Now != nil {
		return a.Now()
	}
	return time.Now()
}
