package engine

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// A changed evaluator makes a new objective version. The root is measured under
// it first, then the elites, best first; archive, best and curves begin anew
// and hold values of the present version only. What was measured before stays
// with its candidates and samples, marked with its version, and the row of the
// change tells how the search stood. The fold knows the present version from
// the start, so that older rows are history wherever it begins.

// versioned is the name of a fact that belongs to an objective version.
func versioned(key string, version int) string {
	if version <= 1 {
		return key
	}
	return key + " " + strconv.Itoa(version)
}

// The priority of the jobs that measure again: before all others, the root
// before the elites.
const (
	renewElite = 1_000_000
	renewRoot  = renewElite + 1
)

// changeObjective begins a new objective version when this run may, and what
// measures is not what the values are of.
func (e *Engine) changeObjective(ctx context.Context) error {
	if e.opt.Remeasure == nil || !e.owner {
		return nil
	}
	exp, err := e.db.Experiment(ctx, e.exp)
	if err != nil {
		return err
	}
	old, err := config.Decode(exp.Config)
	if err != nil {
		return fmt.Errorf("read the stored configuration of %s: %w", exp.Name, err)
	}
	cfg := old
	cfg.Evaluator, cfg.Limits = e.opt.Remeasure.Evaluator, e.opt.Remeasure.Limits
	ev, err := eval.New(ctx, nil, e.evalOptionsOf(cfg)) // asked for its key alone
	if err != nil {
		return err
	}
	was, sealed, err := e.db.Meta(ctx, e.exp, versioned(metaSeal, exp.Objective))
	if err != nil {
		return err
	}
	frozen, _ := config.Diff(old, cfg)
	if len(frozen) == 0 && (!sealed || was == ev.Key()) {
		e.note("info", record.NoJob, fmt.Sprintf("nothing is measured again: objective version %d has this evaluator", max(1, exp.Objective)))
		return nil
	}
	next, err := e.objective(ctx, exp, frozen)
	if err != nil {
		return err
	}
	if err := e.renew(ctx, next, cfg); err != nil {
		return fmt.Errorf("begin objective version %d: %w", next.Version, err)
	}
	e.note("info", record.NoJob, objectiveText(next))
	return nil
}

// objective describes the next version: what changed, how the search stands,
// what is to be measured again.
func (e *Engine) objective(ctx context.Context, exp record.Experiment, frozen []config.Difference) (record.Objective, error) {
	st, err := LoadState(ctx, e.db, e.exp)
	if err != nil {
		return record.Objective{}, err
	}
	var keys []string
	for _, d := range frozen {
		keys = append(keys, d.Key)
	}
	if keys == nil {
		keys = []string{"the evaluator's files"}
	}
	first, err := e.db.NextJobID(ctx, e.exp)
	if err != nil {
		return record.Objective{}, err
	}
	was := st.standingPast()
	if was.Metric == "" {
		if was.Metric, err = learnedMetric(ctx, e.db, e.exp, exp.Objective); err != nil {
			return record.Objective{}, err
		}
	}
	return record.Objective{
		Version: max(1, exp.Objective) + 1, Changed: strings.Join(keys, ", "), First: first, Elites: st.toRenew(), Was: was,
	}, nil
}

// renew writes the change. Leases of a dead engine are given back before, so
// that no evaluate job of the old version is left.
func (e *Engine) renew(ctx context.Context, o record.Objective, cfg config.Config) error {
	if _, err := e.db.Requeue(ctx, e.exp); err != nil {
		return err
	}
	e.nextJob = o.First
	root := e.evaluateJob(record.Root, record.PurposeRoot, 0, cfg.Evaluator.RootRepeats)
	root.Priority = renewRoot
	jobs := []record.Job{root}
	for _, id := range o.Elites {
		e.nextJob++
		job := e.evaluateJob(id, record.PurposeRemeasure, 0, cfg.Evaluator.Repeats)
		job.Priority = renewElite
		jobs = append(jobs, job)
	}
	_, err := e.db.PutObjective(ctx, e.exp, store.NewObjective{
		Objective: o, Config: config.Encode(cfg), EvalKey: config.MeasureKey(cfg), Jobs: jobs,
		Reason: fmt.Sprintf("objective version %d began", o.Version),
	})
	return err
}

func objectiveText(o record.Objective) string {
	return fmt.Sprintf("objective version %d (%s): the root and %s are measured again; what was measured before is history", o.Version, o.Changed, view.Plural(len(o.Elites), "elite"))
}

// comparable takes the values from a candidate that are of another objective
// version than the present one: agents must not compare them.
func (e *Engine) comparable(c *record.Candidate) {
	if c.Version != e.objectiveVersion() {
		c.Objective, c.Claimed, c.Metrics, c.Measures = nil, nil, nil, nil
	}
}

// errSuperseded ends the fold of a state that was opened under an earlier
// objective version: it is to be opened again.
var errSuperseded = errors.New("a new objective version began")

// reopen looks on at the objective version that another process began.
func (e *Engine) reopen(ctx context.Context) error {
	st, err := LoadState(ctx, e.db, e.exp)
	if err != nil {
		return err
	}
	e.st = st
	e.liveConfig()
	e.cfg = e.st.Config
	e.sync()
	return nil
}

// renewal are the jobs that measure again, by number; in strict order they are
// folded before all others.
type renewal struct {
	next, end record.JobID
	strict    bool
	ahead     map[record.JobID]bool // folded before their turn
}

func (r *renewal) open() bool { return r.strict && r.next < r.end }

// passed notes in strict order that a job was folded.
func (s *State) passed(job record.JobID) {
	if s.renewal.open() {
		s.renewal.ahead[job] = true
		s.renewal.next++
	} else {
		s.nextFold++
	}
	for s.renewal.ahead[s.nextFold] {
		delete(s.renewal.ahead, s.nextFold)
		s.nextFold++
	}
}

