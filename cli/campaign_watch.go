package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/view"
	"atoll/store/record"
	screen "atoll/tui/campaign"
)

// watchCampaign runs a campaign under its screen. The screen stays when the
// campaign has ended, until the person leaves.
func (a *App) watchCampaign(ctx context.Context, r *taskRunner, o campaign.Options) error {
	decide := &campaignDecisions{app: a, ses: r.ses}
	scr := screen.New(screen.Options{Decide: decide, Input: a.In, Output: a.Out, Env: a.Env, Color: a.flags.color, ASCII: r.loaded.Console.ASCII, Leave: r.leave})
	decide.show = func(s *campaign.State) { scr.Publish(a.boardOf(s, "")) }
	o.Tell = func(e campaign.Event) {
		who := "campaign"
		if e.Task > 0 {
			who = fmt.Sprintf("t%d", e.Task)
		}
		scr.Tell(screen.Event{At: a.Now(), Who: who, Text: view.CleanLine(e.Text), Bad: e.Bad})
	}
	o.Changed = decide.show
	r.tell = o.Tell
	r.search = func(task int, s *view.Snapshot) { scr.Search(searchOf(task, s)) }
	c := campaign.New(o)
	type end struct {
		why string
		err error
	}
	ended := make(chan end, 1)
	go func() {
		why, err := c.Run(ctx)
		if err == nil {
			scr.Publish(a.boardOf(c.State(), why))
		} else if !errors.Is(err, errInterrupted) {
			scr.Tell(screen.Event{At: a.Now(), Who: "campaign", Text: err.Error(), Bad: true})
		}
		ended <- end{why, err}
	}()
	uiErr := scr.Run(ctx)
	r.leave()
	e := <-ended
	if e.err != nil {
		return errors.Join(uiErr, e.err)
	}
	now, err := campaign.Load(ctx, r.ses.DB) // with what was decided on the screen
	if err != nil {
		return errors.Join(uiErr, err)
	}
	return errors.Join(uiErr, a.campaignEnd(now, e.why))
}

// campaignDecisions carries out what a person does on the screen.
type campaignDecisions struct {
	app  *App
	ses  *engine.Session
	show func(*campaign.State)
}

func (d *campaignDecisions) change(decide func(*campaign.State) ([]record.CampaignRow, error)) error {
	ctx := context.Background() // the store's writer answers at once
	s, err := campaign.Load(ctx, d.ses.DB)
	if err == nil {
		err = campaign.Change(ctx, d.ses.DB, s, d.app.who(), decide)
	}
	if err == nil {
		d.show(s)
	}
	return err
}

func (d *campaignDecisions) Answer(proposal int, accept bool) error {
	return d.change(func(s *campaign.State) ([]record.CampaignRow, error) { return s.Answer(proposal, accept) })
}

func (d *campaignDecisions) Silence() error {
	return d.change(func(s *campaign.State) ([]record.CampaignRow, error) {
		next, none := s.Settings, 0.0
		next.Authority = &none
		return s.Bound(next)
	})
}

func (d *campaignDecisions) Drop(task int) error {
	return d.change(func(s *campaign.State) ([]record.CampaignRow, error) { return s.Drop(task, "dropped on the screen") })
}

// boardOf is a campaign as its screen shows it.
func (a *App) boardOf(s *campaign.State, ended string) screen.Board {
	l := campaignOf(s)
	b := screen.Board{
		Spent: fmt.Sprintf("%s, %s", view.Plural(s.Spent.Tasks, "attempt"), view.Plural(s.Spent.Jobs, "job")), Ended: ended,
		Ranker: screen.Ranker{Authority: l.Ranker.Authority, Evidence: l.Ranker.Evidence, Error: l.Ranker.Error, Judged: l.Ranker.Judged, Asked: l.Ranker.Asked, Agrees: l.Ranker.Agrees, Most: s.Settings.Authority},
	}
	if s.Settings.Jobs > 0 {
		b.Spent = fmt.Sprintf("%s, %d of %d jobs", view.Plural(s.Spent.Tasks, "attempt"), s.Spent.Jobs, s.Settings.Jobs)
	}
	if !s.Head.IsZero() {
		b.Head = s.Head.Short()
	}
	for _, t := range a.backlogLines(s) {
		row := screen.Task{ID: t.ID, Status: string(t.Status), Title: view.CleanLine(t.Title), Position: t.Position, Why: t.Reason, After: taskNames(t.Dependencies)}
		if t.Position > 0 {
			row.Why = t.Why
		}
		if t.Gain != nil {
			row.Gain = signedPercent(*t.Gain)
		}
		for _, c := range t.Checks {
			row.Checks = append(row.Checks, view.CleanLine(c.String()))
		}
		b.Tasks = append(b.Tasks, row)
	}
	b.Open = openTasks(s)
	for _, h := range s.Health {
		b.Health.Worst = append(b.Health.Worst, float64(h.Complexity))
		b.Health.Mean = append(b.Health.Mean, h.Mean)
		b.Health.Findings = append(b.Health.Findings, float64(h.Findings))
		b.Health.Lines = append(b.Health.Lines, float64(h.Lines))
	}
	for _, p := range s.Proposals {
		if p.Answer == "" {
			b.Proposals = append(b.Proposals, screen.Proposal{ID: p.ID, Text: view.CleanLine(p.Text)})
		}
	}
	return b
}

// openTasks is the burn-down: how many tasks were open whenever one was added or ended.
func openTasks(s *campaign.State) []float64 {
	type change struct {
		at record.Millis
		by float64
	}
	var changes []change
	for _, it := range s.Items {
		changes = append(changes, change{it.Added, 1})
		if it.Ended > 0 {
			changes = append(changes, change{it.Ended, -1})
		}
	}
	slices.SortStableFunc(changes, func(x, y change) int { return int(x.at - y.at) })
	out := make([]float64, 0, len(changes))
	n := 0.0
	for _, c := range changes {
		n += c.by
		out = append(out, n)
	}
	return out
}

// searchOf is the search of a running task as the screen shows it.
func searchOf(task int, s *view.Snapshot) *screen.Running {
	if s == nil {
		return nil
	}
	r := &screen.Running{Task: task, Jobs: s.Jobs.Ended(), Max: s.Jobs.Max, Root: "?", Best: "?"}
	if s.Root.ID != record.NoCandidate {
		r.Root = view.FormatValue(s.Root.Objective)
	}
	if s.Best.ID != record.NoCandidate {
		r.Best = bestText(s)
	}
	r.Values = s.Curves.Best
	return r
}
