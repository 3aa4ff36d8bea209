package tui

import (
	"context"
	"fmt"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
)

// settingsPane lists every key with its value and where the value comes from.
type settingsPane struct {
	base
	q    query
	all  []view.SettingInfo
	rows []int
	list list[string]
	text string
}

func (p *settingsPane) scopes() []scope        { return []scope{inSettings, inList} }
func (p *settingsPane) filter() (string, bool) { return p.text, true }
func (p *settingsPane) setFilter(t string)     { p.text = t; p.bump() }
func (p *settingsPane) move(m motion) tea.Cmd  { p.list.move(m); p.bump(); return nil }
func (p *settingsPane) click(_, y int) tea.Cmd { p.list.click(y - 1); p.bump(); return nil }
func (p *settingsPane) title() (string, string) {
	return p.heading("", "Settings"), p.d.st.Label.S("bright values come first and may change while it runs")
}

func (p *settingsPane) show() tea.Cmd {
	if p.d.opt.Reader == nil {
		return nil
	}
	r := p.d.opt.Reader
	return p.q.ask(p.d, p.id, "settings", func(ctx context.Context) (any, error) { return r.Settings(ctx) })
}

func (p *settingsPane) take(m loadedMsg) {
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
	if p.list.cur < len(p.rows) {
		return &p.all[p.rows[p.list.cur]]
	}
	return nil
}

func (p *settingsPane) body(w, h int, focus bool) []string {
	st := p.d.st
	switch {
	case p.d.opt.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read them: "+p.q.err.Error())}
	case !p.q.done && len(p.all) == 0:
		return []string{" " + st.Label.S("loading")}
	}
	var ids []string
	p.rows = p.rows[:0]
	for i := range p.all {
		if s := &p.all[i]; fits(p.text, s.Key, s.Value, s.Origin, s.Doc) {
			ids = append(ids, s.Key)
			p.rows = append(p.rows, i)
		}
	}
	p.list.set(ids)
	type row = *view.SettingInfo
	t := table[row]{st: st, note: func(s row) string {
		return words(" ", s.Doc, "Default: "+orNone(s.Default)+". Set "+s.Origin+": "+orNone(s.Value))
	}, columns: []column[row]{
		{head: "key", w: 28, rank: 100, cell: func(s row) (style, string) { return st.Plain, s.Key }},
		{head: "value", min: 20, rank: 90, cell: func(s row) (style, string) {
			switch {
			case s.Live:
				return st.Strong, oneLine(s.Value)
			case s.Value != s.Default:
				return st.Plain, oneLine(s.Value)
			}
			return st.Label, oneLine(s.Value)
		}},
		{head: " from", w: 24, rank: 50, cell: func(s row) (style, string) { return st.Label, " " + s.Origin }},
	}}
	return t.lines(w, h, len(ids), p.list.cur, p.list.window, func(i int) row { return &p.all[p.rows[i]] })
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func needLiveSetting(a *app) string {
	s := a.panes[paneSettings].(*settingsPane).at()
	switch {
	case a.currentID() != paneSettings || s == nil:
		return "no setting is selected"
	case !s.Live:
		return s.Key + " is fixed once an experiment runs; run --new starts another"
	}
	return ""
}

// editSetting asks for a new value; a short list where only some are valid.
func (a *app) editSetting() tea.Cmd {
	s := *a.panes[paneSettings].(*settingsPane).at()
	doIt := func(a *app, v string) tea.Cmd {
		return a.decide(fmt.Sprintf("%s = %s", s.Key, v), true, setting(s.Key, v))
	}
	if len(s.Enum) > 0 {
		var items []item
		for _, e := range s.Enum {
			items = append(items, item{title: orNone(e), run: func(a *app) tea.Cmd { return doIt(a, e) }})
		}
		return a.push(newMenu(s.Key, items))
	}
	return a.push(newPrompt(s.Key, s.Doc, s.Value, doIt))
}

// doctorPane shows the checks of system, sandbox, repository and agents.
type doctorPane struct {
	base
	q     query
	all   []view.CheckLine
	view  scroll
	round int
}

func (p *doctorPane) scopes() []scope       { return []scope{inDoctor, inText} }
func (p *doctorPane) move(m motion) tea.Cmd { p.view.move(m); p.bump(); return nil }
func (p *doctorPane) title() (string, string) {
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
	return p.heading("", "Doctor"), p.d.st.Label.S(text)
}

// again asks once more; the checks run for real each time.
func (p *doctorPane) again() tea.Cmd {
	p.round++
	p.bump()
	return p.show()
}

func (p *doctorPane) show() tea.Cmd {
	key := fmt.Sprint("doctor ", p.round)
	if p.d.opt.Reader == nil || p.q.key == key && (p.q.done || p.q.busy) {
		return nil
	}
	r := p.d.opt.Reader
	return p.q.ask(p.d, p.id, key, func(ctx context.Context) (any, error) { return r.Doctor(ctx) })
}

func (p *doctorPane) take(m loadedMsg) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.([]view.CheckLine); ok && m.err == nil {
		p.all = v
	}
	p.bump()
}

func (p *doctorPane) body(w, h int, focus bool) []string {
	st := p.d.st
	switch {
	case p.d.opt.Reader == nil:
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
		var l line
		l.gap(3).fit(col, word, 7).fit(st.Plain, c.Name, 26)
		out = append(out, l.fit(st.Label, c.Detail, w-l.w).String())
		if !c.OK && c.Cure != "" {
			for _, t := range wrapText(c.Cure, w-38) {
				out = append(out, repeat(" ", 36)+st.Plain.S(t))
			}
		}
	}
	p.view.set(len(out), h)
	return out[p.view.off:min(len(out), p.view.off+h)]
}
