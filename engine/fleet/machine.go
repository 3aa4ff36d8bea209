package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/store/record"
)

// Bounds of what a machine may do before it gets no more tasks.
const (
	maxFaults  = 3 // tasks in a row that broke off for a fault of the machine
	maxRefused = 5 // messages that no honest worker sends
)

// machine is a worker as the coordinator knows it.
type machine struct {
	name    string
	hello   wire.Hello
	state   server.State // what a person decided
	aside   string       // why it gets nothing more, "" = it does
	seen    time.Time
	away    bool // silent for longer than a lease
	load    float64
	done    int // results that counted
	faults  int // tasks that broke off for a fault of the machine
	inRow   int // of them, since the last that did not
	fenced  int // results that came too late
	refused int
	recent  []time.Time // of results, within a minute
	told    time.Time   // when a refusal was last told
}

// serves reports whether the machine may get tasks.
func (m *machine) serves() bool {
	return !m.away && m.aside == "" && (m.state == "" || m.state == server.Active)
}

// counted notes a result.
func (m *machine) counted(now time.Time) {
	m.done++
	m.inRow = 0
	m.recent = append(m.recent, now)
	m.perMinute(now)
}

// perMinute is how many results came in the last minute.
func (m *machine) perMinute(now time.Time) int {
	m.recent = slices.DeleteFunc(m.recent, func(t time.Time) bool { return now.Sub(t) > time.Minute })
	return len(m.recent)
}

// standing is how a machine is told to be in one word.
func (m *machine) standing(busy int) string {
	switch {
	case m.state == server.Dropped:
		return "dropped"
	case m.away:
		return "away"
	case m.aside != "":
		return "set aside"
	case m.state == server.Draining:
		return "draining"
	case busy > 0:
		return "busy"
	}
	return "idle"
}

// Machine is what is told of a machine.
type Machine struct {
	Name      string            `json:"name"`
	State     string            `json:"state"` // idle, busy, draining, away, set aside, dropped, invited
	Why       string            `json:"why,omitempty"`
	Slots     int               `json:"slots"`
	Jobs      []record.JobID    `json:"jobs"` // that it works on
	Load      float64           `json:"load"` // of one minute, by processor
	PerMinute int               `json:"jobs_per_minute"`
	Done      int               `json:"done"`
	Faults    int               `json:"faults"`  // tasks that broke off for a fault of the machine
	Fenced    int               `json:"fenced"`  // results that came too late to count
	Refused   int               `json:"refused"` // messages that no honest worker sends
	Rung      int               `json:"rung"`
	Version   string            `json:"version"`
	Platform  string            `json:"platform"`
	CPUs      int               `json:"cpus"`
	Labels    map[string]string `json:"labels,omitempty"`
	Seen      time.Time         `json:"seen"`
}

// Status is what is told of a fleet. It is written while a run lasts, into the
// folder that [server.Dir] names.
type Status struct {
	At       time.Time `json:"at"`
	PID      int       `json:"pid"`
	Address  string    `json:"address"`
	Waiting  int       `json:"waiting"` // tasks that nobody has
	Running  int       `json:"running"`
	Machines []Machine `json:"machines"`
}

// StatusName is the file of a [Status].
const StatusName = "machines.json"

// tell describes a machine and its tasks.
func (m *machine) tell(tasks []*task, now time.Time) Machine {
	out := Machine{
		Name: m.name, State: m.standing(len(tasks)), Why: m.aside, Slots: m.hello.Slots, Jobs: []record.JobID{}, Load: m.load,
		PerMinute: m.perMinute(now), Done: m.done, Faults: m.faults, Fenced: m.fenced, Refused: m.refused, Rung: m.hello.Rung,
		Version: m.hello.Version, Platform: m.hello.OS + "/" + m.hello.Arch, CPUs: m.hello.CPUs, Labels: m.hello.Labels, Seen: m.seen,
	}
	for _, k := range tasks {
		out.Jobs = append(out.Jobs, k.what.Job)
	}
	return out
}

// status tells how the fleet stands.
func (c *Coordinator) status(now time.Time) Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{At: now, PID: c.pid, Address: c.address, Waiting: len(c.table.waiting()), Machines: []Machine{}}
	s.Running = len(c.table.tasks) - s.Waiting
	for _, m := range c.machines {
		s.Machines = append(s.Machines, m.tell(c.table.running(m.name), now))
	}
	for _, m := range c.listed {
		if c.machines[m.Name] == nil {
			state := "invited"
			if m.State != server.Active {
				state = string(m.State)
			}
			s.Machines = append(s.Machines, Machine{Name: m.Name, State: state, Jobs: []record.JobID{}})
		}
	}
	slices.SortFunc(s.Machines, func(a, b Machine) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// refuse counts a message that no honest worker sends, and tells of it at most
// once in ten seconds.
func (c *Coordinator) refuse(m *machine, why string) {
	now := c.opt.Now()
	m.refused++
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
	c.republish(c.table.release(m.name))
}
