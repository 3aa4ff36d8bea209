package fleet

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestATaskThatThreeMachinesCannotDoIsToldToItsJob(t *testing.T) {
	tb, k, c := listed()
	for i, m := range []string{"m1", "m2", "m3"} {
		tb.gives(m, c)
		if tb.fault(k, "no such tree", 5, c.now); tb.waiting() != 1 {
			t.Fatalf("fault %d: %d wait, while nobody knows whether the machines do anything else", i+1, tb.waiting())
		}
	}
	if tb.did("m4", 5); len(k.done) != 0 {
		t.Fatal("a machine that did not try it says something about it")
	}
	tb.did("m2", 5)
	select {
	case how := <-k.done:
		if how.err == nil || !strings.Contains(how.err.Error(), "m3: no such tree") {
			t.Errorf("the job is told %v", how.err)
		}
	default:
		t.Error("three machines could not do it, one of which does other tasks, and it goes on")
	}
}

func TestATaskIsNotGivenUpForMachinesThatCanDoNothing(t *testing.T) {
	tb, k, c := listed()
	for range 3 { // a machine whose disk is full
		tb.gives("m1", c)
		tb.fault(k, "no disk", 1, c.now)
	}
	tb.absolve("m1")
	if tb.did("m1", 1); tb.waiting() != 1 || len(tb.doubtful) != 0 {
		t.Errorf("%d wait, %d are in doubt", tb.waiting(), len(tb.doubtful))
	}
	for n := range 3 { // the only machine, which does all but this
		if len(k.done) > 0 {
			t.Fatalf("it is given up after %d times", n)
		}
		tb.gives("m1", c)
		tb.fault(k, "no such tree", 1, c.now)
		tb.did("m1", 1)
	}
	if len(k.done) == 0 {
		t.Error("the only machine did everything else, and could not do it three times")
	}
}

func TestTwoMachinesThatCannotDoATaskAreAllOfThem(t *testing.T) {
	tb, k, c := listed()
	for n := range 3 {
		if len(k.done) > 0 {
			t.Fatalf("it is given up after %d times", n)
		}
		tb.gives(fmt.Sprintf("m%d", n%2), c)
		tb.did("m0", 2)
		tb.fault(k, "no such tree", 2, c.now)
		tb.did("m1", 2)
	}
	if len(k.done) == 0 {
		t.Error("both machines failed, and it goes on")
	}
}

func TestAMachineThatCanDoNothingEndsNoRun(t *testing.T) {
	l := newLab(t)
	bad, good := l.join("bad"), l.join("good")
	bad.must(hello())
	k := l.add(1)
	for range 3 {
		id, token := bad.claim()
		q := more(id, token)
		q.Result.Fault, q.Result.More = "no space left on device", false
		bad.must(q)
	}
	if m := l.machine("bad"); m.standing(0) != "set aside" || len(k.done) != 0 {
		t.Fatalf("it is %s, and %d samples were given up", m.standing(0), len(k.done))
	}
	l.mu.Lock()
	kind, text := l.limits(time.Now(), l.table, l.machines, l.run)
	l.mu.Unlock()
	if kind != boundNobody || !strings.Contains(text, "bad: set aside, since 3 tasks in a row could not be done there") {
		t.Errorf("what is missing is told as %s: %s", kind, text)
	}
	good.must(hello())
	if id, _ := good.claim(); id != k.id {
		t.Error("what it could not do does not go to another")
	}
}
