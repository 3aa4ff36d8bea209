package widget

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"atoll/tui/plot"
)

// numbers are n ids from first on, downwards: the newest first.
func numbers(first, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = first - i
	}
	return out
}

func TestACursorStaysOnItsRowWhateverComesAboveIt(t *testing.T) {
	for _, c := range []struct {
		name   string
		cur    int
		height int
		now    []int
		want   int // the id under the cursor
		line   int // of the view where it stands
	}{
		{"on the first row it shows the newest", 0, 5, numbers(22, 22), 22, 0},
		{"below, the row stays under it and on its line", 3, 5, numbers(22, 22), 17, 3},
		{"a row that is gone leaves the cursor where it was", 3, 5, []int{20, 19, 18, 16, 15}, 16, 3},
		{"a list that became shorter than that has it on its last row", 19, 5, numbers(20, 4), 17, 3},
		{"an empty list has it nowhere", 3, 5, nil, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l List[int]
			l.Set(numbers(20, 20))
			l.Window(c.height)
			l.Cur = c.cur
			l.Window(c.height)
			l.Set(c.now)
			from, to := l.Window(c.height)
			id, ok := l.At()
			if ok != (len(c.now) > 0) || id != c.want {
				t.Errorf("the cursor is on %d, %v", id, ok)
			}
			if l.Cur-from != c.line || to > len(c.now) || to-from > c.height {
				t.Errorf("it stands on line %d of rows %d to %d", l.Cur-from, from, to)
			}
		})
	}
}

func TestMovesStayInTheListAndTheCursorInTheView(t *testing.T) {
	var l List[int]
	l.Set(numbers(30, 30))
	l.Window(10)
	for _, step := range []struct {
		name     string
		move     Motion
		cur, off int
	}{
		{"up from the first row stays", Up, 0, 0},
		{"a page keeps a row of the one before", PageDown, 9, 0},
		{"the next page scrolls", PageDown, 18, 9},
		{"the wheel moves three rows", WheelDown, 21, 12},
		{"the end fills the view", Bottom, 29, 20},
		{"down from the end stays", Down, 29, 20},
		{"one up leaves the view alone", Up, 28, 20},
		{"a page up", PageUp, 19, 19},
		{"the start", Top, 0, 0},
	} {
		l.Move(step.move)
		if l.Window(10); l.Cur != step.cur || l.Off != step.off {
			t.Errorf("%s: cursor %d, first row %d; want %d and %d", step.name, l.Cur, l.Off, step.cur, step.off)
		}
	}
	if from, to := l.Window(0); from != 0 || to != 0 {
		t.Errorf("a view without a line shows rows %d to %d", from, to)
	}
}

func TestAClickBelowTheRowsPicksNone(t *testing.T) {
	var l List[int]
	l.Set(numbers(30, 30))
	l.Window(5)
	for _, c := range []struct {
		y   int
		hit bool
		cur int
	}{{2, true, 2}, {-1, false, 2}, {5, false, 2}, {7, false, 2}, {4, true, 4}} {
		if hit := l.Click(c.y); hit != c.hit || l.Cur != c.cur {
			t.Errorf("line %d of a view of 5: %v, cursor on %d; want %v and %d", c.y, hit, l.Cur, c.hit, c.cur)
		}
	}
	l.Set(numbers(3, 3))
	l.Window(5)
	if l.Click(4) {
		t.Error("an empty line below a short list is a row")
	}
}

func TestMoreIsReadBeforeTheEndIsReached(t *testing.T) {
	var l List[int]
	l.Set(numbers(30, 30))
	l.Window(10)
	if l.NearEnd() {
		t.Error("at the top of three views")
	}
	if !l.Seek(11) || l.NearEnd() || !l.Seek(10) || !l.NearEnd() {
		t.Errorf("a view before the end is row 20, not %d", l.Cur)
	}
	if l.Seek(99) {
		t.Error("an id that is not there is found")
	}
}

