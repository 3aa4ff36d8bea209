package trial_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"atoll/engine/eval"
	"atoll/engine/guard"
	"atoll/engine/mutant"
	"atoll/engine/trial"
	"atoll/store/record"
)

// canned answers for each content of the one file.
type canned struct {
	root   []float64
	answer map[string]eval.Outcome
}

func (c *canned) Run(_ context.Context, q eval.Request) (eval.Outcome, error) {
	if q.Root {
		return eval.Outcome{Objective: c.root[q.Repeat%len(c.root)]}, nil
	}
	return c.answer[string(q.Delta[0].Data)], nil
}

type prober struct{}

func (prober) Compile(_ context.Context, _, candidate guard.Tree, _ []string) (guard.Program, error) {
	switch string(candidate.Delta[0].Data) {
	case "broken":
		return guard.Broken, nil
	case "identical":
		return guard.Identical, nil
	}
	return guard.Other, nil
}

func (prober) Check(_ context.Context, _, candidate guard.Tree, _ []string) (guard.Report, error) {
	r := guard.Report{Cases: 10, Open: string(candidate.Delta[0].Data) == "any"}
	if string(candidate.Delta[0].Data) == "passes" {
		r.Differences = []guard.Difference{{Where: "p.F", Kind: guard.Output, Input: "F(0)", Root: "1", Candidate: "2"}}
	}
	return r, nil
}

func (prober) Coverage(context.Context, guard.Tree) ([]guard.Reached, error) { return nil, nil }

func mutants(names ...string) []mutant.Mutant {
	var out []mutant.Mutant
	for i, n := range names {
		out = append(out, mutant.Mutant{Path: "f.go", Line: i + 1, Change: n, Data: []byte(n)})
	}
	return out
}

func TestVerdicts(t *testing.T) {
	ev := &canned{root: []float64{100, 101, 99, 100, 100}, answer: map[string]eval.Outcome{
		"fails": {Class: record.ClassTest, Reason: "no"}, "passes": {Objective: 101}, "worse": {Objective: 80}, "better": {Objective: 150},
	}}
	r, err := trial.Run(t.Context(), ev, prober{}, trial.Options{Mutants: mutants("fails", "passes", "worse", "better", "broken", "identical"), Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r.Caught != 2 || len(r.Missed) != 2 || r.Unbuilt != 1 || r.Same != 1 || r.Score() != 0.5 || r.Grade() != "fair" {
		t.Errorf("got %+v", r)
	}
	if m := r.Missed[0]; m.Change != "passes" || m.Better || m.Advice() != "a test that expects F(0) to give 1" {
		t.Errorf("got %+v: %s", m, m.Advice())
	}
	if m := r.Missed[1]; m.Change != "better" || !m.Better || !strings.Contains(m.Advice(), "may behave the same") {
		t.Errorf("got %+v: %s", m, m.Advice())
	}
	if r.Smallest <= 0 || r.Smallest > 0.1 {
		t.Errorf("the smallest visible gain is %g", r.Smallest)
	}
}

func TestFewInputsAreNoHintThatAProgramBehavesTheSame(t *testing.T) {
	ev := &canned{root: []float64{5}, answer: map[string]eval.Outcome{"any": {Objective: 5}}}
	r, err := trial.Run(t.Context(), ev, prober{}, trial.Options{Mutants: mutants("any")})
	if err != nil || len(r.Missed) != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if advice := r.Missed[0].Advice(); strings.Contains(advice, "may behave the same") || !strings.Contains(advice, "any type") {
		t.Error(advice)
	}
}

func TestLessIsBetterWhereItIsMinimized(t *testing.T) {
	ev := &canned{root: []float64{5}, answer: map[string]eval.Outcome{"slow": {Objective: 9}, "quick": {Objective: 1}}}
	r, err := trial.Run(t.Context(), ev, prober{}, trial.Options{Mutants: mutants("slow", "quick"), Minimize: true})
	if err != nil || r.Caught != 1 || len(r.Missed) != 1 || !r.Missed[0].Better || r.Smallest != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestFewProgramsAreTooFewToGrade(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		caught, missed int
		grade, want    string
	}{
		{0, 0, "unknown", "unknown: no broken program counts"},
		{1, 0, "unknown", "unknown: caught 1 of 1 broken programs, too few to grade"},
		{0, 2, "unknown", "unknown: caught 0 of 2 broken programs, too few to grade"},
		{0, 3, "blind", "blind: caught 0 of 3 broken programs"},
		{3, 0, "good", "good: caught 3 of 3 broken programs"},
	} {
		r := trial.Report{Caught: c.caught, Missed: make([]trial.Missed, c.missed)}
		if r.Grade() != c.grade || r.Verdict() != c.want {
			t.Errorf("%d and %d: %s, %q, want %q", c.caught, c.missed, r.Grade(), r.Verdict(), c.want)
		}
	}
	var lines []string
	ev := &canned{root: []float64{1.1931871860941194}, answer: map[string]eval.Outcome{"worse": {Objective: 0.5}}}
	_, err := trial.Run(t.Context(), ev, prober{}, trial.Options{Mutants: mutants("worse"), Tell: func(line string) { lines = append(lines, line) }})
	if err != nil || len(lines) == 0 || lines[0] != "the root, 1 of 5: 1.19319" || lines[len(lines)-1] != "unknown: caught 1 of 1 broken programs, too few to grade" {
		t.Errorf("%v: told %q", err, lines)
	}
}

func TestNothingToTryHasNoGrade(t *testing.T) {
	r, err := trial.Run(t.Context(), &canned{root: []float64{1}}, prober{}, trial.Options{})
	if err != nil || !math.IsNaN(r.Score()) || r.Grade() != "unknown" {
		t.Errorf("got %+v, %v", r, err)
	}
}

type failing struct{}

func (failing) Run(context.Context, eval.Request) (eval.Outcome, error) {
	return eval.Outcome{Class: record.ClassTest, Reason: "TestX fails"}, nil
}

func TestARootThatFailsIsNoTrial(t *testing.T) {
	_, err := trial.Run(t.Context(), failing{}, prober{}, trial.Options{})
	if !errors.Is(err, trial.ErrRoot) || !strings.Contains(err.Error(), "TestX fails") {
		t.Errorf("got %v", err)
	}
}

func TestAScoreOfFewProgramsTellsHowFarItCanBeOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		caught, missed int
		lo, hi         float64
	}{{4, 8, 0.138, 0.609}, {0, 40, 0, 0.088}, {40, 0, 0.912, 1}, {155, 73, 0.617, 0.737}} {
		r := trial.Report{Caught: c.caught, Missed: make([]trial.Missed, c.missed)}
		if lo, hi := r.Range(); math.Abs(lo-c.lo) > 0.001 || math.Abs(hi-c.hi) > 0.001 {
			t.Errorf("%d of %d: %.3f to %.3f, want %.3f to %.3f", c.caught, c.caught+c.missed, lo, hi, c.lo, c.hi)
		}
	}
}

