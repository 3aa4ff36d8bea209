package fleet

import (
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/fleet/wire"
	"atoll/engine/work"
	"atoll/store/record"
)

// begins has a run begin whose root measured like this.
func (l *lab) begins(needs []string, root ...float64) {
	l.t.Helper()
	cfg := config.Defaults()
	cfg.Evaluator.RootRepeats, cfg.Evaluator.Needs = 2, needs
	s := &session{
		c: l.Coordinator, form: wire.Task{V: wire.Protocol}, stages: []string{"measure"}, learned: func() (string, string) { return "s", "" },
		job: work.Station{Bench: &work.Bench{}, Config: cfg, RootValues: root},
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Coordinator.begin(s)
}

// obeys asks for work until it is to measure the root, does so, and returns what the
// coordinator said to the result.
func (h *hand) obeys(value float64) wire.Answer {
	h.t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		a := h.must(askWork())
		if a.Next == nil {
			continue
		}
		k := h.given(a.Next)
		if !k.Root || k.Candidate != record.Root {
			h.t.Fatalf("it is told to measure %s", k.Candidate)
		}
		result := good(k.ID, a.Next.Token)
		result.Result.Objective = value
		result.Result.Metrics[0].Value = value
		return h.must(result)
	}
	h.t.Fatal("it is not to measure the root")
	return wire.Answer{}
}

func TestAMachineMeasuresTheRootBeforeItGetsAnythingElse(t *testing.T) {
	l := newLabWith(t, Options{Lease: 5 * time.Minute, Agree: 0.25})
	l.begins(nil, 10, 10.4)
	h := l.join("m1")
	if a := h.must(hello()); !a.OK || !a.Hold {
		t.Fatalf("hello is answered %+v", a)
	}
	k := l.add(7)
	if l.Slots() != 0 || l.Tasks() != 1 {
		t.Errorf("%d slots, %d tasks", l.Slots(), l.Tasks())
	}
	if a := h.obeys(10.2); !a.OK || a.Hold {
		t.Errorf("its value of the root is answered %+v", a)
	}
	id, token := h.claim()
	if a := h.must(good(id, token)); id != k.id || !a.OK {
		t.Errorf("the task afterwards: %+v", a)
	}
	s := l.status(time.Now())
	if m := s.Machines[0]; l.Slots() != 2 || m.Done != 1 || m.Root != 1 {
		t.Errorf("%d slots, %d done, its root is %g of the run's", l.Slots(), m.Done, m.Root)
	}
}

func TestAMachineWhoseRootIsAnotherIsSetAsideWhereOthersMeasure(t *testing.T) {
	l := newLabWith(t, Options{Lease: 5 * time.Minute, Agree: 0.25})
	l.begins(nil, 10, 10.4)
	slow := l.join("slow")
	slow.must(hello())
	for range calibrations {
		slow.obeys(30)
	}
	if said := l.listener.all(); l.Slots() != 2 || !strings.Contains(said, "slow measures alone, although it measures the root as 30, the run as 10") {
		t.Errorf("alone it has %d slots; told: %s", l.Slots(), said)
	}
	fair := l.join("fair")
	fair.must(hello())
	fair.obeys(9.5)
	again := l.join("slow2")
	again.must(hello())
	for range calibrations {
		again.obeys(31)
	}
	if a := again.must(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}}); !a.Leave || !strings.Contains(a.Why, "evaluator.paired") {
		t.Errorf("beside one that agrees its beat is answered %+v", a)
	}
}

func TestAMachineThatDriftsIsFound(t *testing.T) {
	l := newLabWith(t, Options{Lease: 5 * time.Minute, Agree: 0.25, Recheck: time.Millisecond})
	l.begins(nil, 10, 10)
	fair := l.join("fair")
	fair.must(hello())
	fair.obeys(10)
	h := l.join("drifts")
	h.must(hello())
	h.obeys(10)
	l.add(7)
	id, token := h.claim()
	h.must(good(id, token))
	for range calibrations {
		h.obeys(10.001) // the objective is exact
	}
	if said := l.listener.all(); !strings.Contains(said, "drifts is set aside: it drifts: it measures the root as 10.001, the run as 10") {
		t.Errorf("told: %s", said)
	}
}

