package report

import (
	"bytes"
	"html/template"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"atoll/engine/view"
)

// Chart is a drawing of lines over one quantity.
type Chart struct {
	Title  string
	Across string // what the horizontal axis is of
	// Places are the marks of that axis where it is one of doublings, such as 1, 2, 4 machines;
	// none: it is an even one.
	Places []float64
	Zero   bool // the vertical axis begins at nothing
	Lines  []Line
}

// Line is one of its lines.
type Line struct {
	Points [][2]float64
	Steps  bool // it keeps its height until the next point
	Dashed bool // what the others are compared with
}

// points are those that can be drawn.
func (l *Line) points() plotter.XYs {
	out := make(plotter.XYs, 0, len(l.Points))
	for _, p := range l.Points {
		if !math.IsNaN(p[1]) && !math.IsInf(p[1], 0) {
			out = append(out, plotter.XY{X: p[0], Y: p[1]})
		}
	}
	return out
}

// drawChart draws a chart as SVG, "" where there is nothing to draw.
func drawChart(c Chart) (template.HTML, error) {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.X.Label.Text = c.Across
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint(), faint()
	p.Add(grid)
	for _, one := range c.Lines {
		points := one.points()
		if len(points) < 2 {
			return "", nil
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return "", err
		}
		if line.Width, line.Color = vg.Points(1.6), mark(); one.Steps {
			line.StepStyle = plotter.PostStep
		}
		if one.Dashed {
			line.Width, line.Color, line.Dashes = vg.Points(1), ink(), []vg.Length{vg.Points(4), vg.Points(3)}
		}
		p.Add(line)
	}
	if c.Zero {
		p.Y.Min = 0
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Marker = plot.TickerFunc(shortTicks)
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = ink(), ink(), ink(), ink()
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = vg.Points(10), vg.Points(9)
		a.LineStyle.Width, a.Tick.LineStyle.Width = vg.Points(0.6), vg.Points(0.6)
	}
	canvas := vgsvg.New(chartWidth, chartHeight)
	area := draw.New(canvas)
	if len(c.Places) > 0 {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.ConstantTicks(places(c.Places))
		area = draw.Crop(area, 0, -vg.Points(12), 0, 0) // the last place has its label below it
	}
	p.Draw(area)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	return inline(b.String(), c.Title), nil
}

// places are marks of which not so many have a label that the labels meet. The last has one.
func places(at []float64) []plot.Tick {
	out := make([]plot.Tick, len(at))
	every := 1 + (len(at)-1)/8
	for i, v := range at {
		if out[i].Value = v; (len(at)-1-i)%every == 0 {
			out[i].Label = view.FormatValue(v)
		}
	}
	return out
}
