package steer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/widget"
)

// CandidateKeys are the rows about candidates.
func (a *Actions) CandidateKeys() []*keys.Binding {
	in := []keys.Scope{keys.InCandidates}
	return []*keys.Binding{
		reasons{a}.key(reasons{a}.held, keys.Binding{ID: "approve", Many: true, Keys: []string{"a"}, Title: "approve", In: in, Decides: true, Bar: 70, Run: a.approve}),
		{ID: "approve-best", Keys: []string{"A"}, Title: "approve the best of each niche", Says: a.bestWord, Doc: "of those listed, in one step", In: []keys.Scope{keys.InReview}, Decides: true, Bar: 64, Off: a.needBest, Run: a.approveBest},
		reasons{a}.key(reasons{a}.rejectable, keys.Binding{ID: "reject", Many: true, Keys: []string{"x"}, Title: "reject", Doc: "with a reason; the runner-up takes the niche", In: in, Decides: true, Bar: 69, Run: a.reject}),
		reasons{a}.key(reasons{a}.elite, keys.Binding{ID: "freeze", Many: true, Keys: []string{"f"}, Title: "freeze", Says: reasons{a}.freezeWord, Doc: "keeps the elite and does not choose it as parent; again: release", In: in, Decides: true, Bar: 60, Run: a.freeze}),
		reasons{a}.key(reasons{a}.elite, keys.Binding{ID: "boost", Many: true, Keys: []string{"b"}, Title: "boost", Doc: "chosen twice as often", In: in, Decides: true, Bar: 59, Run: func() tea.Cmd { return a.boost(2) }}),
		reasons{a}.key(reasons{a}.elite, keys.Binding{ID: "boost-down", Many: true, Keys: []string{"B"}, Title: "boost down", Doc: "chosen half as often", In: in, Decides: true, Run: func() tea.Cmd { return a.boost(0.5) }}),
		reasons{a}.key(reasons{a}.kept, keys.Binding{ID: "release", Many: true, Keys: []string{"R"}, Title: "release", Doc: "ends freeze and boost of a niche", In: []keys.Scope{keys.InNiches}, Decides: true, Run: a.release}),
		{ID: "pin", Many: true, Keys: []string{"*"}, Title: "pin", Doc: "marks it to be kept (nothing is removed yet); again: unpin", In: in, Decides: true, Off: reasons{a}.needCandidate, Run: a.pin},
		reasons{a}.key(reasons{a}.counts, keys.Binding{ID: "measure", Many: true, Keys: []string{"V"}, Title: "measure again", Doc: "verify a value; it is then that of all samples", In: in, Decides: true, Run: a.measureAgain}),
		{ID: "export", Here: true, One: true, Keys: []string{"E"}, Title: "export a patch", Doc: "writes the difference to the root as a file for git apply", In: in, Off: reasons{a}.needOther, Run: a.export},
		{ID: "start-job", One: true, Keys: []string{"M"}, Title: "make a job from it", Doc: "this parent, an operator, an agent and a goal of your choice", In: in, Decides: true, Off: reasons{a}.needMeasured, Run: a.startJob},
		{ID: "promote", One: true, Keys: []string{"w"}, Title: "write a branch", Doc: "adds one branch with it to your repository, verified on your branch as it is now or not", In: in, Decides: true, Danger: true, Bar: 38, Off: reasons{a}.needOther, Run: a.promote},
	}
}

func (a *Actions) approve() tea.Cmd {
	ss := reasons{a}.fit(reasons{a}.held)
	said := "approved " + namesOf(ss) + reasons{a}.others(ss)
	a.decided(ss)
	return a.Decide(said, true, on(record.Approve, ss, nil)...)
}

// bestChooser is the pane that lists what waits.
type bestChooser interface{ BestOfEach() []pane.Selection }

func (a *Actions) best() []pane.Selection {
	if p, ok := a.Host.Current().(bestChooser); ok {
		return p.BestOfEach()
	}
	return nil
}

