package fleet

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"atoll/engine/fleet/wire"
	"atoll/engine/work"
)

// maxTries is how many machines may fail to carry out a task before the job is
// told.
const maxTries = 3

// task is one sample that somebody is to take.
type task struct {
	id        string
	data      []byte // as published
	what      work.Measurement
	stages    []string
	done      chan ended  // takes one value
	only      string      // the one machine that may take it, which is told by an order; "" = any
	then      func(ended) // is told instead of done
	machine   string      // who claimed it last, "" = nobody has it
	token     string      // of that claim
	seen      time.Time   // when that machine last said that it works on it
	published time.Time   // zero: it is not in the queue
	direct    bool        // its machine got it without the queue
	after     string      // the task with the answer to whose result it came, "" = none
	faults    []string    // what machines said who could not do it
	issued    map[string]string
}

// live tells those who look on where a task is.
func (k *task) live(stage string) {
	if k.what.Live != nil {
		k.what.Live(stage, "")
	}
}

// ended is how a task ended.
type ended struct {
	result  *wire.Result
	machine string
	err     error
}

// table is which tasks there are and who has them. It is not safe for concurrent
// use.
type table struct {
	lease time.Duration
	tasks map[string]*task
	// gone remembers the tokens of tasks that ended, to tell a result that comes
	// late from one that is made up.
	gone  map[string]map[string]string
	order []string
	// ready are tasks that are not in the queue: whoever brings a result gets the
	// next one with the answer. Some of them may have ended since.
	ready []*task
	taken int // tasks that a machine has
	open  int // tasks that lie in the queue and nobody has
	// idle are slots that wait for an order, longest first.
	idle []idle
}

// remembered is how many ended tasks are remembered.
const remembered = 20_000

func newTable(lease time.Duration) *table {
	return &table{lease: lease, tasks: map[string]*task{}, gone: map[string]map[string]string{}}
}

// newID draws what nobody can guess.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return hex.EncodeToString(b[:])
}

// verdict is what becomes of something that a machine said about a task.
type verdict int

const (
	taken  verdict = iota
	fenced         // too late, or another has it: no fault of the machine
	forged         // the machine cannot honestly say so
)

// claim gives a task to a machine. taken comes with a token.
func (t *table) claim(id, machine string, now time.Time) (token string, v verdict) {
	k := t.tasks[id]
	if k == nil || k.only != "" && k.only != machine || k.machine != "" && k.machine != machine && now.Sub(k.seen) < t.lease {
		return "", fenced
	}
	if k.machine == machine { // it asks again: a message came twice, or its answer never
		k.seen = now
		return k.token, taken
	}
	k.give(t, machine, now)
	return k.token, taken
}

// give has a machine hold a task; what another had of it counts no more.
func (k *task) give(t *table, machine string, now time.Time) {
	if k.machine == "" {
		t.taken++
		if k.only == "" && !k.published.IsZero() {
			t.open--
		}
	}
	k.machine, k.token, k.seen, k.direct, k.after = machine, newID(), now, false, ""
	k.issued[k.token] = machine
}

// next gives a machine that brought a result a task that waits, nil for none.
func (t *table) next(machine, result string, now time.Time) *task {
	for len(t.ready) > 0 {
		k := t.ready[0]
		t.ready[0] = nil
		if t.ready = t.ready[1:]; t.isReady(k) {
			k.give(t, machine, now)
			k.direct, k.after = true, result
			return k
		}
	}
	return nil
}

// idle is a slot of a machine that waits for an order until a time.
type idle struct {
	machine string
	until   time.Time
}

// waiter is the machine of a slot that waits for an order and may have one, "" for none.
func (t *table) waiter(now time.Time, may func(machine string) bool) string {
	for len(t.idle) > 0 {
		w := t.idle[0]
		if t.idle = t.idle[1:]; now.Before(w.until) && may(w.machine) {
			return w.machine
		}
	}
	return ""
}

// again is what a machine was handed with the answer to a result that it brings once
// more, nil for nothing.
func (t *table) again(machine, result string) *task {
	for _, k := range t.tasks {
		if k.machine == machine && k.after == result {
			return k
		}
	}
	return nil
}

// isReady reports whether a task waits and is not in the queue.
func (t *table) isReady(k *task) bool {
	return t.tasks[k.id] == k && k.machine == "" && k.only == "" && k.published.IsZero()
}

