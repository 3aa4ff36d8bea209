package bench

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/engine/behavior"
	"atoll/engine/fold"
	"atoll/engine/gate"
	"atoll/engine/schedule"
	"atoll/engine/search"
	"atoll/engine/work"
	"atoll/store/record"
)

// ahead is how many jobs are chosen before the oldest of them is folded, as with
// one worker.
const ahead = 2

// lab is one experiment in memory; it is the log of its own state.
type lab struct {
	problem  Problem
	way      Way
	exp      record.Experiment
	settings record.Settings
	policy   gate.Policy
	st       *fold.State
	agent    agent.Agent
	embedder behavior.Embedder
	eligible *behavior.Eligible

	rows   []record.FoldRow
	trees  map[record.CandidateID]*tree
	known  map[string]record.CandidateID // by content
	queue  []record.Job
	next   record.JobID
	result Result
}

// tree is a candidate.
type tree struct {
	files  map[string]string
	list   []record.File
	intent string
	from   record.CandidateID
	op     record.Operator
	vector []float32
	known  []record.Metric // where something counts beside the objective
}

var _ agent.Tree = (*tree)(nil)

func newTree(files map[string]string) *tree {
	t := &tree{files: files, from: record.NoCandidate}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		text := files[p]
		t.list = append(t.list, record.File{Path: p, Mode: record.Regular, Hash: sha1.Sum([]byte(text)), Size: int64(len(text))})
	}
	return t
}

// Files implements [agent.Tree].
func (t *tree) Files() []record.File { return t.list }

// Read implements [agent.Tree].
func (t *tree) Read(_ context.Context, path string) ([]byte, error) {
	text, ok := t.files[path]
	if !ok {
		return nil, fmt.Errorf("there is no file %s", path)
	}
	return []byte(text), nil
}

// key is equal for equal contents.
func (t *tree) key() string {
	var b strings.Builder
	for _, f := range t.list {
		b.WriteString(f.Path)
		b.Write(f.Hash[:])
	}
	return b.String()
}

// with is the tree after changes.
func (t *tree) with(changes []record.Change) *tree {
	files := maps.Clone(t.files)
	for _, c := range changes {
		if files[c.Path] = string(c.Data); c.Mode == record.Deleted {
			delete(files, c.Path)
		}
	}
	return newTree(files)
}

func newLab(ctx context.Context, p Problem, w Way, seed uint64) (*lab, error) {
	cfg := p.Config
	if w.Configure != nil {
		w.Configure(&cfg)
	}
	l := &lab{
		problem: p, way: w, settings: cfg.Settings(), agent: offline.New(offline.Options{}),
		exp:   record.Experiment{ID: 1, Name: p.Name, Seed: seed, State: record.ExperimentRunning, Objective: 1, Config: config.Encode(cfg)},
		trees: map[record.CandidateID]*tree{}, known: map[string]record.CandidateID{},
		policy: gate.Policy{
			Protected: cfg.Evaluator.Protected, Scope: cfg.Gate.Scope, Forbidden: cfg.Gate.Forbidden,
			MaxFiles: cfg.Gate.MaxFiles, MaxLines: cfg.Gate.MaxLines, MaxFileBytes: cfg.Gate.MaxFileBytes,
		},
		embedder: behavior.NewLexical(),
		eligible: behavior.NewEligible(work.MapFiles(&cfg)),
		result:   Result{Problem: p.Name, Way: w.Name, Seed: seed},
	}
	var err error
	if l.st, err = fold.OpenState(ctx, l, l.exp.ID); err != nil {
		return nil, err
	}
	l.st.Quiet = true
	l.st.Lessons = fold.Lessons{On: true, Now: fold.NewHistory(l.st), At: map[int]*agent.History{}, Tag: func(id record.CandidateID) string {
		if t := l.trees[id]; t != nil {
			return offline.IntentTag(t.intent)
		}
		return ""
	}}
	return l, l.measureRoot(ctx)
}

func (l *lab) measureRoot(ctx context.Context) error {
	root := newTree(l.problem.Root)
	job := record.NewJob(l.exp.ID, 0, record.Evaluate)
	job.Purpose, job.Candidate, job.State = record.PurposeRoot, record.Root, record.Done
	l.next = 1
	metrics, err := l.problem.Measure(ctx, root.files)
	if err != nil {
		return fmt.Errorf("measure the root of %s: %w", l.problem.Name, err)
	}
	l.keep(record.Root, root)
	cand, err := l.columns(record.Root, root, metrics)
	if err != nil {
		return err
	}
	l.row(record.FoldRow{LogRow: record.LogRow{Kind: record.LogSample, Job: 0, Candidate: record.Root}, Cand: cand, Work: &job})
	return l.catchUp(ctx)
}

