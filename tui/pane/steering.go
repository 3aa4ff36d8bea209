package pane

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// steeringPane has what steers the search as rows: weights of operators and
// agents, boosts of targets, workers, budgets, what waits for a person, the goal
// and the notes. Arrows change a draft and show what it would do to the next
// draws; enter makes it so.
type steeringPane struct {
	base
	list  widget.List[string]
	rows  []steerRow
	draft steered // as it would be
	from  steered // as it was when the draft began
	dirty bool
	aside *drafted  // the draft, while the screen stands in the past
	now   view.Odds // with the settings in force
	then  view.Odds // with the draft
	q     query     // of then and now
	next  view.NextPrompt
	qNext query // of next
}

// drafted is a draft with what it began from.
type drafted struct{ draft, from steered }

func newSteering(d *Shared) *steeringPane { return &steeringPane{base: base{d: d, id: Steering}} }

func (p *steeringPane) Scopes() []keys.Scope { return []keys.Scope{keys.InSteering, keys.InList} }

func (p *steeringPane) Keys() []*keys.Binding {
	in := []keys.Scope{keys.InSteering}
	return []*keys.Binding{
		{ID: "less", Keys: []string{"left", "h"}, Title: "less", Doc: "in the draft", In: in, Bar: 84, Off: p.noStep, Run: func() tea.Cmd { return p.step(-1) }},
		{ID: "more", Keys: []string{"right", "l"}, Title: "more", Doc: "in the draft", In: in, Bar: 83, Off: p.noStep, Run: func() tea.Cmd { return p.step(1) }},
		{ID: "apply-draft", Keys: []string{"enter"}, Title: "make it so", Doc: "the whole draft, as one step of undo", In: in, Decides: true, Bar: 82, Off: p.noDraft, Run: p.apply},
		{ID: "drop-draft", Keys: []string{"x"}, Title: "drop the draft", In: in, Bar: 81, Off: p.noDraft, Run: p.drop},
		{ID: "draft-goal", Keys: []string{"e"}, Title: "edit the goal", Says: p.editWord, Doc: "or on a target its weight, in the draft; the next job's text shows the goal", In: in, Bar: 80, Off: p.bygone, Run: p.edit},
	}
}

func (p *steeringPane) Title() (string, string) {
	st := p.d.St
	if p.d.Past {
		return p.heading("", "Steering") + " " + st.Label.S("as it was set then"), st.Label.S(p.d.Key("past") + " leads back to now")
	}
	if p.dirty {
		return p.heading("", "Steering") + " " + st.Accent.S("draft, not in force"), st.Label.S("enter makes it so")
	}
	return p.heading("", "Steering"), st.Label.S("left and right change a draft")
}

func (p *steeringPane) Click(_, y int) tea.Cmd       { p.list.Click(y - 1); p.bump(); return p.Load() }
func (p *steeringPane) Move(m widget.Motion) tea.Cmd { p.list.Move(m); p.bump(); return p.Load() }

func (p *steeringPane) row() *steerRow {
	if p.list.Cur < len(p.rows) {
		return &p.rows[p.list.Cur]
	}
	return nil
}

// bygone says why nothing is drafted in the past.
func (p *steeringPane) bygone() string {
	if p.d.Past {
		return "this is the past; " + p.d.Key("past") + " goes back to now"
	}
	return ""
}

func (p *steeringPane) noStep() string {
	if why := p.bygone(); why != "" {
		return why
	}
	switch r := p.row(); {
	case p.d.Host.Current() != Pane(p) || r == nil:
		return "no setting is selected"
	case r.note != nil:
		return "E changes the note"
	case r.step == nil:
		return p.d.Key("draft-goal") + " edits it"
	}
	return ""
}

func (p *steeringPane) noDraft() string {
	if why := p.bygone(); why != "" {
		return why
	}
	if p.d.Host.Current() != Pane(p) || !p.dirty {
		return "nothing is changed yet; left and right change the row"
	}
	return ""
}

func (p *steeringPane) step(by int) tea.Cmd {
	p.row().step(&p.draft, by)
	p.touched()
	return p.Load()
}

// touched notes whether the draft differs from what is in force.
func (p *steeringPane) touched() {
	p.dirty = slices.ContainsFunc(p.rows, func(r steerRow) bool { return r.value(&p.draft) != r.value(&p.from) }) || p.draft.Goal != p.from.Goal
	p.bump()
}

func (p *steeringPane) drop() tea.Cmd {
	p.dirty = false
	p.bump()
	return p.Load()
}

// target is the name of the target whose weight stands in the row under the cursor,
// "" for none.
func (p *steeringPane) target() string {
	if r := p.row(); r != nil && p.draft.weights[r.name] > 0 && r.group == "targets" {
		return r.name
	}
	return ""
}

