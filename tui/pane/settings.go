package pane

import (
	"context"
	"fmt"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// settingsPane lists every key with its value and where the value comes from.
type settingsPane struct {
	base
	q     query
	all   []view.SettingInfo
	rows  []int
	list  widget.List[string]
	text  string
	order widget.Order
}

// Heads and Order are those of its table.
func (p *settingsPane) Heads() []string      { t := p.table(); return t.Heads() }
func (p *settingsPane) Order() *widget.Order { return &p.order }

func (p *settingsPane) OfNow() bool { return true }

func (p *settingsPane) Scopes() []keys.Scope   { return []keys.Scope{keys.InSettings, keys.InList} }
func (p *settingsPane) Filter() (string, bool) { return p.text, true }
func (p *settingsPane) SetFilter(t string)     { p.text = t; p.bump() }

func (p *settingsPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "change", Keys: []string{"e"}, Title: "change", Doc: "a live setting", In: []keys.Scope{keys.InSettings}, Decides: true, Bar: 60, Off: p.fixed, Run: p.change},
	}
}

func (p *settingsPane) Move(m widget.Motion) tea.Cmd { p.list.Move(m); p.bump(); return nil }
func (p *settingsPane) Click(_, y int) tea.Cmd       { p.list.Click(y - 1); p.bump(); return nil }
func (p *settingsPane) Title() (string, string) {
	return p.heading("", "Settings"), p.d.St.Label.S("bright values come first and may change while it runs")
}

func (p *settingsPane) Load() tea.Cmd {
	if p.d.Reader == nil {
		return nil
	}
	r := p.d.Reader
	return p.q.ask(p.d, p.id, "settings", func(ctx context.Context) (any, error) { return r.Settings(ctx) })
}

func (p *settingsPane) Take(m Loaded) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.([]view.SettingInfo); ok && m.err == nil {
		p.all = v
		sort.SliceStable(p.all, func(i, j int) bool { return p.all[i].Live && !p.all[j].Live })
	}
	p.bump()
}

// at returns the setting under the cursor, nil for none.
func (p *settingsPane) at() *view.SettingInfo {
	if p.list.Cur < len(p.rows) {
		return &p.all[p.rows[p.list.Cur]]
	}
	return nil
}

func (p *settingsPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read them: "+p.q.err.Error())}
	case !p.q.done && len(p.all) == 0:
		return []string{" " + st.Label.S("loading")}
	}
	var found []int
	for i := range p.all {
		if s := &p.all[i]; widget.Fits(p.text, s.Key, s.Value, s.Origin, s.Doc) {
			found = append(found, i)
		}
	}
	t := p.table()
	ids := make([]string, len(found))
	p.rows = make([]int, len(found))
	for to, from := range t.Sort(len(found), func(i int) *view.SettingInfo { return &p.all[found[i]] }) {
		p.rows[to], ids[to] = found[from], p.all[found[from]].Key
	}
	p.list.Set(ids)
	return t.Lines(w, h, len(ids), p.list.Cur, p.list.Window, func(i int) *view.SettingInfo { return &p.all[p.rows[i]] })
}

func (p *settingsPane) table() widget.Table[*view.SettingInfo] {
	type row = *view.SettingInfo
	st := p.d.St
	return widget.Table[row]{St: st, Order: p.order, Note: func(s row) string {
		return widget.Words(" ", s.Doc, "Default: "+strings.TrimSuffix(widget.OrNone(s.Default), ".")+". Set "+s.Origin+": "+widget.OrNone(s.Value))
	}, Columns: []widget.Column[row]{
		{Head: "key", W: 28, Rank: 100, Cell: func(s row) (widget.Style, string) { return st.Plain, s.Key }},
		{Head: "value", Min: 20, Rank: 90, Cell: func(s row) (widget.Style, string) {
			switch {
			case s.Live:
				return st.Strong, widget.OneLine(s.Value)
			case s.Value != s.Default:
				return st.Plain, widget.OneLine(s.Value)
			}
			return st.Label, widget.OneLine(s.Value)
		}},
		{Head: "from", W: 24, Rank: 50, Cell: func(s row) (widget.Style, string) { return st.Label, s.Origin }},
	}}
}