// run carries out jobs until so many candidates were measured.
func (l *lab) run(ctx context.Context, evaluations int, at func(evaluations int)) error {
	for jobs := 0; l.result.Evaluations < evaluations && jobs < 4*evaluations; jobs++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(l.queue) == 0 {
			return errors.New("the experiment has no further job")
		}
		job := l.queue[0]
		l.queue = l.queue[1:]
		was := l.result.Evaluations
		if err := l.carryOut(ctx, job); err != nil {
			return err
		}
		if err := l.catchUp(ctx); err != nil {
			return err
		}
		if l.result.Evaluations > was {
			at(l.result.Evaluations)
		}
	}
	return nil
}

// catchUp folds the new rows; at each fold position come a new map, lessons and
// jobs, in the order of an experiment.
func (l *lab) catchUp(ctx context.Context) error {
	return l.st.CatchUp(ctx, l, func(record.JobID) error {
		l.st.Lessons.Keep(l.st.FoldCount(), ahead)
		cause, vectors, err := l.st.RefitDue(ctx, false)
		if err != nil {
			return err
		}
		if cause != "" {
			rec, err := schedule.FitSpace(ctx, l.st, cause, vectors, schedule.Fitting{Embedder: l.embedder.ID(), Each: func(fn func(record.CandidateID, []float32) error) error {
				return l.Vectors(ctx, l.exp.ID, fn)
			}})
			if err != nil {
				return err
			}
			if cause != behavior.CauseProvisional {
				l.result.Maps = append(l.result.Maps, rec.Report.Moved)
				l.result.Far = append(l.result.Far, rec.Report.Far)
			}
		}
		for int(l.next) < l.st.FoldCount()+ahead {
			l.queue = append(l.queue, l.choose())
			l.next++
		}
		return nil
	})
}

// choose is the next job.
func (l *lab) choose() record.Job {
	fixed := search.Free()
	if l.way.Fix != nil {
		fixed = l.way.Fix(l.st, search.Rand(^l.exp.Seed, l.next))
	}
	return schedule.MakeJob(l.st, l.next, fixed)
}

func (l *lab) carryOut(ctx context.Context, job record.Job) error {
	l.result.Jobs++
	aj := agent.Job{
		Number: job.ID, Rand: search.EditRand(l.exp.Seed, job.ID), Operator: job.Operator, Parent: l.item(job.Parent), Goal: l.settings.Goal,
		Direction: l.st.Config.Evaluator.Direction, Metric: l.st.Config.Evaluator.Objective, History: l.st.Lessons.Of(job.ID, ahead),
		Scope: l.policy.Allows,
		Known: func(changes []record.Change) (bool, error) {
			id, ok := l.known[l.trees[job.Parent].with(changes).key()]
			return ok && int(id) <= int(job.ID)-ahead, nil
		},
	}
	for _, id := range job.Inspirations {
		aj.Inspirations = append(aj.Inspirations, l.item(id))
	}
	res, err := l.agent.Edit(ctx, aj, aj.Parent.Files)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	parent := l.trees[job.Parent]
	if err != nil {
		l.end(job, record.Failed, record.ClassAgent, err.Error())
		return nil
	}
	t := parent.with(res.Changes)
	t.intent, t.from, t.op = res.Intent, job.Parent, job.Operator
	if first, ok := l.known[t.key()]; ok {
		l.result.Duplicates++
		job.Duplicate = first
		l.end(job, record.Duplicate, record.ClassNone, "")
		return nil
	}
	id := record.CandidateID(job.ID)
	job.Candidate = id
	l.result.Evaluations++
	metrics, err := l.problem.Measure(ctx, t.files)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.keep(id, t)
	var cand *record.FoldCandidate
	if err == nil {
		cand, err = l.columns(id, t, metrics)
	}
	if err != nil {
		l.result.Failed++
		l.fail(job, t, err)
		return nil
	}
	job.State = record.Scored
	l.row(record.FoldRow{LogRow: record.LogRow{Kind: record.LogEnd, Job: job.ID, Candidate: id}, Cand: cand, Work: &job})
	return nil
}

// end ends a job that made no candidate.
func (l *lab) end(job record.Job, state record.JobState, class record.Class, reason string) {
	job.State, job.Class, job.Reason = state, class, reason
	l.row(record.FoldRow{LogRow: record.LogRow{Kind: record.LogEnd, Job: job.ID, Candidate: record.NoCandidate, Data: fmt.Appendf(nil, `{"state":%q}`, state)}, Work: &job})
}

