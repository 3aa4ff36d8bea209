package plot_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"atoll/tui/plot"
)

func TestCleanRemovesWhatSpeaksToTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "solver.py +12", "solver.py +12"},
		{"letters of other scripts stay", "größe 速度", "größe 速度"},
		{"colours go", "\x1b[31mred\x1b[m", "red"},
		{"a title goes with its text", "a\x1b]0;owned\x07b", "ab"},
		{"a link keeps its text only", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"C1 introducers in UTF-8 count", "a\u009b31mb", "ab"},
		{"a bare escape goes", "a\x1bcb", "ab"},
		{"an open sequence takes the rest", "a\x1b]0;never ends", "a"},
		{"bidirectional marks go", "a\u202Eb\u2066c", "abc"},
		{"zero width goes", "a\u200Bb\uFEFFc\u200Dd", "abcd"},
		{"tag characters go", "a\U000E0041b", "ab"},
		{"line breaks are spaces", "a\nb\rc", "a b c"},
		{"tabs go to stops of four", "a\tb\tc", "a   b   c"},
		{"broken UTF-8 shows", "a\xff\xfeb", "a\uFFFD\uFFFDb"},
		{"few combining marks stay", "e\u0301\u0302\u0303\u0304", "e\u0301\u0302"},
		{"backspaces go", "abc\b\b\bxyz", "abcxyz"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := plot.Clean(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCleanLinesShowWhatWasSeen(t *testing.T) {
	got, more := plot.CleanLines("10 %\r50 %\r100 %\ndone\r\nx\ny\n", 3)
	if strings.Join(got, "|") != "100 %|done|x" || more != 1 {
		t.Errorf("got %q and %d more", got, more)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]0;t\x07\x9b1m\u202e")
	f.Add("\x1bP1$r\x1b\\\u200d\t")
	f.Fuzz(func(t *testing.T, s string) {
		got := plot.Clean(s)
		for _, r := range got {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e {
				t.Fatalf("%U is left of %q", r, s)
			}
		}
		if again := plot.Clean(got); again != got {
			t.Fatalf("cleaning twice differs: %q, %q", got, again)
		}
		if w := plot.Width(got); w != ansi.StringWidth(got) {
			t.Fatalf("width %d, by clusters %d, of %q", w, ansi.StringWidth(got), got)
		}
		for _, w := range []int{0, 1, 7, 40} {
			if n := ansi.StringWidth(plot.Fit(got, w)); n != w {
				t.Fatalf("fitted to %d it has %d cells: %q", w, n, got)
			}
		}
	})
}

func TestWidthCountsStyledText(t *testing.T) {
	for _, s := range []string{"", "abc", "\x1b[1;38;2;1;2;3mabc\x1b[m", "╭─ x ─╮", "⣀⣀█▌", "日本語", "e\u0301", "\x1b[Kx", "a·b×c±…–“”", "↑↓▸●"} {
		if got, want := plot.Width(s), ansi.StringWidth(s); got != want {
			t.Errorf("%q: %d cells, want %d", s, got, want)
		}
	}
}

// heat returns a map of digits: '0'..'9' are values, '.' is empty, other
// characters are marks on a value of one half.
func heat(g plot.Glyphs, p colorprofile.Profile, rows ...string) *plot.HeatMap {
	m := &plot.HeatMap{Cols: len(rows[0]), Rows: len(rows), Ramp: plot.NewRamp("viridis", p, g), Look: plot.Look{Glyphs: g}}
	for i := len(rows) - 1; i >= 0; i-- {
		for _, c := range rows[i] {
			switch {
			case c == '.':
				m.Cells = append(m.Cells, plot.HeatCell{})
			case c >= '0' && c <= '9':
				m.Cells = append(m.Cells, plot.HeatCell{Filled: true, T: float64(c-'0') / 9})
			default:
				m.Cells = append(m.Cells, plot.HeatCell{Filled: true, T: 0.5, Marks: string(c)})
			}
		}
	}
	return m
}

func picture(lines []string) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return strings.Join(out, "\n")
}

func TestHeatMapPictures(t *testing.T) {
	edges := []string{"0.0", "0.5", "1.0", "1.5", "2.0"}
	small := heat(plot.ASCII, colorprofile.ASCII, "0..9", ".5#.", "9..0")
	axes := heat(plot.ASCII, colorprofile.ASCII, "0..9", ".5#.", "9..0")
	axes.XEdges, axes.YEdges, axes.Cursor, axes.CursorX, axes.CursorY = edges, edges[:4], true, 2, 1
	dense := heat(plot.Braille, colorprofile.TrueColor, "9.9.", "9..9", "9999")
	for _, c := range []struct {
		name string
		m    *plot.HeatMap
		w, h int
		want string
	}{
		{"two columns a niche, origin at the lower left", small, 8, 3, "..' ' @@\n' ===#'\n@@' ' .."},
		{"axes with the cursor's bin", axes, 16, 6, ""},
		{"two niches share a row in dense mode", dense, 4, 2, "▄·▄·\n▀▄▄▀"},
		{"a niche of three half rows has one row of its own", heat(plot.Braille, colorprofile.TrueColor, "x", "y"), 3, 3, " x\n▀▀▀\n y"},
		{"nothing fits into nothing", small, 0, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := picture(c.m.Render(c.m.Place(c.w, c.h)))
			if c.want != "" && got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if c.name == "axes with the cursor's bin" && !strings.Contains(got, "[") {
				t.Errorf("no cursor:\n%s", got)
			}
		})
	}
}

