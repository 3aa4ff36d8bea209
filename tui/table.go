package tui

import "slices"

// column is one column of a table of rows R.
type column[R any] struct {
	head string
	// w is its width in cells. Zero takes what the others leave, at least min.
	w, min int
	right  bool
	// rank says how much the column matters: the least goes first when room is
	// short, whole.
	rank int
	cell func(r R) (style, string)
}

// table draws rows under headings, the one under the cursor reversed. What the
// columns have no room for is told whole below the rows, for that row.
type table[R any] struct {
	st      *Styles
	columns []column[R]
	mark    func(r R) bool
	note    func(r R) string
}

// fit returns the columns that have room in w cells, with their widths.
func (t *table[R]) fit(w int) []column[R] {
	cols := slices.Clone(t.columns)
	for {
		used, least := 1, 0 // one cell for the mark
		for i, c := range cols {
			used += max(c.w, c.min) + air(cols, i)
			if c.rank < cols[least].rank {
				least = i
			}
		}
		if used > w && len(cols) > 1 {
			cols = slices.Delete(cols, least, least+1)
			continue
		}
		for i, c := range cols {
			if c.w == 0 {
				cols[i].w = c.min + max(0, w-used)
			}
		}
		return cols
	}
}

// lines draws the n rows that win chooses for the height that is left. The
// cursor stands on row cur.
func (t *table[R]) lines(w, h, n, cur int, win func(h int) (from, to int), row func(i int) R) []string {
	cols := t.fit(w)
	var head line
	head.gap(1)
	for i, c := range cols {
		if head.gap(air(cols, i)); c.right {
			head.right(t.st.Label, c.head, c.w)
		} else {
			head.fit(t.st.Label, c.head, c.w)
		}
	}
	out := []string{head.String()}
	var note []string
	if t.note != nil && cur >= 0 && cur < n && h >= 9 {
		note = wrapText(t.note(row(cur)), w-2)
	}
	below := t.below(h, n, len(note))
	from, to := win(h - 1 - below)
	for i := from; i < to; i++ {
		out = append(out, t.row(cols, row(i), i == cur, w))
	}
	if below == 0 {
		return out
	}
	for len(out) < h-below {
		out = append(out, "")
	}
	out = append(out, rule)
	for _, s := range note {
		if len(out) == h {
			break
		}
		out = append(out, " "+t.st.Plain.wrap(s))
	}
	return out
}

// below is how many lines the note gets with its divider: always the same, so
// that the rows stand still, or more where the rows leave them free.
func (t *table[R]) below(h, n, note int) int {
	if t.note == nil || h < 9 {
		return 0
	}
	least := 3
	if h >= 16 {
		least = 4
	}
	return max(least, min(note+1, h-1-n))
}

// air is how many cells stay free before a column: numbers stand at the right
// of theirs, what follows begins at the left of its own.
func air[R any](cols []column[R], i int) int {
	if i > 0 && cols[i-1].right && !cols[i].right {
		return 2
	}
	return 0
}

func (t *table[R]) row(cols []column[R], r R, picked bool, w int) string {
	var l line
	if t.mark != nil && t.mark(r) {
		l.add(t.st.Marked, "▸")
	} else {
		l.gap(1)
	}
	for i, c := range cols {
		st, text := c.cell(r)
		if l.gap(air(cols, i)); c.right {
			l.right(st, text, c.w)
		} else {
			l.fit(st, text, c.w)
		}
	}
	if picked {
		return pick(t.st.Selected, l.String(), w)
	}
	return l.String()
}
