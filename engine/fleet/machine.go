package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/engine/view"
	"atoll/store/record"
)

// Bounds of what a machine may do before it gets no more tasks.
const (
	maxFaults  = 3 // tasks in a row that broke off for a fault of the machine
	maxRefused = 5 // messages that no honest worker sends
)

// machine is a worker as the coordinator knows it.
type machine struct {
	name     string
	session  string // of the worker that has the name, "" = none was let in yet
	past     []string
	rival    string // the session that was last told that another one has the name
	hello    wire.Hello
	state    server.State // what a person decided
	aside    string       // why it gets nothing more, "" = it does
	seen     time.Time
	away     bool // silent for longer than a lease
	left     bool // its worker said that it ends; nothing was heard since
	load     float64
	done     int // results that counted
	faults   int // tasks that broke off for a fault of the machine
	inRow    int // of them, since the last that did not
	fenced   int // results that came too late
	refused  int
	recent   minute    // its results
	told     time.Time // when a refusal was last told
	joins    minute    // how often its worker began
	last     string    // what was refused last
	check    calibration
	programs programs
}

// serves reports whether the machine may get tasks.
func (m *machine) serves() bool {
	return m.hello.Slots > 0 && !m.away && m.aside == "" && (m.state == "" || m.state == server.Active)
}

// counted notes a result.
func (m *machine) counted(now time.Time) {
	m.done++
	m.inRow = 0
	m.recent.add(now)
}

// minute counts what happened in each second of the last one.
type minute struct {
	n  [60]int
	at int64 // the second that was counted last
}

// pass forgets what is older than a minute.
func (c *minute) pass(now time.Time) {
	at := now.Unix()
	for s := max(c.at+1, at-int64(len(c.n))+1); s <= at; s++ {
		c.n[s%int64(len(c.n))] = 0
	}
	c.at = max(c.at, at)
}

func (c *minute) add(now time.Time) {
	c.pass(now)
	c.n[c.at%int64(len(c.n))]++
}

// sum is how much was counted.
func (c *minute) sum(now time.Time) (n int) {
	c.pass(now)
	for _, one := range c.n {
		n += one
	}
	return n
}

// standing is how a machine is told to be in one word.
func (m *machine) standing(busy int) string {
	switch {
	case m.state == server.Dropped:
		return "dropped"
	case m.aside != "":
		return "set aside"
	case m.left && m.state == server.Draining:
		return "drained"
	case m.left:
		return "left"
	case m.session == "":
		return "not joined"
	case m.away:
		return "away"
	case m.state == server.Draining:
		return "draining"
	case m.check.held:
		return "checking"
	case busy > 0:
		return "busy"
	}
	return "idle"
}

// StatusName is the file in which a run tells of its fleet, a [view.Fleet], in the folder
// that [server.Dir] names.
const StatusName = "machines.json"

// tell describes a machine and its tasks.
func (m *machine) tell(tasks []*task, now time.Time) view.Machine {
	out := view.Machine{
		Name: m.name, State: m.standing(len(tasks)), Why: cmp.Or(m.aside, m.programs.why(), m.last), Host: m.hello.Host, Slots: m.hello.Slots, Jobs: []record.JobID{}, Load: m.load,
		PerMinute: m.recent.sum(now), Done: m.done, Faults: m.faults, Fenced: m.fenced, Refused: m.refused, Rung: m.hello.Rung,
		Version: m.hello.Version, Platform: m.hello.OS + "/" + m.hello.Arch, CPUs: m.hello.CPUs, Labels: m.hello.Labels, Edits: m.hello.Edits, Pool: m.hello.Pool, Seen: m.seen, Root: m.check.ratio,
	}
	out.NoEdits = maps.Clone(m.programs.not)
	for _, k := range tasks {
		if k.only == "" {
			out.Jobs = append(out.Jobs, k.what.Job)
		}
	}
	return out
}

// status tells how the fleet stands.
func (c *Coordinator) status(now time.Time) view.Fleet {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := view.Fleet{At: now, PID: c.pid, Address: c.address, Waiting: c.table.waiting(), Machines: []view.Machine{}}
	s.Running = c.table.wanted() - s.Waiting
	if p, ok := c.gauge.pace(1); ok {
		s.Busy, s.PerSecond = min(1, p.busy/p.slots), p.rate
	}
	_, s.Limit = c.limits(now, c.table, c.machines, c.run)
	running := c.table.running()
	for _, m := range c.machines {
		s.Machines = append(s.Machines, m.tell(running[m.name], now))
	}
	for _, m := range c.listed {
		if c.machines[m.Name] == nil {
			s.Machines = append(s.Machines, view.Machine{Name: m.Name, State: m.Told(), Jobs: []record.JobID{}})
		}
	}
	slices.SortFunc(s.Machines, func(a, b view.Machine) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// refusal is what the server kept a machine from.
type refusal struct{ machine, why string }

// keptFrom notes a refusal of the server; one too many at once is forgotten.
func (c *Coordinator) keptFrom(machine, why string) {
	select {
	case c.kept <- refusal{machine, why}:
	default:
	}
}

// refusedByServer tells what the server kept machines from since the last time. The caller
// holds the lock.
func (c *Coordinator) refusedByServer() {
	for {
		select {
		case r := <-c.kept:
			c.refuse(c.named(r.machine), r.why)
		default:
			return
		}
	}
}

// refuse counts a message that no honest worker sends, and tells of it at most
// once in ten seconds.
func (c *Coordinator) refuse(m *machine, why string) {
	now := c.opt.Now()
	m.refused++
	m.last = "refused: " + why
	if now.Sub(m.told) > 10*time.Second {
		m.told = now
		c.say("error", fmt.Sprintf("refused from %s: %s", m.name, why))
	}
	if m.refused >= maxRefused && m.aside == "" {
		c.setAside(m, fmt.Sprintf("it sent %d messages that no honest worker sends, the last: %s", m.refused, why))
	}
}

// setAside has a machine get nothing more and gives its tasks to others.
func (c *Coordinator) setAside(m *machine, why string) {
	m.aside = why
	c.say("error", fmt.Sprintf("%s is set aside: %s", m.name, why))
	c.table.absolve(m.name)
	c.table.release(m.name, c.opt.Now())
	c.count(c.machines)
	c.serve(c.opt.Now())
}
