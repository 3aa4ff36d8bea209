package engine

import (
	"encoding/json"
	"fmt"
	"math"

	"atoll/config"
	"atoll/engine/archive"
	"atoll/engine/behavior"
	"atoll/engine/search"
	"atoll/store"
	"atoll/store/record"
)

// State is the fold of the ordered log of one experiment: the archive, the
// yields of operators and agents, the curves, what waits for a person. It is
// owned by one goroutine and does no I/O but for [State.vector].
type State struct {
	Exp      record.Experiment
	Settings record.Settings
	Config   config.Config
	Run      record.ExperimentState
	Reason   string

	sign    float64 // +1 maximize, -1 minimize
	arch    *archive.Archive
	learned bool
	space   *behavior.Space
	report  record.SpaceReport
	atFold  int            // scored candidates when the present space was fitted
	looked  int            // scored candidates at the last look for a new one
	kinds   map[uint64]int // distinct vectors of the sample while there is no map
	vector  func(record.CandidateID) ([]float32, error)
	vectors map[record.CandidateID][]float32 // of the sample
	points  map[record.CandidateID][]float64 // while the store is read for the first time

	members  []*member // by candidate number, nil where a job made none
	order    []record.CandidateID
	waiting  []record.CandidateID // challengers that need more samples, in fold order
	doubted  []record.CandidateID // inherited a place on too few samples; measured again at once
	scored   int
	version  int // objective version at this position of the log
	renewal  renewal
	past     []record.PastObjective // the versions before
	parked   []parked               // decisions on niches while there is no archive
	owed     []record.CandidateID   // were to be measured again when the present version began
	unrooted []store.FoldRow        // measured under the present version before its root was
	rootObj  float64
	noisy    bool
	best     record.CandidateID
	bestAt   record.Millis

	seq        record.Seq
	nextFold   record.JobID // strict order: the job that is folded next
	early      map[record.JobID][]store.FoldRow
	folded     int // jobs folded
	yields     search.Stats
	failures   map[string]*FailureGroup
	curves     curveData
	recent     []Ended               // oldest first, bounded
	placed     []record.JobID        // took a niche since the store was told
	late       map[record.JobID]bool // held jobs that were folded when they were held
	remeasured int
	lore       lore
	epoch      epochLog
	broken     []brokenOne // failed candidates that an edit could mend, oldest first
	madeSince  int         // candidates made since the last anchor
	decided    decisions
	events     []event // what the last rows did, for the log pane
	sample     *reservoir
	alike      alike // failures in a row
}

// member is what the fold keeps of one candidate.
type member struct {
	id, parent record.CandidateID
	job        record.JobID
	commit     record.Hash
	tree       record.Hash
	op         record.Operator
	agent      string
	status     record.Status
	obj        float64 // in the evaluator's own direction
	mad        float64
	samples    int
	claimed    *float64
	claimedN   int
	point      []float64
	counted    bool // measured under some objective version
	scored     bool // obj is a value of the present objective version
	rejected   bool
	created    record.Millis
	wonAt      int // scored candidates when it took its niche, 0 = never
	since      record.Millis
	measuring  record.JobID // the open evaluate job of it, 0 = none
	strikes    int          // evaluate jobs of it that failed in a row
}

// event is one thing the fold did that people want to read.
type event struct {
	at    record.Millis
	level string
	job   record.JobID
	text  string
}

// recentCap bounds the list of ended jobs a snapshot carries.
const recentCap = 200

// newState returns the empty fold of an experiment.
func newState(exp record.Experiment, settings record.Settings) (*State, error) {
	cfg, err := config.Decode(exp.Config)
	if err != nil {
		return nil, fmt.Errorf("read the stored configuration of %s: %w", exp.Name, err)
	}
	s := &State{
		Exp: exp, Settings: settings, Config: cfg, Run: exp.State, Reason: exp.Reason,
		sign: 1, version: 1, learned: len(cfg.Map.Axes) == 0, best: record.NoCandidate,
		early: map[record.JobID][]store.FoldRow{}, late: map[record.JobID]bool{}, failures: map[string]*FailureGroup{},
		sample: newReservoir(exp.Seed, cfg.Map.History),
	}
	if cfg.Evaluator.Direction == "minimize" {
		s.sign = -1
	}
	return s, nil
}

