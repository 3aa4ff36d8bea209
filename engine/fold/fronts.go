package fold

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"atoll/config"
	"atoll/engine/front"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

// casesMost bounds the cases of a front: each takes eight bytes for every candidate.
const casesMost = 1000

// fronts are who is on the Pareto front of the experiment and who leads its cases. They
// follow from the values that decide, as the archive does, and change no place in it.
type fronts struct {
	*standings
	cfg     config.Front
	metrics func(record.CandidateID) ([]record.Metric, error)
	cases   []string // of the root, by name
	values  *coordinates
	set     *front.Set
	leaders *front.Leaders
	stale   bool // somebody left or has other values: both are made anew when they are asked for
}

// begin starts over with what the root has.
func (f *fronts) begin(metrics []record.Metric) {
	f.cases = nil
	for _, m := range metrics {
		if f.cfg.CaseOf(m.Name) {
			f.cases = append(f.cases, m.Name)
		}
	}
	slices.Sort(f.cases)
	f.cases = f.cases[:min(len(f.cases), casesMost)]
	f.values = &coordinates{axes: len(f.cfg.Objectives) + len(f.cases)}
	f.empty()
}

// empty makes a front on which nobody is.
func (f *fronts) empty() {
	steps := []float64{f.cfg.Step}
	for _, o := range f.cfg.Objectives {
		steps = append(steps, o.Step)
	}
	f.set, f.leaders, f.stale = front.NewSet(steps), front.NewLeaders(len(f.cases)), false
}

// measured takes the values of a candidate, which are new or others than before.
func (f *fronts) measured(m *Candidate) error {
	if !f.cfg.Kept() {
		return nil
	}
	metrics, err := f.metrics(m.ID())
	if err != nil {
		return fmt.Errorf("read the metrics of %s: %w", m.ID(), err)
	}
	f.take(m, metrics)
	return nil
}

// take takes the metrics of a candidate; the root comes first.
func (f *fronts) take(m *Candidate, metrics []record.Metric) {
	if m.ID() == record.Root && f.values.get(record.Root) == nil {
		f.begin(metrics)
	}
	before := f.values.get(m.ID())
	f.values.put(m.ID(), f.of(metrics))
	switch {
	case before != nil:
		f.stale = true
	case !f.stale && !m.Out():
		f.join(m)
	}
}

// of are the values beside the objective, in the metrics' own directions: those of the
// objectives, then those of the cases. What was not measured is not a number.
func (f *fronts) of(metrics []record.Metric) []float64 {
	out := make([]float64, 0, f.values.axes)
	value := func(name string) float64 {
		if i := slices.IndexFunc(metrics, func(m record.Metric) bool { return m.Name == name }); i >= 0 {
			return metrics[i].Value
		}
		return math.NaN()
	}
	for _, o := range f.cfg.Objectives {
		out = append(out, value(o.Metric))
	}
	for _, name := range f.cases {
		out = append(out, value(name))
	}
	return out
}

// join has a candidate compete.
func (f *fronts) join(m *Candidate) {
	values, cfg := f.values.get(m.ID()), &f.cfg
	if values == nil {
		return
	}
	own := f.Sign * m.Objective
	on := []float64{own}
	for i, o := range cfg.Objectives {
		on = append(on, upward(values[i], o.Direction))
	}
	if len(cfg.Objectives) > 0 {
		f.set.Add(front.Entry{ID: m.ID(), Values: on})
	}
	cases := values[len(cfg.Objectives):]
	for i := range cases {
		cases[i] = upward(cases[i], cfg.CaseDirection)
	}
	f.leaders.Add(front.Entry{ID: m.ID(), Values: cases}, own)
}

// upward turns a value so that larger is better.
func upward(v float64, direction string) float64 {
	if direction == "minimize" {
		return -v
	}
	return v
}

// settle makes the front anew if it must be.
func (f *fronts) settle() {
	if !f.stale || f.values == nil {
		return
	}
	f.empty()
	for id := range f.candidates.measured() {
		if m := f.Candidate(id); m.Scored && !m.Out() {
			f.join(m)
		}
	}
}

