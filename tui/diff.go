package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// compare says what a candidate is compared with.
type compare int

const (
	withParent compare = iota
	withRoot
	withMarked
)

// differ is a pane that shows a difference.
type differ interface {
	diff() *diffView
	bump()
}

// splitFrom is the width from which two columns are the default.
const splitFrom = 132

// diffView shows one candidate's difference: rows are made once for each
// width, colours only for the lines in view.
type diffView struct {
	d        *desk
	id       paneID
	q        query
	cand     record.CandidateID
	parent   record.CandidateID
	with     compare
	asked    [2]record.CandidateID // of the present question
	files    []view.FilePatch
	findings []view.GateFinding
	force    int // 0 = by width, 1 = one column, 2 = two
	context  int // unchanged lines around a change, less 3
	noSpace  bool
	rows     []diffRow
	made     rowKey
	view     scroll
	text     string // searched
	paint    syntax
	answers  int
}

type rowKey struct {
	answers        int
	split, noSpace bool
}

// diffRow is one line of the view. Left and right are line numbers in their
// hunk, -1 for none; one column uses left only.
type diffRow struct {
	kind        byte // 'f' file, 'h' hunk, 'l' line, 't' text
	file, hunk  int
	left, right int
	text        string
}

// set asks for another candidate.
func (v *diffView) set(id, parent record.CandidateID, findings []view.GateFinding) {
	if v.cand != id {
		v.view = scroll{}
	}
	v.cand, v.parent, v.findings = id, parent, findings
}

// against returns the candidate that the difference is taken from.
func (v *diffView) against() record.CandidateID {
	switch v.with {
	case withRoot:
		return record.Root
	case withMarked:
		for i := len(v.d.marks) - 1; i >= 0; i-- {
			if v.d.marks[i] != v.cand {
				return v.d.marks[i]
			}
		}
	}
	return v.parent
}

func (v *diffView) show() tea.Cmd {
	base := v.against()
	if v.cand < 0 || base < 0 || v.d.opt.Reader == nil || base == v.cand {
		return nil
	}
	lines := v.lines()
	key := fmt.Sprintf("diff %d %d %d", base, v.cand, lines)
	if v.q.key == key && v.q.done && v.q.err == nil {
		return nil // commits do not change
	}
	r, cand := v.d.opt.Reader, v.cand
	if v.q.key != key && v.asked != [2]record.CandidateID{base, v.cand} {
		v.files, v.answers = nil, v.answers+1
		v.paint = syntax{}
	}
	v.asked = [2]record.CandidateID{base, v.cand}
	return v.q.ask(v.d, v.id, key, func(ctx context.Context) (any, error) { return r.Diff(ctx, base, cand, lines) })
}

// take accepts an answer; false when it is for something else.
func (v *diffView) take(m loadedMsg) bool {
	if !v.q.accept(m) {
		return false
	}
	if f, ok := m.val.([]view.FilePatch); ok && m.err == nil {
		v.files, v.answers = f, v.answers+1
		v.paint = syntax{}
	}
	return true
}

func (v *diffView) toggleSplit() {
	if v.made.split {
		v.force = 1
	} else {
		v.force = 2
	}
}

func (v *diffView) cycleBase() {
	v.with = (v.with + 1) % 3
	if v.with == withMarked && (v.against() == v.parent || v.against() == v.cand) {
		v.with = withParent
	}
	v.view = scroll{}
}

// usualContext is how many unchanged lines surround a change at first.
const usualContext = 3

func (v *diffView) lines() int { return max(0, usualContext+v.context) }

// widen shows more or fewer unchanged lines around each change.
func (v *diffView) widen(by int) { v.context = max(-usualContext, min(v.context+by, 200)) }

func (v *diffView) toggleSpace() { v.noSpace = !v.noSpace }