func TestATextThatGrowsIsFollowedFromItsEnd(t *testing.T) {
	s := Scroll{Follow: true}
	for _, n := range []int{3, 10, 25} {
		s.Set(n, 10)
		if !s.AtEnd() || s.Off != max(0, n-10) {
			t.Errorf("%d lines: at %d", n, s.Off)
		}
	}
	s.Follow = false
	s.Move(PageUp)
	if s.AtEnd() || s.Off != 6 {
		t.Errorf("a page up leads to %d", s.Off)
	}
	s.Set(40, 10)
	if s.Off != 6 {
		t.Errorf("what comes at the end moves the view to %d", s.Off)
	}
	s.Move(Right)
	s.Move(Left)
	s.Move(Left)
	if s.Col != 0 {
		t.Errorf("left of the text is column %d", s.Col)
	}
	s.Set(4, 10)
	if s.Off != 0 {
		t.Errorf("a short text begins at %d", s.Off)
	}
}

func TestATableLosesWholeColumnsTheLeastFirst(t *testing.T) {
	cell := func(text string) func(int) (Style, string) {
		return func(int) (Style, string) { return Style{}, text }
	}
	tab := Table[int]{Columns: []Column[int]{
		{Head: "id", W: 4, Right: true, Rank: 100, Cell: cell("c1")},
		{Head: "why", W: 10, Rank: 20, Cell: cell("tuned")},
		{Head: "text", Min: 6, Rank: 50, Cell: cell("more")},
		{Head: "ms", W: 5, Rank: 10, Cell: cell("12")},
	}}
	for _, c := range []struct {
		w    int
		want string
	}{
		{40, "id 3, why 9, text 17, ms 5"}, // 1 for the mark, gaps of 1, 2, 1 and 1
		{28, "id 3, why 9, text 5, ms 5"},
		{27, "id 3, why 9, text 10"},
		{20, "id 3, text 13"},
		{12, "id 3"},
		{1, "id 3"}, // one is always left
	} {
		got := ""
		for i, col := range tab.fit(c.w) {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %d", col.Head, col.W)
		}
		if got != c.want {
			t.Errorf("in %d cells: %s; want %s", c.w, got, c.want)
		}
	}
	if tab.Columns[2].W != 0 || len(tab.Columns) != 4 {
		t.Error("drawing changes the table")
	}
}

func TestABriefDifferenceHasEightCells(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"},
		{0.5, "+0.5000"},
		{-0.5, "-0.5000"},
		{123.456, "+123.46"},
		{-123456.7, "-123457"},
		{12345678, "+1.235e7"},
		{-1.5e-5, "-1.5e-5"},
		{1e-100, "+1e-100"},
		{-2.2e200, "-2.2e200"},
	} {
		if got := Brief(c.v); got != c.want || len(got) > 8 {
			t.Errorf("%v is written %q, want %q", c.v, got, c.want)
		}
	}
}

func TestANumberInFewCellsLosesDecimalsBeforeItGetsPowersOfTen(t *testing.T) {
	for _, c := range []struct {
		v    float64
		w    int
		want string
	}{
		{14.316, 6, "14.316"},
		{-14.316, 6, "-14.32"},
		{123.456, 4, "123"},
		{-123456.7, 6, "-1.2e5"},
		{1.234e-5, 6, "1.2e-5"},
	} {
		if got := Narrow(c.v, c.w); got != c.want {
			t.Errorf("%v in %d cells is %q, want %q", c.v, c.w, got, c.want)
		}
	}
}

