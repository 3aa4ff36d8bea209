package fleet

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/engine/view"
)

// maxJoins is how many joins of a machine are told in a minute.
const maxJoins = 5

// Of a machine are remembered so many sessions that lost its name, and of a fleet so many
// names that ask for work and never said hello. Those are told to say it, and refused when
// they did not for so long.
const (
	maxPast      = 64
	maxStrangers = 1000
	greetWithin  = 10 * time.Second
)

// greet lets the worker of a session in, or says why not.
func (c *Coordinator) greet(name, session string, h wire.Hello, now time.Time) wire.Answer {
	no := func(format string, args ...any) wire.Answer {
		why := fmt.Sprintf(format, args...)
		if c.refusals.news(name, why, now) {
			c.say("warn", name+" may not join: "+why)
		}
		return wire.Answer{Why: why, Leave: true}
	}
	switch {
	case c.stateOf(name) == server.Dropped:
		return no("the machine was dropped; `atoll fleet invite %s` lets it in again", name)
	case h.Version != c.opt.Version:
		return no("it runs atoll %s and the coordinator %s; install the same on both", clean(h.Version), c.opt.Version)
	case !wire.IsID(session) || !wire.IsID(h.Home):
		return no("it does not say which worker it is")
	case h.OS != runtime.GOOS:
		return no("its system is %s and that of the coordinator %s: values would not compare", clean(h.OS), runtime.GOOS)
	case h.Slots < 1 || h.Slots > 4096:
		return no("%d slots: use 1 to 4096", h.Slots)
	case c.rung > 0 && h.Rung > c.rung:
		return no("its sandbox holds less than the coordinator's (rung %d, here %d); `atoll doctor` there says what would raise it", h.Rung, c.rung)
	case len(h.Labels) > 64:
		return no("%d labels: use up to 64", len(h.Labels))
	}
	m := c.machines[name]
	if m != nil && m.session != session {
		if a, taken := c.contested(m, session, &h, now); taken {
			return a
		}
	}
	h.Pool = poolOf(c.listed, c.server != nil, name, h.Pool)
	if why, help := c.run.unfit(&h); why != "" {
		c.notFit(name, why)
		return no("%s; %s", why, help)
	}
	delete(c.refusedFor, name)
	delete(c.strangers, name)
	h.Arch, h.OS, h.Host = clean(h.Arch), clean(h.OS), clean(h.Host)
	m = c.named(name)
	joins := c.begins(m, session, now)
	m.hello, m.seen, m.away, m.left, m.state = h, now, false, false, c.stateOf(name)
	if m.aside != "" && m.refused < maxRefused { // it was mended, or so it says
		m.aside, m.inRow = "", 0
	}
	if m.aside != "" {
		return wire.Answer{Why: m.aside, Leave: true}
	}
	if joins != "" {
		if m.joins.sum(now) < maxJoins {
			c.say("info", joined(name, joins, h.Slots))
		}
		m.joins.add(now)
	}
	c.calibrate(now)
	c.count(c.machines)
	c.serve(now) // what the worker before had
	return wire.Answer{OK: true, Drain: m.state == server.Draining, Welcome: &wire.Welcome{LeaseMS: c.opt.Lease.Milliseconds()}}
}

// joined says that a machine was let in, for people and for [Joined].
func joined(name, how string, slots int) string {
	return fmt.Sprintf("%s %s with %s", name, how, view.Plural(slots, "slot"))
}

var joinedLine = regexp.MustCompile(`^([a-z0-9-]+) joined(?: again, .+,)? with ([0-9]{1,4}) slots?$`)

// Joined reads a line that a run told: which machine joined, and with how many slots. Every
// other line is not ok.
func Joined(line string) (machine string, slots int, ok bool) {
	m := joinedLine.FindStringSubmatch(line)
	if m == nil {
		return "", 0, false
	}
	slots, err := strconv.Atoi(m[2])
	return m[1], slots, err == nil && slots > 0
}

// begins has a session take the name of a machine, and says how; "" where it had it
// already. What the session before had goes to others, and what it proved counts no more.
func (c *Coordinator) begins(m *machine, session string, now time.Time) string {
	if m.session == session {
		return ""
	}
	how := "joined"
	if m.session != "" {
		m.retire()
		how = "joined again, in the place of its worker before,"
		if freed := c.table.release(m.name, now); len(freed) > 0 {
			how = fmt.Sprintf("joined again, in the place of its worker before, whose %s to others,", tasksGo(len(freed)))
		}
	}
	m.session, m.rival, m.check, m.programs = session, "", calibration{held: c.opt.Agree > 0}, programs{}
	return how
}

