package report

import (
	"fmt"
	"html/template"
	"image/color"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"atoll/engine/view"
	"atoll/store/record"
)

// The colours that charts are drawn in stand for variables of the page, so that
// one drawing serves light and dark.
func ink() color.Color   { return color.RGBA{R: 1, G: 2, B: 3, A: 255} }
func faint() color.Color { return color.RGBA{R: 1, G: 2, B: 4, A: 255} }
func mark() color.Color  { return color.RGBA{R: 1, G: 2, B: 5, A: 255} }

func themed() *strings.Replacer {
	return strings.NewReplacer("#010203", "var(--ink)", "#010204", "var(--faint)", "#010205", "var(--mark)")
}

const (
	chartWidth  = 12 * vg.Centimeter
	chartHeight = 6 * vg.Centimeter
)

// curve is one line of a chart over the number of measured candidates.
type curve struct {
	x    []int
	y    []float64
	root *float64 // drawn across, dashed
}

// Charts draws the curves of the experiment: titles in order, and SVG for each.
func (s *Story) charts() ([]figure, error) {
	c := s.Snap.Curves
	best := curve{x: c.X, y: c.Best}
	if s.Snap.Root.ID != record.NoCandidate {
		best.root = &s.Snap.Root.Objective
	}
	var out []figure
	for _, one := range []struct {
		title string
		curve
	}{
		{"Best " + s.Measured() + " so far, as it was decided; dashed: the root", best}, {"Niches filled, share of the map", curve{x: c.X, y: c.Coverage}}, {"QD score: sum over all niches", curve{x: c.X, y: c.QD}},
	} {
		svg, err := drawCurve(one.curve, one.title)
		if err != nil {
			return nil, fmt.Errorf("draw %q: %w", one.title, err)
		}
		if svg != "" {
			out = append(out, figure{Title: one.title, SVG: svg})
		}
	}
	return out, nil
}

// figure is one drawing.
type figure struct {
	Title string
	SVG   template.HTML
}

// drawCurve draws one line as SVG, "" where there is nothing to draw.
func drawCurve(c curve, title string) (template.HTML, error) {
	one := Line{Steps: true}
	for i := range min(len(c.x), len(c.y)) {
		one.Points = append(one.Points, [2]float64{float64(c.x[i]), c.y[i]})
	}
	lines := []Line{one}
	if points := one.points(); c.root != nil && len(points) > 1 {
		lines = append(lines, Line{Dashed: true, Points: [][2]float64{{points[0].X, *c.root}, {points[len(points)-1].X, *c.root}}})
	}
	return drawChart(Chart{Title: title, Across: "measured candidates", Lines: lines})
}

// shortTicks are the usual places with labels that tell neighbours apart and have
// no digits to spare.
func shortTicks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if !t.IsMinor() {
			ticks[i].Label = view.FormatValue(t.Value)
		}
	}
	return ticks
}

// inline makes a part of a page of a whole SVG document: no declaration, a size
// that follows the page, a name for those who do not see it, and the page's
// colours.
func inline(doc, title string) template.HTML {
	if i := strings.Index(doc, "<svg"); i >= 0 {
		doc = doc[i:]
	}
	open, rest, _ := strings.Cut(doc, ">")
	var box string
	if _, after, ok := strings.Cut(open, `viewBox="`); ok {
		box, _, _ = strings.Cut(after, `"`)
	}
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s" role="img" aria-label="%s">`, box, template.HTMLEscapeString(title))
	return template.HTML(head + themed().Replace(rest)) // drawn here: no foreign text but the label, which is escaped
}

// cellSize is the side of a niche on the map, in units of the drawing.
const cellSize = 20

// drawMap draws the niches: the better the elite the stronger its colour. Each
// leads to the elite's change. Axes beyond the second are told in the name of a
// cell and drawn as slices side by side.
func (s *Story) drawMap() template.HTML {
	g := s.Snap.Grid
	if len(g.Dims) == 0 || g.Filled == 0 {
		return ""
	}
	rows, columns, depth := g.Dims[0], 1, 1
	if len(g.Dims) > 1 {
		columns = g.Dims[1]
	}
	for _, d := range g.Dims[min(2, len(g.Dims)):] {
		depth *= d
	}
	rank := ranks(g.Cells)
	listed := map[int]bool{}
	for _, e := range s.Elites {
		listed[e.Cell] = true
	}
	var b strings.Builder
	width := depth * (columns + 1) * cellSize
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="group" aria-label="the map: %d of %d niches filled">`, width, rows*cellSize, g.Filled, g.Total)
	for slice := range depth {
		fmt.Fprintf(&b, `<rect class="empty" x="%d" y="0" width="%d" height="%d"/>`, slice*(columns+1)*cellSize, columns*cellSize, rows*cellSize)
	}
	for _, c := range g.Cells {
		if c.Elite < 0 {
			continue
		}
		at := coordinates(g.Dims, c.Index)
		column, slice := 0, 0
		if len(at) > 1 {
			column = at[1]
		}
		for i := 2; i < len(at); i++ {
			slice = slice*g.Dims[i] + at[i]
		}
		x, y := (slice*(columns+1)+column)*cellSize, (rows-1-at[0])*cellSize
		class := "niche"
		switch c.Elite {
		case record.Root:
			class += " root"
		case s.Snap.Best.ID:
			class += " best"
		}
		rect := fmt.Sprintf(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" fill-opacity="%.2f"><title>%s %s: %s</title></rect>`,
			class, x+1, y+1, cellSize-2, cellSize-2, 0.15+0.85*rank[c.Adjusted], nicheName(g, c.Index), c.Elite, s.Snap.ToldCell(&c).String())
		if listed[c.Index] {
			rect = fmt.Sprintf(`<a href="#n%d">%s</a>`, c.Index, rect)
		}
		b.WriteString(rect)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers only
}

// ranks says of each value that elites have how many of the others are lower, from 0
// to 1: one that is far off does not make the rest alike.
func ranks(cells []view.Cell) map[float64]float64 {
	var values []float64
	for _, c := range cells {
		if c.Elite >= 0 {
			values = append(values, c.Adjusted)
		}
	}
	sort.Float64s(values)
	values = slices.Compact(values)
	rank := make(map[float64]float64, len(values))
	for i, v := range values {
		rank[v] = float64(i+1) / float64(len(values))
	}
	return rank
}

// axisText names an axis with its range.
func axisText(a view.Axis) string {
	name := view.CleanLine(a.Name)
	if len(a.Edges) < 2 {
		return name
	}
	return fmt.Sprintf("%s, %s to %s", name, view.FormatValue(a.Edges[0]), view.FormatValue(a.Edges[len(a.Edges)-1]))
}