func (a *Actions) needBest() string {
	if len(a.best()) == 0 {
		return "nothing that waits would take a niche"
	}
	return ""
}

func (a *Actions) bestWord() string {
	if n := len(a.best()); n > 0 {
		return fmt.Sprintf("approve best of each niche (%d)", n)
	}
	return "approve best of each niche"
}

// approveBest approves, for each niche, the best of what waits for it.
func (a *Actions) approveBest() tea.Cmd {
	ss := a.best()
	a.decided(ss)
	return a.Decide("approved "+namesOf(ss)+", the best of each niche", true, on(record.Approve, ss, nil)...)
}

// decided moves the review on and forgets the marks.
func (a *Actions) decided(ss []pane.Selection) {
	ids := make([]record.CandidateID, len(ss))
	for i, s := range ss {
		ids[i] = s.Candidate
	}
	a.Host.Decided(ids...)
	a.D.Unmark()
}

// rejectReasons are the short list; own words work too.
var rejectReasons = [...]string{"breaks behaviour", "games the metric", "out of scope", "unreadable", "risky", "no real gain"}

func (a *Actions) reject() tea.Cmd {
	ss := reasons{a}.fit(reasons{a}.rejectable)
	doIt := func(reason string) func() tea.Cmd {
		return func() tea.Cmd {
			said := "rejected " + namesOf(ss) + ", no reason given"
			if reason != "" {
				said = "rejected " + namesOf(ss) + ": " + reason
			}
			said += reasons{a}.others(ss)
			a.decided(ss)
			return a.Decide(said, true, on(record.Reject, ss, func(d *record.Decision) { d.Text = reason })...)
		}
	}
	var items []widget.Item
	for _, r := range rejectReasons {
		items = append(items, widget.Item{Title: r, Run: doIt(r)})
	}
	m := widget.NewMenu("Reject "+namesOf(ss)+" because", items)
	m.Unchosen(widget.Item{Title: "enter without a choice gives no reason", Run: doIt("")})
	m.Own = func(text string) *widget.Item { return &widget.Item{Title: text, Note: "own words", Run: doIt(text)} }
	return a.Host.Ask(m)
}

// freeze freezes those that are not frozen, or releases all when every one is.
func (a *Actions) freeze() tea.Cmd {
	ss, more := reasons{a}.take(reasons{a}.elite)
	free := reasons{a}.free(ss)
	if len(free) == 0 {
		return a.Decide("released "+namesOf(ss)+more, true, on(record.Release, ss, nil)...)
	}
	return a.Decide("frozen "+namesOf(free)+more, true, on(record.Freeze, free, nil)...)
}

func (a *Actions) boost(by float64) tea.Cmd {
	ss, more := reasons{a}.take(reasons{a}.elite)
	ds := on(record.Boost, ss, func(d *record.Decision) {
		now := 1.0
		if c := a.D.Grid.At(d.Cell); c != nil && c.Boost > 0 {
			now = c.Boost
		}
		d.Value = a.D.Boosted(fmt.Sprint("niche ", d.Cell), now, by)
	})
	said := fmt.Sprintf("%s boosted x%g", namesOf(ss), ds[0].Value)
	if slices.ContainsFunc(ds, func(d record.Decision) bool { return d.Value != ds[0].Value }) {
		said = fmt.Sprintf("%s boosted x%g of what each had", namesOf(ss), by)
	}
	return a.Decide(said+more, true, ds...)
}

func (a *Actions) release() tea.Cmd {
	ss, more := reasons{a}.take(reasons{a}.kept)
	return a.Decide("released "+namesOf(ss)+more, true, on(record.Release, ss, nil)...)
}

