package engine_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/fold"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// many and manyVectors are the sizes of the large experiments; the slow level takes
// those of the design.
func many() int { return suitetest.Pick(2_000, 10_000, 100_000) }

func manyVectors() int { return suitetest.Pick(1_000, 2_000, 10_000) }

const scaleYAML = labHead + `
map:
  axes:
    - {metric: first, min: 0, max: 4, bins: 32}
    - {metric: second, min: 0, max: 4, bins: 32}
search:
  operators: {tune: 1}
budget: {jobs: %d}
`

const learnedYAML = labHead + `
map: {grid: [32, 32]}
search:
  operators: {tune: 1}
budget: {jobs: %d}
`

// newScaleLab opens a new experiment of a small program with a configuration
// of its own.
func newScaleLab(t *testing.T, yaml string, jobs int) *lab {
	t.Helper()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
	l.begin(l.loaded(fmt.Sprintf(yaml, jobs)))
	return l
}

// past writes the ends of n make jobs into the store, as an engine would have.
// The first of them hold niches and have real commits, since jobs to come edit
// them; the others lost to those, and of them only the rows exist.
type past struct {
	*lab
	n, elites int
	vectors   bool
}

func (p past) write() {
	p.t.Helper()
	p.root()
	// The notes of its epochs were written, and the looks for a new map made.
	for _, key := range []string{"epoch", "looked"} {
		if err := p.ses.DB.PutMeta(p.t.Context(), p.exp.ID, key, strconv.Itoa(p.n)); err != nil {
			p.t.Fatal(err)
		}
	}
	const batch = 1000
	for lo := 1; lo <= p.n; lo += batch {
		jobs := make([]record.Job, 0, batch)
		for id := lo; id < lo+batch && id <= p.n; id++ {
			jobs = append(jobs, record.Job{
				Experiment: p.exp.ID, ID: record.JobID(id), Kind: record.Make, State: record.Queued, Island: "main",
				Parent: record.CandidateID(min(id-1, id%p.elites)), Operator: record.OpTune, Agent: "offline",
				Candidate: record.NoCandidate, Duplicate: record.NoCandidate,
			})
		}
		if err := p.ses.DB.AddJobs(p.t.Context(), jobs); err != nil {
			p.t.Fatal(err)
		}
		p.together(len(jobs), p.one)
	}
}