func TestAColumnThatIsCutGetsWhatOthersLeaveFree(t *testing.T) {
	cell := func(i int) func([]string) (Style, string) {
		return func(r []string) (Style, string) { return Style{}, r[i] }
	}
	tab := Table[[]string]{St: NewStyles(true, colorprofile.ASCII), Columns: []Column[[]string]{
		{Head: "who", W: 6, Rank: 5, Cell: cell(0)},
		{Head: "value", W: 9, Right: true, Rank: 9, Cell: cell(1)},
		{Head: "why", Min: 8, Rank: 8, Cell: cell(2)},
	}}
	rows := [][]string{{"somebody with a name", "1.5", "as it is"}}
	got := tab.Lines(48, 3, 1, -1, func(h int) (int, int) { return 0, min(h, 1) }, func(i int) []string { return rows[i] })
	if line := strings.Join(strings.Fields(ansi.Strip(got[1])), " "); line != "somebody with a name 1.5 as it is" {
		t.Errorf("the row is %q", ansi.Strip(got[1]))
	}
}

func TestATextGoesOnOverColumnsThatAreEmptyInItsRow(t *testing.T) {
	cell := func(i int) func([]string) (Style, string) {
		return func(r []string) (Style, string) { return Style{}, r[i] }
	}
	tab := Table[[]string]{St: NewStyles(true, colorprofile.ASCII), Columns: []Column[[]string]{
		{Head: "name", W: 6, Rank: 9, Cell: cell(0)},
		{Head: "value", Min: 8, Rank: 8, Over: true, Cell: cell(1)},
		{Head: "share", W: 7, Right: true, Rank: 7, Cell: cell(2)},
		{Head: "bar", W: 3, Rank: 6, Cell: cell(3)},
	}}
	rows := [][]string{{"long", "a text of many words, no less", "", ""}, {"short", "a text of many words", "12 %", "##"}}
	got := tab.Lines(29, 3, len(rows), -1, func(h int) (int, int) { return 0, min(h, len(rows)) }, func(i int) []string { return rows[i] })
	for i, want := range []string{" name  value       share  bar", " long  a text of many words,…", " short a text o…    12 %  ## "} {
		if line := ansi.Strip(got[i]); line != want {
			t.Errorf("line %d is %q, not %q", i, line, want)
		}
	}
}

// A table of two hundred rows of which forty are seen: the widths of its columns come
// from all.
func BenchmarkTableFrame(b *testing.B) {
	cell := func(name string) func(r int) (Style, string) {
		return func(r int) (Style, string) { return Style{}, fmt.Sprint(name, r*7919%1000) }
	}
	t := Table[int]{St: NewStyles(true, colorprofile.TrueColor)}
	for i := range 11 {
		t.Columns = append(t.Columns, Column[int]{Head: fmt.Sprint("head ", i), W: 9 + i%3, Right: i > 5 && i < 9, Rank: i, Cell: cell("value ")})
	}
	for _, n := range []int{40, 200, 2000} {
		b.Run(fmt.Sprint(n, " rows"), func(b *testing.B) {
			var l List[int]
			for i := range n {
				l.IDs = append(l.IDs, i)
			}
			for b.Loop() {
				t.Lines(160, 42, n, 3, l.Window, func(i int) int { return i })
			}
		})
	}
}

func TestANameOfALearnedAxisHasWholeWords(t *testing.T) {
	for _, c := range []struct {
		name string
		w    int
		want string
	}{
		{"+low item -worth[3] up", 40, "+low item -worth[3] up"},
		{"+low item -worth[3] up", 20, "+low item -worth[3]"},
		{"+low item -worth[3] up", 17, "+low -worth[3] up"},
		{"+low item -worth[3] up", 8, "+low"},
		{"+low up -worth[3] 10~", 16, "+low up"},
		{"+low item 2~", 24, "+low item ~2"},
	} {
		if got := AxisName(c.name, c.w); got != c.want {
			t.Errorf("%q in %d cells is %q, not %q", c.name, c.w, got, c.want)
		}
		got := CutAxis(c.name, c.w)
		if whole := len(c.want) == len(c.name); whole && got != c.want || !whole && (!strings.HasSuffix(got, "…") || plot.Width(got) > c.w) {
			t.Errorf("%q in %d cells is cut to %q", c.name, c.w, got)
		}
	}
}
