package pane

import (
	"context"
	"fmt"
	"strings"

	"atoll/tui/keys"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// compare says what a candidate is compared with.
type compare int

const (
	withParent compare = iota
	withRoot
	withMarked
)

// Differ is a pane that shows a difference.
type Differ interface {
	Pane
	Diff() *diffView
	bump()
}

// splitFrom is the width from which two columns are the default.
const splitFrom = 132

// gutter is how many cells stand before the text of a line: finding, number, sign.
const gutter = 7

// diffView shows one candidate's difference: rows are made once for each
// width, colours only for the lines in view.
type diffView struct {
	d         *Shared
	id        ID
	q         query
	Candidate record.CandidateID
	parent    record.CandidateID
	with      compare
	asked     [2]record.CandidateID // of the present question
	files     []view.FilePatch
	findings  []view.GateFinding
	context   int // unchanged lines around a change, less 3
	noSpace   bool
	wide      bool // over the whole width, without what stands beside it
	fresh     bool // nothing of it was drawn yet: it begins at the first change
	begun     standing
	rows      []diffRow
	made      rowKey
	view      widget.Scroll
	text      string // searched
	paint     syntax
	changed   wordChanges
	answers   int
}

// newDiff returns the difference of a pane.
func newDiff(d *Shared, id ID) diffView {
	return diffView{d: d, id: id, Candidate: record.NoCandidate, parent: record.NoCandidate, fresh: true}
}

// standing is where a view stood that nobody has moved yet, and at which size.
type standing struct{ off, col, w, h int }

type rowKey struct {
	answers        int
	split, noSpace bool
	wrap           int // cells of text in which lines go on below, 0 = they are cut
}

// diffRow is one line of the view. Left and right are line numbers in their
// hunk, -1 for none; one column uses left only.
type diffRow struct {
	kind        byte // 'f' file, 'h' hunk, 'l' line, 't' text
	file, hunk  int
	left, right int
	part        int // of long lines: how many rows of them are above this one
	text        string
}

// set asks for another candidate.
func (v *diffView) set(id, parent record.CandidateID, findings []view.GateFinding) {
	if v.Candidate != id {
		v.view, v.fresh = widget.Scroll{}, true
	}
	v.Candidate, v.parent, v.findings = id, parent, findings
}

// Against returns the candidate that the difference is taken from.
func (v *diffView) Against() record.CandidateID {
	switch v.with {
	case withRoot:
		return record.Root
	case withMarked:
		for i := len(v.d.Marks) - 1; i >= 0; i-- {
			if v.d.Marks[i] != v.Candidate {
				return v.d.Marks[i]
			}
		}
	}
	return v.parent
}

// pointed reports whether there are two candidates that can differ.
func (v *diffView) pointed() bool {
	base := v.Against()
	return v.Candidate >= 0 && base >= 0 && base != v.Candidate
}

// changes are the files that differ; none while nothing is compared.
func (v *diffView) changes() []view.FilePatch {
	if !v.pointed() {
		return nil
	}
	return v.files
}

func (v *diffView) show() tea.Cmd {
	if !v.pointed() || v.d.Reader == nil {
		return nil
	}
	base := v.Against()
	lines := v.lines()
	key := fmt.Sprintf("diff %d %d %d", base, v.Candidate, lines)
	if v.q.key == key && v.q.done && v.q.err == nil {
		return nil // commits do not change
	}
	r, cand := v.d.Reader, v.Candidate
	if v.q.key != key && v.asked != [2]record.CandidateID{base, v.Candidate} {
		v.files, v.answers = nil, v.answers+1
		v.paint = syntax{}
	}
	v.asked = [2]record.CandidateID{base, v.Candidate}
	return v.q.ask(v.d, v.id, key, func(ctx context.Context) (any, error) { return r.Diff(ctx, base, cand, lines) })
}

// take accepts an answer; false when it is for something else.
func (v *diffView) take(m Loaded) bool {
	if !v.q.accept(m) {
		return false
	}
	if f, ok := m.val.([]view.FilePatch); ok && m.err == nil {
		v.files, v.answers = f, v.answers+1
		v.paint, v.changed = syntax{}, nil
	}
	return true
}

func (v *diffView) toggleSplit() {
	if v.made.split {
		v.d.Reading.Columns = oneColumn
	} else {
		v.d.Reading.Columns = twoColumns
	}
	v.d.Gen++
}

func (v *diffView) cycleBase() {
	v.with = (v.with + 1) % 3
	if v.with == withMarked && (v.Against() == v.parent || v.Against() == v.Candidate) {
		v.with = withParent
	}
	v.view, v.fresh = widget.Scroll{}, true
}

// usualContext is how many unchanged lines surround a change at first.
const usualContext = 3

func (v *diffView) lines() int { return max(0, usualContext+v.context) }

// widen shows more or fewer unchanged lines around each change.
func (v *diffView) widen(by int) { v.context = max(-usualContext, min(v.context+by, 200)) }

func (v *diffView) toggleSpace() { v.noSpace = !v.noSpace }

// ToggleWide gives the difference the whole width, or takes it back.
func (v *diffView) ToggleWide() { v.wide = !v.wide }

// Wide reports whether the difference has the whole width.
func (v *diffView) Wide() bool { return v.wide }

// toggleLong wraps long lines, or cuts them. The view stays on its line.
func (v *diffView) toggleLong() {
	v.d.Reading.Cut, v.view.Col = !v.d.Reading.Cut, 0
	v.d.Gen++
}

// baseName tells what the difference is against.
func (v *diffView) baseName() string {
	base := v.Against()
	name := CandidateName(base)
	switch v.with {
	case withParent:
		return "parent " + name
	case withRoot:
		return "root"
	}
	return "marked " + name
}

// file and hunk move the view to the next or previous one.
func (v *diffView) file(by int) { v.jump(by, func(r *diffRow) bool { return r.kind == 'f' }) }
func (v *diffView) hunk(by int) { v.jump(by, func(r *diffRow) bool { return r.kind == 'h' }) }

func (v *diffView) jump(by int, stop func(r *diffRow) bool) {
	for i := v.view.Off + by; i >= 0 && i < len(v.rows); i += by {
		if stop(&v.rows[i]) {
			v.view.Off = i
			v.view.Set(len(v.rows), v.view.H)
			return
		}
	}
}

// match moves to the next line that contains the searched text.
func (v *diffView) match(by int) bool {
	if v.text == "" {
		return false
	}
	want := strings.ToLower(v.text)
	n := len(v.rows)
	for step := 1; step <= n; step++ {
		i := ((v.view.Off+by*step)%n + n) % n
		if strings.Contains(strings.ToLower(v.rowText(&v.rows[i])), want) {
			v.view.Off = i
			v.view.Set(n, v.view.H)
			break
		}
	}
	return true
}

func (v *diffView) rowText(r *diffRow) string {
	if r.kind != 'l' {
		return r.text
	}
	out := ""
	lines := v.files[r.file].Hunks[r.hunk].Lines
	for _, i := range []int{r.left, r.right} {
		if i >= 0 {
			out += lines[i].Text + "\x1f"
		}
	}
	return out
}

// body draws the rows in view.
func (v *diffView) body(w, h int) []string {
	st := v.d.St
	switch {
	case v.d.Reader == nil:
		return []string{" " + st.Label.S("no reader: differences cannot be shown")}
	case v.Candidate < 0:
		return []string{" " + st.Label.S("no candidate")}
	case v.Against() < 0 || v.Against() == v.Candidate:
		return []string{" " + st.Label.S("the root has no parent; everything starts here")}
	case v.q.err != nil:
		return []string{" " + st.Bad.S("cannot read the difference: "+v.q.err.Error())}
	case !v.q.done && len(v.files) == 0:
		return []string{" " + st.Label.S("loading")}
	case len(v.files) == 0:
		return []string{" " + st.Label.S("no difference to "+v.baseName())}
	}
	still := v.view.Off == v.begun.off && v.view.Col == v.begun.col && (w != v.begun.w || h != v.begun.h)
	v.build(w)
	if v.fresh || still {
		v.fresh, v.view.Off, v.view.Col = false, 0, 0
		v.toFirstChange(w, h)
		v.view.Set(len(v.rows), h)
		v.begun = standing{v.view.Off, v.view.Col, w, h}
	}
	v.view.Set(len(v.rows), h)
	out := make([]string, 0, h)
	for i := v.view.Off; i < min(len(v.rows), v.view.Off+h); i++ {
		out = append(out, v.row(&v.rows[i], w))
	}
	return out
}

func (v *diffView) row(r *diffRow, w int) string {
	st := v.d.St
	switch r.kind {
	case 'f':
		p := &v.files[r.file]
		var l widget.Line
		l.Add(st.Strong, p.Path).Gap(2)
		if !p.Binary {
			l.Add(st.Diff.Added, fmt.Sprintf("+%d", max(p.Added, 0))).Gap(1).Add(st.Diff.Removed, fmt.Sprintf("-%d", max(p.Removed, 0)))
		}
		switch {
		case p.OldMode == record.Deleted:
			l.Gap(2).Add(st.Label, "new file")
		case p.NewMode == record.Deleted:
			l.Gap(2).Add(st.Label, "deleted")
		case p.OldMode != p.NewMode:
			l.Gap(2).Add(st.Label, fmt.Sprintf("mode %o to %o", p.OldMode, p.NewMode))
		}
		for _, f := range v.findings {
			if f.Path == p.Path && f.Line == 0 {
				l.Gap(2).Add(st.Warn, "! "+f.Text)
			}
		}
		return l.String()
	case 'h':
		return st.Diff.Hunk.S(r.text)
	case 't':
		return " " + st.Label.S(r.text)
	}
	if !v.made.split {
		return v.side(r, r.left, w)
	}
	half := (w - 1) / 2
	return v.side(r, r.left, half) + st.Border.Wrap("│") + v.side(r, r.right, w-half-1)
}

// side draws one line of a hunk with its number, its sign and its colours.
func (v *diffView) side(r *diffRow, i, w int) string {
	if i < 0 {
		return strings.Repeat(" ", max(w, 0))
	}
	st := v.d.St
	h := &v.files[r.file].Hunks[r.hunk]
	ln := &h.Lines[i]
	old, now := numbers(h, i)
	n := now
	if ln.Kind == '-' {
		n = old
	}
	sign, col, back, word := " ", st.Label, "", widget.Style{}
	switch ln.Kind {
	case '+':
		sign, col, back, word = "+", st.Diff.Added, st.Diff.AddedBG.SGR, st.Diff.AddedWord
	case '-':
		sign, col, back, word = "-", st.Diff.Removed, st.Diff.RemovedBG.SGR, st.Diff.RemovedWord
	}
	var l widget.Line
	mark := " "
	for _, f := range v.findings {
		if f.Line == n && f.Path == v.files[r.file].Path && ln.Kind != '-' {
			mark = "!"
		}
	}
	if r.part > 0 { // goes on from the row above; a sign before it would be read with it
		l.Gap(gutter - 1)
		sign = " "
	} else {
		l.Add(st.Warn, mark).Right(st.Off, fmt.Sprint(n), 4).Gap(1)
	}
	room := w - l.W - 1
	if room < 1 {
		return plot.Fit(l.String(), w)
	}
	segs := v.paint.line(v.d, &v.files[r.file], r.file, r.hunk, i)
	segs = stress(segs, v.changed.of(v.files, r.file, r.hunk)[i], word)
	from, tail := v.view.Col, "…"
	if v.made.wrap > 0 {
		from, tail = r.part*v.made.wrap, ""
	}
	body := drawSegs(segs, from, room, back, v.text, tail, st)
	if back != "" {
		col = widget.Style{SGR: widget.Join(col.SGR, back)}
	}
	return l.Raw(col.Wrap(sign)).String() + body
}

// numbers returns the old and the new line number of line i of a hunk.
func numbers(h *view.PatchHunk, i int) (old, now int) {
	old, now = h.OldStart, h.NewStart
	for _, l := range h.Lines[:i] {
		if l.Kind != '+' {
			old++
		}
		if l.Kind != '-' {
			now++
		}
	}
	return old, now
}

// plain returns the whole difference as text for pager, editor and clipboard.
func (v *diffView) plain() string {
	var b strings.Builder
	for f := range v.files {
		p := &v.files[f]
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", plot.Clean(p.Path), plot.Clean(p.Path))
		for h := range p.Hunks {
			b.WriteString(hunkText(&p.Hunks[h]) + "\n")
			for _, l := range p.Hunks[h].Lines {
				b.WriteByte(l.Kind)
				b.WriteString(plot.Clean(l.Text) + "\n")
			}
		}
		if p.Cut > 0 {
			fmt.Fprintf(&b, "(%d more lines)\n", p.Cut)
		}
	}
	return b.String()
}

// diffKeys are the rows of every pane that shows a difference.
func diffKeys(d *Shared) []*keys.Binding {
	diff := func(fn func(v *diffView)) func() tea.Cmd {
		return func() tea.Cmd {
			p, ok := d.Host.Current().(Differ)
			if !ok {
				return nil
			}
			fn(p.Diff())
			p.bump()
			return p.Load()
		}
	}
	none := func() string {
		if p, ok := d.Host.Current().(Differ); !ok || len(p.Diff().changes()) == 0 {
			return "there is no difference here"
		}
		return ""
	}
	return []*keys.Binding{
		{ID: "split", Keys: []string{"t"}, Title: "side by side", Doc: "or one column", In: []keys.Scope{keys.InDiff}, Off: none, Bar: 48, Run: diff((*diffView).toggleSplit)},
		{ID: "base", Keys: []string{"m"}, Title: "another base", Doc: "the difference to parent, root or the marked one", In: []keys.Scope{keys.InDiff}, Off: none, Bar: 47, Run: diff((*diffView).cycleBase)},
		{ID: "previous-file", Keys: []string{"["}, Title: "previous file", In: []keys.Scope{keys.InDiff}, Off: none, Run: diff(func(v *diffView) { v.file(-1) })},
		{ID: "next-file", Keys: []string{"]"}, Title: "next file", In: []keys.Scope{keys.InDiff}, Off: none, Bar: 46, Run: diff(func(v *diffView) { v.file(1) })},
		{ID: "previous-hunk", Keys: []string{"K"}, Title: "previous hunk", In: []keys.Scope{keys.InDiff}, Off: none, Run: diff(func(v *diffView) { v.hunk(-1) })},
		{ID: "next-hunk", Keys: []string{"J"}, Title: "next hunk", In: []keys.Scope{keys.InDiff}, Off: none, Bar: 45, Run: diff(func(v *diffView) { v.hunk(1) })},
		{ID: "less-context", Keys: []string{"{"}, Title: "fewer lines around changes", In: []keys.Scope{keys.InDiff}, Off: none, Run: diff(func(v *diffView) { v.widen(-2) })},
		{ID: "more-context", Keys: []string{"}"}, Title: "more lines around changes", In: []keys.Scope{keys.InDiff}, Off: none, Run: diff(func(v *diffView) { v.widen(2) })},
		{ID: "long-lines", Keys: []string{"L"}, Title: "long lines", Doc: "go on below, or are cut and moved by ← and →", In: []keys.Scope{keys.InDiff}, Off: none, Run: diff((*diffView).toggleLong)},
		{ID: "whitespace", Keys: []string{"W"}, Title: "white space", Doc: "hides changes of white space alone", In: []keys.Scope{keys.InDiff}, Off: none, Run: diff((*diffView).toggleSpace)},
	}
}