// before reports whether the fold is at a row of an earlier objective version.
func (s *State) before() bool { return s.version < s.Exp.Objective }

// stale reports whether values of a version are history.
func (s *State) stale(version int) bool {
	return s.Exp.Objective > 1 && (s.before() || version < s.Exp.Objective)
}

// foldObjective takes the beginning of an objective version.
func (s *State) foldObjective(row store.FoldRow) error {
	var o record.Objective
	if err := unmarshal(row, &o); err != nil {
		return err
	}
	if o.Version > s.Exp.Objective {
		return errSuperseded
	}
	s.version = o.Version
	s.past, s.owed = append(s.past, o.Was), o.Elites
	ahead := s.renewal.ahead
	if ahead == nil {
		ahead = map[record.JobID]bool{}
	}
	s.renewal = renewal{next: o.First, end: o.First + record.JobID(len(o.Elites)) + 1, strict: s.Exp.Strict, ahead: ahead}
	s.broken, s.alike = nil, alike{}
	for i := range s.members.deeds.len() {
		s.members.deeds.at(i).strikes = 0
	}
	s.curves.mark(s, row.At, "objective %d", o.Version)
	s.say(row, "info", objectiveText(o))
	return nil
}

// count takes a candidate into the order of measured ones and reports whether
// it is new there.
func (s *State) count(m *member) bool {
	if m.counted {
		return false
	}
	m.counted = true
	s.scored++
	s.order = append(s.order, m.num)
	return true
}

// scorePast takes a candidate whose value is of an earlier version: it counts,
// it has coordinates, and it competes with nobody.
func (s *State) scorePast(row store.FoldRow, m *member) error {
	first := s.count(m)
	if _, err := s.locate(m, row.Cand.Measures); err != nil {
		return err
	}
	if !first || m.id() == record.Root || row.Work == nil {
		return nil
	}
	e := view.Ended{Job: row.JobBrief(record.EndData{}), Cell: -1, From: record.NoCandidate}
	state := row.Work.State
	s.yields.Add(search.Event{Operator: s.made(m).op, Agent: s.made(m).agent, Target: e.Job.Target, Parent: m.parent(), State: state, Usage: e.Job.Usage})
	s.lore.observe(s.made(m).op, m.id(), state == record.Placed)
	s.noteOutcome(e.Job, m, state)
	s.noteRepair(s.made(m).op, m.parent())
	if row.Kind == record.LogEnd {
		s.push(e)
	}
	return nil
}

// scoreUnrooted gives their places to candidates that came in before the root.
func (s *State) scoreUnrooted() error {
	rows := s.unrooted
	s.unrooted = nil
	for _, row := range rows {
		if err := s.score(row, s.member(row.Cand.ID)); err != nil {
			return err
		}
	}
	return nil
}

// parked is a decision on a niche that came while there was no archive.
type parked struct {
	d      record.Decision
	folded int
}

func (s *State) park(d record.Decision) { s.parked = append(s.parked, parked{d, s.folded}) }

// unpark carries out what was decided while there was no archive.
func (s *State) unpark() {
	folded := s.folded
	for _, p := range s.parked {
		s.folded = p.folded // a boost lasts from when it was given
		switch p.d.Verb {
		case record.Freeze:
			s.freeze(p.d)
		case record.Release:
			s.release(p.d)
		case record.Boost:
			s.boost(p.d)
		}
	}
	s.folded, s.parked = folded, nil
}

// toRenew are the candidates that a new version measures again, best first: who
// holds a niche, the best, and those that the present version has still to
// measure again. While there is no map every candidate waits for its place, and
// all are.
func (s *State) toRenew() []record.CandidateID {
	take := map[record.CandidateID]bool{}
	if s.arch != nil {
		for _, el := range s.arch.Holders() {
			take[el.ID] = true
		}
		take[s.best] = true
		for id := range s.measured() {
			m := s.member(id)
			take[id] = take[id] || m.scored && !m.rejected && s.learned && s.space == nil || s.arch.IsFrozen(id)
		}
	}
	var ids []record.CandidateID
	for id := range s.measured() {
		if take[id] && id != record.Root && s.member(id).scored {
			ids = append(ids, id)
		}
	}
	sort.SliceStable(ids, func(i, j int) bool { return s.better(s.member(ids[i]), s.member(ids[j])) })
	for _, id := range s.owed {
		if m := s.member(id); m != nil && !m.scored && !m.rejected && s.did(m).strikes == 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// pastPoints bounds the curve that the row of a change keeps.
const pastPoints = 200

// standingPast is how the search stands, for the history of a version that
// ends.
func (s *State) standingPast() record.PastObjective {
	p := record.PastObjective{
		Version: max(1, s.Exp.Objective), Metric: s.Config.Evaluator.Objective, Direction: s.Config.Evaluator.Direction,
		Best: record.NoCandidate, Scored: s.scored,
	}
	if m := s.member(record.Root); m != nil && m.scored {
		root := m.obj
		p.Root = &root
	}
	if m := s.member(s.best); m != nil {
		best := m.obj
		p.Best, p.Value = m.id(), &best
	}
	if s.arch != nil {
		p.Filled = s.arch.Stats().Filled
	}
	c := s.curves.snapshot()
	step := max(1, (len(c.X)+pastPoints-1)/pastPoints)
	for i := (len(c.X) - 1) % step; i >= 0 && i < len(c.X); i += step {
		p.X, p.Curve = append(p.X, c.X[i]), append(p.Curve, c.Best[i])
	}
	return p
}