// judge says whether a machine may tell how a task ended.
func (t *table) judge(id, token, machine string) (*task, verdict) {
	k := t.tasks[id]
	if k == nil {
		if tokens, known := t.gone[id]; known && tokens[token] != machine {
			return nil, forged
		}
		return nil, fenced
	}
	switch {
	case k.issued[token] != machine:
		return nil, forged
	case k.token != token || k.machine != machine:
		return nil, fenced
	}
	return k, taken
}

// end takes a task out of the table and tells who waits for it.
func (t *table) end(k *task, how ended) {
	if t.tasks[k.id] != k {
		return
	}
	delete(t.tasks, k.id)
	switch {
	case k.machine != "":
		t.taken--
	case k.only == "" && !k.published.IsZero():
		t.open--
	}
	t.gone[k.id] = k.issued
	if t.order = append(t.order, k.id); len(t.order) > remembered {
		delete(t.gone, t.order[0])
		t.order = t.order[1:]
	}
	if k.then != nil {
		k.then(how)
		return
	}
	k.done <- how
}

// fault notes that a machine could not carry out its task. It reports whether
// another one should try.
func (t *table) fault(k *task, why string) (again bool) {
	k.faults = append(k.faults, k.machine+": "+why)
	machine := k.machine
	t.free(k)
	if len(k.faults) < maxTries && k.only == "" {
		return true
	}
	t.end(k, ended{machine: machine, err: fmt.Errorf("no machine of the fleet could measure %s: %s", k.what.Candidate, k.faults[len(k.faults)-1])})
	return false
}

// free takes a task from its machine; its token counts no more.
func (t *table) free(k *task) {
	if k.machine != "" {
		t.taken--
	}
	k.machine, k.token, k.direct, k.after, k.published = "", "", false, "", time.Time{}
}

// queued notes that a task is put in the queue.
func (t *table) queued(k *task, now time.Time) {
	if k.published.IsZero() {
		t.open++
	}
	k.published = now
}

// unqueued notes that a task that nobody has is not there.
func (t *table) unqueued(k *task) {
	if !k.published.IsZero() {
		t.open--
	}
	k.published = time.Time{}
}

// beat notes what a machine works on and returns what it should stop.
func (t *table) beat(machine string, running []string, now time.Time) (stop []string) {
	for _, id := range running {
		if k := t.tasks[id]; k != nil && k.machine == machine {
			k.seen = now
		} else {
			stop = append(stop, id)
		}
	}
	return stop
}

// release frees the tasks of a machine, and says which.
func (t *table) release(machine string) (freed []*task) {
	for _, k := range t.tasks {
		switch {
		case k.machine != machine && k.only != machine:
		case k.only != "":
			t.end(k, ended{err: errCancelled})
		default:
			t.free(k)
			freed = append(freed, k)
		}
	}
	return freed
}

// silent frees the tasks that their machines have not spoken of for the time of a
// lease, and says which machine lost how many. Those that came from the queue are
// there still, and others get them by themselves.
func (t *table) silent(now time.Time) map[string]int {
	var lost map[string]int
	for _, k := range t.tasks {
		if k.machine == "" || now.Sub(k.seen) < t.lease {
			continue
		}
		if k.only != "" {
			t.end(k, ended{err: errCancelled})
			continue
		}
		if lost == nil {
			lost = map[string]int{}
		}
		lost[k.machine]++
		direct := k.direct
		if t.free(k); direct {
			t.ready = append(t.ready, k)
		} else {
			t.queued(k, now)
		}
	}
	return lost
}

// running are the tasks of machines, by name.
func (t *table) running() map[string][]*task {
	out := map[string][]*task{}
	for _, k := range t.tasks {
		if k.machine != "" {
			out[k.machine] = append(out[k.machine], k)
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b *task) int { return int(a.what.Job - b.what.Job) })
	}
	return out
}

// wanted is how many tasks there are that any machine may take.
func (t *table) wanted() int {
	n := 0
	for _, k := range t.tasks {
		if k.only == "" {
			n++
		}
	}
	return n
}

// waiting are those of them that nobody has, oldest publication first.
func (t *table) waiting() []*task {
	var out []*task
	for _, k := range t.tasks {
		if k.machine == "" && k.only == "" {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *task) int { return a.published.Compare(b.published) })
	return out
}