func (p *steeringPane) editWord() string {
	if p.target() != "" {
		return "set its weight"
	}
	return "edit the goal"
}

func (p *steeringPane) edit() tea.Cmd {
	name := p.target()
	if name == "" {
		return p.editGoal()
	}
	weight := p.draft.weights[name]
	q := widget.NewPrompt("Weight of "+name, fmt.Sprintf("In the draw of targets; %.3g as configured, at most %d times more or less.", weight, maxBoost), fmt.Sprintf("%.3g", weight*p.draft.boost(name)), func(text string) tea.Cmd {
		v, _ := strconv.ParseFloat(text, 64) // checked before
		p.draft.boosts[name] = boostWithin(v / weight)
		p.touched()
		return p.Load()
	})
	q.Check = func(text string) string {
		if v, err := strconv.ParseFloat(text, 64); err != nil || !(v > 0) {
			return "a number above 0"
		}
		return ""
	}
	return p.d.Host.Ask(q)
}

func (p *steeringPane) editGoal() tea.Cmd {
	return p.d.Host.Edit("Goal of the draft", "What the agents are to reach; enter on the list makes it so.", p.draft.Goal, func(text string) tea.Cmd {
		p.draft.Goal = text
		p.touched()
		p.list.Seek("goal")
		return p.Load()
	})
}

// apply decides all that the draft changed, as one act.
func (p *steeringPane) apply() tea.Cmd {
	var ds []record.Decision
	done := map[string]bool{}
	for _, r := range p.rows {
		if r.value(&p.draft) == r.value(&p.from) && (r.key != "goal" || p.draft.Goal == p.from.Goal) || done[r.key] {
			continue
		}
		if r.id == temperatureRow {
			continue // the rows of the targets have it
		}
		if r.group == "targets" {
			ds = append(ds, onTarget(record.Boost, r.name, p.draft.boosts[r.name]))
			continue
		}
		done[r.key] = true
		ds = append(ds, Setting(r.key, settingText(r.key, &p.draft.Settings)))
	}
	p.dirty = false
	p.bump()
	return p.d.Host.Decide(widget.Plural(len(ds), "setting", "settings")+" changed", true, ds...)
}

// bothOdds is what a draft would do to the draws.
type bothOdds struct{ now, then view.Odds }

func (p *steeringPane) Load() tea.Cmd {
	p.sync()
	if p.d.Reader == nil || p.d.Past { // odds and the next prompt are told of now
		return nil
	}
	r, now, draft := p.d.Reader, cloneSettings(&p.d.Snap.Settings), cloneSettings(&p.draft.Settings)
	ask := p.q.ask(p.d, p.id, "odds "+settingText("search.operators", &draft)+settingText("agents", &draft), func(ctx context.Context) (any, error) {
		a, err := r.Odds(ctx, now)
		if err != nil {
			return nil, err
		}
		b, err := r.Odds(ctx, draft)
		return bothOdds{a, b}, err
	})
	goal := draft.Goal
	return tea.Batch(ask, p.qNext.ask(p.d, p.id, "prompt "+goal, func(ctx context.Context) (any, error) { return r.NextPrompt(ctx, goal) }))
}

func (p *steeringPane) Take(m Loaded) {
	if p.q.accept(m) {
		if v, ok := m.val.(bothOdds); ok && m.err == nil {
			p.now, p.then = v.now, v.then
		}
	}
	if p.qNext.accept(m) {
		if v, ok := m.val.(view.NextPrompt); ok && m.err == nil {
			p.next = v
		}
	}
	p.bump()
}

// Text is the next job's text.
func (p *steeringPane) Text() string { return p.next.Text }

func (p *steeringPane) Body(w, h int, focus bool) []string {
	p.sync()
	if w < 110 {
		out := p.table(w, max(4, h*3/5))
		out = append(out, widget.Rule+p.d.St.Label.S(p.promptTitle()))
		return append(out, p.prompt(w, h-len(out))...)
	}
	left := max(72, w*9/20, w-110) // texts are read in lines of a hundred cells
	var next []string
	for _, t := range widget.WrapText(p.promptTitle(), w-left-3) {
		next = append(next, p.d.St.Label.S(t))
	}
	return widget.Beside(p.table(left, h), append(next, p.prompt(w-left-2, h-len(next))...), left, 2)
}