func TestHeatMapFindsTheNicheUnderThePointer(t *testing.T) {
	for _, size := range [][2]int{{8, 4}, {12, 6}, {40, 20}, {4, 2}} {
		m := heat(plot.Braille, colorprofile.TrueColor, "0123", "1234", "2345", "3456")
		g := m.Place(size[0], size[1])
		seen := map[[2]int]bool{}
		for py := range size[1] {
			for px := range size[0] {
				if x, y, ok := g.At(px, py); ok {
					if x < 0 || x > 3 || y < 0 || y > 3 {
						t.Fatalf("%v: niche (%d,%d) does not exist", size, x, y)
					}
					seen[[2]int{x, y}] = true
				}
			}
		}
		if want := 16; len(seen) != want && !g.Dense() {
			t.Errorf("%v: %d of %d niches can be reached", size, len(seen), want)
		}
		if x, y, ok := g.At(g.Left, g.Lines-1); !ok || x != 0 || y != 0 {
			t.Errorf("%v: the lower left is (%d,%d)", size, x, y)
		}
	}
}

func FuzzHeatMap(f *testing.F) {
	f.Add(4, 4, 20, 10, 1, 1, 0.5)
	f.Add(33, 17, 20, 9, 30, 16, math.NaN())
	f.Add(64, 1, 1, 1, 70, -3, math.Inf(1))
	f.Fuzz(func(t *testing.T, cols, rows, w, h, cx, cy int, v float64) {
		if cols < 0 || rows < 0 || cols > 80 || rows > 80 || w < 0 || h < 0 || w > 200 || h > 80 {
			t.Skip("outside of any screen")
		}
		for _, r := range []struct {
			g plot.Glyphs
			p colorprofile.Profile
		}{{plot.Braille, colorprofile.TrueColor}, {plot.Braille, colorprofile.ANSI256}, {plot.Blocks, colorprofile.ANSI}, {plot.ASCII, colorprofile.ASCII}} {
			m := &plot.HeatMap{Cols: cols, Rows: rows, Cells: make([]plot.HeatCell, cols*rows), Ramp: plot.NewRamp("viridis", r.p, r.g), Look: plot.Look{Glyphs: r.g}, Cursor: true, CursorX: min(max(cx, 0), max(cols-1, 0)), CursorY: min(max(cy, 0), max(rows-1, 0)), XEdges: make([]string, cols+1), YEdges: make([]string, rows+1)}
			for i := range m.Cells {
				m.Cells[i] = plot.HeatCell{Filled: i%3 > 0, T: v * float64(i), Marks: map[bool]string{true: "#?"}[i%7 == 0]}
			}
			for i := range m.XEdges {
				m.XEdges[i] = plot.Short(float64(i))
			}
			for i := range m.YEdges {
				m.YEdges[i] = plot.Short(float64(i) * 10)
			}
			lines := m.Render(m.Place(w, h))
			if len(lines) != h {
				t.Fatalf("%d lines of %d", len(lines), h)
			}
			for _, l := range lines {
				if n := ansi.StringWidth(l); n != w {
					t.Fatalf("%dx%d in %dx%d: a line has %d cells: %q", cols, rows, w, h, n, l)
				}
			}
		}
	})
}

func TestRampsRise(t *testing.T) {
	for _, name := range plot.PaletteNames() {
		for _, p := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			r := plot.NewRamp(name, p, plot.Braille)
			if bad := r.Inversions(); bad > 0 {
				t.Errorf("%s, %v: brightness falls %d times", name, p, bad)
			}
		}
	}
	for _, p := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ASCII, colorprofile.NoTTY} {
		if !plot.NewRamp("viridis", p, plot.Braille).Shade() {
			t.Errorf("%v has no characters for values", p)
		}
	}
}

