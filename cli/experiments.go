package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"atoll/cli/door"
	"atoll/engine"
	"atoll/engine/kept"
	"atoll/engine/view"
	"atoll/store/record"
)

// experimentLine is one experiment in `experiments --json`.
type experimentLine struct {
	ID        record.ExperimentID    `json:"id"`
	Name      string                 `json:"name"`
	State     record.ExperimentState `json:"state"`
	Created   string                 `json:"created"`
	Root      record.Hash            `json:"root_commit"`
	Seed      uint64                 `json:"seed"`
	Objective string                 `json:"objective"`
	Direction string                 `json:"direction"`
	Ended     int                    `json:"jobs_ended"`
	Niches    int                    `json:"niches_filled"`
	QDScore   float64                `json:"qd_score"`
	RootValue *float64               `json:"root_value"`
	Best      *door.Standing         `json:"best"`
	gain

	measured string // what the values are, in words
}

func (a *App) experimentsCmd() *cobra.Command {
	return &cobra.Command{
		Use: "experiments [FIRST SECOND]", Short: "List the experiments here, or compare two",
		Long:    "Without arguments every experiment of this repository is listed, oldest first. With two names or numbers\nthey stand side by side with what differs in their configurations.",
		Example: "  atoll experiments\n  atoll experiments 1 2\n  atoll experiments --json | jq '.[].gain_pct'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return usage("name two experiments to compare, or none to list all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.experiments(cmd.Context(), args) },
	}
}

func (a *App) experiments(ctx context.Context, args []string) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	ses, err := a.session(ctx, p, false)
	if err != nil {
		return err
	}
	defer ses.Close()
	var list []record.Experiment
	if len(args) == 0 {
		if list, err = ses.DB.Experiments(ctx); err != nil {
			return err
		}
	}
	for _, name := range args {
		exp, err := ses.Find(ctx, name)
		if err != nil {
			return err
		}
		list = append(list, exp)
	}
	lines := make([]experimentLine, 0, len(list))
	var snaps []*view.Snapshot
	for _, exp := range list {
		s, err := snapshotOf(ctx, ses, exp)
		if err != nil {
			return fmt.Errorf("read experiment %d: %w", exp.ID, err)
		}
		lines = append(lines, lineOf(exp, s))
		if len(args) == 2 {
			snaps = append(snaps, s)
		}
	}
	if len(args) == 2 {
		return a.compare(list, lines, snaps)
	}
	if a.flags.json {
		return writeJSON(a.Out, lines)
	}
	return a.listExperiments(lines)
}

func snapshotOf(ctx context.Context, ses *engine.Session, exp record.Experiment) (*view.Snapshot, error) {
	st, err := kept.Load(ctx, ses.Dir, ses.DB, exp.ID)
	if err != nil {
		return nil, err
	}
	o := opened{Session: ses, exp: exp, state: st}
	return o.snapshot(ctx)
}

func lineOf(exp record.Experiment, s *view.Snapshot) experimentLine {
	l := experimentLine{
		ID: exp.ID, Name: exp.Name, State: s.State, Created: time.UnixMilli(int64(exp.Created)).UTC().Format(time.RFC3339), Root: exp.RootCommit, Seed: exp.Seed,
		Objective: objectiveName(s), Direction: s.Direction, Ended: s.Jobs.Ended(), Niches: s.Grid.Filled, QDScore: s.Grid.QD, Best: door.StandingOf(s.Best, false),
	}
	if s.Root.ID != record.NoCandidate {
		l.RootValue = door.Number(s.Root.Objective)
	}
	l.gain = gainOf(s)
	l.measured = s.Measured()
	return l
}

func (a *App) listExperiments(lines []experimentLine) error {
	tw := table(a.Out)
	fmt.Fprintln(tw, "ID\tNAME\tSTATE\tCREATED\tROOT\tJOBS\tNICHES\tOBJECTIVE\tBEST\tGAIN")
	for _, l := range lines {
		fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", l.ID, view.CleanLine(l.Name), l.State, l.Created, l.Root.Short(), l.Ended, l.Niches, l.measured, l.bestText(), l.gainText())
	}
	return tw.Flush()
}

func (l *experimentLine) bestText() string {
	if l.Best == nil {
		return "-"
	}
	return l.Best.ID.String() + " " + l.Best.Value
}

func (l *experimentLine) gainText() string {
	switch {
	case l.Best != nil && l.Best.ID == record.Root:
		return "none"
	case l.Best != nil && l.Best.Claim != nil:
		return view.ClaimGain(*l.Best.Claim)
	case l.Gain == nil:
		return "-"
	}
	return signedPercent(*l.Gain)
}
