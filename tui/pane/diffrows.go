package pane

import (
	"fmt"
	"strings"

	"atoll/engine/view"
	"atoll/tui/plot"
)

// build makes the rows for one or two columns.
func (v *diffView) build(w int) {
	split := v.d.Reading.Columns == twoColumns || v.d.Reading.Columns == byWidth && w >= splitFrom
	key := rowKey{v.answers, split, v.noSpace, v.wrapAt(w, split)}
	if key == v.made && v.rows != nil {
		return
	}
	at := v.topLine()
	v.made = key
	v.rows = []diffRow{}
	for f := range v.files {
		p := &v.files[f]
		v.rows = append(v.rows, diffRow{kind: 'f', file: f, left: -1, right: -1, text: p.Path})
		if p.Binary {
			v.rows = append(v.rows, diffRow{kind: 't', file: f, text: "binary"})
		}
		for h := range p.Hunks {
			v.rows = append(v.rows, diffRow{kind: 'h', file: f, hunk: h, left: -1, right: -1, text: hunkText(&p.Hunks[h])})
			v.buildHunk(f, h, split)
		}
		if p.Cut > 0 {
			v.rows = append(v.rows, diffRow{kind: 't', file: f, text: fmt.Sprintf("%d more lines; o opens the whole difference in the pager", p.Cut)})
		}
	}
	v.changed = nil
	v.backTo(at)
}

// wrapAt is how many cells of a line's text fit a row, 0 where lines are cut.
func (v *diffView) wrapAt(w int, split bool) int {
	if split {
		w = (w - 1) / 2
	}
	if v.d.Reading.Cut || w < 2*gutter {
		return 0
	}
	return w - gutter
}

// topLine is the line at the top of the view, nil before anything was built.
func (v *diffView) topLine() *diffRow {
	if v.view.Off < len(v.rows) && v.view.Off > 0 {
		r := v.rows[v.view.Off]
		return &r
	}
	return nil
}

// backTo puts a line at the top again after the rows were made anew, be it beside
// another one now, or alone.
func (v *diffView) backTo(at *diffRow) {
	if at == nil {
		return
	}
	same := func(a, b int) bool { return a == b && a >= 0 }
	for i := range v.rows {
		r := &v.rows[i]
		if r.kind != at.kind || r.file != at.file || r.hunk != at.hunk {
			continue
		}
		if r.kind != 'l' || same(r.left, at.left) || same(r.right, at.right) || same(r.left, at.right) || same(r.right, at.left) {
			v.view.Off = i
			return
		}
	}
}

// add appends a line of a hunk: one row, or as many as it takes when long
// lines go on below.
func (v *diffView) add(r diffRow) {
	n := 1
	if wrap := v.made.wrap; wrap > 0 {
		lines := v.files[r.file].Hunks[r.hunk].Lines
		for _, i := range [...]int{r.left, r.right} {
			if i >= 0 {
				n = max(n, (plot.Width(plot.Clean(lines[i].Text))+wrap-1)/wrap)
			}
		}
	}
	for r.part = range n {
		v.rows = append(v.rows, r)
	}
}

// toFirstChange moves the view so that the first change is on it.
func (v *diffView) toFirstChange(w, h int) {
	for i := range v.rows {
		r := &v.rows[i]
		if r.kind != 'l' {
			continue
		}
		line := max(r.left, r.right)
		if line < 0 || v.files[r.file].Hunks[r.hunk].Lines[line].Kind == ' ' {
			continue
		}
		col := v.firstWord(r)
		if v.made.wrap > 0 {
			i += col / v.made.wrap // rows of one line follow each other
		} else if room := w - gutter; col >= room {
			v.view.Col = max(0, col-room/3)
		}
		if i >= h {
			v.view.Off = i - h/3
		}
		return
	}
}

// firstWord is the column at which the text of a changed line differs first.
func (v *diffView) firstWord(r *diffRow) int {
	col := -1
	for _, i := range [...]int{r.left, r.right} {
		if i < 0 {
			continue
		}
		if spans := v.changed.of(v.files, r.file, r.hunk)[i]; len(spans) > 0 {
			text := plot.Clean(v.files[r.file].Hunks[r.hunk].Lines[i].Text)
			if at := plot.Width(text[:min(spans[0].from, len(text))]); col < 0 || at < col {
				col = at
			}
		}
	}
	return max(col, 0)
}

func hunkText(h *view.PatchHunk) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
}

func (v *diffView) buildHunk(f, h int, split bool) {
	lines := v.files[f].Hunks[h].Lines
	for i := 0; i < len(lines); {
		if lines[i].Kind == ' ' || !split && !v.noSpace {
			v.add(diffRow{kind: 'l', file: f, hunk: h, left: i, right: i})
			i++
			continue
		}
		gone, added := i, i
		for added < len(lines) && lines[added].Kind == '-' {
			added++
		}
		end := added
		for end < len(lines) && lines[end].Kind == '+' {
			end++
		}
		if end == i { // an unknown kind: show it as it is
			end = i + 1
		}
		v.pairs(f, h, gone, added, end, split)
		i = end
	}
}

// pairs sets removed and added lines side by side, or one after the other; a
// pair that differs in white space alone is shown once when that is wanted.
func (v *diffView) pairs(f, h, gone, added, end int, split bool) {
	lines := v.files[f].Hunks[h].Lines
	nGone, nAdded := added-gone, end-added
	var after []diffRow
	for k := range max(nGone, nAdded) {
		l, r := -1, -1
		if k < nGone {
			l = gone + k
		}
		if k < nAdded {
			r = added + k
		}
		switch {
		case l >= 0 && r >= 0 && v.noSpace && sameButSpace(lines[l].Text, lines[r].Text):
			v.add(diffRow{kind: 'l', file: f, hunk: h, left: r, right: r, text: "space"})
		case split:
			v.add(diffRow{kind: 'l', file: f, hunk: h, left: l, right: r})
		default:
			if l >= 0 {
				v.add(diffRow{kind: 'l', file: f, hunk: h, left: l, right: l})
			}
			if r >= 0 {
				after = append(after, diffRow{kind: 'l', file: f, hunk: h, left: r, right: r})
			}
		}
	}
	for _, r := range after {
		v.add(r)
	}
}

func sameButSpace(a, b string) bool {
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}
