package fleet

import (
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
	k := &task{id: wire.NewID(), done: make(chan ended, 1), issued: map[string]string{}, what: work.Measurement{Job: 7, Candidate: 3}}
	c := &clock{time.Unix(1000, 0)}
	t.list(k, c.now)
	return t, k, c
}

// gives has a machine get the task that waits longest.
func (t *table) gives(name string, c *clock) *task {
	k := t.next(&machine{name: name}, &flow{serving: 1})
	if k != nil {
		t.give(k, name, "", c.now)
	}
	return k
}

func TestATaskIsOneMachinesUntilItIsSilentForALease(t *testing.T) {
	tb, k, c := listed()
	if tb.gives("m1", c) != k || !wire.IsID(k.token) || tb.taken != 1 {
		t.Fatalf("the first machine gets %+v, %d are taken", k, tb.taken)
	}
	first := k.token
	if lost := tb.silent(c.pass(9 * time.Second)); len(lost) != 0 || tb.gives("m2", c) != nil {
		t.Errorf("a second machine gets what the first has; lost: %v", lost)
	}
	if stop := tb.beat("m1", []string{k.id}, c.now); stop != nil {
		t.Errorf("its owner is told to stop: %v", stop)
	}
	if lost := tb.silent(c.pass(9 * time.Second)); len(lost) != 0 {
		t.Errorf("a beat did not hold it: %v", lost)
	}
	if lost := tb.silent(c.pass(2 * time.Second)); lost["m1"] != 1 || tb.waiting() != 1 {
		t.Errorf("after a lease %v, %d wait", lost, tb.waiting())
	}
	if tb.gives("m2", c) != k || k.token == first {
		t.Fatalf("then the second machine gets %+v", k)
	}
	if stop := tb.beat("m1", []string{k.id}, c.now); len(stop) != 1 {
		t.Errorf("the first machine is not told to stop: %v", stop)
	}
	if _, v := tb.judge(k.id, first, "m1"); v != fenced {
		t.Errorf("the first machine's result is not fenced off: %v", v)
	}
	if got, v := tb.judge(k.id, k.token, "m2"); v != taken || got != k {
		t.Errorf("the second machine's result: %v", v)
	}
	if tb.end(k, ended{}); tb.taken != 0 || tb.waiting() != 0 {
		t.Errorf("at the end %d are taken and %d wait", tb.taken, tb.waiting())
	}
}

func TestWhatAMachineCouldNotDoGoesToOneThatDidNotTry(t *testing.T) {
	tb, k, c := listed()
	tb.gives("m1", c)
	tb.fault(k, "no disk", 2, c.now)
	if got := tb.next(&machine{name: "m1"}, &flow{serving: 2}); got != nil {
		t.Errorf("it gets it again while another is there")
	}
	if got := tb.next(&machine{name: "m1"}, &flow{serving: 1}); got != k {
		t.Errorf("it does not get it again when it is the only one")
	}
}

func TestAResultCountsOnceHoweverOftenItComes(t *testing.T) {
	tb, k, c := listed()
	tb.gives("m1", c)
	token := k.token
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
	tb.gives("m1", c)
	token := k.token
	for _, tt := range []struct {
		name                string
		task, token, sender string
		want                verdict
	}{
		{"another machine's token", k.id, token, "m2", forged},
		{"a token that was never drawn", k.id, wire.NewID(), "m1", forged},
		{"no token", k.id, "", "m1", forged},
		{"a task of a run before", wire.NewID(), wire.NewID(), "m1", fenced},
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
