package pane

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/keys"
	"atoll/tui/widget"
)

// Option is one way in which the console looks or feels, with the values it may
// have. Value and Set are called on the screen's goroutine; Set acts at once.
type Option struct {
	ID          string // in the layout that is remembered
	Group, Name string
	Doc         string
	Values      []string
	Value       func() string
	Set         func(value string) tea.Cmd
}

// optionsPane lists the options of the console. What a person chooses here goes
// before the configuration until it is taken back.
type optionsPane struct {
	base
	rows  []Option
	began map[string]string // as configured
	text  string
	found []int
	list  widget.List[string]
}

func newOptions(d *Shared) *optionsPane {
	return &optionsPane{base: base{d: d, id: Options}, began: map[string]string{}}
}

// Offer sets the options; their present values are those of the configuration.
func (p *optionsPane) Offer(rows []Option) {
	p.rows = rows
	for _, r := range rows {
		p.began[r.ID] = r.Value()
	}
	p.find()
}

// Chosen returns the values that differ from the configuration, by option.
func (p *optionsPane) Chosen() map[string]string {
	out := map[string]string{}
	for _, r := range p.rows {
		if v := r.Value(); v != p.began[r.ID] {
			out[r.ID] = v
		}
	}
	return out
}

// Choose sets options to values of another run; what is none of them is left out.
// Commands are not run: the console does not run yet.
func (p *optionsPane) Choose(values map[string]string) {
	for _, r := range p.rows {
		if v, ok := values[r.ID]; ok && slices.Contains(r.Values, v) {
			r.Set(v)
		}
	}
	p.bump()
}

func (p *optionsPane) Scopes() []keys.Scope   { return []keys.Scope{keys.InOptions, keys.InList} }
func (p *optionsPane) Filter() (string, bool) { return p.text, true }
func (p *optionsPane) SetFilter(t string)     { p.text = t; p.find() }

func (p *optionsPane) Keys() []*keys.Binding {
	in := []keys.Scope{keys.InOptions}
	return []*keys.Binding{
		{ID: "option-before", Keys: []string{"left", "h"}, Title: "value before", In: in, Bar: 59, Off: p.noOption, Run: func() tea.Cmd { return p.step(-1) }},
		{ID: "option-next", Keys: []string{"enter", "right", "l"}, Title: "next value", Doc: "it holds at once, and in later runs", In: in, Bar: 60, Off: p.noOption, Run: func() tea.Cmd { return p.step(1) }},
		{ID: "option-configured", Keys: []string{"x"}, Title: "as configured", Doc: "what atoll.yaml or the environment says", In: in, Bar: 58, Off: p.asConfigured, Run: p.reset},
	}
}

func (p *optionsPane) Move(m widget.Motion) tea.Cmd { p.list.Move(m); p.bump(); return nil }
func (p *optionsPane) Click(_, y int) tea.Cmd       { p.list.Click(y - 1); p.bump(); return nil }

func (p *optionsPane) Title() (string, string) {
	return p.heading("", "Options"), p.d.St.Label.S("of this console; they are remembered")
}

// at returns the option under the cursor, nil for none.
func (p *optionsPane) at() *Option {
	if p.list.Cur < len(p.found) {
		return &p.rows[p.found[p.list.Cur]]
	}
	return nil
}

func (p *optionsPane) noOption() string {
	if p.d.Host.Current() != Pane(p) || p.at() == nil {
		return "no option is selected"
	}
	return ""
}

func (p *optionsPane) asConfigured() string {
	if why := p.noOption(); why != "" {
		return why
	}
	if r := p.at(); r.Value() == p.began[r.ID] {
		return r.Name + " is as configured"
	}
	return ""
}

// step chooses the value beside the present one; after the last comes the first.
func (p *optionsPane) step(by int) tea.Cmd {
	r, n := p.at(), len(p.at().Values)
	at := max(0, slices.Index(r.Values, r.Value()))
	p.bump()
	return r.Set(r.Values[(at+by+n)%n])
}

func (p *optionsPane) reset() tea.Cmd {
	p.bump()
	return p.at().Set(p.began[p.at().ID])
}

// find lists the options that fit the filter.
func (p *optionsPane) find() {
	p.found = p.found[:0]
	var ids []string
	for i, r := range p.rows {
		if widget.Fits(p.text, r.Group, r.Name, r.Doc) {
			p.found = append(p.found, i)
			ids = append(ids, r.ID)
		}
	}
	p.list.Set(ids)
	p.bump()
}

func (p *optionsPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	t := widget.Table[int]{St: st, Note: func(at int) string {
		r := &p.rows[p.found[at]]
		return widget.Words(" ", r.Doc, "One of: "+strings.Join(r.Values, ", ")+". As configured: "+p.began[r.ID]+".")
	}, Columns: []widget.Column[int]{
		{Head: "", W: 16, Rank: 40, Cell: func(at int) (widget.Style, string) {
			r := &p.rows[p.found[at]]
			if at > 0 && p.rows[p.found[at-1]].Group == r.Group {
				return st.Label, ""
			}
			return st.Label, r.Group
		}},
		{Head: "option", W: 20, Rank: 100, Cell: func(at int) (widget.Style, string) { return st.Plain, p.rows[p.found[at]].Name }},
		{Head: "value", W: 20, Rank: 90, Cell: func(at int) (widget.Style, string) {
			if at == p.list.Cur {
				return st.Strong, "← " + p.rows[p.found[at]].Value() + " →"
			}
			return st.Strong, "  " + p.rows[p.found[at]].Value()
		}},
		{Head: "from", Min: 12, Rank: 50, Cell: func(at int) (widget.Style, string) {
			if r := &p.rows[p.found[at]]; r.Value() != p.began[r.ID] {
				return st.Accent, "chosen here"
			}
			return st.Label, "configured"
		}},
	}}
	return t.Lines(w, h, len(p.found), p.list.Cur, p.list.Window, func(i int) int { return i })
}