// fixed says why the setting under the cursor cannot be changed, "" = it can.
func (p *settingsPane) fixed() string {
	s := p.at()
	switch {
	case p.d.Host.Current() != Pane(p) || s == nil:
		return "no setting is selected"
	case !s.Live:
		return p.d.Told(s.Key + " is fixed once an experiment runs; `atoll run --new` starts another")
	}
	return ""
}

// change asks for a new value; a short list where only some are valid.
func (p *settingsPane) change() tea.Cmd {
	s := *p.at()
	doIt := func(v string) tea.Cmd {
		return p.d.Host.Decide(fmt.Sprintf("%s = %s", s.Key, v), true, Setting(s.Key, v))
	}
	if len(s.Enum) > 0 {
		var items []widget.Item
		for _, e := range s.Enum {
			items = append(items, widget.Item{Title: widget.OrNone(e), Run: func() tea.Cmd { return doIt(e) }})
		}
		return p.d.Host.Ask(widget.NewMenu(s.Key, items))
	}
	return p.d.Host.Ask(widget.NewPrompt(s.Key, s.Doc, s.Value, doIt))
}

// doctorPane shows the checks of system, sandbox, repository and agents.
type doctorPane struct {
	base
	q     query
	all   []view.CheckLine
	view  widget.Scroll
	round int
}

func (p *doctorPane) OfNow() bool { return true }

func (p *doctorPane) Scopes() []keys.Scope         { return []keys.Scope{keys.InDoctor, keys.InText} }
func (p *doctorPane) Move(m widget.Motion) tea.Cmd { p.view.Move(m); p.bump(); return nil }

func (p *doctorPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "check-again", Keys: []string{"R"}, Title: "check again", In: []keys.Scope{keys.InDoctor}, Bar: 60, Run: p.again},
	}
}

func (p *doctorPane) Title() (string, string) {
	bad := 0
	for i := range p.all {
		if !p.all[i].OK {
			bad++
		}
	}
	text := fmt.Sprintf("%d checks, %d to look at", len(p.all), bad)
	if p.q.done && p.round > 0 {
		text += fmt.Sprintf(", run %d", p.round+1)
	}
	return p.heading("", "Doctor"), p.d.St.Label.S(text)
}

// again asks once more; the checks run for real each time.
func (p *doctorPane) again() tea.Cmd {
	p.round++
	p.bump()
	return p.Load()
}

func (p *doctorPane) Load() tea.Cmd {
	key := fmt.Sprint("doctor ", p.round)
	if p.d.Reader == nil || p.q.key == key && (p.q.done || p.q.busy) {
		return nil
	}
	r := p.d.Reader
	return p.q.ask(p.d, p.id, key, func(ctx context.Context) (any, error) { return r.Doctor(ctx) })
}

func (p *doctorPane) Take(m Loaded) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.([]view.CheckLine); ok && m.err == nil {
		p.all = v
	}
	p.bump()
}

// mostDetail is how many lines a check has for what it found.
const mostDetail = 6

func (p *doctorPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("the checks did not run: "+p.q.err.Error())}
	case !p.q.done && len(p.all) == 0:
		return []string{" " + st.Label.S("checking")}
	}
	var out []string
	group := ""
	for i := range p.all {
		c := &p.all[i]
		if c.Group != group {
			group = c.Group
			out = append(out, "", " "+st.Label.S(group))
		}
		word, col := "ok", st.Good
		if !c.OK {
			word, col = "fails", st.Bad
			if c.Warn {
				word, col = "warns", st.Warn
			}
		}
		var l widget.Line
		l.Gap(3).Col(col, word, 7).Col(st.Plain, c.Name, 26)
		told := widget.WrapText(c.Detail, max(8, w-38))
		if len(told) > 0 {
			l.Add(st.Label, told[0])
		}
		out = append(out, l.String())
		for i := 1; i < min(len(told), mostDetail); i++ {
			out = append(out, widget.Repeat(" ", 36)+st.Label.S(told[i]))
		}
		if !c.OK && c.Cure != "" {
			for _, t := range widget.WrapText(c.Cure, w-38) {
				out = append(out, widget.Repeat(" ", 36)+st.Plain.S(t))
			}
		}
	}
	p.view.Set(len(out), h)
	return out[p.view.Off:min(len(out), p.view.Off+h)]
}
