package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
)

// targets returns what a decision acts on: the marked candidates, else what
// the cursor stands on.
func (a *app) targets() []selection {
	p := a.current()
	if p == nil {
		return nil
	}
	if len(a.d.marks) == 0 {
		return []selection{p.sel()}
	}
	var out []selection
	for _, id := range a.d.marks {
		s := nothing()
		s.cand, s.cell, s.held = id, a.d.grid.cellOf(id), a.held(id) != nil
		s.job = record.JobID(id)
		out = append(out, s)
	}
	return out
}

func (a *app) held(id record.CandidateID) *view.Held {
	for i := range a.d.snap.Review {
		if a.d.snap.Review[i].Candidate.ID == id {
			return &a.d.snap.Review[i]
		}
	}
	return nil
}

// names lists what was acted on: c12, c13 or "5 candidates".
func names(ss []selection) string {
	if len(ss) > 3 {
		return fmt.Sprintf("%d candidates", len(ss))
	}
	var out []string
	for _, s := range ss {
		out = append(out, candidateName(s.cand))
	}
	return strings.Join(out, ", ")
}

// on makes one decision for each selection.
func on(v record.Verb, ss []selection, edit func(d *record.Decision)) []record.Decision {
	out := make([]record.Decision, 0, len(ss))
	for _, s := range ss {
		d := decision(v)
		d.Candidate, d.Cell = s.cand, s.cell
		if s.job >= 0 && (v == record.Approve || v == record.Reject) {
			d.Job = s.job
		}
		if edit != nil {
			edit(&d)
		}
		out = append(out, d)
	}
	return out
}

func (a *app) approve() tea.Cmd {
	ss := a.targets()
	a.decided(ss)
	return a.decide("approved "+names(ss), true, on(record.Approve, ss, nil)...)
}

// decided moves the review on and forgets the marks.
func (a *app) decided(ss []selection) {
	p := a.panes[paneReview].(*reviewPane)
	for _, s := range ss {
		p.decided(s.cand)
	}
	a.d.marks = nil
	a.d.gen++
}

// rejectReasons are the short list; own words work too.
var rejectReasons = [...]string{"breaks behaviour", "games the metric", "out of scope", "unreadable", "risky", "no real gain"}

func (a *app) reject() tea.Cmd {
	ss := a.targets()
	doIt := func(reason string) func(a *app) tea.Cmd {
		return func(a *app) tea.Cmd {
			a.decided(ss)
			return a.decide("rejected "+names(ss)+": "+reason, true, on(record.Reject, ss, func(d *record.Decision) { d.Text = reason })...)
		}
	}
	var items []item
	for _, r := range rejectReasons {
		items = append(items, item{title: r, run: doIt(r)})
	}
	m := newMenu("Reject "+names(ss)+" because", items)
	m.own = func(text string) *item { return &item{title: text, note: "own words", run: doIt(text)} }
	return a.push(m)
}

func (a *app) freeze() tea.Cmd {
	ss := a.targets()
	if c := a.d.grid.at(ss[0].cell); c != nil && c.Frozen {
		return a.decide("released "+names(ss), true, on(record.Release, ss, nil)...)
	}
	a.unmark()
	return a.decide("frozen "+names(ss), true, on(record.Freeze, ss, nil)...)
}

const maxBoost = 16

func (a *app) boost(by float64) tea.Cmd {
	ss := a.targets()
	a.unmark()
	factor := 1.0
	ds := on(record.Boost, ss, func(d *record.Decision) {
		now := 1.0
		if c := a.d.grid.at(d.Cell); c != nil && c.Boost > 0 {
			now = c.Boost
		}
		factor = a.boosted(fmt.Sprint("niche ", d.Cell), now, by)
		d.Value = factor
	})
	return a.decide(fmt.Sprintf("%s boosted x%g", names(ss), factor), true, ds...)
}

// asked is a boost that was asked for and is not in the feed yet.
type asked struct {
	factor float64
	fold   record.Seq
}

// boosted returns the factor after one more press. A press that comes before
// the feed shows the one before it builds on what was asked for.
func (a *app) boosted(what string, now, by float64) float64 {
	if p, ok := a.boosts[what]; ok && p.fold == a.d.snap.Fold {
		now = p.factor
	}
	factor := max(1.0/maxBoost, min(now*by, maxBoost))
	if a.boosts == nil {
		a.boosts = map[string]asked{}
	}
	a.boosts[what] = asked{factor, a.d.snap.Fold}
	return factor
}

