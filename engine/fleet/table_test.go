package fleet

import (
	"strings"
	"testing"
	"time"

	"atoll/engine/fleet/wire"
	"atoll/engine/work"
)

// clock is a time that tests move.
type clock struct{ now time.Time }

func (c *clock) pass(d time.Duration) time.Time {
	c.now = c.now.Add(d)
	return c.now
}

// listed is a table with one task.
func listed() (*table, *task, *clock) {
	t := newTable(10 * time.Second)
	k := &task{id: newID(), done: make(chan ended, 1), issued: map[string]string{}, what: work.Measurement{Job: 7, Candidate: 3}}
	t.tasks[k.id] = k
	return t, k, &clock{time.Unix(1000, 0)}
}

func TestATaskIsOneMachinesUntilItIsSilentForALease(t *testing.T) {
	tb, k, c := listed()
	first, v := tb.claim(k.id, "m1", c.now)
	if v != taken || !wire.IsID(first) {
		t.Fatalf("the first claim: %q, %v", first, v)
	}
	if _, v := tb.claim(k.id, "m2", c.pass(9*time.Second)); v != fenced {
		t.Errorf("a second machine claims what the first has: %v", v)
	}
	if stop := tb.beat("m1", []string{k.id}, c.now); stop != nil {
		t.Errorf("its owner is told to stop: %v", stop)
	}
	if _, v := tb.claim(k.id, "m2", c.pass(9*time.Second)); v != fenced {
		t.Errorf("a beat did not hold it: %v", v)
	}
	second, v := tb.claim(k.id, "m2", c.pass(2*time.Second))
	if v != taken || second == first {
		t.Fatalf("after a lease: %q, %v", second, v)
	}
	if stop := tb.beat("m1", []string{k.id}, c.now); len(stop) != 1 {
		t.Errorf("the first machine is not told to stop: %v", stop)
	}
	if _, v := tb.judge(k.id, first, "m1"); v != fenced {
		t.Errorf("the first machine's result is not fenced off: %v", v)
	}
	if got, v := tb.judge(k.id, second, "m2"); v != taken || got != k {
		t.Errorf("the second machine's result: %v", v)
	}
}

func TestAResultCountsOnceHoweverOftenItComes(t *testing.T) {
	tb, k, c := listed()
	token, _ := tb.claim(k.id, "m1", c.now)
	for i := range 3 {
		got, v := tb.judge(k.id, token, "m1")
		if want := []verdict{taken, fenced, fenced}[i]; v != want {
			t.Fatalf("time %d: %v, want %v", i+1, v, want)
		}
		if v == taken {
			tb.end(got, ended{result: &wire.Result{}, machine: "m1"})
			tb.end(got, ended{}) // the channel takes one value: a second would block
		}
	}
	if len(k.done) != 1 {
		t.Errorf("%d ends were told", len(k.done))
	}
}

func TestWhatAMachineCannotKnowIsForged(t *testing.T) {
	tb, k, c := listed()
	token, _ := tb.claim(k.id, "m1", c.now)
	for _, tt := range []struct {
		name                string
		task, token, sender string
		want                verdict
	}{
		{"another machine's token", k.id, token, "m2", forged},
		{"a token that was never drawn", k.id, newID(), "m1", forged},
		{"no token", k.id, "", "m1", forged},
		{"a task of a run before", newID(), newID(), "m1", fenced},
	} {
		if _, v := tb.judge(tt.task, tt.token, tt.sender); v != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, v, tt.want)
		}
	}
	tb.end(k, ended{})
	if _, v := tb.judge(k.id, token, "m2"); v != forged {
		t.Errorf("another machine's token after the end: %v", v)
	}
}

func TestATaskThatThreeMachinesCannotDoIsToldToItsJob(t *testing.T) {
	tb, k, c := listed()
	for i, m := range []string{"m1", "m2", "m3"} {
		tb.claim(k.id, m, c.now)
		if again := tb.fault(k, "no disk"); again != (i < 2) {
			t.Fatalf("fault %d: another may try: %v", i+1, again)
		}
	}
	if how := <-k.done; how.err == nil || !strings.Contains(how.err.Error(), "m3: no disk") {
		t.Errorf("the job is told %v", how.err)
	}
}

func TestTheTasksOfASilentMachineGoToOthers(t *testing.T) {
	tb, k, c := listed()
	tb.claim(k.id, "m1", c.now)
	if lost := tb.silent(c.pass(9 * time.Second)); len(lost) != 0 {
		t.Errorf("within the lease %v", lost)
	}
	if lost := tb.silent(c.pass(2 * time.Second)); lost["m1"] != 1 || k.machine != "" {
		t.Errorf("after it %v, held by %q", lost, k.machine)
	}
	if w := tb.waiting(); len(w) != 1 {
		t.Errorf("%d wait", len(w))
	}
}
