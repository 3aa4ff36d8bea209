package fleet

import (
	"fmt"
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
	if msg.Reply != "" && !c.subject.IsAnswer(name, msg.Reply) {
		c.mu.Lock()
		c.refuse(c.named(name), "a message whose answer would go to others")
		c.mu.Unlock()
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
	_ = c.nc.Publish(msg.Reply, data) // who is gone asks again
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
	if m := c.machines[name]; m != nil && m.session == ask.Session {
		a.Hold = m.check.held
	}
	return a
}

// named is a machine, also one that never said hello.
func (c *Coordinator) named(name string) *machine {
	m := c.machines[name]
	if m == nil {
		m = &machine{name: name, state: c.stateOf(name), seen: c.opt.Now()}
		c.machines[name] = m
	}
	return m
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
		return c.greet(name, ask.Session, *ask.Hello, now)
	}
	if m == nil || m.session == "" || m.session != ask.Session {
		return c.stranger(name, ask, now)
	}
	if m.state == server.Dropped {
		return wire.Answer{Why: "the machine was dropped", Fenced: true, Leave: true}
	}
	m.seen = now
	if m.away {
		m.away = false
		c.say("info", name+" is back")
	}
	switch {
	case ask.Kind == wire.AskBlob && ask.Blob != nil:
		return c.blobs.answer(*ask.Blob)
	case ask.Kind == wire.AskBye:
		return m.bye(c, now)
	case ask.Kind == wire.AskBeat && ask.Beat != nil:
		return c.beat(m, ask.Beat, now)
	case ask.Kind == wire.AskWork && ask.Work != nil && wire.IsID(ask.Work.ID):
		return c.more(m, ask.Work.ID, now)
	case ask.Kind == wire.AskResult && ask.Result != nil:
		return c.result(m, ask.Result, now)
	case ask.Kind == wire.AskPart && ask.Part != nil:
		return editing{c}.part(m, ask.Part, now)
	case ask.Kind == wire.AskPipe && ask.Pipe != nil:
		return editing{c}.pipe(m, ask.Pipe)
	case ask.Kind == wire.AskLines && ask.Lines != nil:
		editing{c}.lines(m, ask.Lines)
		return wire.Answer{OK: true}
	case ask.Kind == wire.AskLine && ask.Line != nil:
		c.table.line(m.name, ask.Line)
		return wire.Answer{OK: true}
	}
	c.refuse(m, "a message that says nothing")
	return wire.Answer{Why: "nothing was asked"}
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
	case r.Back:
		c.table.free(k, now)
	case r.Fault != "" && k.errand != nil:
		editing{c}.broke(m, k, r, now)
	case r.Fault != "":
		m.faults++
		m.inRow++
		why := clean(r.Fault)
		c.say("warn", fmt.Sprintf("%s could not do %s: %s", m.name, k.name(), why))
		c.table.fault(k, why, others(k, &c.flow), now)
		if m.inRow >= maxFaults && m.aside == "" {
			c.setAside(m, fmt.Sprintf("%d tasks in a row could not be done there, the last: %s", m.inRow, why))
		}
	default:
		edited, err := k.gave(r)
		if err != nil {
			c.refuse(m, err.Error())
			c.table.free(k, now)
			c.serve(now)
			return wire.Answer{Fenced: true, Why: err.Error()}
		}
		switch {
		case k.errand != nil:
			delete(m.programs.inRow, k.errand.Program)
		case k.only == "":
			m.counted(now)
			c.counted++
			c.table.did(m.name, c.serving)
		}
		if c.table.end(k, ended{result: r, edited: edited, machine: m.name}); k.only != "" {
			c.calibrate(now)
		}
		if !r.More {
			return wire.Answer{OK: true}
		}
		return c.more(m, r.Task, now)
	}
	c.serve(now)
	return wire.Answer{OK: true}
}

// more is the answer to a machine with a slot that is free: the next task, or word that an
// order may bring it soon. id is what it asked.
func (c *Coordinator) more(m *machine, id string, now time.Time) wire.Answer {
	a := wire.Answer{OK: true, Drain: m.state == server.Draining, Leave: m.aside != "", Why: m.aside}
	if !m.serves() {
		return a
	}
	k := c.table.again(m.name, id) // the answer before was lost
	if k != nil {
		k.seen = now
		a.Next = &wire.Next{Task: k.data, Token: k.token}
		return a
	}
	if k = c.table.tasks[m.check.task]; k == nil || k.machine != "" { // of the root first
		if m.check.held {
			return a
		}
		k = c.table.next(m, &c.flow)
	}
	if k == nil {
		c.table.idle = append(c.table.idle, idle{m.name, m.session, now.Add(standby)})
		a.Wait = true
		return a
	}
	a.Next = c.given(m, k, id, now)
	return a
}