func TestShortNumbers(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{{0, "0"}, {0.042, "0.042"}, {12.5, "12.5"}, {1234, "1234"}, {12340, "12.3k"}, {3.4e6, "3.4M"}, {2.16e9, "2.16G"}, {-0.5, "-0.5"}, {1e-7, "1.0e-7"}, {math.NaN(), "-"}, {math.Inf(1), "inf"}, {0.0007, "0.0007"}} {
		if got := plot.Short(c.v); got != c.want {
			t.Errorf("%v is %q, want %q", c.v, got, c.want)
		}
	}
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   []float64
	}{{0, 10, 5, []float64{0, 2, 4, 6, 8, 10}}, {2.16, 2.41, 3, []float64{2.2, 2.3, 2.4}}, {-1, 1, 4, []float64{-1, -0.5, 0, 0.5, 1}}, {1, 1, 4, nil}, {0, math.Inf(1), 4, nil}, {5, 1, 3, nil}} {
		got := plot.Ticks(c.lo, c.hi, c.n)
		if len(got) != len(c.want) {
			t.Errorf("%v to %v: %v, want %v", c.lo, c.hi, got, c.want)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%v to %v: %v, want %v", c.lo, c.hi, got, c.want)
			}
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []float64
		w    int
		want string
	}{
		{"rises", []float64{0, 1, 2, 3, 4, 5, 6, 7}, 8, "▁▂▃▄▅▆▇█"},
		{"keeps a spike", []float64{0, 0, 9, 0, 0, 0, 0, 0}, 4, "▁█▁▁"},
		{"flat is in the middle", []float64{2, 2}, 4, "  ▅▅"},
		{"gaps are empty", []float64{1, math.NaN(), 2}, 3, "▁ █"},
		{"nothing is empty", nil, 3, "   "},
		{"the largest numbers fit", []float64{-math.MaxFloat64, math.MaxFloat64}, 2, "▁█"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := plot.Sparkline(c.in, c.w, plot.Braille); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The font of a simple console has the characters of code page 437 alone.
func TestABlockSparklineHasSimpleCharacters(t *testing.T) {
	if got := plot.Sparkline([]float64{0, 1, 2, 3, 4}, 5, plot.Blocks); got != "__▄██" && got != "_▄▄██" && got != "_▄▄▄█" {
		t.Errorf("rising values are %q", got)
	}
}

func TestBarIsExact(t *testing.T) {
	for _, g := range []plot.Glyphs{plot.Braille, plot.Blocks, plot.ASCII} {
		for w := range 30 {
			for _, v := range []float64{math.NaN(), -1, 0, 0.01, 0.333, 0.999, 1, 7, math.Inf(1)} {
				full, rest := plot.Bar(v, w, g)
				if n := ansi.StringWidth(full + rest); n != w {
					t.Fatalf("%v in %d cells has %d", v, w, n)
				}
			}
		}
	}
}

func chart(y []float64, step bool, g plot.Glyphs) *plot.Chart {
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	return &plot.Chart{Series: []plot.Series{{Name: "best", X: x, Y: y, Step: step}}, Base: math.NaN(), XName: "n", Look: plot.Look{Glyphs: g}}
}

func TestStepLinesHold(t *testing.T) {
	got := picture(chart([]float64{0, 0, 0, 1, 1, 1}, true, plot.ASCII).Render(17, 4))
	lines := strings.Split(got, "\n")
	if !strings.Contains(lines[0], "*") || !strings.Contains(lines[2], "*") {
		t.Fatalf("the step is missing:\n%s", got)
	}
	low, high := strings.Index(lines[2], "*"), strings.LastIndex(lines[2], "*")
	if high-low < 3 || strings.Index(lines[0], "*") < high {
		t.Errorf("the line does not hold before it rises:\n%s", got)
	}
}

func TestSpikesSurviveDownsampling(t *testing.T) {
	y := make([]float64, 10000)
	y[7001] = 100
	lines := chart(y, false, plot.ASCII).Render(40, 8)
	if !strings.Contains(ansi.Strip(lines[0]), "*") {
		t.Errorf("the spike is lost:\n%s", picture(lines))
	}
}

func FuzzChart(f *testing.F) {
	f.Add(30, 8, 1.0, 2.0, true)
	f.Add(12, 2, math.NaN(), math.Inf(1), false)
	f.Add(80, 15, -math.MaxFloat64, math.MaxFloat64, true)
	f.Fuzz(func(t *testing.T, w, h int, a, b float64, step bool) {
		if w < 0 || h < 0 || w > 200 || h > 60 {
			t.Skip("outside of any screen")
		}
		for _, g := range []plot.Glyphs{plot.Braille, plot.Blocks, plot.ASCII} {
			c := chart([]float64{a, b, 1, a, math.NaN(), 3, b}, step, g)
			c.Base, c.BaseAs = a, "root"
			c.LogX, c.LogY = w%2 == 0, h%3 == 0
			c.Marks = []plot.ChartMark{{X: 3}, {X: a}}
			lines := c.Render(w, h)
			if len(lines) != h {
				t.Fatalf("%d lines of %d", len(lines), h)
			}
			for _, l := range lines {
				if n := ansi.StringWidth(l); n != w {
					t.Fatalf("%d cells of %d: %q", n, w, l)
				}
			}
		}
	})
}

func BenchmarkHeatMap64(b *testing.B) {
	m := &plot.HeatMap{Cols: 64, Rows: 32, Cells: make([]plot.HeatCell, 64*32), Ramp: plot.NewRamp("viridis", colorprofile.TrueColor, plot.Braille)}
	for i := range m.Cells {
		m.Cells[i] = plot.HeatCell{Filled: true, T: float64(i%97) / 97}
	}
	g := m.Place(128, 32)
	for b.Loop() {
		m.Render(g)
	}
}

func TestTheNameOfTheBaseIsNotDrawnOver(t *testing.T) {
	c := chart([]float64{2, 2, 2, 5, 6, 7, 8, 9, 9, 9}, true, plot.ASCII) // runs along the base at first
	c.Base, c.BaseAs = 2, "root"
	lines := c.Render(50, 8)
	for _, l := range lines {
		if strings.Contains(l, "root") {
			if plain := ansi.Strip(l); !strings.HasPrefix(strings.TrimSpace(plain), "2|") && !strings.HasPrefix(strings.TrimSpace(plain), "2+") && !strings.Contains(plain, "2") {
				t.Errorf("the level of the base is not named: %q", plain)
			}
			return
		}
	}
	t.Errorf("no whole name of the base:\n%s", picture(lines))
}

func TestLogarithmicChart(t *testing.T) {
	c := chart([]float64{0, 1, 10, 100, 1000}, false, plot.ASCII)
	c.LogY = true
	lines := c.Render(44, 13)
	text := picture(lines)
	for _, label := range []string{"1000", " 100", "  10", "   1"} {
		if !strings.Contains(text, label+"┤") && !strings.Contains(text, label+"|") {
			t.Errorf("no label %s:\n%s", label, text)
		}
	}
	rows := map[int]bool{} // equal steps for equal factors: a straight line
	for i, l := range lines {
		if strings.Contains(ansi.Strip(l), "*") {
			rows[i] = true
		}
	}
	if len(rows) < 10 {
		t.Errorf("the line is not straight, it takes %d rows:\n%s", len(rows), text)
	}
	c.LogX, c.LogY = true, false
	if text := picture(c.Render(44, 13)); !strings.Contains(text, "1") || strings.Contains(text, "no data") {
		t.Errorf("logarithms of the axis across:\n%s", text)
	}
}

func TestMarksAndValuesAreSeenUnderTheCursorAndWhereRowsShareALine(t *testing.T) {
	for _, c := range []struct {
		name       string
		cols, rows int
		w, h       int
		marks      string
		value      bool
		want       string
	}{
		{"three marks in three columns", 4, 4, 12, 6, "#+?", false, "#+?"},
		{"a mark in two columns", 4, 4, 8, 4, "?", false, "?"},
		{"brackets stay where there is room", 2, 2, 20, 10, "?", false, "["},
		{"a value that the brackets would take", 4, 4, 20, 20, "*", true, "36.5"},
		{"a mark of the upper of two rows in one line", 4, 4, 12, 2, "?", false, "?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &plot.HeatMap{Cols: c.cols, Rows: c.rows, Cells: make([]plot.HeatCell, c.cols*c.rows), Ramp: plot.NewRamp("viridis", colorprofile.TrueColor, plot.Braille), Cursor: true, CursorX: 1, CursorY: 3}
			if c.rows < 4 {
				m.CursorY = 1
			}
			if c.value {
				m.Value = func(_ float64, w int) string {
					if w < 4 {
						return ""
					}
					return "36.5"
				}
			}
			m.Cells[m.CursorY*c.cols+1] = plot.HeatCell{Filled: true, T: 0.5, V: 36.5, Marks: c.marks}
			g := m.Place(c.w, c.h)
			if got := picture(m.Render(g)); !strings.Contains(got, c.want) {
				t.Errorf("in cells of %dx%d %q is not seen:\n%s", g.CellW, g.CellH, c.want, got)
			}
		})
	}
}

func TestWithoutColoursAValueStandsApartFromItsShade(t *testing.T) {
	for _, c := range []struct {
		name   string
		glyphs plot.Glyphs
		value  string
		marks  string
		w, h   int
		cursor bool
		want   string
	}{
		{"a shade is seen on both sides where there is room", plot.ASCII, "36.5", "", 16, 6, false, "& 36.5 &"},
		{"it gives way on the line of the value where there is none", plot.ASCII, "36.5", "", 12, 4, false, " 36.5   '"},
		{"marks stand on the line below", plot.ASCII, "36.5", "#", 12, 4, false, "&&#&&&"},
		{"blocks keep off too", plot.Blocks, "36.5", "", 16, 6, false, "█ 36.5 █"},
		{"under the cursor", plot.ASCII, "36.5", "", 16, 6, true, "[ 36.5 ]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &plot.HeatMap{Cols: 2, Rows: 2, Cells: make([]plot.HeatCell, 4), Ramp: plot.NewRamp("viridis", colorprofile.ASCII, c.glyphs), Look: plot.Look{Glyphs: c.glyphs}}
			m.Cursor = c.cursor
			m.Value = func(float64, int) string { return c.value }
			m.Cells[0] = plot.HeatCell{Filled: true, T: 0.8, V: 36.5, Marks: c.marks}
			g := m.Place(c.w, c.h)
			if got := picture(m.Render(g)); !strings.Contains(got, c.want) {
				t.Errorf("in cells of %dx%d %q is not seen:\n%s", g.CellW, g.CellH, c.want, got)
			}
		})
	}
}