func (a *Actions) pin() tea.Cmd {
	ss := a.targets()
	verb, said := record.Pin, "pinned "
	if a.Host.Current().Selected().Pinned {
		verb, said = record.Unpin, "unpinned "
	}
	return a.Decide(said+namesOf(ss), true, on(verb, ss, nil)...)
}

func (a *Actions) measureAgain() tea.Cmd {
	ss, more := reasons{a}.take(reasons{a}.counts)
	return a.Decide("to be measured again: "+namesOf(ss)+more, false, on(record.Measure, ss, nil)...)
}

// promote asks how a candidate becomes a branch: what was measured in the search
// is not yet a gain on the branch as it is now.
func (a *Actions) promote() tea.Cmd {
	s := a.Host.Current().Selected()
	ctl := a.Ctl
	return a.Act("promote", func(ctx context.Context) Done {
		name, err := ctl.FreeBranch(ctx, s.Candidate)
		return Done{Err: err, Next: func() tea.Cmd { return a.askBranch(s.Candidate, name) }}
	})
}

func (a *Actions) askBranch(id record.CandidateID, branch string) tea.Cmd {
	onto := widget.OrNone(a.D.Snap.Experiment.Branch)
	var items []widget.Item
	if a.Verify != nil {
		items = append(items, widget.Item{
			Title: "verify, then write " + branch, Note: "measures it on " + onto + " as it is now, in turn with it; refuses where the gain does not hold",
			Run: func() tea.Cmd { return a.Verify(id, branch) },
		})
	}
	items = append(items, widget.Item{
		Title: "write " + branch + " unverified", Note: "one branch is added, nothing else changes; its gain was not measured on " + onto + " as it is now",
		Run: func() tea.Cmd { return a.writeBranch(id, branch) },
	})
	m := widget.NewMenu("Write "+pane.CandidateName(id)+" to a new branch", items)
	m.First = true
	m.Own = func(text string) *widget.Item {
		// A name must not be taken for the letters of another line.
		return &widget.Item{Title: "call it " + text, Note: "then choose how it is written", Run: func() tea.Cmd { return a.callIt(id, text) }}
	}
	return a.Host.Ask(m)
}

// callIt asks again with a person's own name, which must be free: one that is not is
// refused before anything is measured.
func (a *Actions) callIt(id record.CandidateID, branch string) tea.Cmd {
	ctl := a.Ctl
	return a.Act("promote", func(ctx context.Context) Done {
		if err := ctl.CheckBranch(ctx, branch); err != nil {
			return Done{Err: err}
		}
		return Done{Next: func() tea.Cmd { return a.askBranch(id, branch) }}
	})
}

func (a *Actions) writeBranch(id record.CandidateID, branch string) tea.Cmd {
	ctl := a.Ctl
	return a.Act("promote", func(ctx context.Context) Done {
		name, err := ctl.Promote(ctx, id, branch)
		return Done{Text: "added branch " + name + ", unverified", Err: err, Logged: true}
	})
}

// export writes the difference between the root and a candidate to a file.
// An existing file is not overwritten.
func (a *Actions) export() tea.Cmd {
	s := a.Host.Current().Selected()
	ctl, dir := a.Ctl, a.Dir
	p := widget.NewPrompt("Export "+pane.CandidateName(s.Candidate)+" as a patch", "A new file for git apply. An existing file is refused.",
		fmt.Sprintf("%s-%s.patch", a.D.Snap.Experiment.Name, s.Candidate),
		func(path string) tea.Cmd {
			if !filepath.IsAbs(path) && dir != "" {
				path = filepath.Join(dir, path)
			}
			return a.Act("export", func(ctx context.Context) Done {
				data, err := ctl.Patch(ctx, s.Candidate)
				if err == nil {
					err = writeNew(path, data)
				}
				return Done{Text: "wrote " + path + "; try git apply --check", Err: err}
			})
		})
	p.Check = widget.NotEmpty("a file needs a name")
	return a.Host.Ask(p)
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write the patch: %w; name another file", err)
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
