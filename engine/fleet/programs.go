package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"atoll/engine/fleet/wire"
	"atoll/engine/view"
)

// programs are the coding clients of a machine that edits, by name or path. One that is not
// there, or whose edits break off again and again, gets no more edits; the machine measures on.
type programs struct {
	inRow map[string]int    // edits that broke off since the last that did not
	not   map[string]string // those that it runs no more, and why
}

// edits reports whether a machine may be given an edit by a program.
func (m *machine) edits(program string) bool {
	_, not := m.programs.not[program]
	return m.hello.Edits && !not
}

// why tells which programs a machine runs no more; "" is none.
func (p *programs) why() string {
	var told []string
	for _, name := range slices.Sorted(maps.Keys(p.not)) {
		told = append(told, fmt.Sprintf("gets no edits by %s: %s", name, p.not[name]))
	}
	return strings.Join(told, "; ")
}

// broke takes that a machine could not carry out an edit.
func (c editing) broke(m *machine, k *task, r *wire.Result, now time.Time) {
	why, name := clean(r.Fault), clean(k.errand.Program)
	m.faults++
	c.say("warn", fmt.Sprintf("%s could not do %s: %s", m.name, k.name(), why))
	p := &m.programs
	if p.inRow == nil {
		p.inRow, p.not = map[string]int{}, map[string]string{}
	}
	p.inRow[k.errand.Program]++
	if n := p.inRow[k.errand.Program]; r.Missing || n >= maxFaults {
		p.not[k.errand.Program] = why
		if !r.Missing {
			p.not[k.errand.Program] = fmt.Sprintf("%d in a row broke off there, the last: %s", n, why)
		}
		c.say("error", fmt.Sprintf("%s gets no more edits by %s, and measures on: %s; start its worker again when that is mended", m.name, name, why))
	}
	if r.Missing { // nothing was tried
		c.table.free(k, now)
	} else {
		c.table.fault(k, why, others(k, &c.flow), now)
	}
}

// stuck tells of edits that wait and that no machine which serves may have; "" is none.
func (f *flow) stuck(t *table) string {
	n, program := 0, ""
	for _, k := range t.ready {
		if k.errand != nil && t.waits(k) && others(k, f) == 0 {
			n, program = n+1, k.errand.Program
		}
	}
	switch {
	case n == 0:
		return ""
	case len(f.editors) == 0:
		return fmt.Sprintf("%s wait: no machine that serves runs coding clients; start workers with --edit, or take on_workers out of the agent", view.Plural(n, "edit"))
	}
	m := f.editors[0]
	return fmt.Sprintf("%s wait: no machine that serves runs %s; %s: %s", view.Plural(n, "edit"), clean(program), m.name, m.programs.not[program])
}