func TestAShadeIsNoDigitAndNoMark(t *testing.T) {
	for _, g := range []plot.Glyphs{plot.Braille, plot.Blocks, plot.ASCII} {
		bar := plot.NewRamp("viridis", colorprofile.ASCII, g).Legend(40)
		if strings.ContainsAny(bar, "0123456789oOlIxX#+-?>*'[]") {
			t.Errorf("the shades %q can be taken for digits, marks or the cursor", bar)
		}
	}
}

func TestALegendIsToldTheMarksThatAreSeen(t *testing.T) {
	for _, c := range []struct {
		name  string
		w, h  int
		ascii bool
		want  string
	}{
		{"all where there is room", 40, 16, false, "#+?"},
		{"the first where one fits", 4, 4, false, "#"},
		{"two where two fit", 8, 4, false, "#+"},
		{"without colours the value keeps a column", 8, 4, true, "#+"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &plot.HeatMap{Cols: 4, Rows: 4, Cells: make([]plot.HeatCell, 16), Ramp: plot.NewRamp("viridis", colorprofile.TrueColor, plot.Braille)}
			if c.ascii {
				m.Ramp = plot.NewRamp("viridis", colorprofile.ASCII, plot.ASCII)
				m.Look.Glyphs = plot.ASCII
			}
			m.Cells[5] = plot.HeatCell{Filled: true, T: 0.5, Marks: "#+?"}
			g := m.Place(c.w, c.h)
			text := picture(m.Render(g))
			if got := m.Drawn(); got != c.want {
				t.Errorf("in cells of %dx%d it tells %q:\n%s", g.CellW, g.CellH, got, text)
			}
			for _, r := range m.Drawn() {
				if !strings.ContainsRune(text, r) {
					t.Errorf("%q is told and not drawn:\n%s", r, text)
				}
			}
		})
	}
}

func TestMarksOfAnAxisKeepOffItsNumbers(t *testing.T) {
	for _, g := range []plot.Glyphs{plot.Braille, plot.ASCII} {
		y := make([]float64, 400)
		for i := range y {
			y[i] = float64(i)
		}
		c := chart(y, false, g)
		c.XName = "measured"
		for x := 0.0; x < 400; x += 9 {
			c.Marks = append(c.Marks, plot.ChartMark{X: x})
		}
		lines := c.Render(90, 10)
		axis := ansi.Strip(lines[len(lines)-1])
		if touching := regexp.MustCompile(`[┴^][0-9a-z ]|[0-9a-z ][┴^]`).FindString(strings.TrimSpace(axis)); touching != "" || !strings.ContainsAny(axis, "┴^") {
			t.Errorf("a mark touches what is written: %q in %q", touching, axis)
		}
		if regexp.MustCompile(`[0-9] +measured`).MatchString(axis) {
			t.Errorf("a number runs into the name of the axis: %q", axis)
		}
		if !strings.Contains(axis, "100") || !strings.Contains(axis, "measured") {
			t.Errorf("the numbers are gone: %q", axis)
		}
	}
}