// shape is the tessellation: the named axes, or the unit square of the learned
// space.
func (s *State) shape() archive.Shape {
	var shape archive.Shape
	if s.learned {
		for i, n := range s.Config.Map.Grid {
			name := fmt.Sprintf("axis %d", i+1)
			if i < len(s.report.Axes) && s.report.Axes[i] != "" {
				name = s.report.Axes[i]
			}
			shape.Axes = append(shape.Axes, archive.Axis{Name: name, Lo: 0, Hi: 1, Bins: n})
		}
		return shape
	}
	for _, a := range s.Config.Map.Axes {
		shape.Axes = append(shape.Axes, archive.Axis{Name: a.Metric, Lo: a.Min, Hi: a.Max, Bins: a.Bins, Edges: a.Edges})
	}
	return shape
}

// member returns what is known of a candidate, nil for none.
func (s *State) member(id record.CandidateID) *member {
	if id < 0 || int(id) >= len(s.members) {
		return nil
	}
	return s.members[id]
}

// Archive gives read access to the grid; nil before the root was measured.
func (s *State) Archive() *archive.Archive { return s.arch }

// fold takes the next row of the log. Strict order holds rows of jobs back
// until every lower job number was folded; then is called after each job that
// was folded, in fold order.
func (s *State) fold(row store.FoldRow, then func(record.JobID) error) error {
	s.seq = row.Seq
	switch row.Kind {
	case record.LogEnd, record.LogSample, record.LogHeld:
		return s.foldJob(row, then)
	case record.LogMade:
		s.noteMade(row)
	case record.LogObjective:
		return s.foldObjective(row)
	case record.LogSetting:
		var now record.Settings // a row holds all of them: what it does not name is gone
		if err := json.Unmarshal(row.Data, &now); err != nil {
			return err
		}
		s.Settings = now
	case record.LogState:
		var d record.StateData
		if err := json.Unmarshal(row.Data, &d); err != nil {
			return err
		}
		s.Run, s.Reason = d.State, d.Reason
	case record.LogDecision:
		var d record.Decision
		if err := json.Unmarshal(row.Data, &d); err != nil {
			return err
		}
		d.Seq, d.At = row.Seq, row.At
		s.decide(d)
	}
	return nil
}

func (s *State) foldJob(row store.FoldRow, then func(record.JobID) error) error {
	if !s.Exp.Strict || row.Job < s.nextFold {
		if err := s.foldResult(row); err != nil {
			return err
		}
		if s.Exp.Strict || s.late[row.Job] {
			return nil
		}
		if row.Kind == record.LogHeld {
			s.late[row.Job] = true
		}
		s.folded++
		return then(row.Job)
	}
	s.early[row.Job] = append(s.early[row.Job], row)
	return s.foldEarly(then)
}

// foldEarly folds the rows whose turn has come, in strict order: first the jobs
// that measure again under a new objective version, then by number.
func (s *State) foldEarly(then func(record.JobID) error) error {
	for {
		job := s.nextFold
		if s.renewal.open() {
			job = s.renewal.next
		}
		rows, ok := s.early[job]
		if !ok {
			return nil
		}
		delete(s.early, job)
		for _, r := range rows {
			if err := s.foldResult(r); err != nil {
				return err
			}
		}
		s.passed(job)
		s.folded++
		if err := then(job); err != nil {
			return err
		}
	}
}

func (s *State) noteMade(row store.FoldRow) {
	if row.Cand != nil {
		s.admit(row.Cand)
		s.madeSince++
	}
}

// admit returns the member of a candidate, new or known, with its columns as
// they are now.
func (s *State) admit(c *store.FoldCandidate) *member {
	for int(c.ID) >= len(s.members) {
		s.members = append(s.members, make([]*member, max(64, len(s.members)))...)
	}
	m := s.members[c.ID]
	if m == nil {
		m = &member{id: c.ID}
		s.members[c.ID] = m
	}
	m.parent, m.job, m.commit, m.tree = c.Parent, record.JobID(c.ID), c.Commit, c.Tree
	m.op, m.agent, m.status, m.created = c.Operator, c.Agent, c.Status, c.Created
	m.mad, m.samples, m.claimed, m.claimedN = c.MAD, c.Samples, c.Claimed, c.ClaimedSamples
	if c.Objective != nil {
		m.obj = *c.Objective
	}
	if !s.learned {
		m.point = c.Measures
	}
	return m
}