// baseName tells what the difference is against.
func (v *diffView) baseName() string {
	base := v.against()
	name := candidateName(base)
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
	for i := v.view.off + by; i >= 0 && i < len(v.rows); i += by {
		if stop(&v.rows[i]) {
			v.view.off = i
			v.view.set(len(v.rows), v.view.h)
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
		i := ((v.view.off+by*step)%n + n) % n
		if strings.Contains(strings.ToLower(v.rowText(&v.rows[i])), want) {
			v.view.off = i
			v.view.set(n, v.view.h)
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
	st := v.d.st
	switch {
	case v.d.opt.Reader == nil:
		return []string{" " + st.Label.S("no reader: differences cannot be shown")}
	case v.cand < 0:
		return []string{" " + st.Label.S("no candidate")}
	case v.against() < 0 || v.against() == v.cand:
		return []string{" " + st.Label.S("the root has no parent; everything starts here")}
	case v.q.err != nil:
		return []string{" " + st.Bad.S("cannot read the difference: "+v.q.err.Error())}
	case !v.q.done && len(v.files) == 0:
		return []string{" " + st.Label.S("loading")}
	case len(v.files) == 0:
		return []string{" " + st.Label.S("no difference to "+v.baseName())}
	}
	v.build(w)
	v.view.set(len(v.rows), h)
	out := make([]string, 0, h)
	for i := v.view.off; i < min(len(v.rows), v.view.off+h); i++ {
		out = append(out, v.row(&v.rows[i], w))
	}
	return out
}

func (v *diffView) row(r *diffRow, w int) string {
	st := v.d.st
	switch r.kind {
	case 'f':
		p := &v.files[r.file]
		var l line
		l.add(st.Strong, p.Path).gap(2)
		if !p.Binary {
			l.add(st.Added, fmt.Sprintf("+%d", max(p.Added, 0))).gap(1).add(st.Removed, fmt.Sprintf("-%d", max(p.Removed, 0)))
		}
		switch {
		case p.OldMode == record.Deleted:
			l.gap(2).add(st.Label, "new file")
		case p.NewMode == record.Deleted:
			l.gap(2).add(st.Label, "deleted")
		case p.OldMode != p.NewMode:
			l.gap(2).add(st.Label, fmt.Sprintf("mode %o to %o", p.OldMode, p.NewMode))
		}
		for _, f := range v.findings {
			if f.Path == p.Path && f.Line == 0 {
				l.gap(2).add(st.Warn, "! "+f.Text)
			}
		}
		return l.String()
	case 'h':
		return st.Hunk.S(r.text)
	case 't':
		return " " + st.Label.S(r.text)
	}
	if !v.made.split {
		return v.side(r, r.left, w)
	}
	half := (w - 1) / 2
	return v.side(r, r.left, half) + st.Border.wrap("│") + v.side(r, r.right, w-half-1)
}

// side draws one line of a hunk with its number, its sign and its colours.
func (v *diffView) side(r *diffRow, i, w int) string {
	if i < 0 {
		return strings.Repeat(" ", max(w, 0))
	}
	st := v.d.st
	h := &v.files[r.file].Hunks[r.hunk]
	ln := &h.Lines[i]
	old, now := numbers(h, i)
	n := now
	if ln.Kind == '-' {
		n = old
	}
	sign, col, back := " ", st.Label, ""
	switch ln.Kind {
	case '+':
		sign, col, back = "+", st.Added, st.AddedBG.sgr
	case '-':
		sign, col, back = "-", st.Removed, st.GoneBG.sgr
	}
	var l line
	mark := " "
	for _, f := range v.findings {
		if f.Line == n && f.Path == v.files[r.file].Path && ln.Kind != '-' {
			mark = "!"
		}
	}
	l.add(st.Warn, mark).right(st.Off, fmt.Sprint(n), 4).gap(1)
	room := w - l.w - 1
	if room < 1 {
		return plot.Fit(l.String(), w)
	}
	segs := v.paint.line(v.d, &v.files[r.file], r.file, r.hunk, i)
	body := drawSegs(segs, v.view.col, room, back, v.text, st)
	if back != "" {
		col = style{join(col.sgr, back)}
	}
	return l.raw(col.wrap(sign)).String() + body
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