// fail ends a job whose candidate could not be measured.
func (l *lab) fail(job record.Job, t *tree, err error) {
	job.State, job.Class, job.Reason = record.Failed, record.ClassBuild, err.Error()
	cand := &record.FoldCandidate{
		ID: record.CandidateID(job.ID), Parent: t.from, Operator: t.op, Agent: job.Agent, Status: record.StatusFailed, Class: job.Class,
		Reason: job.Reason, Version: 1, State: job.State,
	}
	l.row(record.FoldRow{LogRow: record.LogRow{
		Kind: record.LogEnd, Job: job.ID, Candidate: cand.ID, Data: fmt.Appendf(nil, `{"state":%q,"class":%q}`, job.State, job.Class),
	}, Cand: cand, Work: &job})
}

// keep remembers a candidate before it is measured.
func (l *lab) keep(id record.CandidateID, t *tree) {
	l.trees[id], l.known[t.key()] = t, id
	if !l.st.Learned {
		return
	}
	var added [][]float32
	for _, f := range t.list {
		if text := []byte(t.files[f.Path]); l.eligible.Match(f.Path, f.Size) && l.eligible.Shapes(f.Path, text) {
			added = append(added, l.embedder.Embed(f.Path, text))
		}
	}
	t.vector = behavior.Combine(make([]float32, l.embedder.Dims()), nil, added)
}

// columns are what the fold reads of a measured candidate.
func (l *lab) columns(id record.CandidateID, t *tree, metrics map[string]float64) (*record.FoldCandidate, error) {
	cfg := &l.st.Config
	v, ok := metrics[cfg.Evaluator.Objective]
	if !ok {
		return nil, fmt.Errorf("there is no metric %q", cfg.Evaluator.Objective)
	}
	c := &record.FoldCandidate{
		ID: id, Parent: t.from, Operator: t.op, Agent: "offline", Status: record.StatusScored, Objective: &v, Samples: 1, Version: 1,
		State: record.Scored,
	}
	for _, a := range cfg.Map.Axes {
		c.Measures = append(c.Measures, metrics[a.Metric])
	}
	if cfg.Front.Kept() {
		for _, name := range slices.Sorted(maps.Keys(metrics)) {
			t.known = append(t.known, record.Metric{Name: name, Value: metrics[name]})
		}
	}
	return c, nil
}

func (l *lab) item(id record.CandidateID) agent.Item {
	t := l.trees[id]
	it := agent.Item{ID: id, Operator: t.op, Intent: t.intent, Files: t}
	if m := l.st.Candidate(id); m != nil && m.Scored {
		v := m.Objective
		it.Objective = &v
	}
	return it
}

func (l *lab) row(r record.FoldRow) {
	r.Seq, r.Experiment = record.Seq(len(l.rows)+1), l.exp.ID
	l.rows = append(l.rows, r)
}

// Experiment implements [fold.Log].
func (l *lab) Experiment(context.Context, record.ExperimentID) (record.Experiment, error) {
	return l.exp, nil
}

// Settings implements [fold.Log].
func (l *lab) Settings(context.Context, record.ExperimentID) (record.Settings, error) {
	return l.settings, nil
}

// FoldLog implements [fold.Log].
func (l *lab) FoldLog(_ context.Context, _ record.ExperimentID, after record.Seq, fn func(record.FoldRow) error) error {
	for i := int(after); i < len(l.rows); i++ {
		if err := fn(l.rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Spaces implements [fold.Log]: maps live in the state alone.
func (l *lab) Spaces(context.Context, record.ExperimentID) ([]record.Space, error) { return nil, nil }

// Space implements [fold.Log].
func (l *lab) Space(context.Context, record.ExperimentID, int) (record.Space, error) {
	return record.Space{}, errors.New("no map is kept")
}

// Vector implements [fold.Log].
func (l *lab) Vector(_ context.Context, _ record.ExperimentID, id record.CandidateID) ([]float32, error) {
	return l.trees[id].vector, nil
}

// Vectors implements [fold.Log].
func (l *lab) Vectors(_ context.Context, _ record.ExperimentID, fn func(record.CandidateID, []float32) error) error {
	for _, id := range slices.Sorted(maps.Keys(l.trees)) {
		if err := fn(id, l.trees[id].vector); err != nil {
			return err
		}
	}
	return nil
}

// Metrics implements [fold.Log].
func (l *lab) Metrics(_ context.Context, _ record.ExperimentID, id record.CandidateID) ([]record.Metric, error) {
	return l.trees[id].known, nil
}
