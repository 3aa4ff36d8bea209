package fleet

import (
	"slices"
	"time"

	"atoll/engine/fleet/wire"
	"atoll/engine/sandbox"
	"atoll/engine/work"
)

// task is one sample that somebody is to take, or one run of a coding client.
type task struct {
	id      string
	data    []byte // as it travels
	what    work.Measurement
	errand  *errand // nil: a sample
	stages  []string
	done    chan ended  // takes one value
	only    string      // the one machine that may take it, "" = any
	then    func(ended) // is told instead of done
	machine string      // who has it, "" = nobody
	token   string      // of that machine
	seen    time.Time   // when that machine last said that it works on it
	since   time.Time   // since when it waits for a machine
	queued  uint64      // its message in the queue, 0 = it is not there
	asked   string      // what brought it to its machine, "" = an order
	mishaps
	issued map[string]string
}

// name is what people call a task.
func (k *task) name() string {
	if k.errand != nil {
		return "the edit of " + k.what.Job.String()
	}
	return k.what.Candidate.String()
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
	edited  sandbox.Result // of an errand
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
	// doubtful are tasks that a machine could not do.
	doubtful map[*task]bool
	// ready are the tasks that nobody has and any machine may take, longest waiting
	// first. Some of them may have ended.
	ready []*task
	taken int // tasks that a machine has
	// idle are slots that wait for an order, longest first.
	idle []idle
	// answers are the tasks that came with an answer, by what the machine had asked.
	answers map[asked]*task
	spent   []uint64 // messages of the queue whose tasks ended
}

// asked is what a machine asked: the result that it brought, or a request for work.
type asked struct{ machine, id string }

// idle is a slot of a machine that waits for an order until a time.
type idle struct {
	machine, session string
	until            time.Time
}

// remembered is how many ended tasks are remembered.
const remembered = 20_000

func newTable(lease time.Duration) *table {
	return &table{lease: lease, tasks: map[string]*task{}, gone: map[string]map[string]string{}, answers: map[asked]*task{}, doubtful: map[*task]bool{}}
}

// verdict is what becomes of something that a machine said about a task.
type verdict int

const (
	taken  verdict = iota
	fenced         // too late, or another has it: no fault of the machine
	forged         // the machine cannot honestly say so
)

// list has a task wait for a machine.
func (t *table) list(k *task, now time.Time) {
	t.tasks[k.id] = k
	if k.since = now; k.only == "" {
		t.ready = append(t.ready, k)
	}
}

// give has a machine hold a task that nobody has. id is what it asked, "" = it waited
// for an order.
func (t *table) give(k *task, machine, id string, now time.Time) {
	t.taken++
	k.machine, k.token, k.seen, k.asked = machine, wire.NewID(), now, id
	k.issued[k.token] = machine
	if k.errand != nil {
		k.errand.Begins()
	}
	if id != "" {
		t.answers[asked{machine, id}] = k
	}
}

// next is the task that waits longest, of those that a machine may have, and nil for
// none. What it could not do goes to another while one of all that serve did not try it.
func (t *table) next(m *machine, f *flow) *task {
	for i := 0; i < len(t.ready); i++ {
		switch k := t.ready[i]; {
		case !t.waits(k):
			t.ready = slices.Delete(t.ready, i, i+1)
			i--
		case k.errand != nil && !m.edits(k.errand.Program):
		case k.failed[m.name] != nil && len(k.failed) < others(k, f):
		default:
			t.ready = slices.Delete(t.ready, i, i+1)
			return k
		}
	}
	return nil
}

// waits reports whether nobody has a task.
func (t *table) waits(k *task) bool { return t.tasks[k.id] == k && k.machine == "" }

// again is what a machine got when it asked the same before, nil for nothing.
func (t *table) again(machine, id string) *task { return t.answers[asked{machine, id}] }

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
	delete(t.doubtful, k)
	t.leave(k)
	if k.queued != 0 {
		t.spent = append(t.spent, k.queued)
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

// leave takes a task from its machine.
func (t *table) leave(k *task) {
	if k.machine == "" {
		return
	}
	t.taken--
	delete(t.answers, asked{k.machine, k.asked})
	k.machine, k.token, k.asked = "", "", ""
	if k.errand != nil {
		k.errand.left()
	}
}

// free has a task that a machine has wait for another one: the token counts no more. One
// that no other may take ends.
func (t *table) free(k *task, now time.Time) {
	if k.only != "" {
		t.end(k, ended{err: errCancelled})
		return
	}
	t.leave(k)
	t.list(k, now)
	k.live("waits for a machine")
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

// line shows a line of output of a task that the machine has.
func (t *table) line(machine string, l *wire.Line) {
	if k := t.tasks[l.Task]; k != nil && k.machine == machine && k.what.Live != nil {
		k.what.Live(clean(l.Stage), clean(l.Text))
	}
}

// release frees the tasks of a machine, and says which other machines may take.
func (t *table) release(machine string, now time.Time) (freed []*task) {
	for _, k := range t.tasks {
		switch {
		case k.only == machine:
			t.end(k, ended{err: errCancelled})
		case k.machine == machine:
			t.free(k, now)
			freed = append(freed, k)
		}
	}
	return freed
}

// silent frees the tasks that their machines have not spoken of for the time of a lease,
// and says which machine lost how many.
func (t *table) silent(now time.Time) map[string]int {
	lost := map[string]int{}
	for _, k := range t.tasks {
		if k.machine == "" || now.Sub(k.seen) < t.lease {
			continue
		}
		if k.only == "" {
			lost[k.machine]++
		}
		t.free(k, now)
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

// waiting are those of them that nobody has.
func (t *table) waiting() (n int) {
	for _, k := range t.ready {
		if t.waits(k) {
			n++
		}
	}
	return n
}

// queued is how many tasks lie in the queue.
func (t *table) queued() (n int) {
	for _, k := range t.tasks {
		if k.queued != 0 {
			n++
		}
	}
	return n
}

// unqueued are the tasks that wait for long and are not in the queue.
func (t *table) unqueued(now time.Time) (out []*task) {
	for _, k := range t.ready {
		if t.waits(k) && k.queued == 0 && now.Sub(k.since) >= beforeQueue {
			out = append(out, k)
		}
	}
	return out
}
