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
	faults    []string    // what machines said who could not do it
	issued    map[string]string
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
	k.machine, k.token, k.seen = machine, newID(), now
	k.issued[k.token] = machine
	return k.token, taken
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
	k.free()
	if len(k.faults) < maxTries && k.only == "" {
		return true
	}
	t.end(k, ended{machine: machine, err: fmt.Errorf("no machine of the fleet could measure %s: %s", k.what.Candidate, k.faults[len(k.faults)-1])})
	return false
}

// free takes a task from its machine; its token counts no more.
func (k *task) free() { k.machine, k.token, k.published = "", "", time.Time{} }

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
			k.free()
			freed = append(freed, k)
		}
	}
	return freed
}

// silent frees the tasks that their machines have not spoken of for the time of a
// lease, and says which machine lost how many.
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
		k.free()
		k.published = now // the queue gives it to another one by itself
	}
	return lost
}

// running are the tasks of a machine.
func (t *table) running(machine string) []*task {
	var out []*task
	for _, k := range t.tasks {
		if k.machine == machine {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *task) int { return int(a.what.Job - b.what.Job) })
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
