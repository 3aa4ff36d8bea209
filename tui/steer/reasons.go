package steer

import (
	"slices"

	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/widget"
)

// reasons tells why a decision cannot be taken now, "" when it can.
type reasons struct{ actions *Actions }

func (r reasons) needCandidate() string {
	if r.actions.Host.Current().Selected().Candidate < 0 {
		return "no candidate is selected"
	}
	return ""
}

// held: one that waits for a decision.
func (r reasons) held(s pane.Selection) string {
	switch {
	case s.Candidate >= 0 && r.actions.held(s.Candidate) != nil:
		return ""
	case len(r.actions.D.Snap.Review) == 0:
		return "nothing waits for a decision"
	case s.Candidate < 0:
		return "no candidate is selected"
	}
	return pane.CandidateName(s.Candidate) + " does not wait for a decision"
}

// rejectable: any candidate but the root.
func (r reasons) rejectable(s pane.Selection) string {
	switch {
	case s.Candidate < 0:
		return "no candidate is selected"
	case s.Candidate == record.Root:
		return "the root stays"
	}
	return ""
}

// elite: one that holds a niche.
func (r reasons) elite(s pane.Selection) string {
	switch {
	case s.Candidate < 0:
		return "this niche is empty"
	case r.actions.D.Grid.CellOf(s.Candidate) < 0:
		return pane.CandidateName(s.Candidate) + " holds no niche"
	}
	return ""
}

// kept: one whose niche is frozen or boosted.
func (r reasons) kept(s pane.Selection) string {
	if c := r.actions.D.Grid.At(s.Cell); c == nil || !c.Frozen && (c.Boost == 1 || c.Boost == 0) {
		return widget.Unless(s.Candidate < 0, pane.CandidateName(s.Candidate)+" is ") + "neither frozen nor boosted"
	}
	return ""
}

// job is the reason why nothing can be done to the selected job.
func (a *Actions) job(reason func(s pane.Selection) string) func() string {
	return func() string {
		s := a.Host.Current().Selected()
		if s.Job < 0 {
			return "no job is selected"
		}
		return reason(s)
	}
}

// jobs is a reason about the job of what is marked or selected.
func (r reasons) jobs(reason func(s pane.Selection) string) func(s pane.Selection) string {
	return func(s pane.Selection) string {
		if s.Job < 0 {
			return "no job is selected"
		}
		s.State = r.actions.stateOf(s)
		return reason(s)
	}
}

// fit returns those of the targets about which something can be decided: why says what
// is in the way of one, "" for nothing.
func (r reasons) fit(why func(s pane.Selection) string) []pane.Selection {
	return slices.DeleteFunc(r.actions.targets(), func(s pane.Selection) bool { return why(s) != "" })
}

// take returns those of the targets that fit and what is said of the others that are
// marked. The marks are gone.
func (r reasons) take(why func(s pane.Selection) string) (ss []pane.Selection, more string) {
	ss = r.fit(why)
	more = r.others(ss)
	r.actions.D.Unmark()
	return ss, more
}

// key completes the row of a key that acts on the targets that fit.
func (r reasons) key(why func(s pane.Selection) string, b keys.Binding) *keys.Binding {
	b.Off, b.Acts = r.off(why), r.acts(why)
	return &b
}

// off is the reason why a key does nothing now: none of the targets fits, and what is in
// the way of the first.
func (r reasons) off(why func(s pane.Selection) string) func() string {
	return func() string {
		if len(r.fit(why)) > 0 {
			return ""
		}
		return why(r.actions.targets()[0])
	}
}

// acts counts the targets that fit.
func (r reasons) acts(why func(s pane.Selection) string) func() int {
	return func() int { return len(r.fit(why)) }
}

// others tells how many that are marked are not among those that are decided about, ""
// for none.
func (r reasons) others(ss []pane.Selection) string {
	n := len(r.actions.D.Marks) - len(ss)
	if n <= 0 {
		return ""
	}
	return "; " + widget.Plural(n, "other marked one is left as it is", "other marked ones are left as they are")
}

// free are those that are not frozen.
func (r reasons) free(ss []pane.Selection) []pane.Selection {
	return slices.DeleteFunc(slices.Clone(ss), func(s pane.Selection) bool {
		c := r.actions.D.Grid.At(s.Cell)
		return c != nil && c.Frozen
	})
}

// freezeWord is what the key of freezing does now.
func (r reasons) freezeWord() string {
	if ss := r.fit(r.elite); len(ss) > 0 && len(r.free(ss)) == 0 {
		return "release"
	}
	return "freeze"
}

// stateOf is the state of a selected job, "" where neither the pane nor the snapshot
// knows it.
func (a *Actions) stateOf(s pane.Selection) record.JobState {
	snap := a.D.Snap
	if s.State != "" {
		return s.State
	}
	for i := range snap.Running {
		if snap.Running[i].Job.ID == s.Job {
			return snap.Running[i].Job.State
		}
	}
	for i := range snap.Review {
		if snap.Review[i].Job.ID == s.Job {
			return record.Held
		}
	}
	for i := range snap.Recent {
		if snap.Recent[i].Job.ID == s.Job {
			return snap.Recent[i].Job.State
		}
	}
	if a.D.Grid.CellOf(record.CandidateID(s.Job)) >= 0 { // what a job made holds a niche once it ended
		return record.Placed
	}
	return ""
}

func alive(s pane.Selection) string {
	if s.State.Ended() {
		return s.Job.String() + " has ended"
	}
	return ""
}

func ended(s pane.Selection) string {
	if s.State != "" && !s.State.Ended() {
		return s.Job.String() + " has not ended"
	}
	return ""
}

func queued(s pane.Selection) string {
	if s.State != record.Queued {
		return "only queued jobs have a priority"
	}
	return ""
}

func (r reasons) learned() string {
	if r.actions.D.Snap.Grid.Map == 0 {
		return "the axes are metrics, or there is no map yet"
	}
	return ""
}

func (a *Actions) CanPause() string {
	if s := a.D.Snap; s.Loading {
		return pane.Loading(s)
	}
	switch s := a.D.Snap.State; s {
	case record.ExperimentRunning, record.ExperimentPaused, record.ExperimentBroken, record.ExperimentStopped, record.ExperimentDone:
		return ""
	default:
		return widget.Words(" ", "the experiment is", string(s))
	}
}

// needOther: a candidate other than the root, which differs from it.
func (r reasons) needOther() string {
	switch s := r.actions.Host.Current().Selected(); {
	case s.Candidate < 0:
		return "no candidate is selected"
	case s.Candidate == record.Root:
		return "the root does not differ from itself"
	case r.actions.Ctl == nil:
		return "no experiment is attached"
	}
	return ""
}

// needMeasured: a job starts from a candidate whose value counts.
func (r reasons) needMeasured() string {
	return r.counts(r.actions.Host.Current().Selected())
}

// counts says why the value of a selected candidate does not count, "" where it does or
// the log has to tell.
func (r reasons) counts(s pane.Selection) string {
	if s.Candidate < 0 {
		return "no candidate is selected"
	}
	switch h := r.actions.held(s.Candidate); {
	case h == nil:
		return ""
	case h.Candidate.Objective == nil:
		return pane.CandidateName(s.Candidate) + " is not measured yet"
	}
	return pane.CandidateName(s.Candidate) + " is measured and waits for a decision: " + r.actions.D.Key("approve") + " approves it first"
}
