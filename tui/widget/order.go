package widget

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Order is how a person ordered a table: by a column, named by its heading; ""
// leaves the rows as they come.
type Order struct {
	By   string
	Down bool // the largest first
}

// Toggle orders by a column: the largest first, then the smallest, then as the
// rows come.
func (o *Order) Toggle(by string) {
	switch {
	case o.By != by:
		*o = Order{By: by, Down: true}
	case o.Down:
		o.Down = false
	default:
		*o = Order{}
	}
}

// Next says what [Order.Toggle] would do.
func (o Order) Next(by string) string {
	o.Toggle(by)
	switch {
	case o.By == "":
		return "as they come"
	case o.Down:
		return "downwards: 9 to 0, z to a"
	}
	return "upwards: 0 to 9, a to z"
}

// Says tells in what order a table is, or the order in which its rows come.
func (o Order) Says(asTheyCome string) string {
	switch {
	case o.By == "":
		return asTheyCome
	case o.Down:
		return "by " + o.By + ", downwards"
	}
	return "by " + o.By + ", upwards"
}

// mark stands behind the heading of the column that orders.
func (o Order) mark(head string) string {
	switch {
	case o.By == "" || o.By != head:
		return ""
	case o.Down:
		return "↓"
	}
	return "↑"
}

// Heads are the headings by which a table can be ordered.
func (t *Table[R]) Heads() (heads []string) {
	for _, c := range t.Columns {
		if h := strings.TrimSpace(c.Head); h != "" {
			heads = append(heads, h)
		}
	}
	return heads
}

// Sort returns the numbers of n rows in the order of the table: figures by their
// value, words by the alphabet, what says nothing last. Rows that are alike stay
// as they come.
func (t *Table[R]) Sort(n int, row func(i int) R) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	at := slices.IndexFunc(t.Columns, func(c Column[R]) bool { return t.Order.By != "" && strings.TrimSpace(c.Head) == t.Order.By })
	if at < 0 {
		return out
	}
	keys := make([]sortKey, n)
	for i := range keys {
		_, text := t.Columns[at].Cell(row(i))
		keys[i] = keyOf(text)
	}
	slices.SortStableFunc(out, func(i, j int) int { return keys[i].compare(keys[j], t.Order.Down) })
	return out
}

// sortKey is what a field of a table is ordered by.
type sortKey struct {
	rank  int // 0 figures, 1 words, 2 nothing
	value float64
	text  string
}

func (k sortKey) compare(o sortKey, down bool) int {
	by := cmp.Or(cmp.Compare(k.value, o.value), strings.Compare(k.text, o.text))
	if down {
		by = -by
	}
	return cmp.Or(cmp.Compare(k.rank, o.rank), by)
}

// units are what figures are written in, in the smallest of them.
var units = map[string]float64{"": 1, "%": 1, "ms": 1, "s": 1000, "k": 1e3, "M": 1e6, "G": 1e9}

// keyOf reads a field: c128, #341, +0.31, $1.20, 410 ms, 1,204, +12 -3 (the lines
// of a change), or words.
func keyOf(text string) sortKey {
	text = strings.TrimSpace(text)
	if text == "" || text == "-" || text == "none" {
		return sortKey{rank: 2}
	}
	if added, removed, ok := changeOf(text); ok {
		return sortKey{value: float64(added + removed)}
	}
	figure := strings.ReplaceAll(strings.TrimLeft(text, "c#+$* "), ",", "")
	end := len(figure)
	for end > 0 && strings.ContainsRune(" %msKkMG", rune(figure[end-1])) {
		end--
	}
	scale, known := units[strings.TrimSpace(figure[end:])]
	if v, err := strconv.ParseFloat(figure[:end], 64); err == nil && known {
		return sortKey{value: v * scale}
	}
	return sortKey{rank: 1, text: strings.ToLower(text)}
}

// changeOf reads what [Change] writes.
func changeOf(text string) (added, removed int, ok bool) {
	plus, minus, both := strings.Cut(text, " -")
	if !both || !strings.HasPrefix(plus, "+") {
		return 0, 0, false
	}
	added, err := strconv.Atoi(plus[1:])
	removed, err2 := strconv.Atoi(minus)
	return added, removed, err == nil && err2 == nil
}
