package fold

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/view"
	"atoll/store/record"
)

// Prepare checks a decision against the state and completes it: the niche of a
// boost, the inverse that takes it back. It changes nothing. The error says
// why the decision cannot be carried out.
func (st *steering) Prepare(d record.Decision) (record.Decision, error) {
	if err := checkNumber(d); err != nil {
		return d, err
	}
	switch d.Verb {
	case record.Freeze, record.Release, record.Boost:
		return st.prepareNiche(d)
	case record.Reject, record.Restore, record.Approve, record.Pin, record.Unpin:
		return st.prepareCandidate(d)
	case record.Measure:
		return d, st.MayMeasure(d.Candidate)
	case record.Pause:
		if st.Run == record.ExperimentPaused {
			return d, fmt.Errorf("%w: the experiment is %s already", ErrDecision, view.CleanLine(view.StateText(st.Run, st.Reason)))
		}
		d.Inverse = back(record.Resume)
	case record.Resume:
		if st.Run == record.ExperimentRunning {
			return d, fmt.Errorf("%w: the experiment runs already", ErrDecision)
		}
		d.Inverse = back(record.Pause)
	case record.Set:
		return st.prepareSet(d)
	case record.WriteNote:
		return st.prepareNote(d)
	case record.StartJob:
		return d, st.mayStart(d.Args)
	case record.Refit:
		if !st.Learned {
			return d, fmt.Errorf("%w: this map has named axes; only a learned map can be fitted again", ErrDecision)
		}
	}
	return d, nil
}

// PrepareStep prepares decisions that are made by one act. None is about what another
// one is about already.
func (st *steering) PrepareStep(ds []record.Decision) ([]record.Decision, error) {
	made := make([]record.Decision, len(ds))
	named := map[string]bool{}
	for i, d := range ds {
		var err error
		if made[i], err = st.Prepare(d); err != nil {
			return nil, err
		}
		name := st.nameOf(made[i])
		if name != "" && named[name] {
			return nil, fmt.Errorf("%w: %s is named twice", ErrArgument, name)
		}
		named[name] = true
	}
	return made, nil
}

// mayStart checks a job that a person wants.
func (st *steering) mayStart(args []byte) error {
	var job record.Job
	if err := json.Unmarshal(args, &job); err != nil {
		return fmt.Errorf("%w: read the job to start: %v", ErrArgument, err)
	}
	if job.Purpose == record.PurposeMap && st.Config.Roles.Mapper == "" {
		return fmt.Errorf("%w: nobody is the mapper; name an agent in roles.mapper, such as the offline one", ErrDecision)
	}
	if op := string(job.Operator); op != "" && !slices.Contains(config.Operators(), op) {
		return fmt.Errorf("%w: there is no operator %q; there are %s (docs/agents.md: what the built-in agent makes by which)", ErrArgument, op, strings.Join(config.Operators(), ", "))
	}
	if agents := st.agents(); job.Agent != "" && !slices.Contains(agents, job.Agent) {
		return fmt.Errorf("%w: there is no agent %q; there are %s", ErrArgument, job.Agent, strings.Join(agents, ", "))
	}
	m := st.Candidate(job.Parent)
	switch {
	case job.Parent <= record.Root || m != nil && m.Scored: // the root's job waits until the root is measured
		return nil
	case m == nil:
		return fmt.Errorf("%w: there is no candidate %s", ErrMissing, job.Parent)
	case st.Origin(m).Status == record.StatusHeld:
		return fmt.Errorf("%w: %s waits for review, so no job can start from it; approve it first", ErrDecision, job.Parent)
	}
	return fmt.Errorf("%w: %s has no value, so no job can start from it; name a candidate that was measured", ErrDecision, job.Parent)
}

