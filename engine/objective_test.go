package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// mirrored turns the score of measure around: the distance to ten, less is
// better.
const mirrored = `evaluator.command=[sh, -c, "sh measure.sh | sed s/^score=-/score=/"]`

// configured is the configuration of a lab with other settings on top.
func (l *lab) configured(extra ...string) *config.Config {
	l.t.Helper()
	cfg, err := config.Decode(l.exp.Config)
	if err != nil {
		l.t.Fatal(err)
	}
	now := l.loaded(labYAML, extra...)
	dir := cfg.Evaluator.Dir
	cfg.Evaluator = now.Evaluator
	if cfg.Evaluator.Dir == "" {
		cfg.Evaluator.Dir = dir
	}
	return &cfg
}

func (l *lab) remeasure(extra ...string) *view.Snapshot {
	l.t.Helper()
	snap, err := l.runWith(engine.Options{Remeasure: l.configured(extra...)})
	if err != nil {
		l.t.Fatalf("run: %v", err)
	}
	return snap
}

// reopen closes the session and opens its state again.
func (l *lab) reopen() {
	l.t.Helper()
	dir := l.ses.Dir
	if err := l.ses.Close(); err != nil {
		l.t.Fatal(err)
	}
	l.open(dir)
}

func (l *lab) all() map[record.CandidateID]record.Candidate {
	l.t.Helper()
	out := map[record.CandidateID]record.Candidate{}
	if err := l.ses.DB.EachCandidate(l.t.Context(), l.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		out[c.ID] = *c
		return nil
	}); err != nil {
		l.t.Fatal(err)
	}
	return out
}

func (l *lab) raise(jobs int) {
	l.t.Helper()
	l.settings(func(s *record.Settings) { s.MaxJobs = jobs })
}

func elitesOf(s *view.Snapshot) []record.CandidateID {
	var ids []record.CandidateID
	for _, c := range s.Grid.Cells {
		if c.Elite != record.NoCandidate {
			ids = append(ids, c.Elite)
		}
	}
	slices.Sort(ids)
	return ids
}

// orders are those in which results are folded; every day the stricter one stands for both.
func orders() []string {
	both := []string{"completion", "strict"}
	return suitetest.Pick(both[1:], both, both)
}

func TestAChangedEvaluatorMeasuresRootAndElitesAgainFirst(t *testing.T) {
	t.Parallel()
	for _, order := range orders() {
		t.Run(order, func(t *testing.T) {
			l := newLab(t, "order="+order, "workers=2")
			first := l.run()
			before, elites := l.all(), elitesOf(first)
			l.reopen()
			l.raise(40)
			second := l.remeasure(mirrored, "evaluator.direction=minimize")
			after := l.all()

			if second.Experiment.Objective != 2 || second.Direction != "minimize" {
				t.Fatalf("objective version %d, %s; want 2, minimize", second.Experiment.Objective, second.Direction)
			}
			l.againFirst(first, before)
			for id, old := range before {
				now := after[id]
				switch {
				case old.Objective == nil:
				case id == record.Root || slices.Contains(elites, id):
					if now.Version != 2 || now.Objective == nil || math.Abs(*now.Objective+*old.Objective) > 1e-9 {
						t.Errorf("%s was %v and is %v of version %d; want the mirror image of version 2", id, *old.Objective, now.Objective, now.Version)
					}
				case now.Version != 1 || *now.Objective != *old.Objective:
					t.Errorf("%s holds no niche and was %v; now %v of version %d", id, *old.Objective, *now.Objective, now.Version)
				}
			}
			for id, c := range after {
				if _, old := before[id]; !old && c.Version != 2 {
					t.Errorf("%s was made after the change and has version %d", id, c.Version)
				}
			}
			for _, id := range elitesOf(second) {
				if after[id].Version != 2 {
					t.Errorf("%s holds a niche by a value of version %d", id, after[id].Version)
				}
			}
			if len(second.Past) != 1 || second.Past[0].Best != first.Best.ID || *second.Past[0].Value != first.Best.Objective || *second.Past[0].Root != first.Root.Objective {
				t.Errorf("the past is told as %+v; it was best %s %v", second.Past, first.Best.ID, first.Best.Objective)
			}
			if !slices.ContainsFunc(second.Curves.Marks, func(m view.Mark) bool { return m.Text == "objective 2" }) {
				t.Errorf("the curves do not mark the change: %v", second.Curves.Marks)
			}
			for i, v := range second.Curves.Best {
				if v < 0 || i > 0 && v > second.Curves.Best[i-1] {
					t.Errorf("the curve of the best is of mixed values: %v", second.Curves.Best)
					break
				}
			}
			st := l.state()
			if err := st.CheckArchive(); err != nil {
				t.Error(err)
			}
			again := st.Snapshot()
			if fmt.Sprint(elitesOf(again)) != fmt.Sprint(elitesOf(second)) || again.Best.ID != second.Best.ID || fmt.Sprint(again.Curves.Best) != fmt.Sprint(second.Curves.Best) || fmt.Sprint(again.Curves.X) != fmt.Sprint(second.Curves.X) {
				t.Errorf("folded anew: elites %v best %s curve %v %v\nrunning: %v %s %v %v", elitesOf(again), again.Best.ID, again.Curves.X, again.Curves.Best, elitesOf(second), second.Best.ID, second.Curves.X, second.Curves.Best)
			}
		})
	}
}

