package pane

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// Machines are those that measure for a run. Every method may be slow; the console
// calls them outside its own goroutine.
type Machines interface {
	// Fleet tells how they stand; live says that a run has them measure now.
	Fleet(ctx context.Context) (f view.Fleet, live bool, err error)
	// Invite returns the line with which another machine joins. It holds a key.
	Invite(ctx context.Context, name string) (line string, err error)
	// Drain has one finish what it has, Resume has it get jobs again, and Drop takes
	// its jobs and its key away.
	Drain(ctx context.Context, name string) error
	Resume(ctx context.Context, name string) error
	Drop(ctx context.Context, name string) error
}

// fleetPane lists the machines that measure for the run.
type fleetPane struct {
	base
	machines Machines // nil: nobody looks after machines here
	q        query
	fleet    view.Fleet
	live     bool
	known    bool // an answer came
	list     widget.List[string]
	rows     []*view.Machine
	text     string
	order    widget.Order
	waits    bool // it is to ask again in a moment
}

// fleetEvery is how often the machines are asked for: a run writes how they stand every
// second, and no snapshot of an experiment tells of it.
const fleetEvery = time.Second

// fleetAnswer is what the machines say.
type fleetAnswer struct {
	fleet view.Fleet
	live  bool
}

// Heads and Order are those of its table.
func (p *fleetPane) Heads() []string      { t := p.table(); return t.Heads() }
func (p *fleetPane) Order() *widget.Order { return &p.order }

func (p *fleetPane) OfNow() bool                  { return true }
func (p *fleetPane) Scopes() []keys.Scope         { return []keys.Scope{keys.InFleet, keys.InList} }
func (p *fleetPane) Filter() (string, bool)       { return p.text, true }
func (p *fleetPane) SetFilter(t string)           { p.text = t; p.bump() }
func (p *fleetPane) Move(m widget.Motion) tea.Cmd { p.list.Move(m); p.bump(); return nil }
func (p *fleetPane) Click(_, y int) tea.Cmd {
	p.list.Click(y - 1 - len(p.limits(1)))
	p.bump()
	return nil
}

func (p *fleetPane) Title() (string, string) {
	right := ""
	if f := &p.fleet; p.live {
		right = fmt.Sprintf("%s · %s · %d running, %d waiting", f.Address, widget.Plural(f.Slots(), "slot", "slots"), f.Running, f.Waiting)
	}
	return p.heading("", "Fleet"), p.d.St.Label.S(right)
}

func (p *fleetPane) Load() tea.Cmd {
	m := p.machines
	if m == nil {
		return nil
	}
	return p.q.ask(p.d, p.id, "fleet", func(ctx context.Context) (any, error) {
		f, live, err := m.Fleet(ctx)
		return fleetAnswer{f, live}, err
	})
}

// Due and Again make it a [Watcher].
func (p *fleetPane) Due() time.Duration {
	if p.waits || p.machines == nil {
		return 0
	}
	p.waits = true
	return fleetEvery
}

func (p *fleetPane) Again() { p.waits, p.q.done = false, false }

func (p *fleetPane) Take(m Loaded) {
	if !p.q.accept(m) {
		return
	}
	if a, ok := m.val.(fleetAnswer); ok && m.err == nil {
		p.fleet, p.live, p.known = a.fleet, a.live, true
	}
	p.bump()
}

// Machine is the one under the cursor, "" for none, and its state.
func (p *fleetPane) Machine() (name, state string) {
	if p.list.Cur < len(p.rows) {
		m := p.rows[p.list.Cur]
		return m.Name, m.State
	}
	return "", ""
}

// Selected is the first job that the machine under the cursor works on.
func (p *fleetPane) Selected() Selection {
	s := Nothing()
	if p.list.Cur < len(p.rows) && len(p.rows[p.list.Cur].Jobs) > 0 {
		s.Job = p.rows[p.list.Cur].Jobs[0]
	}
	return s
}