// foldResult takes the end of a job, or new samples of a candidate.
func (s *State) foldResult(row store.FoldRow) error {
	var end record.EndData
	if row.Kind == record.LogEnd && row.Work != nil && (row.Work.State == record.Scored || row.Work.State == record.Placed) {
		end.State = record.Scored // as most do; the row says no more
	} else if row.Kind == record.LogEnd && len(row.Data) > 0 {
		if err := json.Unmarshal(row.Data, &end); err != nil {
			return err
		}
	}
	if row.Cand == nil {
		s.foldWithout(row, end)
		return nil
	}
	m := s.admit(row.Cand)
	if row.Work != nil && row.Work.Kind == record.Evaluate {
		s.noteMeasured(row, m)
	}
	switch {
	case row.Kind == record.LogHeld:
		s.say(row, "info", fmt.Sprintf("%s waits for review: %s", m.id, row.Cand.Reason))
	case row.Cand.Objective == nil || end.State == record.Rejected || end.State == record.Cancelled || end.State == record.Failed:
		s.foldFailure(row, end, m)
	default:
		return s.score(row, m)
	}
	return nil
}

// foldWithout takes the end of a job that made no candidate.
func (s *State) foldWithout(row store.FoldRow, end record.EndData) {
	e := Ended{Job: row.JobBrief(end), Cell: -1, From: record.NoCandidate}
	s.push(e)
	if e.Job.Kind == record.Make {
		s.yields.Add(search.Event{Operator: e.Job.Operator, Agent: e.Job.Agent, Target: e.Job.Target, Parent: e.Job.Parent, State: end.State, Usage: e.Job.Usage})
		s.lore.observe(e.Job.Operator, record.NoCandidate, false)
		s.noteOutcome(e.Job, nil, end.State)
		s.noteRepair(e.Job.Operator, e.Job.Parent)
	}
	switch end.State {
	case record.Duplicate:
		s.say(row, "debug", fmt.Sprintf("%s duplicate of %s", row.Job, e.Job.Duplicate))
	case record.Failed:
		s.countFailure(row.Job, end.Class, end.Reason)
		s.say(row, "warn", fmt.Sprintf("%s failed: %s", row.Job, end.Reason))
	}
}

func (s *State) foldFailure(row store.FoldRow, end record.EndData, m *member) {
	e := Ended{Job: row.JobBrief(end), Cell: -1, From: record.NoCandidate}
	if row.Kind == record.LogEnd {
		s.push(e)
	}
	if row.Kind == record.LogEnd && e.Job.Kind == record.Make {
		s.yields.Add(search.Event{Operator: m.op, Agent: m.agent, Target: e.Job.Target, Parent: m.parent, State: end.State, Usage: e.Job.Usage})
		s.lore.observe(m.op, m.id, false)
		s.noteOutcome(e.Job, m, end.State)
		s.noteRepair(m.op, m.parent)
		if end.State == record.Failed {
			s.noteBroken(m.id, end.Class)
		}
	}
	if end.State == record.Failed {
		s.countFailure(row.Job, end.Class, end.Reason)
		if e.Job.Kind == record.Make {
			s.suspect(row, end.Class, end.Reason)
		}
	}
	level := "warn"
	if end.State == record.Cancelled {
		level = "info"
	}
	s.say(row, level, fmt.Sprintf("%s %s: %s", m.id, end.State, end.Reason))
}

// score gives a measured candidate its place.
func (s *State) score(row store.FoldRow, m *member) error {
	if s.stale(row.Cand.Version) {
		return s.scorePast(row, m)
	}
	if s.arch == nil && m.id != record.Root {
		if s.version == 1 {
			return fmt.Errorf("%s was measured before the root", m.id)
		}
		s.unrooted = append(s.unrooted, row)
		return nil
	}
	first := s.count(m)
	m.scored = true
	if m.id == record.Root {
		s.openArchive(m)
	}
	s.watchNoise(row, m)
	if row.Work != nil && (row.Work.State == record.Done || row.Work.Kind == record.Make) {
		s.trust(row)
	}
	if err := s.locate(m); err != nil {
		return err
	}
	e := Ended{Job: row.JobBrief(record.EndData{State: record.Scored}), Cell: -1, From: record.NoCandidate}
	obj := m.obj
	e.Objective = &obj
	if p := s.member(m.parent); p != nil && p.scored {
		d := s.sign * (m.obj - p.obj)
		e.Delta = &d
	}
	improved := s.place(m, &e, row.At)
	if first && m.id != record.Root {
		state := record.Scored
		if improved {
			state = record.Placed
		}
		s.yields.Add(search.Event{Operator: m.op, Agent: m.agent, Target: e.Job.Target, Parent: m.parent, State: state, Best: e.Best, Usage: e.Job.Usage})
		s.lore.observe(m.op, m.id, improved || e.Delta != nil && *e.Delta > 0)
		s.noteOutcome(e.Job, m, state)
		s.noteRepair(m.op, m.parent)
	}
	if row.Kind == record.LogEnd && m.id != record.Root {
		s.push(e)
	}
	s.curves.add(s, row.At)
	return s.scoreUnrooted()
}