// againFirst fails unless the jobs after the change are the root's, then those
// of the elites, best first, then all others.
func (l *lab) againFirst(was *view.Snapshot, before map[record.CandidateID]record.Candidate) {
	l.t.Helper()
	jobs := l.jobs()
	slices.Reverse(jobs) // by number
	from := slices.IndexFunc(jobs, func(j record.Job) bool { return j.ID > 0 && j.Purpose == record.PurposeRoot })
	if from < 0 {
		l.t.Fatal("the root was not measured again")
	}
	elites := elitesOf(was)
	n := 0
	var last record.Job
	for _, j := range jobs[from+1:] {
		if j.Purpose != record.PurposeRemeasure || last.Purpose == record.PurposeRemeasure && j.ID != last.ID+1 {
			break
		}
		if !slices.Contains(elites, j.Candidate) {
			l.t.Errorf("%s is measured again and held no niche", j.Candidate)
		}
		if last.ID > 0 && *before[j.Candidate].Objective > *before[last.Candidate].Objective {
			l.t.Errorf("%s (%v) comes after %s (%v)", j.Candidate, *before[j.Candidate].Objective, last.Candidate, *before[last.Candidate].Objective)
		}
		if j.Started < jobs[from].Ended {
			l.t.Errorf("%s began before the root had its value", j.ID)
		}
		last, n = j, n+1
	}
	rest := len(elites)
	if slices.Contains(elites, record.Root) {
		rest--
	}
	if n != rest {
		l.t.Errorf("%d elites were measured again, of %d", n, rest)
	}
	for _, j := range jobs {
		if j.Kind == record.Make && j.Ended > jobs[from].Created && j.Started < last.Started {
			l.t.Errorf("%s was leased before the last elite, %s", j.ID, last.ID)
		}
	}
}