// drawn are who a parent may be drawn from. With both, half of the draws go to the front.
func (f *fronts) drawn() []search.Frontier {
	if f.values == nil || f.cfg.Parents == 0 {
		return nil
	}
	f.settle()
	members, counts := f.set.Members(), f.leaders.Counts()
	weights := map[record.CandidateID]float64{}
	for _, e := range members {
		weights[e.ID] += 1 / float64(len(members))
	}
	led := 0
	for _, n := range counts {
		led += n
	}
	for id, n := range counts {
		weights[id] += float64(n) / float64(led)
	}
	out := make([]search.Frontier, 0, len(weights))
	for id, w := range weights {
		cell, ok := f.cellOf(id)
		if !ok {
			cell = -1
		}
		holder, held := f.arch.Holder(cell)
		out = append(out, search.Frontier{ID: id, Cell: cell, Weight: w, Frozen: f.arch.IsFrozen(id) || held && holder.Frozen})
	}
	slices.SortFunc(out, func(a, b search.Frontier) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// FrontOf tells who is on the front and who leads a case. It is empty where nothing counts
// beside the objective.
func FrontOf(s *State) view.Front { return s.front.told() }

// AnotherFront is a front that a person asks for: over what the configuration does not name.
type AnotherFront struct {
	state *State
	front *fronts
}

// NewFront returns one on which nobody is. It is worth nothing once the state folds more.
func NewFront(s *State, cfg config.Front) *AnotherFront {
	return &AnotherFront{s, &fronts{standings: s.standings, cfg: cfg}}
}

// Take takes the metrics of a candidate; the root comes first.
func (a *AnotherFront) Take(id record.CandidateID, metrics []record.Metric) {
	if m := a.state.Candidate(id); m != nil && m.Scored && (id == record.Root || a.front.values != nil) {
		a.front.take(m, metrics)
	}
}

// Front tells who is on it.
func (a *AnotherFront) Front() view.Front { return a.front.told() }

// told lists members by the objective, the best first.
func (f *fronts) told() view.Front {
	if f.values == nil {
		return view.Front{}
	}
	f.settle()
	out := view.Front{Cases: slices.Clone(f.cases), CaseDirection: f.cfg.CaseDirection, Root: f.beside(record.Root)}
	for _, o := range f.cfg.Objectives {
		out.Objectives = append(out.Objectives, view.FrontObjective{Metric: o.Metric, Direction: o.Direction, Step: o.Step})
	}
	at := map[record.CandidateID]int{}
	member := func(id record.CandidateID) *view.FrontMember {
		i, ok := at[id]
		if !ok {
			i = len(out.Members)
			at[id], out.Members = i, append(out.Members, f.member(id))
		}
		return &out.Members[i]
	}
	for _, e := range f.set.Members() {
		member(e.ID).On = true
	}
	for i := range f.leaders.Len() {
		if c := f.leaders.Of(i); c.ID != record.NoCandidate {
			m := member(c.ID)
			m.Leads = append(m.Leads, view.FrontCase{Case: i, Value: upward(c.Value, f.cfg.CaseDirection)})
		}
	}
	slices.SortFunc(out.Members, func(a, b view.FrontMember) int {
		return cmp.Or(cmp.Compare(f.Sign*b.Objective, f.Sign*a.Objective), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (f *fronts) member(id record.CandidateID) view.FrontMember {
	m := f.Candidate(id)
	v := view.FrontMember{ID: id, Objective: m.Objective, Claim: f.HeldOut(id), Samples: int(m.Samples), Values: f.beside(id), Cell: -1}
	if cell, ok := f.cellOf(id); ok {
		v.Cell, v.Holds, v.Frozen = cell, f.arch.Holds(id), f.arch.IsFrozen(id)
	}
	return v
}

// beside are the values of a candidate in the objectives that count beside the objective.
func (f *fronts) beside(id record.CandidateID) []float64 {
	return f.values.get(id)[:len(f.cfg.Objectives)]
}