// agents are the names of those who can edit, sorted: of the configuration that the
// experiment began with, and of those that came since.
func (st *steering) agents() []string {
	names := map[string]bool{"offline": true}
	for _, a := range st.Config.Agents {
		names[a.Name] = true
	}
	for name := range st.Settings.Agents {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// back is the inverse of a decision that is about the whole experiment.
func back(verb record.Verb) *record.Decision {
	d := record.NewDecision(verb)
	return &d
}

// prepareNote completes a note: its text, kind, target and author. What takes it
// back is the note as it was; a new one goes again, by the number that it has then.
func (st *steering) prepareNote(d record.Decision) (record.Decision, error) {
	n := record.Note{Kind: "direction"}
	if len(d.Args) > 0 {
		if err := json.Unmarshal(d.Args, &n); err != nil {
			return d, fmt.Errorf("%w: a note needs a text", ErrArgument)
		}
	}
	if n.Text == "" {
		n.Text = d.Text
	}
	if strings.TrimSpace(n.Text) == "" {
		return d, fmt.Errorf("%w: a note needs a text", ErrArgument)
	}
	if n.Kind == "" {
		n.Kind = "direction"
	}
	n.Author = d.Who
	was := n
	was.Gone = true
	if n.ID != 0 {
		i, known := st.noteAt(n.ID)
		if !known { // it went meanwhile: a new one if it reads otherwise now, else nothing
			args, err := json.Marshal(n)
			d.Args, d.Text = args, n.Text
			return d, err
		}
		was = st.notes[i]
	}
	d.Inverse = back(record.WriteNote)
	args, err := json.Marshal(n)
	if err == nil {
		d.Inverse.Args, err = json.Marshal(was)
	}
	d.Args, d.Text, d.Inverse.Text = args, n.Text, was.Text
	return d, err
}

func (st *steering) prepareCandidate(d record.Decision) (record.Decision, error) {
	m := st.Candidate(d.Candidate)
	if m == nil {
		return d, fmt.Errorf("%w: there is no candidate %s", ErrMissing, d.Candidate)
	}
	inverse := record.Decision{Candidate: d.Candidate, Job: d.Job, Cell: -1}
	switch d.Verb {
	case record.Reject:
		if m.ID() == record.Root {
			return d, fmt.Errorf("%w: the root is what everything is compared with", ErrArgument)
		}
		if m.Rejected {
			return d, fmt.Errorf("%w: %s is rejected already", ErrDecision, m.ID())
		}
		if st.Origin(m).Status == record.StatusFailed {
			return d, fmt.Errorf("%w: %s failed: there is nothing to reject", ErrDecision, m.ID())
		}
		inverse.Verb = record.Restore
	case record.Restore:
		if !m.Rejected {
			return d, fmt.Errorf("%w: %s is not rejected; `atoll candidates --status rejected` lists those that are", ErrDecision, m.ID())
		}
		inverse.Verb = record.Reject
	case record.Approve:
		if st.Origin(m).Status != record.StatusHeld {
			return d, st.notWaiting(m)
		}
		inverse.Verb = record.Hold
	case record.Pin:
		if st.Decided.pinned[d.Candidate] {
			return d, fmt.Errorf("%w: %s is pinned already", ErrDecision, d.Candidate)
		}
		inverse.Verb = record.Unpin
	case record.Unpin:
		if !st.Decided.pinned[d.Candidate] {
			return d, fmt.Errorf("%w: %s is not pinned", ErrDecision, d.Candidate)
		}
		inverse.Verb = record.Pin
	}
	d.Inverse = &inverse
	return d, nil
}

// notWaiting says of a candidate that it cannot be approved, and of one that was rejected what does it instead.
func (st *steering) notWaiting(m *Candidate) error {
	if m.Rejected {
		return fmt.Errorf("%w: %[2]s does not wait for review: %[3]s rejected it; `atoll restore %[2]s` takes that back", ErrDecision, m.ID(), st.Decided.RejectedBy(m.ID()))
	}
	return fmt.Errorf("%w: %s does not wait for review; `atoll candidates --status held` lists what does", ErrDecision, m.ID())
}

func (st *steering) prepareNiche(d record.Decision) (record.Decision, error) {
	if d.Text != "" && d.Candidate == record.NoCandidate && d.Cell < 0 {
		return st.prepareTarget(d)
	}
	if d.Candidate != record.NoCandidate && st.Candidate(d.Candidate) == nil {
		return d, fmt.Errorf("%w: there is no candidate %s", ErrMissing, d.Candidate)
	}
	if st.arch == nil {
		return d, fmt.Errorf("%w: there are no niches before the root is measured; wait for its value", ErrDecision)
	}
	if d.Candidate == record.NoCandidate && d.Cell >= 0 {
		if e, ok := st.arch.Holder(d.Cell); ok {
			d.Candidate = e.ID
		}
	}
	if d.Cell < 0 && d.Candidate != record.NoCandidate {
		if cell, ok := st.cellOf(d.Candidate); ok {
			d.Cell = cell
		}
	}
	if d.Candidate == record.NoCandidate {
		return d, fmt.Errorf("%w: nobody holds that niche", ErrDecision)
	}
	if d.Cell < 0 {
		return d, fmt.Errorf("%w: %s lies in no niche; wait until it is measured and there is a map", ErrDecision, d.Candidate)
	}
	back := record.Decision{Candidate: d.Candidate, Job: record.NoJob, Cell: d.Cell}
	switch d.Verb {
	case record.Freeze:
		if st.arch.IsFrozen(d.Candidate) {
			return d, fmt.Errorf("%w: %s is frozen already", ErrDecision, d.Candidate)
		}
		back.Verb, back.Cell = record.Release, -1
		d.Cell = -1
	case record.Boost:
		back.Verb, back.Value = record.Boost, st.arch.BoostOf(d.Cell, st.folded)
	case record.Release:
		frozen, boosted := st.arch.IsFrozen(d.Candidate), st.arch.BoostOf(d.Cell, st.folded)
		if !frozen && boosted == 1 {
			return d, fmt.Errorf("%w: niche %s is neither frozen nor boosted", ErrDecision, st.CellName(d.Cell))
		}
		back.Verb = record.Freeze
		if boosted == 1 {
			back.Cell = -1
		} else {
			back.Value = boosted // of a freeze: the niche is boosted as well
		}
		if !frozen {
			back.Verb = record.Boost
		}
	}
	d.Inverse = &back
	return d, nil
}

func (st *steering) prepareTarget(d record.Decision) (record.Decision, error) {
	known := false
	for _, t := range st.Targets() {
		known = known || t.Name == d.Text
	}
	if !known {
		return d, fmt.Errorf("%w: there is no target %q; `atoll targets` lists them", ErrMissing, d.Text)
	}
	back := record.NewDecision(record.Release)
	back.Text = d.Text
	frozen, boost := st.Decided.frozen[d.Text], st.Decided.boosts[d.Text]
	if d.Verb == record.Release {
		d.Value = 0
	}
	switch {
	case d.Verb == record.Boost:
		back.Verb, back.Value = record.Boost, max(boost, 0)
		if back.Value == 0 {
			back.Value = 1
		}
	case d.Verb == record.Freeze && frozen:
		return d, fmt.Errorf("%w: %s is frozen already", ErrDecision, d.Text)
	case d.Verb == record.Freeze:
		back.Value = boost // it stays boosted
	case d.Verb == record.Release && frozen:
		back.Verb, back.Value = record.Freeze, boost
	case d.Verb == record.Release && boost > 0 && boost != 1:
		back.Verb, back.Value = record.Boost, boost
	case d.Verb == record.Release:
		return d, fmt.Errorf("%w: %s is neither frozen nor boosted", ErrDecision, d.Text)
	}
	d.Inverse = &back
	return d, nil
}

// The numbers that verbs take, whatever door they come through.
const (
	mostBoost    = 100
	mostPriority = 1_000_000
)

// checkNumber refuses a number that no state makes sense of; one that is none does not.
func checkNumber(d record.Decision) error {
	switch v := d.Value; {
	case d.Verb == record.Boost && !(v > 0 && v <= mostBoost):
		return fmt.Errorf("%w: a boost is a factor above 0 and at most %d, not %g", ErrArgument, mostBoost, v)
	case d.Verb == record.Prioritise && !(v == math.Trunc(v) && math.Abs(v) <= mostPriority):
		return fmt.Errorf("%w: a priority is a whole number from %d to %d, not %g", ErrArgument, -mostPriority, mostPriority, v)
	}
	return nil
}