func (a *app) release() tea.Cmd {
	ss := []selection{a.current().sel()}
	return a.decide("released "+names(ss), true, on(record.Release, ss, nil)...)
}

func (a *app) pin() tea.Cmd {
	ss := a.targets()
	verb, said := record.Pin, "pinned "
	if p, ok := a.current().(interface{ pinned() bool }); ok && p.pinned() {
		verb, said = record.Unpin, "unpinned "
	}
	return a.decide(said+names(ss), true, on(verb, ss, nil)...)
}

func (a *app) measureAgain() tea.Cmd {
	ss := a.targets()
	return a.decide("to be measured again: "+names(ss), false, on(record.Measure, ss, nil)...)
}

func (a *app) undo() tea.Cmd { return a.takeBack("undo", "undone: ", Controller.Undo) }
func (a *app) redo() tea.Cmd { return a.takeBack("redo", "done again: ", Controller.Redo) }

func (a *app) takeBack(where, said string, fn func(Controller, context.Context) (string, error)) tea.Cmd {
	ctl := a.d.opt.Controller
	return a.act(where, func(ctx context.Context) doneMsg {
		text, err := fn(ctl, ctx)
		return doneMsg{text: said + text, err: err}
	})
}

func (a *app) pauseEngine() tea.Cmd {
	if a.d.snap.State != record.ExperimentRunning {
		return a.decide("resumed", true, decision(record.Resume))
	}
	return a.decide("paused; running jobs finish", true, decision(record.Pause))
}

func (a *app) stopEngine() tea.Cmd {
	s := a.d.snap
	return a.push(&confirm{
		title: "Stop " + s.Experiment.Name,
		text:  []string{fmt.Sprintf("%s finish, %d queued are dropped. The experiment can be run again later with what it has.", plural(len(s.Running), "running job", "running jobs"), s.Jobs.Queued)},
		choices: []choice{{"esc", "go on", nil}, {"s", "stop it", func(a *app) tea.Cmd {
			return a.decide("stopping", false, decision(record.Stop))
		}}},
	})
}

func (a *app) refit() tea.Cmd { return a.decide("asked for a new map", false, decision(record.Refit)) }

func (a *app) cancel() tea.Cmd {
	s := a.current().sel()
	return a.push(&confirm{
		title: "Cancel " + s.job.String(),
		text:  []string{"Its work so far is lost; what it cost stays spent."},
		choices: []choice{{"esc", "keep it", nil}, {"c", "cancel it", func(a *app) tea.Cmd {
			return a.decide("cancelled "+s.job.String(), false, onJobDecision(record.Cancel, s.job, 0))
		}}},
	})
}

func onJobDecision(v record.Verb, id record.JobID, value float64) record.Decision {
	d := decision(v)
	d.Job, d.Value = id, value
	return d
}

func (a *app) retry() tea.Cmd {
	s := a.current().sel()
	return a.decide("queued a new try of "+s.job.String(), false, onJobDecision(record.Retry, s.job, 0))
}

func (a *app) prioritise(by int) tea.Cmd {
	s := a.current().sel()
	now := 0
	if p, ok := a.current().(interface{ priority() int }); ok {
		now = p.priority()
	}
	d := onJobDecision(record.Prioritise, s.job, float64(now+by))
	back := onJobDecision(record.Prioritise, s.job, float64(now))
	d.Inverse = &back
	return a.decide(fmt.Sprintf("priority of %s: %d", s.job, now+by), true, d)
}

func (a *app) promote() tea.Cmd {
	s := a.current().sel()
	ctl := a.d.opt.Controller
	p := newPrompt("Write "+candidateName(s.cand)+" to a new branch", "One branch is added to "+a.d.snap.Experiment.Repository+"; nothing else there changes. An existing branch is refused.",
		fmt.Sprintf("atoll/%s/c%d", a.d.snap.Experiment.Name, s.cand),
		func(a *app, branch string) tea.Cmd {
			return a.act("promote", func(ctx context.Context) doneMsg {
				name, err := ctl.Promote(ctx, s.cand, branch)
				return doneMsg{text: "added branch " + name, err: err}
			})
		})
	p.check = notEmpty("a branch needs a name")
	return a.push(p)
}

func notEmpty(why string) func(string) string {
	return func(text string) string {
		if text == "" {
			return why
		}
		return ""
	}
}

