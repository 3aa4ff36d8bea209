package fleet

import (
	"fmt"
	"time"

	"atoll/engine/fleet/server"
)

// hearing is what the coordinator makes of not hearing from machines.
type hearing struct{ *Coordinator }

// isCut notes that the queue cannot be reached. Nobody is taken for silent until it can.
func (c hearing) isCut(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut.IsZero() {
		c.cut = c.opt.Now()
		c.say("warn", fmt.Sprintf("the queue at %s cannot be reached: %s; machines finish what they have and keep what it gave", c.address, clean(why.Error())))
	}
}

// isJoined notes that it can be reached again.
func (c hearing) isJoined() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut.IsZero() {
		return
	}
	now := c.opt.Now()
	c.say("info", fmt.Sprintf("the queue at %s can be reached again, after %s", c.address, now.Sub(c.cut).Round(time.Second)))
	c.cut = time.Time{}
	c.forgive(now)
}

// forgive has every machine that was not silent for a lease have one from now on: it was
// here that nobody could be heard. The caller holds the lock.
func (c hearing) forgive(now time.Time) {
	for _, m := range c.machines {
		if !m.away {
			m.seen = now
		}
	}
	for _, k := range c.table.tasks {
		if k.machine != "" {
			k.seen = now
		}
	}
}

// silence notes who is silent, and frees what they had. The caller holds the lock.
func (c hearing) silence(now time.Time) {
	lost := c.table.silent(now)
	for _, m := range c.machines {
		if m.away || now.Sub(m.seen) < c.opt.Lease {
			continue
		}
		m.away = true
		text := fmt.Sprintf("%s is silent for %s", m.name, now.Sub(m.seen).Round(time.Second))
		if n := lost[m.name]; n > 0 {
			text += fmt.Sprintf("; %d of its tasks go to others", n)
		}
		c.say("warn", text)
	}
}

// remembers is how long a machine is listed that is gone and of which nobody decided
// anything: those that an autoscaler starts come under ever new names.
const remembers = time.Hour

// forget takes machines off the list that are gone for long. The caller holds the lock.
func (c hearing) forget(now time.Time) {
	listed := map[string]bool{}
	for _, m := range c.listed {
		listed[m.Name] = true
	}
	for name, m := range c.machines {
		if m.away && m.aside == "" && m.refused == 0 && m.state == server.Active && !listed[name] && now.Sub(m.seen) >= remembers {
			delete(c.machines, name)
		}
	}
}

// told is what was told of machines, so that nothing is told again and again: a worker that
// is refused is often started again, and one that means ill says hello all day.
type told map[string]saying

// saying is what was told last of a machine.
type saying struct {
	text string
	at   time.Time
}

// How often at most something is told of a machine, and the same again.
const (
	newsEvery = 10 * time.Second
	sameEvery = 10 * time.Minute
)

// news reports whether something is to be told of a machine.
func (t told) news(machine, text string, now time.Time) bool {
	before, known := t[machine]
	if known && (now.Sub(before.at) < newsEvery || before.text == text && now.Sub(before.at) < sameEvery) {
		return false
	}
	if !known && len(t) >= maxStrangers {
		clear(t)
	}
	t[machine] = saying{text, now}
	return true
}