// together runs fn n times on eight goroutines, so that the store commits
// groups, and fails with the first error.
func (p past) together(n int, fn func(context.Context) error) {
	p.t.Helper()
	const workers = 8
	errs := make(chan error, workers)
	for w := range workers {
		go func() {
			for i := w; i < n; i += workers {
				if err := fn(p.t.Context()); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range workers {
		if err := <-errs; err != nil {
			p.t.Fatal(err)
		}
	}
}

// root ends the measurement of the root.
func (p past) root() {
	p.t.Helper()
	ctx := p.t.Context()
	lease, err := p.ses.DB.Lease(ctx, p.exp.ID, "past", time.Minute)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.ses.DB.Stage(ctx, *lease, lease.Job.State, record.Evaluating); err != nil && lease.Job.State != record.Evaluating {
		p.t.Fatal(err)
	}
	obj := -2.25
	c := record.Candidate{ID: record.Root, Status: record.StatusScored, Objective: &obj, Samples: 2, Version: 1, Metrics: metricsAt(obj, 1.5, 2.5), Measures: p.measures(1.5, 2.5)}
	out := store.Outcome{State: record.Done, Candidate: &c, Evals: 2, Samples: []record.Sample{{Objective: obj, Version: 1}, {Repeat: 1, Objective: obj, Version: 1}}}
	if p.vectors {
		out.Vector = vectorOf(0)
	}
	if _, err := p.ses.DB.Finish(ctx, *lease, out); err != nil {
		p.t.Fatal(err)
	}
}

func metricsAt(obj, x, y float64) []record.Metric {
	return []record.Metric{{Name: "score", Value: obj}, {Name: "first", Value: x}, {Name: "second", Value: y}}
}

func (p past) measures(x, y float64) []float64 {
	if p.vectors {
		return nil
	}
	return []float64{x, y}
}

// vectorOf is the vector of a made-up program: a few directions and noise.
func vectorOf(id int) []float32 {
	rng := rand.New(rand.NewPCG(7, uint64(id)))
	v := make([]float32, 256)
	a, b := rng.NormFloat64(), rng.NormFloat64()
	for i := range v {
		v[i] = float32(3 + a*float64(i%7) + b*float64(i%5) + 0.1*rng.NormFloat64())
	}
	return v
}

// one carries one job from its lease to its end.
func (p past) one(ctx context.Context) error {
	db := p.ses.DB
	lease, err := db.Lease(ctx, p.exp.ID, "past", time.Minute)
	if err != nil {
		return err
	}
	id := int(lease.Job.ID)
	rng := rand.New(rand.NewPCG(1, uint64(id)))
	x, y := float64(id%32)/8+0.05, float64(id/32%32)/8+0.05
	c := record.Candidate{
		Experiment: p.exp.ID, ID: record.CandidateID(id), Job: lease.Job.ID, Operator: record.OpTune, Agent: "offline",
		Parents: []record.ParentRef{{ID: lease.Job.Parent, Role: record.RoleParent}}, Status: record.StatusMade, Version: 1,
		Intent: "tune 1 literal by 1e-1 in program.txt: 0.5 -> 0.6", Added: 1, Removed: 1, Files: 1,
		Tree: madeUp(1, id), Commit: madeUp(2, id),
	}
	if id <= p.elites {
		if err := p.real(ctx, &c, x, y); err != nil {
			return err
		}
	}
	if _, _, err := db.Made(ctx, *lease, c); err != nil {
		return err
	}
	if err := db.Stage(ctx, *lease, record.Committed, record.Gated); err != nil {
		return err
	}
	if err := db.Stage(ctx, *lease, record.Gated, record.Evaluating); err != nil {
		return err
	}
	out := store.Outcome{State: record.Scored, Candidate: &c, Evals: 1, EvalMS: 20, OwnMS: 2}
	if id%17 == 16 {
		c.Status, c.Class, c.Reason = record.StatusFailed, record.ClassMetric, fmt.Sprintf("line %d is no number", id%23)
		out.State, out.Class, out.Reason = record.Failed, c.Class, c.Reason
		_, err = db.Finish(ctx, *lease, out)
		return err
	}
	obj := -0.5 - rng.Float64()
	if id > p.elites {
		obj -= 1.5
	}
	c.Status, c.Objective, c.Samples = record.StatusScored, &obj, 1
	c.Metrics, c.Measures = metricsAt(obj, x, y), p.measures(x, y)
	out.Samples = []record.Sample{{Objective: obj, Version: 1, WallMS: 20}}
	if p.vectors {
		out.Vector = vectorOf(id)
	}
	_, err = db.Finish(ctx, *lease, out)
	return err
}

// madeUp is the name of an object that does not exist.
func madeUp(kind byte, id int) record.Hash {
	h := record.Hash{0xff, kind}
	binary.BigEndian.PutUint64(h[12:], uint64(id))
	return h
}

// real writes the tree and the commit of a candidate.
func (p past) real(ctx context.Context, c *record.Candidate, x, y float64) (err error) {
	text := fmt.Sprintf("a = %g\nb = %g\nc = 0.5\nd = %g\n", x, y, 3+float64(c.ID)/1e6)
	change := record.Change{Path: "program.txt", Mode: record.Regular, Data: []byte(text)}
	if c.Tree, err = p.ses.Repo.WriteTree(ctx, p.exp.RootTree, []record.Change{change}); err != nil {
		return err
	}
	c.Commit, err = p.ses.Repo.WriteCommit(ctx, gitops.CommitSpec{
		Tree: c.Tree, Parents: []record.Hash{p.exp.RootCommit}, Message: "made up", AuthorName: "t", AuthorEmail: "t@localhost", Time: time.Unix(1767225600, 0),
	})
	return err
}

// resident returns the resident memory of this process in MiB, after what is
// garbage was given back.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skipf("resident memory is read from /proc: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kb >> 10
		}
	}
	t.Fatal("no VmRSS in /proc/self/status")
	return 0
}

// cost returns how long fn takes, the least of several runs: what else the
// machine does only adds to it.
func cost(runs int, fn func()) time.Duration {
	least := time.Duration(1<<63 - 1)
	for range runs {
		runtime.GC()
		began := time.Now()
		fn()
		least = min(least, time.Since(began))
	}
	return least
}

func TestALargeExperimentIsFoldedWithinASecondAndStaysSmall(t *testing.T) {
	n := many()
	p := past{lab: newScaleLab(t, scaleYAML, n), n: n, elites: 1024}
	p.write()
	before := resident(t)
	var st *fold.State
	load := cost(3, func() { st = p.state() })
	snapshot := cost(20, func() { _ = st.Snapshot() })
	grown := resident(t) - before
	snap := st.Snapshot()
	t.Logf("%d candidates: fold %v, snapshot %v, resident %d MiB (+%d)", n, load.Round(time.Millisecond), snapshot.Round(time.Microsecond), before+grown, grown)
	if err := st.CheckArchive(); err != nil {
		t.Error(err)
	}
	if want := n - n/17; snap.Grid.Filled < 900 || len(snap.Curves.X) > 1000 || snap.Curves.X[len(snap.Curves.X)-1] < want-1 {
		t.Errorf("the fold tells %d niches and curves of %d points up to %d; want all of %d", snap.Grid.Filled, len(snap.Curves.X), snap.Curves.X[len(snap.Curves.X)-1], want)
	}
	if load > suitetest.Stretched(t, time.Second*time.Duration(max(n, 20_000))/100_000*2) {
		t.Errorf("folding %d candidates takes %v", n, load)
	}
	if snapshot > 20*time.Millisecond {
		t.Errorf("a snapshot takes %v", snapshot)
	}
	if before+grown > 200 {
		t.Errorf("%d MiB are resident", before+grown)
	}
	runtime.KeepAlive(st)
}