func (a *app) inject() tea.Cmd {
	p := newPrompt("Inject a commit", "A branch, tag or commit of the target repository; it is measured like any candidate.", "", func(a *app, rev string) tea.Cmd {
		d := decision(record.Inject)
		d.Text = rev
		return a.decide("injecting "+rev, false, d)
	})
	p.check = notEmpty("name a revision")
	return a.push(p)
}

// setting is the decision that changes a live setting: Args names key and
// value, Text tells people.
func setting(key, value string) record.Decision {
	d := decision(record.Set)
	d.Text = key + " = " + value
	d.Args, _ = json.Marshal(map[string]string{"key": key, "value": value}) // strings always encode
	return d
}

func (a *app) newNote() tea.Cmd {
	p := newPrompt("New note", "A lesson that later prompts carry.", "", func(a *app, text string) tea.Cmd {
		d := decision(record.WriteNote)
		d.Text = text
		d.Args, _ = json.Marshal(map[string]string{"kind": "long", "target": ""})
		return a.decide("noted", false, d)
	})
	p.check = notEmpty("write something")
	return a.push(p)
}

// changeNote and dropNote act on the note under the cursor.
func (a *app) changeNote() tea.Cmd {
	n, _ := a.panes[paneNotes].(*notesPane).note()
	p := newPrompt("Change the note", "What later prompts carry.", n.Text, func(a *app, text string) tea.Cmd {
		n.Text = text
		return a.decide("the note is changed", false, onNote(n))
	})
	p.check = notEmpty("write something, or drop it with X")
	return a.push(p)
}

func (a *app) dropNote() tea.Cmd {
	n, _ := a.panes[paneNotes].(*notesPane).note()
	n.Gone = true
	return a.push(&confirm{
		title: "Drop the note",
		text:  wrapText(n.Text, 60),
		choices: []choice{{"esc", "keep it", nil}, {"d", "drop it", func(a *app) tea.Cmd {
			return a.decide("the note is dropped", false, onNote(n))
		}}},
	})
}

func onNote(n record.Note) record.Decision {
	d := decision(record.WriteNote)
	d.Text = n.Text
	d.Args, _ = json.Marshal(n) // plain data
	return d
}

// freezeTarget and boostTarget act on a part of the repository; Args names it.
func (a *app) freezeTarget() tea.Cmd {
	name := a.current().sel().target
	verb, said := record.Freeze, "frozen "
	if y := a.target(name); y != nil && y.Frozen {
		verb, said = record.Release, "released "
	}
	return a.decide(said+name, true, onTarget(verb, name, 0))
}

func (a *app) boostTarget(by float64) tea.Cmd {
	name := a.current().sel().target
	now := 1.0
	if y := a.target(name); y != nil && y.Boost > 0 {
		now = y.Boost
	}
	factor := a.boosted("target "+name, now, by)
	return a.decide(fmt.Sprintf("%s boosted x%g", name, factor), true, onTarget(record.Boost, name, factor))
}

func onTarget(v record.Verb, name string, value float64) record.Decision {
	d := decision(v)
	d.Value = value
	d.Text = name
	d.Args, _ = json.Marshal(map[string]string{"target": name})
	return d
}

func (a *app) target(name string) *view.Yield {
	for i := range a.d.snap.Targets {
		if a.d.snap.Targets[i].Name == name {
			return &a.d.snap.Targets[i]
		}
	}
	return nil
}

func (a *app) openDiff() tea.Cmd {
	s := a.current().sel()
	if m := a.d.marks; len(m) == 2 { // two marked: one against the other
		s.cand = m[1]
	}
	if p, ok := a.panes[paneCandidate].(*candidatePane); ok {
		p.compareMarked(s.cand)
	}
	return a.openCandidate(s.cand)
}

func (a *app) openLineage() tea.Cmd {
	a.panes[paneLineage].(*lineagePane).set(a.current().sel().cand)
	return a.open(paneLineage)
}

func (a *app) openJobOf() tea.Cmd { return a.openJob(record.JobID(a.current().sel().cand)) }

func (a *app) jobLog() tea.Cmd {
	a.panes[paneLog].setFilter(a.current().sel().job.String())
	return a.open(paneLog)
}

func (a *app) cycleJobState() tea.Cmd { return a.panes[paneJobs].(*jobsPane).cycleState() }