// slow looks for calls until its context ends.
type slow struct {
	prober
	looked int
}

func (s *slow) Check(ctx context.Context, _, _ guard.Tree, _ []string) (guard.Report, error) {
	s.looked++
	<-ctx.Done()
	return guard.Report{}, ctx.Err()
}

func TestTheGradeWaitsForNoCallThatIsLookedFor(t *testing.T) {
	t.Parallel()
	ev := &canned{root: []float64{5}, answer: map[string]eval.Outcome{"a": {Objective: 5}, "b": {Objective: 5}, "c": {Objective: 1}}}
	for name, c := range map[string]struct {
		file   string
		ends   string // where the person interrupts
		looked int
	}{
		"a look that takes too long ends":            {"f.go", "", 1},
		"an interrupted look ends":                   {"f.go", "looking", 1},
		"no call can be made up in another language": {"f.py", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				all := mutants("a", "b", "c")
				for i := range all {
					all[i].Path = c.file
				}
				var lines []string
				p := &slow{}
				said := func(line string) {
					lines = append(lines, line)
					if c.ends != "" && strings.HasPrefix(line, c.ends) {
						cancel()
					}
				}
				o := trial.Options{Mutants: all, Look: time.Minute, Tell: said, Doing: said}
				if c.ends != "" {
					o.Look = time.Hour
				}
				r, err := trial.Run(ctx, ev, p, o)
				if err != nil || r.Caught != 1 || len(r.Missed) != 2 || p.looked != c.looked {
					t.Errorf("got %+v, %v after %d looks", r, err, p.looked)
				}
				told := slices.Index(lines, "weak: caught 1 of 3 broken programs")
				if at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "looking") }); told < 0 || at >= 0 && at < told {
					t.Errorf("it told %q", lines)
				}
			})
		})
	}
}

func TestATrialThatIsInterruptedTellsWhatWasTried(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ev := &stopping{canned{root: []float64{5}, answer: map[string]eval.Outcome{"worse": {Objective: 1}}}}
	r, err := trial.Run(ctx, ev, prober{}, trial.Options{Mutants: mutants("worse", "never", "nor"), Tell: func(line string) {
		if strings.HasPrefix(line, "1 of 3") {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.Caught != 1 || len(r.Missed) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// stopping measures nothing once its context ended.
type stopping struct{ canned }

func (s *stopping) Run(ctx context.Context, q eval.Request) (eval.Outcome, error) {
	if ctx.Err() != nil {
		return eval.Outcome{}, ctx.Err()
	}
	return s.canned.Run(ctx, q)
}
