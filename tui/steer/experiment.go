package steer

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/widget"
)

// ExperimentKeys are the rows about the experiment.
func (a *Actions) ExperimentKeys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "refit", Keys: nil, Title: "fit the map again", In: []keys.Scope{keys.InAll}, Decides: true, Off: reasons{a}.learned, Run: a.refit},
		{ID: "inject", Keys: []string{"I"}, Title: "inject a commit", Doc: "a revision of your repository as a candidate", In: []keys.Scope{keys.InAll}, Decides: true, Run: a.inject},
		{ID: "workers", Keys: nil, Title: "number of workers", In: []keys.Scope{keys.InAll}, Decides: true, Run: a.askSetting("workers", "Jobs that run at the same time.")},
		{ID: "budget-jobs", Keys: nil, Title: "budget of jobs", In: []keys.Scope{keys.InAll}, Decides: true, Run: a.askSetting("budget.jobs", "Make jobs of the whole experiment; 0 is no limit.")},
		{ID: "budget-cost", Keys: nil, Title: "budget of money", In: []keys.Scope{keys.InAll}, Decides: true, Run: a.askSetting("budget.cost_usd", "US dollars for the whole experiment; 0 is no limit.")},
		{ID: "review-measure", Keys: nil, Title: "review before measuring", Doc: "off, risky, all", In: []keys.Scope{keys.InAll}, Decides: true, Run: a.chooseGate("review.measure", "Hold before measuring")},
		{ID: "review-niche", Keys: nil, Title: "review before a niche", Doc: "off, risky, all", In: []keys.Scope{keys.InAll}, Decides: true, Run: a.chooseGate("review.niche", "Hold before a niche is taken")},
	}
}

func (a *Actions) Undo() tea.Cmd { return a.takeBack("undo", a.D.Snap.Undo, Controller.Undo) }
func (a *Actions) Redo() tea.Cmd { return a.takeBack("redo", a.D.Snap.Redo, Controller.Redo) }

// takeBack is about the decision that the person sees as the last one, so that two who
// press the key at once do not take back two. Who presses it before the screen has
// followed what was done here means that, or the one before.
func (a *Actions) takeBack(where string, of record.Seq, fn func(Controller, context.Context, record.Seq) (view.Unwound, error)) tea.Cmd {
	ctl := a.Ctl
	if a.from != nil && *a.from == [2]record.Seq{a.D.Snap.Undo, a.D.Snap.Redo} {
		of = 0
	}
	return a.Act(where, func(ctx context.Context) Done {
		done, err := fn(ctl, ctx, of)
		return Done{Text: done.Said, Err: err, Logged: true, Back: true}
	})
}

// PauseOrResume says which of the two the key does now.
func PauseOrResume(state record.ExperimentState) string {
	if state == record.ExperimentRunning {
		return "pause the experiment"
	}
	return "resume the experiment"
}

func (a *Actions) PauseEngine() tea.Cmd {
	if a.D.Snap.State != record.ExperimentRunning {
		return a.Decide("resumed", true, pane.Decision(record.Resume))
	}
	return a.Decide("paused; running jobs finish", true, pane.Decision(record.Pause))
}

func (a *Actions) StopEngine() tea.Cmd {
	s := a.D.Snap
	return a.Host.Ask(&widget.Confirm{
		Title: "Stop " + s.Experiment.Name,
		Text:  []string{fmt.Sprintf("%s finish, %d queued wait. The experiment can be run again later and goes on where it stopped.", widget.Plural(len(s.Running), "running job", "running jobs"), s.Jobs.Queued)},
		Choices: []widget.Choice{{Key: "esc", Label: "go on"}, {Key: "s", Label: "stop it", Run: func() tea.Cmd {
			return a.Decide("stopping", false, pane.Decision(record.Stop))
		}}},
	})
}

func (a *Actions) refit() tea.Cmd {
	return a.Decide("asked for a new map", false, pane.Decision(record.Refit))
}

func (a *Actions) inject() tea.Cmd {
	p := widget.NewPrompt("Inject a commit", "A branch, tag or commit of the target repository; it is measured like any candidate.", "", func(rev string) tea.Cmd {
		d := pane.Decision(record.Inject)
		d.Text = rev
		return a.Decide("injecting "+rev, false, d)
	})
	p.Check = widget.NotEmpty("name a revision")
	return a.Host.Ask(p)
}

// askSetting asks for the value of a live setting by a line of text.
func (a *Actions) askSetting(key, hint string) func() tea.Cmd {
	return func() tea.Cmd {
		s := &a.D.Snap.Settings
		now := map[string]string{"workers": fmt.Sprint(s.Workers), "budget.jobs": fmt.Sprint(s.MaxJobs), "budget.cost_usd": fmt.Sprint(s.MaxCostUSD)}[key]
		p := widget.NewPrompt(key, hint, now, func(v string) tea.Cmd {
			return a.Decide(key+" = "+v, true, pane.Setting(key, v))
		})
		p.Check = widget.NotEmpty("a value is needed")
		return a.Host.Ask(p)
	}
}

// chooseGate asks which candidates wait for a person.
func (a *Actions) chooseGate(key, title string) func() tea.Cmd {
	return func() tea.Cmd {
		var items []widget.Item
		for _, c := range [...][2]string{{"off", "nothing waits"}, {"risky", "findings of the gate, large changes, files never touched before, a new best"}, {"all", "every candidate waits"}} {
			items = append(items, widget.Item{Title: c[0], Note: c[1], Run: func() tea.Cmd {
				return a.Decide(key+" = "+c[0], true, pane.Setting(key, c[0]))
			}})
		}
		return a.Host.Ask(widget.NewMenu(title, items))
	}
}
