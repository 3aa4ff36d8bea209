package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

// watchedYAML has an agent that reads prompts, and jobs that wait for it.
const watchedYAML = labHead + `
agents: [{name: hand, kind: human, weight: 1}]
map:
  axes:
    - {metric: first, min: 0, max: 4, bins: 6}
    - {metric: second, min: 0, max: 4, bins: 6}
budget: {jobs: 24}
`

// look is a console of another process: it looks on, and somebody reads whatever
// there is to read from the first snapshot on.
type look struct {
	eng  *engine.Engine
	mu   sync.Mutex
	seen map[string]int // kinds of evidence that were shown
	bad  error
}

// lookOn opens the state of a lab once more and looks on until the test ends.
func (l *lab) lookOn() *look {
	l.t.Helper()
	ses, err := engine.OpenSession(l.t.Context(), engine.SessionOptions{Dir: l.ses.Dir, Target: l.ses.Target, Cache: filepath.Join(l.t.TempDir(), "cache")})
	if err != nil {
		l.t.Fatal(err)
	}
	k := &look{eng: engine.New(ses, l.exp.ID, engine.Options{Who: "onlooker", Look: true}), seen: map[string]int{}}
	ctx, cancel := context.WithCancel(l.t.Context())
	var both sync.WaitGroup
	both.Go(func() { _ = k.eng.Run(ctx) })
	both.Go(func() {
		for ctx.Err() == nil {
			if _, err := k.eng.Feed().Wait(ctx, 0); err == nil {
				k.read(ctx)
			}
		}
	})
	l.t.Cleanup(func() {
		cancel()
		both.Wait()
		if err := ses.Close(); err != nil {
			l.t.Error(err)
		}
		if k.bad != nil {
			l.t.Errorf("reading while looking on: %v", k.bad)
		}
	})
	return k
}

// read opens every job, the best candidate and the settings.
func (k *look) read(ctx context.Context) {
	r := k.eng.Reader()
	jobs, err := r.Jobs(ctx, view.JobQuery{Limit: 8})
	for _, j := range jobs {
		d, jerr := r.Job(ctx, j.Job.ID)
		err = errors.Join(err, jerr)
		k.mu.Lock()
		for _, e := range d.Evidence {
			k.seen[e.Kind]++
		}
		k.mu.Unlock()
	}
	_, cerr := r.Candidate(ctx, record.Root)
	_, serr := r.Settings(ctx)
	_ = k.eng.Owner()
	if err = errors.Join(err, cerr, serr); err != nil && ctx.Err() == nil {
		k.mu.Lock()
		k.bad = errors.Join(k.bad, err)
		k.mu.Unlock()
	}
}

func (k *look) shown(kind string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.seen[kind]
}

// await waits until a condition holds that no snapshot tells.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func TestWhoLooksOnReadsQueuedJobsFromTheFirstSnapshotOn(t *testing.T) {
	t.Parallel()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
	l.begin(l.loaded(watchedYAML))
	job := record.Job{
		Experiment: l.exp.ID, ID: 1, Kind: record.Make, State: record.Queued, Island: "main", Parent: record.Root, Operator: record.OpMutate, Agent: "hand",
		Candidate: record.NoCandidate, Duplicate: record.NoCandidate,
	}
	if err := l.ses.DB.AddJobs(t.Context(), []record.Job{job}); err != nil {
		t.Fatal(err)
	}
	k := l.lookOn()
	await(t, "the prompt of the job that waits is shown", func() bool { return k.shown("prompt, not sent yet") > 0 })
}

func TestReadersGoOnWhileTheStateUnderThemIsReplaced(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=12")
	l.run()
	k := l.lookOn()
	l.await(k.eng, "the first version is seen", func(s *view.Snapshot) bool { return s.Experiment.Objective == 1 && s.Root.Samples > 0 })
	for version, setting := range []string{mirrored, "evaluator.command=[sh, measure.sh]"} {
		l.reopen()
		direction := []string{"minimize", "maximize"}[version]
		l.remeasure(setting, "evaluator.direction="+direction)
		l.await(k.eng, fmt.Sprintf("version %d is seen", version+2), func(s *view.Snapshot) bool {
			return s.Experiment.Objective == version+2 && s.Direction == direction && s.State == record.ExperimentDone
		})
	}
}

func TestAConsoleThatLooksOnSeesThatNobodyRunsItAnyMore(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if err := l.ses.Lock(); err != nil {
		t.Fatal(err)
	}
	k := l.lookOn()
	l.await(k.eng, "it is seen who runs it", func(s *view.Snapshot) bool { return !s.Loading && s.OwnerPID != 0 })
	if err := l.ses.Unlock(); err != nil { // as by a kill: no row tells of it
		t.Fatal(err)
	}
	l.await(k.eng, "it is seen that nobody does", func(s *view.Snapshot) bool { return s.OwnerPID == 0 })
}