func TestALargeLearnedMapIsFoldedWithoutReadingVectorsOneByOne(t *testing.T) {
	suitetest.Full(t, "thousands of vectors; TestALearnedMapOutlivesAChangeOfTheEvaluator has a few")
	n := manyVectors()
	p := past{lab: newScaleLab(t, learnedYAML, n), n: n, elites: 64, vectors: true}
	p.write()
	// The budget is used up: the engine folds everything, fits the map that is
	// due on its way, and ends.
	began := time.Now()
	snap := p.run()
	t.Logf("%d vectors: run with the fits that were due %v, map %d", n, time.Since(began).Round(time.Millisecond), snap.Space.Version)
	if snap.Space.Version == 0 {
		t.Fatal("no map was fitted")
	}
	var st *fold.State
	load := cost(3, func() { st = p.state() })
	t.Logf("%d vectors: fold %v, resident %d MiB", n, load.Round(time.Millisecond), resident(t))
	if err := st.CheckArchive(); err != nil {
		t.Error(err)
	}
	if got := st.Snapshot().Grid; got.Filled != snap.Grid.Filled || got.QD != snap.Grid.QD {
		t.Errorf("the live archive has %d niches and a QD score of %v, the folded one %d and %v", snap.Grid.Filled, snap.Grid.QD, got.Filled, got.QD)
	}
	if load > 2*time.Second {
		t.Errorf("folding %d vectors takes %v", n, load)
	}
	runtime.KeepAlive(st)
}

// own runs jobs up to a total and returns the median overhead of the newest
// ones in ms.
func (l *lab) own(newest int) float64 {
	l.t.Helper()
	l.run()
	list, err := l.ses.DB.Jobs(l.t.Context(), l.exp.ID, store.JobFilter{Kind: record.Make, States: []record.JobState{record.Placed, record.Scored}, Limit: newest})
	if err != nil {
		l.t.Fatal(err)
	}
	var own []float64
	for _, j := range list {
		own = append(own, j.OwnMS)
	}
	if len(own) < newest/2 {
		l.t.Fatalf("%d of %d jobs were scored", len(own), newest)
	}
	slices.Sort(own)
	return own[len(own)/2]
}

func TestACandidateTakesAQuarterOfAKilobyte(t *testing.T) {
	suitetest.Full(t, "memory is measured on large experiments; TestALargeExperimentIsFoldedWithinASecondAndStaysSmall stands for it")
	few, many := suitetest.Pick(1000, 4000, 4000), suitetest.Pick(3000, 10_000, 10_000)
	yaml := strings.ReplaceAll(scaleYAML, "bins: 32", "bins: 8") // niches that fill up
	heap := func(n int) (bytes int) {
		p := past{lab: newScaleLab(t, yaml, n), n: n, elites: 60}
		p.write()
		before := live()
		st, err := fold.LoadState(t.Context(), p.ses.DB, p.exp.ID)
		if err != nil {
			t.Fatal(err)
		}
		bytes = live() - before
		runtime.KeepAlive(st)
		return bytes
	}
	first, last := heap(few), heap(many)
	each := float64(last-first) / float64(many-few)
	t.Logf("%d candidates take %d kB, %d take %d kB: %.1f bytes each", few, first>>10, many, last>>10, each)
	if each > 250 {
		t.Errorf("every candidate takes %.1f bytes of memory", each)
	}
}

// live returns the bytes on the heap that are no garbage.
func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestAJobCostsTheSameInALargeExperiment(t *testing.T) {
	suitetest.Full(t, "a hundred jobs behind thousands of others; what a fold and a snapshot of as many cost is held every day")
	t.Attr("timing", "the two experiments run one after the other, each beside whatever else is running then")
	const jobs = 100
	small := newScaleLab(t, scaleYAML, jobs).own(jobs * 3 / 4)
	n := many()
	p := past{lab: newScaleLab(t, scaleYAML, n+jobs), n: n, elites: 1024}
	p.write()
	began := time.Now()
	large := p.own(jobs * 3 / 4)
	t.Logf("own time per job: %.2f ms at the start, %.2f ms after %d candidates (%v for start and %d jobs)", small, large, n, time.Since(began).Round(time.Millisecond), jobs)
	if large > 2*small+5 {
		t.Errorf("a job's own time is %.2f ms after %d candidates, %.2f ms at the start", large, n, small)
	}
}
