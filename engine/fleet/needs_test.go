package fleet

import (
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/engine/work"
)

// asks has a run begin whose evaluator asks for this.
func (l *lab) asks(e config.Evaluator) {
	l.t.Helper()
	cfg := config.Defaults()
	e.RootRepeats = 1
	cfg.Evaluator = e
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Coordinator.begin(&session{c: l.Coordinator, job: work.Station{Bench: &work.Bench{}, Config: cfg}})
}

func TestALabelThatAStageNeedsIsAskedForInItsName(t *testing.T) {
	l := newLab(t)
	l.asks(config.Evaluator{Stages: []config.Stage{{Name: "build"}, {Name: "train", Needs: []string{"gpu=1"}}}})
	h := l.join("m1")
	q := hello()
	if a := h.must(q); !a.Leave || !strings.Contains(a.Why, "stage train needs gpu=1, which it does not have; start its worker with --label gpu=1") {
		t.Errorf("one without: %+v", a)
	}
	q.Hello.Labels = map[string]string{"gpu": "1"}
	if a := h.must(q); !a.OK {
		t.Errorf("one that has it: %+v", a)
	}
}

func TestAPoolMeasuresAlone(t *testing.T) {
	l := newLab(t)
	early := l.join("early")
	early.must(hello())
	l.asks(config.Evaluator{Pool: "gpu"})
	if a := early.must(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}}); !a.Leave || !strings.Contains(a.Why, "measures in pool gpu, and it is of pool any") {
		t.Errorf("one of no pool: %+v", a)
	}
	q := hello()
	q.Hello.Pool = "gpu"
	liar := l.join("liar")
	if a := liar.must(q); !a.Leave || !strings.Contains(a.Why, "pool gpu") {
		t.Errorf("one whose invite is for no pool, and which says that it is: %+v", a)
	}
	list, err := l.members.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.Name == "liar" {
			m.Pool = "gpu"
			if err := l.members.Put(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a := liar.must(hello()); !a.OK {
		t.Errorf("one that was invited into it: %+v", a)
	}
	if got := l.status(time.Now()).Machines; len(got) != 2 || got[1].Pool != "gpu" || got[0].State != "set aside" {
		t.Errorf("they are told as %+v", got)
	}
}

func TestAMachineThatJoinsByAURLSaysItsPool(t *testing.T) {
	listed := []server.Member{{Name: "a", Key: "K", Pool: "x"}, {Name: "b"}}
	for name, want := range map[string]string{"a": "x", "b": "gpu", "c": "gpu"} {
		if got := poolOf(listed, false, name, "gpu"); got != want {
			t.Errorf("%s is of pool %s", name, got)
		}
	}
	for name, want := range map[string]string{"a": "x", "b": "any", "c": "any"} {
		if got := poolOf(listed, true, name, "gpu"); got != want {
			t.Errorf("with invites %s is of pool %s", name, got)
		}
	}
	if got := poolOf(listed, false, "c", "\x1b[2J"); got != wire.DefaultPool {
		t.Errorf("a pool that cannot be one is %q", got)
	}
}

func TestSamplesThatNoMachineCanTakeAreTold(t *testing.T) {
	l := newLab(t)
	l.asks(config.Evaluator{Stages: []config.Stage{{Name: "train", Needs: []string{"gpu=1"}}}})
	l.offer(l.task(1))
	said := func() string {
		l.mu.Lock()
		defer l.mu.Unlock()
		kind, text := l.limits(time.Now(), l.table, l.machines, l.run)
		if kind != boundNobody {
			t.Errorf("what limits is %s", kind)
		}
		return text
	}
	if text := said(); !strings.Contains(text, "no slot for 1 sample: no machine has joined") {
		t.Errorf("with no machine: %s", text)
	}
	l.join("m1").must(hello())
	if text := said(); !strings.Contains(text, "no machine can measure; m1: stage train needs gpu=1") {
		t.Errorf("with one that lacks it: %s", text)
	}
	l.mu.Lock()
	now := time.Now()
	for range 20 {
		now = now.Add(time.Second)
		l.gauging(now, l.table, l.machines, l.run, l.Coordinator.listener)
	}
	l.mu.Unlock()
	if n := strings.Count(l.listener.all(), "warn: fleet: no slot"); n != 1 {
		t.Errorf("told %d times:\n%s", n, l.listener.all())
	}
}

func TestEachMachineThatCannotMeasureIsToldWithWhatItLacks(t *testing.T) {
	f := flow{refusedFor: map[string]string{"a1": "no gpu", "a2": "the wrong pool", "a3": "no gpu"}}
	if got, want := f.nobody(2, nil), "no slot for 2 samples: no machine can measure; a1, a3: no gpu; a2: the wrong pool"; got != want {
		t.Errorf("told is %q, want %q", got, want)
	}
}

func TestTimesAreToldWithFewFigures(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Microsecond: "0.4 ms", 13305400 * time.Nanosecond: "13ms", 1234567 * time.Microsecond: "1.2s", 2 * time.Minute: "2m0s",
	} {
		if got := short(d); got != want {
			t.Errorf("%d is told as %s, want %s", d, got, want)
		}
	}
}