// openArchive makes the grid once the root's value fixes the offset of the QD
// score (adjusted root - |root|, unless the configuration names one).
func (s *State) openArchive(m *member) {
	if s.arch != nil {
		return
	}
	s.rootObj = m.obj
	offset := s.sign*m.obj - math.Abs(m.obj)
	if o := s.Config.Map.Offset; o != nil {
		offset = *o
	}
	s.arch = archive.New(s.shape(), offset)
	s.unpark()
}

// place puts a scored candidate into the archive, unless it must be measured
// again before it may take a niche, and fills in what it took.
func (s *State) place(m *member, e *Ended, at record.Millis) (improved bool) {
	entry := s.entry(m)
	if m.rejected { // out of the competition, and there when it is restored
		s.arch.Remove(m.id)
		_, _ = s.arch.Add(entry)
		return false
	}
	if s.mustChallenge(m, entry) {
		s.wait(m.id)
		return false
	}
	s.unwait(m.id)
	res, err := s.arch.Add(entry)
	if err != nil {
		s.events = append(s.events, event{at: at, level: "error", job: m.job, text: fmt.Sprintf("%s has no place: %v", m.id, err)})
		return false
	}
	if h := s.member(res.After); h != nil && h != m {
		s.doubt(h)
	}
	e.Best = s.crown(m, at)
	if res.Status != archive.NewNiche && res.Status != archive.Improved {
		return false
	}
	m.wonAt, m.since = s.scored, at
	e.Cell, e.From = res.Cell, res.Before
	e.Job.State = record.Placed
	if m.job != 0 {
		s.placed = append(s.placed, m.job)
	}
	s.events = append(s.events, s.placedEvent(m, e, at))
	return true
}

func (s *State) placedEvent(m *member, e *Ended, at record.Millis) event {
	text := fmt.Sprintf("%s takes %s", m.id, s.CellName(e.Cell))
	if e.From == record.NoCandidate {
		text = fmt.Sprintf("%s opens %s", m.id, s.CellName(e.Cell))
	} else if e.From != m.id {
		text += fmt.Sprintf(" from %s", e.From)
	}
	text += fmt.Sprintf(" with %s", FormatValue(m.obj))
	if e.Best {
		text = "new best: " + text
	}
	return event{at: at, level: "info", job: m.job, text: text}
}

func (s *State) entry(m *member) archive.Entry {
	return archive.Entry{ID: m.id, Objective: s.sign * m.obj, Samples: m.samples, Point: m.point}
}

// crown makes m the best if it is. The root is the best until something beats
// it, so the best is never worse than the root.
func (s *State) crown(m *member, at record.Millis) bool {
	if s.best == record.NoCandidate {
		s.best, s.bestAt = m.id, at
		return false
	}
	if m.id == s.best {
		s.recrown()
		return false
	}
	if !s.better(m, s.members[s.best]) {
		return false
	}
	if s.unproven(m) {
		s.doubt(m)
		return false
	}
	s.best, s.bestAt = m.id, at
	return true
}

// better is the tie rule: higher objective, then more samples, then lower id.
func (s *State) better(a, b *member) bool {
	x, y := s.sign*a.obj, s.sign*b.obj
	if x != y {
		return x > y
	}
	if a.samples != b.samples {
		return a.samples > b.samples
	}
	return a.id < b.id
}

func (s *State) push(e Ended) {
	if len(s.recent) >= 2*recentCap {
		s.recent = append(s.recent[:0], s.recent[len(s.recent)-recentCap:]...)
	}
	s.recent = append(s.recent, e)
}

func (s *State) say(row store.FoldRow, level, text string) {
	s.events = append(s.events, event{at: row.At, level: level, job: row.Job, text: text})
}

// takeEvents returns and forgets what happened since the last call.
func (s *State) takeEvents() []event {
	ev := s.events
	s.events = nil
	return ev
}

// CellName returns the form people see, "(12,5)".
func (s *State) CellName(cell int) string {
	if s.arch == nil || cell < 0 {
		return "(-)"
	}
	return cellName(s.shape().Coords(cell))
}

func cellName(coords []int) string {
	out := "("
	for i, c := range coords {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprint(c)
	}
	return out + ")"
}

// FormatValue writes a metric with up to six significant digits.
func FormatValue(v float64) string { return fmt.Sprintf("%.6g", v) }