// table draws the rows with their odds.
func (p *steeringPane) table(w, h int) []string {
	st := p.d.St
	type row = *steerRow
	mark := func(r row) widget.Style {
		if r.value(&p.draft) != r.value(&p.from) {
			return st.Accent
		}
		return st.Strong
	}
	t := widget.Table[row]{St: st, Columns: []widget.Column[row]{
		{Head: "", W: 11, Rank: 40, Cell: func(r row) (widget.Style, string) {
			if i := slices.IndexFunc(p.rows, func(x steerRow) bool { return x.group == r.group }); i >= 0 && p.rows[i].id != r.id {
				return st.Label, ""
			}
			return st.Label, r.group
		}},
		{Head: "setting", W: 18, Rank: 100, Cell: func(r row) (widget.Style, string) { return st.Plain, r.name }},
		{Head: "value", Min: 10, Rank: 95, Over: true, Cell: func(r row) (widget.Style, string) {
			if was, now := r.value(&p.from), r.value(&p.draft); was != now && r.key != "goal" {
				return mark(r), now + " was " + was
			}
			return mark(r), r.value(&p.draft)
		}},
		{Head: "chance", W: 8, Right: true, Rank: 90, Cell: func(r row) (widget.Style, string) { return st.Plain, p.chance(r, &p.now, &p.from) }},
		{Head: "then", W: 8, Right: true, Rank: 88, Cell: func(r row) (widget.Style, string) {
			then := p.chance(r, &p.then, &p.draft)
			if p.chance(r, &p.now, &p.from) == then {
				return st.Label, ""
			}
			return st.Accent, then
		}},
		{Head: "", W: 10, Rank: 60, Cell: func(r row) (widget.Style, string) {
			if r.odds == nil || p.d.Past {
				return st.Label, ""
			}
			v := p.share(r, &p.then, &p.draft)
			return st.Lines[0], " " + widget.Repeat("▪", int(v*9+0.5))
		}},
	}}
	if !p.dirty { // there is no then
		t.Columns = slices.DeleteFunc(t.Columns, func(c widget.Column[row]) bool { return c.Head == "then" })
	}
	var told []string
	if r := p.row(); r != nil {
		for _, l := range widget.WrapText(p.told(r), w-3) {
			told = append(told, "  "+st.Label.S(l))
		}
	}
	told = told[:min(len(told), max(0, h-8))]
	out := t.Lines(w, h-1-len(told), len(p.rows), p.list.Cur, p.list.Window, func(i int) row { return &p.rows[i] })
	return append(append(out, ""), told...)
}

func (p *steeringPane) chance(r *steerRow, o *view.Odds, with *steered) string {
	if r.odds == nil || o.Operators == nil || p.d.Past {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*p.share(r, o, with))
}

// share is the chance of a row. Odds come with the boosts of targets in force:
// under those of a draft each target's share grows as its boost does.
func (p *steeringPane) share(r *steerRow, o *view.Odds, with *steered) float64 {
	odds := r.odds(o)
	if r.group != "targets" {
		return odds[r.name]
	}
	grown := func(name string) float64 { return odds[name] * with.boost(name) / p.from.boost(name) }
	sum := 0.0
	for name := range odds {
		sum += grown(name)
	}
	if sum == 0 {
		return 0
	}
	return grown(r.name) / sum
}

// told says of a row what its value does.
func (p *steeringPane) told(r *steerRow) string {
	switch {
	case r.note != nil:
		return widget.Words(" · ", r.note.Text, r.note.Author)
	case r.id == "goal":
		return p.draft.Goal
	}
	return r.doc
}

func (p *steeringPane) promptTitle() string {
	switch {
	case p.d.Past:
		return "the odds of the next draws and the next job's text are told of now; this was the goal then"
	case p.next.Job < 0 || p.next.Agent == "":
		return "no job waits: its text would stand here"
	case p.next.Text == "":
		return fmt.Sprintf("%s waits for %s, which reads no prompt", p.next.Job, p.next.Agent)
	}
	title := fmt.Sprintf("what %s will be told for %s", p.next.Agent, p.next.Job)
	if p.draft.Goal != p.from.Goal {
		title += ", as drafted"
	}
	return title
}

func (p *steeringPane) prompt(w, h int) []string {
	var out []string
	text := p.next.Text
	if text == "" || p.d.Past { // the goal alone can be told
		text = p.draft.Goal
	}
	for _, l := range widget.SplitLines(text) {
		for _, t := range widget.WrapText(l, w-2) {
			out = append(out, " "+p.d.St.Plain.S(t))
		}
	}
	if at := slices.IndexFunc(out, func(l string) bool { return strings.Contains(l, strings.SplitN(p.draft.Goal, "\n", 2)[0]) }); at > 2 && p.row() != nil && p.row().id == "goal" {
		out = out[at-2:]
	}
	return out[:min(len(out), max(0, h))]
}
