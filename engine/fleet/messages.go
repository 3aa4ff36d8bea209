package fleet

import (
	"fmt"
	"runtime"
	"time"

	"github.com/nats-io/nats.go"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
)

// hear answers what a worker says. It is called for one message at a time.
func (c *Coordinator) hear(msg *nats.Msg) {
	name := c.subject.Speaker(msg.Subject)
	if wire.CheckName(name) != nil {
		return
	}
	a := c.answer(name, msg.Data)
	if msg.Reply == "" {
		return
	}
	a.V = wire.Protocol
	data, err := wire.Encode(a)
	if err != nil {
		return
	}
	_ = msg.Respond(data) // who is gone asks again
}

// answer is what a worker is told. Hello alone may be said in the words of another
// version.
func (c *Coordinator) answer(name string, data []byte) wire.Answer {
	ask, err := wire.Decode[wire.Ask](data)
	if ask.Kind == wire.AskHello {
		c.newMembers() // who was invited just now
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.heard(name, ask, err)
	if m := c.machines[name]; m != nil {
		a.Hold = m.check.held
	}
	return a
}

// heard takes what a machine said; bad is why it cannot be understood.
func (c *Coordinator) heard(name string, ask wire.Ask, bad error) wire.Answer {
	now, m := c.opt.Now(), c.machines[name]
	if bad != nil {
		if m != nil {
			c.refuse(m, bad.Error())
		}
		return wire.Answer{Why: bad.Error(), Leave: true}
	}
	if ask.Kind == wire.AskHello && ask.Hello != nil {
		return c.greet(name, *ask.Hello, now)
	}
	if m == nil || m.hello.Slots == 0 {
		return wire.Answer{Why: "this coordinator does not know the machine yet", Greet: true}
	}
	m.seen = now
	if m.away {
		m.away = false
		c.say("info", name+" is back")
	}
	switch {
	case ask.Kind == wire.AskBlob && ask.Blob != nil:
		return c.blobs.answer(*ask.Blob)
	case ask.Kind == wire.AskBeat && ask.Beat != nil:
		return c.beat(m, ask.Beat, now)
	case ask.Kind == wire.AskClaim && ask.Claim != nil:
		return c.claimed(m, ask.Claim.Task, now)
	case ask.Kind == wire.AskResult && ask.Result != nil:
		return c.result(m, ask.Result, now)
	case ask.Kind == wire.AskLine && ask.Line != nil:
		c.line(m, ask.Line)
		return wire.Answer{OK: true}
	}
	c.refuse(m, "a message that says nothing")
	return wire.Answer{Why: "nothing was asked"}
}

// greet lets a machine in, or says why not.
func (c *Coordinator) greet(name string, h wire.Hello, now time.Time) wire.Answer {
	no := func(format string, args ...any) wire.Answer {
		why := fmt.Sprintf(format, args...)
		c.say("warn", name+" may not join: "+why)
		return wire.Answer{Why: why, Leave: true}
	}
	switch {
	case c.stateOf(name) == server.Dropped:
		return no("the machine was dropped; `atoll fleet invite %s` lets it in again", name)
	case h.Version != c.opt.Version:
		return no("it runs atoll %s and the coordinator %s; install the same on both", clean(h.Version), c.opt.Version)
	case h.OS != runtime.GOOS:
		return no("its system is %s and that of the coordinator %s: values would not compare", clean(h.OS), runtime.GOOS)
	case h.Slots < 1 || h.Slots > 4096:
		return no("%d slots: use 1 to 4096", h.Slots)
	case c.rung > 0 && h.Rung > c.rung:
		return no("its sandbox holds less than the coordinator's (rung %d, here %d); `atoll doctor` there says what would raise it", h.Rung, c.rung)
	case len(h.Labels) > 64:
		return no("%d labels: use up to 64", len(h.Labels))
	}
	h.Pool = poolOf(c.listed, c.server != nil, name, h.Pool)
	if why, help := c.run.unfit(&h); why != "" {
		c.notFit(name, why)
		return no("%s; %s", why, help)
	}
	delete(c.refusedFor, name)
	h.Arch, h.OS = clean(h.Arch), clean(h.OS)
	m := c.machines[name]
	if m == nil {
		m = &machine{name: name}
		c.machines[name] = m
	}
	m.hello, m.seen, m.away, m.state = h, now, false, c.stateOf(name)
	m.check = calibration{held: c.opt.Agree > 0}
	if m.aside != "" && m.refused < maxRefused { // it was mended, or so it says
		m.aside, m.inRow = "", 0
	}
	if m.aside != "" {
		return wire.Answer{Why: m.aside, Leave: true}
	}
	c.say("info", fmt.Sprintf("%s joined with %d slots", name, h.Slots))
	c.calibrate(now)
	c.count(c.machines)
	return wire.Answer{OK: true, Drain: m.state == server.Draining, Welcome: &wire.Welcome{
		Stream: c.subject.Stream(), Consumer: c.subject.Consumer(wire.DefaultPool), LeaseMS: c.opt.Lease.Milliseconds(),
	}}
}

func (c *Coordinator) beat(m *machine, b *wire.Beat, now time.Time) wire.Answer {
	if len(b.Running) > 2*m.hello.Slots+16 {
		c.refuse(m, fmt.Sprintf("it says that it works on %d tasks with %d slots", len(b.Running), m.hello.Slots))
		return wire.Answer{Why: "too many tasks"}
	}
	m.load = b.Load
	return wire.Answer{
		OK: true, Stop: c.table.beat(m.name, b.Running, now), Drain: m.state == server.Draining, Leave: m.aside != "", Why: m.aside,
	}
}

func (c *Coordinator) claimed(m *machine, id string, now time.Time) wire.Answer {
	if !m.serves() {
		return wire.Answer{Why: m.aside, Leave: m.aside != "", Drain: m.state == server.Draining}
	}
	if k := c.table.tasks[id]; m.check.held && (k == nil || k.only != m.name) {
		return wire.Answer{Why: "it measures the root first"}
	}
	token, v := c.table.claim(id, m.name, now)
	if v != taken {
		return wire.Answer{Fenced: true, Why: "the task is done, or another machine has it"}
	}
	c.table.tasks[id].live("on " + m.name)
	return wire.Answer{OK: true, Token: token}
}

// line shows a line of output of a task that the machine has.
func (c *Coordinator) line(m *machine, l *wire.Line) {
	if k := c.table.tasks[l.Task]; k != nil && k.machine == m.name && k.what.Live != nil {
		k.what.Live(clean(l.Stage), clean(l.Text))
	}
}

// result takes what a task gave.
func (c *Coordinator) result(m *machine, r *wire.Result, now time.Time) wire.Answer {
	k, v := c.table.judge(r.Task, r.Token, m.name)
	switch v {
	case forged:
		c.refuse(m, "a result of a task that it was not given")
		return wire.Answer{Fenced: true, Why: "the task was not given to this machine"}
	case fenced:
		m.fenced++
		a := wire.Answer{Fenced: true, Why: "the task is done, or another machine has it"}
		if k := c.table.again(m.name, r.Task); k != nil { // the answer before was lost
			a.Next = &wire.Next{Task: k.data, Token: k.token}
		}
		return a
	}
	switch {
	case r.Back && k.only != "":
		c.table.end(k, ended{err: errCancelled})
	case r.Back:
		c.table.free(k)
		c.republish([]*task{k})
	case r.Fault != "":
		m.faults++
		m.inRow++
		why := clean(r.Fault)
		c.say("warn", fmt.Sprintf("%s could not measure %s: %s", m.name, k.what.Candidate, why))
		if c.table.fault(k, why) {
			c.republish([]*task{k})
		}
		if m.inRow >= maxFaults && m.aside == "" {
			c.setAside(m, fmt.Sprintf("%d tasks in a row could not be measured there, the last: %s", m.inRow, why))
		}
	default:
		if _, err := r.Outcome(k.what.Job, k.what.Candidate, k.stages); err != nil {
			c.refuse(m, err.Error())
			if k.only != "" {
				c.table.end(k, ended{err: err})
			} else {
				c.table.free(k)
				c.republish([]*task{k})
			}
			return wire.Answer{Fenced: true, Why: err.Error()}
		}
		if k.only == "" {
			m.counted(now)
			c.counted++
		}
		c.table.end(k, ended{result: r, machine: m.name})
		return c.hand(m, r, now)
	}
	return wire.Answer{OK: true}
}

// hand is the answer to a result that counted: with the next task where the machine asks
// for one.
func (c *Coordinator) hand(m *machine, r *wire.Result, now time.Time) wire.Answer {
	a := wire.Answer{OK: true}
	if !r.More || !m.serves() || m.check.held {
		return a
	}
	if k := c.table.next(m.name, r.Task, now); k != nil {
		k.live("on " + m.name)
		a.Next = &wire.Next{Task: k.data, Token: k.token}
	} else {
		c.table.idle = append(c.table.idle, idle{m.name, now.Add(standby)})
		a.Wait = true
	}
	return a
}