func (p *fleetPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.machines == nil:
		return []string{" " + st.Label.S("machines are looked after where the run is")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read them: "+p.q.err.Error())}
	case !p.known:
		return []string{" " + st.Label.S("loading")}
	}
	t := p.table()
	var fit []*view.Machine
	for i := range p.fleet.Machines {
		if m := &p.fleet.Machines[i]; widget.Fits(p.text, m.Name, m.State, m.Why, m.Platform) {
			fit = append(fit, m)
		}
	}
	p.rows = make([]*view.Machine, len(fit))
	ids := make([]string, len(fit))
	for to, from := range t.Sort(len(fit), func(i int) *view.Machine { return fit[i] }) {
		p.rows[to], ids[to] = fit[from], fit[from].Name
	}
	p.list.Set(ids)
	if len(ids) > 0 {
		limits := p.limits(w)
		return append(limits, t.Lines(w, h-len(limits), len(ids), p.list.Cur, p.list.Window, func(i int) *view.Machine { return p.rows[i] })...)
	}
	said := []string{"no machine", p.d.Key("add-machine") + " makes the line that lets one join"}
	if !p.live {
		said = []string{"this run measures on its own machine", p.d.Told("`atoll run --fleet listen:0.0.0.0:7422` has others measure")}
	}
	out := t.Lines(w, 1, 0, 0, p.list.Window, nil)
	for _, s := range said {
		out = append(out, " "+st.Label.S(s))
	}
	return out
}

// pool names the machines that one belongs to, where they have a name.
func pool(m *view.Machine) string {
	if m.Pool == "" || m.Pool == anyPool {
		return ""
	}
	return "pool " + m.Pool
}

// anyPool is the pool of machines that belong to none in particular.
const anyPool = "any"

// limits is a line that says what keeps slots from working, where that is known.
func (p *fleetPane) limits(w int) []string {
	if !p.live || p.fleet.Limit == "" {
		return nil
	}
	return []string{" " + p.d.St.Label.Fit(p.fleet.Limit, max(0, w-1))}
}

func (p *fleetPane) table() widget.Table[*view.Machine] {
	type row = *view.Machine
	st := p.d.St
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	count := func(head string, w, rank int, of func(row) int) widget.Column[row] {
		return widget.Column[row]{Head: head, W: w, Right: true, Rank: rank, Cell: func(m row) (widget.Style, string) { return st.Plain, number(of(m)) }}
	}
	return widget.Table[row]{St: st, Order: p.order, Note: func(m row) string {
		return widget.Words(" · ", m.Why, pool(m), m.Platform, m.Version, widget.Plural(m.CPUs, "core", "cores"))
	}, Columns: []widget.Column[row]{
		{Head: "machine", W: 18, Rank: 100, Cell: func(m row) (widget.Style, string) { return st.Ident, m.Name }},
		{Head: "state", W: 11, Rank: 95, Cell: func(m row) (widget.Style, string) {
			switch m.State {
			case "set aside", "dropped", "away":
				return st.Bad, m.State
			case "busy":
				return st.Plain, m.State
			}
			return st.Label, m.State
		}},
		count("slots", 7, 80, func(m row) int { return m.Slots }),
		count("jobs", 6, 90, func(m row) int { return len(m.Jobs) }),
		{Head: "load", W: 7, Right: true, Rank: 60, Cell: func(m row) (widget.Style, string) {
			if m.Slots == 0 {
				return st.Label, ""
			}
			return st.Label, fmt.Sprintf("%.2f", m.Load)
		}},
		count("a minute", 10, 75, func(m row) int { return m.PerMinute }),
		count("done", 8, 70, func(m row) int { return m.Done }),
		count("faults", 8, 65, func(m row) int { return m.Faults }),
		count("refused", 9, 64, func(m row) int { return m.Refused }),
		{Head: "root", W: 8, Right: true, Rank: 55, Cell: func(m row) (widget.Style, string) {
			if m.Root == 0 {
				return st.Label, ""
			}
			return st.Label, fmt.Sprintf("x%.3g", m.Root)
		}},
		{Head: "why", Min: 14, Rank: 50, Cell: func(m row) (widget.Style, string) { return st.Plain, m.Why }},
	}}
}