func TestWithoutLeaveAChangedEvaluatorStopsTheRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "factor"), "1\n")
	script := `evaluator.command=[sh, -c, "sh measure.sh | awk -F= -v f=$(cat {dir}/factor) '{print $1 \"=\" ($1==\"score\" ? $2*f : $2)}'"]`
	l := newLab(t, script, "evaluator.dir="+dir, "budget.jobs=8")
	first := l.run()
	l.reopen()
	write(t, filepath.Join(dir, "factor"), "100\n")
	if _, err := l.runWith(engine.Options{}); !errors.Is(err, engine.ErrFrozen) || !strings.Contains(err.Error(), "--remeasure") {
		t.Fatalf("%v; want a refusal that names the choice", err)
	}
	l.reopen()
	if st := l.state(); st.Exp.Objective != 1 {
		t.Fatalf("a refused run left objective version %d", st.Exp.Objective)
	}
	second := l.remeasure(script, "evaluator.dir="+dir)
	if second.Experiment.Objective != 2 || math.Abs(second.Root.Objective-100*first.Root.Objective) > 1e-6 || math.Abs(second.Best.Objective-100*first.Best.Objective) > 1e-6 {
		t.Errorf("version %d, root %v best %v; were %v %v and are to be a hundredfold", second.Experiment.Objective, second.Root.Objective, second.Best.Objective, first.Root.Objective, first.Best.Objective)
	}
	if second.Past[0].Metric != "score" {
		t.Errorf("the past is of %q", second.Past[0].Metric)
	}
	l.reopen()
	evals := second.Evals
	third := l.remeasure(script, "evaluator.dir="+dir)
	if third.Experiment.Objective != 2 || third.Evals != evals {
		t.Errorf("asked again without a change: version %d, %d evaluations after %d", third.Experiment.Objective, third.Evals, evals)
	}
}

func TestARemeasurementThatIsBrokenOffGoesOn(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "kills while values are measured anew; TestAChangedEvaluatorMeasuresRootAndElitesAgainFirst stands for it")
	for _, order := range orders() {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			slow := `evaluator.command=[sh, -c, "sleep 0.05; sh measure.sh | sed s/^score=-/score=/"]`
			calm := newLab(t, "order="+order)
			calm.run()
			calm.reopen()
			calm.raise(32)
			calm.remeasure(slow, "evaluator.direction=minimize")
			l := newLab(t, "order="+order)
			l.run()
			l.reopen()
			l.raise(32)
			next := l.configured(slow, "evaluator.direction=minimize")
			stops := 0
			for wait := 30 * time.Millisecond; ; wait += wait * 2 / 5 {
				ctx, cancel := context.WithTimeout(t.Context(), wait)
				err := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true, Remeasure: next}).Run(ctx)
				cancel()
				l.reopen()
				if err == nil {
					break
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				stops++
				st := l.state()
				for _, id := range elitesOf(st.Snapshot()) {
					if c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, id); err != nil || c.Version != st.Exp.Objective {
						t.Fatalf("%s holds a niche of version %d by a value of %d (%v)", id, st.Exp.Objective, c.Version, err)
					}
				}
			}
			if stops < 4 {
				t.Errorf("only %d stops", stops)
			}
			if diff := same(l.candidates(), calm.candidates()); diff != "" {
				t.Errorf("after %d stops: %s", stops, diff)
			}
			if err := l.state().CheckArchive(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAfterAThirdEvaluatorTheSecondIsHistoryAsWell(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "three evaluators; TestAChangedEvaluatorMeasuresRootAndElitesAgainFirst has two")
	l := newLab(t)
	l.run()
	l.reopen()
	l.raise(28)
	second := l.remeasure(mirrored, "evaluator.direction=minimize")
	l.reopen()
	l.raise(32)
	third := l.remeasure(`evaluator.command=[sh, measure.sh]`, "evaluator.direction=maximize")
	if third.Experiment.Objective != 3 || len(third.Past) != 2 || *third.Past[1].Value != second.Best.Objective {
		t.Fatalf("version %d, past %+v; the second had best %v", third.Experiment.Objective, third.Past, second.Best.Objective)
	}
	if third.Best.Objective > 0 || third.Best.Objective < third.Root.Objective {
		t.Errorf("best %v, root %v", third.Best.Objective, third.Root.Objective)
	}
	if err := l.state().CheckArchive(); err != nil {
		t.Error(err)
	}
}