func TestOneMachineMeasuresTheRootWhileItHasNoValue(t *testing.T) {
	l := newLabWith(t, Options{Lease: 5 * time.Minute, Agree: 0.25})
	l.begins(nil)
	one, two := l.join("one"), l.join("two")
	first, second := one.must(hello()), two.must(hello())
	if first.Hold || !second.Hold {
		t.Fatalf("the first is held: %t, the second: %t", first.Hold, second.Hold)
	}
	l.mu.Lock()
	l.ref.take(3, false)
	half := l.ref.known
	l.ref.take(3, false)
	whole := l.ref.known
	l.mu.Unlock()
	if half || !whole {
		t.Errorf("with one of two samples it is known: %t, with both: %t", half, whole)
	}
}

func TestARootWithoutAValueHoldsNobodyUp(t *testing.T) {
	l := newLabWith(t, Options{Lease: 5 * time.Minute, Agree: 0.25})
	l.begins(nil)
	one, two := l.join("one"), l.join("two")
	one.must(hello())
	two.must(hello())
	l.mu.Lock()
	l.ref.take(0, true)
	l.calibrate(time.Now())
	l.mu.Unlock()
	if a := two.must(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}}); a.Hold {
		t.Error("the second is held")
	}
}

func TestALabelThatTheEvaluatorNeedsIsAskedFor(t *testing.T) {
	l := newLab(t)
	early := l.join("early")
	early.must(hello())
	l.begins([]string{"gpu=1", "arch=amd64"})
	if a := early.must(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}}); !a.Leave || !strings.Contains(a.Why, "needs gpu=1") {
		t.Errorf("one that came before the run: %+v", a)
	}
	late := l.join("late")
	q := hello()
	if a := late.must(q); !a.Leave || !strings.Contains(a.Why, "--label gpu=1") {
		t.Errorf("one without: %+v", a)
	}
	q.Hello.Labels, q.Hello.Arch = map[string]string{"gpu": "1"}, "arm64"
	if a := late.must(q); !a.Leave || !strings.Contains(a.Why, "arch=amd64") {
		t.Errorf("one with another processor: %+v", a)
	}
	q.Hello.Arch = "amd64"
	if a := late.must(q); !a.OK {
		t.Errorf("one that has both: %+v", a)
	}
}

func TestValuesOfTheRootAgreeWithinTheirNoise(t *testing.T) {
	for _, tt := range []struct {
		name   string
		run    []float64
		there  []float64
		agrees bool
	}{
		{"equal values of an exact objective", []float64{2, 2}, []float64{2}, true},
		{"the last bit of an exact objective", []float64{2, 2}, []float64{2 * (1 + 1e-15)}, true},
		{"another value of an exact objective", []float64{2, 2}, []float64{2.001}, false},
		{"an exact objective of nothing", []float64{0, 0}, []float64{1e-300}, false},
		{"one sample within a quarter", []float64{2}, []float64{2.4}, true},
		{"one sample beyond a quarter", []float64{2}, []float64{2.6}, false},
		{"a noisy root", []float64{10, 14}, []float64{20}, true},
		{"three times as slow", []float64{10, 11}, []float64{30}, false},
		{"one flaw of three", []float64{10, 11}, []float64{30, 10, 11}, true},
		{"below nothing", []float64{-10, -11}, []float64{-10.5}, true},
	} {
		r := reference{known: true, values: tt.run}
		if _, got := r.compare(tt.there, 0.25); got != tt.agrees {
			t.Errorf("%s: agrees is %t", tt.name, got)
		}
	}
}