// tasksGo is how it is told that tasks go elsewhere.
func tasksGo(n int) string {
	if n == 1 {
		return "1 task goes"
	}
	return fmt.Sprintf("%d tasks go", n)
}

// retire ends the session of a machine: nothing that it says counts any more.
func (m *machine) retire() {
	if m.past = append(m.past, m.session); len(m.past) > maxPast {
		m.past = slices.Delete(m.past, 0, 1)
	}
	m.session, m.rival = "", ""
}

// contested says what a worker is told that comes under the name of another one. A worker
// that was started again, as its folder shows, takes its name over at once; so does anyone
// where the other one is gone. taken is false for those.
func (c *Coordinator) contested(m *machine, session string, h *wire.Hello, now time.Time) (a wire.Answer, taken bool) {
	if slices.Contains(m.past, session) {
		return overtaken(m), true
	}
	silent := now.Sub(m.seen)
	switch {
	case m.session == "", m.away, silent >= c.opt.Lease, m.hello.Home == h.Home:
		return a, false
	case c.server != nil && silent >= c.opt.Lease/4 && c.server.Left(m.name, m.session):
		return a, false
	}
	here, there := cmp.Or(m.hello.Host, "another machine"), cmp.Or(clean(h.Host), "another machine")
	if m.rival != session {
		m.rival = session
		c.say("warn", fmt.Sprintf("a second worker under the name %s, on %s, may not join: the one on %s has it; `atoll fleet invite NAME` makes a line for each machine", m.name, there, here))
	}
	return wire.Answer{
		Why:    fmt.Sprintf("another worker has the name %s, on %s; `atoll fleet invite NAME` makes a line for each machine", m.name, here),
		BusyMS: c.opt.Lease.Milliseconds(),
	}, true
}

// overtaken is what a worker is told whose name another one took.
func overtaken(m *machine) wire.Answer {
	why := "the name " + m.name + " is another worker's now"
	if m.hello.Host != "" && m.session != "" {
		why += ", on " + m.hello.Host
	}
	return wire.Answer{Why: why + "; `atoll fleet invite NAME` makes a line for each machine", Fenced: true, Leave: true}
}

// stranger answers a session that was not let in: it is to say hello. One that keeps
// asking for work instead is refused.
func (c *Coordinator) stranger(name string, ask wire.Ask, now time.Time) wire.Answer {
	if m := c.machines[name]; m != nil && slices.Contains(m.past, ask.Session) {
		return overtaken(m)
	}
	if since, known := c.strangers[name]; ask.Kind == wire.AskWork && known && now.Sub(since) >= greetWithin {
		c.strangers[name] = now
		c.refuse(c.named(name), "it asks for tasks and does not join")
	} else if ask.Kind == wire.AskWork && !known && len(c.strangers) < maxStrangers {
		c.strangers[name] = now
	}
	return wire.Answer{Why: "this coordinator does not know the worker yet", Greet: true}
}

// bye takes that the worker of a machine ends: nothing that it says counts any more, and
// what it still had goes to others. The caller holds the lock.
func (m *machine) bye(c *Coordinator, now time.Time) wire.Answer {
	m.retire()
	m.left, m.away = true, true
	text := m.name + " left"
	if freed := c.table.release(m.name, now); len(freed) > 0 {
		text += fmt.Sprintf("; %d of its tasks go to others", len(freed))
	}
	c.say("info", text)
	c.count(c.machines)
	c.serve(now)
	return wire.Answer{OK: true}
}

// newKey ends the session of a machine that was invited again: the key before is worth
// nothing.
func (c *Coordinator) newKey(name, key string) {
	if m := c.machines[name]; m != nil && m.session != "" {
		m.retire()
		freed := c.table.release(m.name, c.opt.Now())
		m.hello.Slots = 0
		c.say("warn", fmt.Sprintf("%s was invited again: the key before opens nothing any more, and %d of its tasks go to others", m.name, len(freed)))
		c.count(c.machines)
		c.serve(c.opt.Now())
	}
	if c.server != nil {
		c.server.Disconnect(name, key)
	}
}
