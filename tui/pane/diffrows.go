package pane

import (
	"fmt"
	"strings"

	"atoll/engine/view"
)

// build makes the rows for one or two columns.
func (v *diffView) build(w int) {
	split := v.force == 2 || v.force == 0 && w >= splitFrom
	key := rowKey{v.answers, split, v.noSpace}
	if key == v.made && v.rows != nil {
		return
	}
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
}

func hunkText(h *view.PatchHunk) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
}

func (v *diffView) buildHunk(f, h int, split bool) {
	lines := v.files[f].Hunks[h].Lines
	for i := 0; i < len(lines); {
		if lines[i].Kind == ' ' || !split && !v.noSpace {
			v.rows = append(v.rows, diffRow{kind: 'l', file: f, hunk: h, left: i, right: i})
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
			v.rows = append(v.rows, diffRow{kind: 'l', file: f, hunk: h, left: r, right: r, text: "space"})
		case split:
			v.rows = append(v.rows, diffRow{kind: 'l', file: f, hunk: h, left: l, right: r})
		default:
			if l >= 0 {
				v.rows = append(v.rows, diffRow{kind: 'l', file: f, hunk: h, left: l, right: l})
			}
			if r >= 0 {
				after = append(after, diffRow{kind: 'l', file: f, hunk: h, left: r, right: r})
			}
		}
	}
	v.rows = append(v.rows, after...)
}

func sameButSpace(a, b string) bool {
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}
