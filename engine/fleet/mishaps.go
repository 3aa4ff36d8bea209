package fleet

import (
	"fmt"
	"time"
)

// maxTries is how many machines may fail to carry out a task before the job is told; where
// fewer serve, how often those may.
const maxTries = 3

// mishaps is which machines could not do a task.
type mishaps struct {
	failed map[string]*mishap
	last   string // what the last of them said
}

// mishap is that a machine could not do a task.
type mishap struct {
	times int
	sound bool // it did another since: the task is to blame
}

// hopeless reports whether so many machines could not do a task, of all that serve, that
// nobody will. One of them must have done something else since: where all that a machine
// gets breaks off, a full disk is to blame or the like, and what it failed at waits for a
// better one, however long that takes.
func (h *mishaps) hopeless(serving int) bool {
	times, sound := 0, false
	for _, one := range h.failed {
		times += one.times
		sound = sound || one.sound
	}
	return sound && times >= maxTries && len(h.failed) >= min(maxTries, serving)
}

// fault notes that a machine could not carry out its task. Another one tries, or else it
// ends. Serving is how many could have it.
func (t *table) fault(k *task, why string, serving int, now time.Time) {
	if k.failed == nil {
		k.failed = map[string]*mishap{}
	}
	one := k.failed[k.machine]
	if one == nil {
		one = &mishap{}
		k.failed[k.machine] = one
	}
	one.times++
	k.last = k.machine + ": " + why
	t.doubtful[k] = true
	if k.only != "" || k.errand != nil && k.times() >= maxTries || k.hopeless(serving) {
		t.giveUp(k)
		return
	}
	t.free(k, now)
}

// times is how often a task broke off.
func (h *mishaps) times() (n int) {
	for _, one := range h.failed {
		n += one.times
	}
	return n
}

// giveUp ends a task that no machine can do.
func (t *table) giveUp(k *task) {
	t.end(k, ended{machine: k.machine, err: fmt.Errorf("no machine of the fleet could do %s: %s", k.name(), k.last)})
}

// did notes that a machine did a task: what it could not do is not its fault.
func (t *table) did(machine string, serving int) {
	for k := range t.doubtful {
		one := k.failed[machine]
		if one == nil {
			continue
		}
		if one.sound = true; k.machine == "" && k.errand == nil && k.hopeless(serving) {
			t.giveUp(k)
		}
	}
}

// absolve takes back what a machine could not do: the machine is to blame.
func (t *table) absolve(machine string) {
	for k := range t.doubtful {
		if delete(k.failed, machine); len(k.failed) == 0 {
			delete(t.doubtful, k)
		}
	}
}
