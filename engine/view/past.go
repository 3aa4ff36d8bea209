package view

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"atoll/store/record"
)

// Past is the experiment as it stood after one moment of its log.
type Past struct {
	At, Moments   int // the number of the moment, from 0, of how many
	Seq           record.Seq
	Time          record.Millis
	First, Last   record.Millis // of all moments
	Decided       bool          // a person did it
	Before, After int           // the nearest moments at which a person decided, -1 = none
	Said          []string      // what happened, as the log tells it
	Changed       []string      // what it changed, see [Changes]
	Snap          *Snapshot     // without what only a running engine knows
}

// Changes says in short lines what changed from one state to the next, what
// weighs most first: the best, niches, what waits, settings.
func Changes(a, b *Snapshot) []string {
	c := changes{a: a, b: b}
	c.best()
	c.niches()
	c.figures()
	c.settings()
	return c.out
}

type changes struct {
	a, b *Snapshot
	out  []string
}

func (c *changes) say(format string, args ...any) {
	c.out = append(c.out, fmt.Sprintf(format, args...))
}

func name(id record.CandidateID) string {
	switch {
	case id < 0:
		return "nobody"
	case id == record.Root:
		return "the root"
	}
	return id.String()
}

func (c *changes) best() {
	a, b := &c.a.Best, &c.b.Best
	switch {
	case a.ID == b.ID || b.ID < 0:
	case a.ID < 0:
		c.say("best %s %.6g", name(b.ID), b.Objective)
	default:
		c.say("best %s %.6g, was %s %.6g", name(b.ID), b.Objective, name(a.ID), a.Objective)
	}
}

// niches tells holders, freezes and boosts; a new map as a whole.
func (c *changes) niches() {
	if !slices.Equal(c.a.Grid.Dims, c.b.Grid.Dims) || c.a.Grid.Map != c.b.Grid.Map {
		c.say("a new map: %d of %d niches filled", c.b.Grid.Filled, c.b.Grid.Total)
		return
	}
	none := Cell{Elite: record.NoCandidate, Boost: 1}
	was := make(map[int]*Cell, len(c.a.Grid.Cells))
	for i := range c.a.Grid.Cells {
		was[c.a.Grid.Cells[i].Index] = &c.a.Grid.Cells[i]
	}
	for i := range c.b.Grid.Cells {
		now, old := &c.b.Grid.Cells[i], &none
		if o := was[now.Index]; o != nil {
			old = o
			delete(was, now.Index)
		}
		if old.Elite == now.Elite && old.Frozen == now.Frozen && old.Boost == now.Boost {
			continue
		}
		at := cellText(c.b.Grid.Dims, now.Index)
		switch {
		case old.Elite == now.Elite:
		case now.Elite < 0:
			c.say("%s is empty, %s held it", at, name(old.Elite))
		case old.Elite < 0:
			c.say("%s takes the empty %s", name(now.Elite), at)
		default:
			c.say("%s holds %s, was %s", name(now.Elite), at, name(old.Elite))
		}
		if old.Frozen != now.Frozen {
			c.say("%s is %s", at, map[bool]string{true: "frozen", false: "no longer frozen"}[now.Frozen])
		}
		if old.Boost != now.Boost {
			c.say("%s is chosen x%g, was x%g", at, now.Boost, old.Boost)
		}
	}
	for _, index := range slices.Sorted(maps.Keys(was)) {
		if was[index].Elite >= 0 {
			c.say("%s is empty, %s held it", cellText(c.b.Grid.Dims, index), name(was[index].Elite))
		}
	}
}

func cellText(dims []int, cell int) string {
	at := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		at[i] = cell % max(dims[i], 1)
		cell /= max(dims[i], 1)
	}
	text := "("
	for i, v := range at {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprint(v)
	}
	return text + ")"
}

func (c *changes) figures() {
	if a, b := c.a.Jobs.Held, c.b.Jobs.Held; a != b {
		c.say("%d waiting, was %d", b, a)
	}
	if a, b := c.a.Grid.QD, c.b.Grid.QD; math.Abs(a-b) > 1e-9 && c.a.Grid.Total > 0 {
		c.say("QD %+.4g", b-a)
	}
	if c.a.State != c.b.State && c.b.State != "" {
		c.say("the experiment is %s", c.b.State)
	}
}

// given is the value of a setting, nil where it is as configured.
func given[T int | float64](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

func (c *changes) settings() {
	a, b := &c.a.Settings, &c.b.Settings
	if a.Goal != b.Goal {
		c.say("another goal")
	}
	if !slices.Equal(a.Constraints, b.Constraints) {
		c.say("other constraints")
	}
	if !slices.Equal(a.Acceptance, b.Acceptance) {
		c.say("other acceptance criteria")
	}
	if len(a.Targets) != len(b.Targets) {
		c.say("proposed targets %d, was %d", len(b.Targets), len(a.Targets))
	}
	for _, x := range []struct {
		name     string
		was, now any
	}{
		{"workers", a.Workers, b.Workers},
		{"jobs at most", a.MaxJobs, b.MaxJobs},
		{"evaluations at most", a.MaxEvals, b.MaxEvals},
		{"tokens at most", a.MaxTokens, b.MaxTokens},
		{"dollars at most", a.MaxCostUSD, b.MaxCostUSD},
		{"time at most", time.Duration(a.MaxWallMS) * time.Millisecond, time.Duration(b.MaxWallMS) * time.Millisecond},
		{"review before measuring", a.Review, b.Review},
		{"review before a niche", a.ReviewNiche, b.ReviewNiche},
		{"inspirations", a.Inspirations, b.Inspirations},
		{"further looks", given(a.Challenge), given(b.Challenge)},
		{"samples at most", given(a.Depth), given(b.Depth)},
		{"share measured again", given(a.Remeasure), given(b.Remeasure)},
	} {
		if x.was != x.now && x.was != nil {
			c.say("%s %v, was %v", x.name, x.now, x.was)
		}
	}
	for _, x := range []struct{ was, now map[string]float64 }{{a.Operators, b.Operators}, {a.Agents, b.Agents}} {
		names := slices.AppendSeq(slices.Collect(maps.Keys(x.was)), maps.Keys(x.now))
		slices.Sort(names)
		for _, k := range slices.Compact(names) { // one that is missing is 0
			if x.was[k] != x.now[k] {
				c.say("weight of %s %g, was %g", k, x.now[k], x.was[k])
			}
		}
	}
}
