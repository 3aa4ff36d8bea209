package widget

import (
	"slices"
	"strings"

	"atoll/tui/plot"
)

// Column is one column of a table of rows R.
type Column[R any] struct {
	Head string
	// W is its width in cells, one of which stays free: the last one, of a column on
	// the right the first one. Zero takes what the others leave, at least Min.
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

// fit returns the columns that have room in w cells, with their widths.
func (t *Table[R]) fit(w int) []Column[R] {
	cols := slices.Clone(t.Columns)
	for {
		used, least := 1, 0 // one cell for the mark
		for i, c := range cols {
			used += max(c.W, c.Min) + air(cols, i)
			if c.Rank < cols[least].Rank {
				least = i
			}
		}
		if used > w && len(cols) > 1 {
			cols = slices.Delete(cols, least, least+1)
			continue
		}
		for i, c := range cols {
			if c.W == 0 {
				cols[i].W = c.Min + max(0, w-used)
			}
		}
		return cols
	}
}

// steadyRows is how many rows are looked at for the widths of columns, wherever the
// window is; of more those in the window count.
const steadyRows = 200

// spread gives columns whose text is cut what others leave free, the most important
// first. Rows from to to are looked at.
func (t *Table[R]) spread(cols []Column[R], from, to int, row func(i int) R) {
	need := make([]int, len(cols))
	for i, c := range cols {
		need[i] = plot.Width(c.Head+t.Order.mark(strings.TrimSpace(c.Head))) + room(cols, i)
	}
	for k := from; k < to; k++ {
		r := row(k)
		for i, c := range cols {
			_, text := c.Cell(r)
			need[i] = max(need[i], plot.Width(plot.Clean(text))+room(cols, i))
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

// room is how many cells of a column stay free, so that columns do not touch.
func room[R any](cols []Column[R], i int) int {
	if !cols[i].Right && i+1 == len(cols) {
		return 0
	}
	return 1
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
		if head.Gap(air(cols, i)); c.Right {
			head.RightCol(t.St.Label, c.Head+t.Order.mark(strings.TrimSpace(c.Head)), c.W)
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

// air is how many cells stay free before a column: numbers stand at the right
// of theirs, what follows begins at the left of its own.
func air[R any](cols []Column[R], i int) int {
	if i > 0 && cols[i-1].Right && !cols[i].Right {
		return 2
	}
	return 0
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
		l.Gap(air(cols, i))
		st, text := c.Cell(r)
		for next := i + 1; c.Over && next < len(cols); next++ {
			if _, there := cols[next].Cell(r); there != "" {
				break
			}
			c.W += air(cols, next) + cols[next].W
			i = next
		}
		switch {
		case c.Right: // columns never touch
			l.RightCol(st, text, c.W)
		case i+1 < len(cols):
			l.Col(st, text, c.W)
		default:
			l.Fit(st, text, c.W)
		}
	}
	if picked {
		return Pick(t.St.Selected, l.String(), w)
	}
	return l.String()
}
