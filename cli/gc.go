package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/retention"
	"atoll/engine/view"
)

func (a *App) gcCmd() *cobra.Command {
	var older string
	var dry bool
	cmd := &cobra.Command{
		Use: "gc", Short: "Drop the texts of candidates that hold no niche, and pack the rest",
		Long: `Prompts, transcripts and output of candidates that hold no niche go once they are older than retention.evidence. Rows,
values, samples and commits stay. Elites, the best, frozen and pinned candidates and all that they descend from keep
everything. Then objects are packed and, where no engine runs, the room is given back to the disk.`,
		Example: "  atoll gc --dry-run\n  atoll gc --older 7d", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				p := retention.Policy{Now: a.now(), DryRun: dry}
				loaded, err := a.load(cmd.Context(), place{target: o.Target, state: o.Dir}, nil)
				p.Evidence = loaded.Retention.Evidence
				if err != nil { // another file than the experiment's; its own counts
					p.Evidence = o.state.Config.Retention.Evidence
				}
				if older != "" {
					if p.Evidence, err = parseAge(older); err != nil {
						return usage("--older %s: %v", older, err)
					}
				}
				if !dry {
					lock, err := engine.LockState(o.Dir)
					if err == nil {
						defer lock.Close()
					} else if !errors.Is(err, engine.ErrLocked) {
						return err
					}
					p.Alone = err == nil
				}
				r, err := retention.Collect(cmd.Context(), retention.Source{Dir: o.Dir, DB: o.DB, Repo: o.Repo, Exp: o.exp.ID}, p)
				if err != nil {
					return err
				}
				return a.toldGC(r)
			})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	cmd.Flags().StringVar(&older, "older", "", "age instead of retention.evidence: 36h, 7d")
	return cmd
}

// parseAge reads a duration, with days.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n < 0 {
			return 0, errors.New("write a number of days such as 7d, or hours such as 36h")
		}
		return time.Duration(n * 24 * float64(time.Hour)), nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = errors.New("an age is not below zero")
	}
	return d, err
}

func (a *App) toldGC(r retention.Report) error {
	if a.flags.json {
		return writeJSON(a.Out, r)
	}
	verb := "dropped"
	if r.DryRun {
		verb = "would drop"
	}
	fmt.Fprintf(a.Out, "%s %s of %s, %s; %s and all they descend from keep everything\n", verb, view.Plural(r.Texts, "text"), view.Plural(r.Candidates, "candidate"),
		sizeText(r.TextBytes), view.Plural(r.Protected, "protected candidate"))
	if r.DryRun {
		return nil
	}
	fmt.Fprintf(a.Out, "the state directory had %s and has %s\n", sizeText(r.Before), sizeText(r.After))
	if !r.Vacuumed {
		fmt.Fprintln(a.Out, a.spell("an engine runs here: `atoll gc` after it gives the room in the database back to the disk"))
	}
	return nil
}

// sizeText is a number of bytes as people read it.
func sizeText(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1e3)
}
