package widget

import (
	"slices"
	"strings"

	"atoll/tui/plot"
)

// Column is one column of a table of rows R.
type Column[R any] struct {
	Head string
	// W is its width in cells with the one that parts it from its neighbour. Zero takes
	// what the others leave, at least Min.
	W, Min int
	Right  bool
	// Rank says how much the column matters: the least goes first when room is
	// short, whole.
	Rank int
	// Over lets the text go on over the next columns as long as they are empty in
	// that row.
	Over bool
	Cell func(r R) (Style, string)
}

// Table draws rows under headings, the one under the cursor reversed. What the
// columns have no room for is told whole below the rows, for that row.
type Table[R any] struct {
	St      *Styles
	Columns []Column[R]
	Mark    func(r R) bool
	Note    func(r R) string
	Order   Order // of the rows; see Sort
}

// fit returns the columns that have room in w cells, with the widths of their texts.
func (t *Table[R]) fit(w int) []Column[R] {
	cols := slices.Clone(t.Columns)
	for {
		used, least := 1, 0 // one cell for the mark
		for i, c := range cols {
			used += gap(cols, i) + textWidth(cols, i)
			if c.Rank < cols[least].Rank {
				least = i
			}
		}
		if used > w && len(cols) > 1 {
			cols = slices.Delete(cols, least, least+1)
			continue
		}
		for i := range cols {
			rest := 0
			if cols[i].W == 0 {
				rest = max(0, w-used)
			}
			cols[i].W = textWidth(cols, i) + rest
		}
		return cols
	}
}

// gap is how many cells stay free before a column: numbers stand at the right of
// theirs, words at the left, and where the one follows the other there are two.
func gap[R any](cols []Column[R], i int) int {
	switch {
	case i == 0 && !cols[0].Right:
		return 0
	case i > 0 && cols[i-1].Right != cols[i].Right:
		return 2
	}
	return 1
}

// textWidth is the width of a column without the cell that parts it from its neighbour;
// words at the end have none.
func textWidth[R any](cols []Column[R], i int) int {
	if !cols[i].Right && i+1 == len(cols) {
		return max(cols[i].W, cols[i].Min)
	}
	return max(cols[i].W, cols[i].Min) - 1
}

// steadyRows is how many rows are looked at for the widths of columns, wherever the
// window is; of more those in the window count.
const steadyRows = 200

// spread gives columns whose text is cut what others leave free, the most important
// first. Rows from to to are looked at.
func (t *Table[R]) spread(cols []Column[R], from, to int, row func(i int) R) {
	need := make([]int, len(cols))
	for i, c := range cols {
		need[i] = plot.Width(c.Head + t.Order.mark(strings.TrimSpace(c.Head)))
	}
	for k := from; k < to; k++ {
		r := row(k)
		for i, c := range cols {
			_, text := c.Cell(r)
			if len(text) > need[i] || strings.ContainsRune(text, '\t') { // nothing but a tab has more cells than bytes
				need[i] = max(need[i], plot.Width(plot.Clean(text)))
			}
		}
	}
	free := 0
	var cut []int
	for i, c := range cols {
		switch {
		case c.Over:
		case need[i] > c.W:
			cut = append(cut, i)
		default:
			free += c.W - need[i]
		}
	}
	if len(cut) == 0 || free == 0 {
		return
	}
	slices.SortStableFunc(cut, func(a, b int) int { return cols[b].Rank - cols[a].Rank })
	wanted := 0
	for _, i := range cut {
		wanted += need[i] - cols[i].W
	}
	wanted = min(wanted, free)
	for _, i := range cut {
		more := min(need[i]-cols[i].W, wanted)
		cols[i].W += more
		wanted -= more
		for k := len(cols) - 1; k >= 0 && more > 0; k-- { // from those at the right first
			if spare := cols[k].W - need[k]; spare > 0 && !cols[k].Over && k != i {
				less := min(spare, more)
				cols[k].W -= less
				more -= less
			}
		}
	}
}

// Lines draws the n rows that win chooses for the height that is left. The
// cursor stands on row cur.
func (t *Table[R]) Lines(w, h, n, cur int, win func(h int) (from, to int), row func(i int) R) []string {
	var note []string
	if t.Note != nil && cur >= 0 && cur < n && h >= 9 {
		note = WrapText(t.Note(row(cur)), w-2)
	}
	below := t.below(h, n, len(note))
	from, to := win(h - 1 - below)
	cols := t.fit(w)
	if n <= steadyRows {
		t.spread(cols, 0, n, row)
	} else {
		t.spread(cols, from, to, row)
	}
	var head Line
	head.Gap(1)
	for i, c := range cols {
		if head.Gap(gap(cols, i)); c.Right {
			head.Right(t.St.Label, c.Head+t.Order.mark(strings.TrimSpace(c.Head)), c.W)
		} else {
			head.Fit(t.St.Label, c.Head+t.Order.mark(strings.TrimSpace(c.Head)), c.W)
		}
	}
	out := []string{head.String()}
	for i := from; i < to; i++ {
		out = append(out, t.row(cols, row(i), i == cur, w))
	}
	if below == 0 {
		return out
	}
	for len(out) < h-below {
		out = append(out, "")
	}
	out = append(out, Rule)
	for _, s := range note {
		if len(out) == h {
			break
		}
		out = append(out, " "+t.St.Plain.Wrap(s))
	}
	return out
}

// below is how many lines the note gets with its divider: always the same, so
// that the rows stand still, or more where the rows leave them free.
func (t *Table[R]) below(h, n, note int) int {
	if t.Note == nil || h < 9 {
		return 0
	}
	least := 3
	if h >= 16 {
		least = 4
	}
	return max(least, min(note+1, h-1-n))
}

func (t *Table[R]) row(cols []Column[R], r R, picked bool, w int) string {
	var l Line
	if t.Mark != nil && t.Mark(r) {
		l.Add(t.St.Marked, "▸")
	} else {
		l.Gap(1)
	}
	for i := 0; i < len(cols); i++ {
		c := cols[i]
		l.Gap(gap(cols, i))
		st, text := c.Cell(r)
		for next := i + 1; c.Over && next < len(cols); next++ {
			if _, there := cols[next].Cell(r); there != "" {
				break
			}
			c.W += gap(cols, next) + cols[next].W
			i = next
		}
		if c.Right {
			l.Right(st, text, c.W)
		} else {
			l.Fit(st, text, c.W)
		}
	}
	if picked {
		return Pick(t.St.Selected, l.String(), w)
	}
	return l.String()
}
