package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/store/whole"
)

// look looks after the fleet until ctx ends: silent machines, decisions of people, and
// what is told.
func (c *Coordinator) look(ctx context.Context) {
	tick := time.NewTicker(min(500*time.Millisecond, c.opt.Lease/4))
	defer tick.Stop()
	path := filepath.Join(server.Dir(c.opt.State), StatusName)
	var told, before time.Time
	for {
		var at time.Time
		select {
		case <-ctx.Done():
			return
		case at = <-tick.C:
		}
		now := c.opt.Now()
		if !before.IsZero() && at.Sub(before) > c.opt.Lease/2 { // this process stood still
			c.mu.Lock()
			hearing{c}.forgive(now)
			c.mu.Unlock()
		}
		before = at
		c.newMembers()
		c.listen(now)
		if now.Sub(told) >= time.Second {
			told = now
			_ = whole.Write(path, whole.Options{}, whole.JSON(c.status(now))) // a picture; the next one may fit
		}
	}
}

// listen notes who is silent, and frees what they had. Nobody is heard while the queue is
// out of reach.
func (c *Coordinator) listen(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut.IsZero() {
		hearing{c}.silence(now)
	}
	c.refusedByServer()
	hearing{c}.forget(now)
	c.calibrate(now)
	c.count(c.machines)
	c.serve(now)
	c.gauging(now, c.table, c.machines, c.run, c.listener)
}

// newMembers takes over what people decided since the last time. The caller holds no lock.
func (c *Coordinator) newMembers() {
	c.mu.Lock()
	known := c.changed
	c.mu.Unlock()
	if c.members.Changed() != known {
		c.readMembers()
	}
}

// readMembers takes over what people decided about machines.
func (c *Coordinator) readMembers() {
	changed := c.members.Changed()
	list, err := c.members.List()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed = changed
	if err != nil {
		c.say("warn", err.Error())
		return
	}
	before := c.listed
	c.listed = list
	for _, member := range list {
		if i := slices.IndexFunc(before, func(o server.Member) bool { return o.Name == member.Name }); i >= 0 && before[i].Key != member.Key {
			c.newKey(member.Name, member.Key)
		}
		m := c.machines[member.Name]
		if m == nil || m.state == member.State {
			continue
		}
		m.state = member.State
		switch m.state {
		case server.Active:
			c.say("info", m.name+" gets tasks again")
		case server.Draining:
			c.say("info", m.name+" finishes what it has and gets nothing more")
			c.order(m, wire.Order{Kind: wire.OrderDrain})
		case server.Dropped:
			freed := c.table.release(m.name, c.opt.Now())
			c.say("warn", fmt.Sprintf("%s is dropped; %d of its tasks go to others", m.name, len(freed)))
			for _, k := range freed {
				c.order(m, wire.Order{Kind: wire.OrderStop, Task: k.id})
			}
			c.serve(c.opt.Now())
			if c.server != nil {
				c.server.Disconnect(m.name, "")
			}
		}
	}
}

// stateOf is what people decided about a machine.
func (c *Coordinator) stateOf(name string) server.State {
	for _, m := range c.listed {
		if m.Name == name {
			return m.State
		}
	}
	return server.Active
}

// poolOf is the pool of a machine: what its invite says, or, where a server of others lets
// it in, what it says itself.
func poolOf(listed []server.Member, invites bool, name, says string) string {
	if invites {
		says = ""
	}
	for _, m := range listed {
		if m.Name == name && m.Key != "" {
			says = m.Pool
		}
	}
	if wire.CheckName(says) != nil {
		return wire.DefaultPool
	}
	return says
}

// order tells a worker what to do. One that does not hear it is told by the answer to its
// next beat.
func (c *Coordinator) order(m *machine, o wire.Order) {
	o.V, o.Session = wire.Protocol, m.session
	if data, err := wire.Encode(o); err == nil {
		_ = c.nc.Publish(c.subject.Down(m.name), data)
	}
}