func TestDecisionsOutliveAChangeOfTheEvaluator(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "two evaluators; TestAChangedEvaluatorMeasuresRootAndElitesAgainFirst stands for it")
	l := newLab(t, "seed=2")
	eng, stop := l.start()
	first := l.await(eng, "the jobs are done", func(s *view.Snapshot) bool { return s.State == record.ExperimentDone })
	elites := elitesOf(first)
	if len(elites) < 3 {
		t.Fatalf("only %d elites", len(elites))
	}
	frozen, rejected := elites[1], elites[2]
	for _, d := range []record.Decision{
		{Verb: record.Freeze, Candidate: frozen, Job: record.NoJob, Cell: -1},
		{Verb: record.Reject, Candidate: rejected, Job: record.NoJob, Cell: -1},
	} {
		if _, err := eng.Decide(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	l.await(eng, "both are carried out", func(s *view.Snapshot) bool {
		return !slices.Contains(elitesOf(s), rejected) && slices.ContainsFunc(s.Grid.Cells, func(c view.Cell) bool { return c.Frozen && c.Elite == frozen })
	})
	stop()
	l.reopen()
	l.raise(30)
	second := l.remeasure(mirrored, "evaluator.direction=minimize")
	if slices.Contains(elitesOf(second), rejected) {
		t.Errorf("%s was rejected and holds a niche again", rejected)
	}
	if !slices.ContainsFunc(second.Grid.Cells, func(c view.Cell) bool { return c.Frozen && c.Elite == frozen }) {
		t.Errorf("%s was frozen and is not any more", frozen)
	}
	if err := l.state().CheckArchive(); err != nil {
		t.Error(err)
	}
}

func TestALearnedMapOutlivesAChangeOfTheEvaluator(t *testing.T) {
	t.Parallel()
	l := newScaleLab(t, strings.Replace(learnedYAML, "grid: [32, 32]", "grid: [8, 8], min_fit: 8, include: [program.txt]", 1), 20)
	first := l.run()
	if first.Grid.Map == 0 || len(elitesOf(first)) < 2 {
		t.Fatalf("map %d with %d elites", first.Grid.Map, len(elitesOf(first)))
	}
	l.reopen()
	l.raise(24)
	second := l.remeasure(mirrored, "evaluator.direction=minimize")
	if second.Grid.Map < first.Grid.Map || second.Best.ID == record.NoCandidate || len(elitesOf(second)) < len(elitesOf(first)) {
		t.Errorf("map %d, %d elites; was map %d with %d", second.Grid.Map, len(elitesOf(second)), first.Grid.Map, len(elitesOf(first)))
	}
	if err := l.state().CheckArchive(); err != nil {
		t.Error(err)
	}
}

func TestATreeOfAnEarlierVersionIsMeasuredAnew(t *testing.T) {
	t.Parallel()
	l := newLab(t, "seed=5", "budget.jobs=60", "map.axes=[{metric: first, min: 0, max: 4, bins: 2}, {metric: second, min: 0, max: 4, bins: 1}]") // most have no niche to hold
	l.run()
	l.reopen()
	var loser record.Candidate
	st := l.state()
	for _, c := range l.all() {
		d := c
		if st.TellStatus(&d); d.Status == record.StatusScored && c.ID != record.Root {
			loser = c
		}
	}
	if loser.ID == 0 {
		t.Fatal("every candidate holds a niche")
	}
	if _, err := l.ses.DB.CandidateByTree(t.Context(), l.exp.ID, loser.Job, loser.Tree); err != nil {
		t.Fatalf("its tree is not known: %v", err)
	}
	l.remeasure(mirrored, "evaluator.direction=minimize")
	if c, err := l.ses.DB.CandidateByTree(t.Context(), l.exp.ID, loser.Job, loser.Tree); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s, of version %d, still makes duplicates (%v)", c.ID, c.Version, err)
	}
}
