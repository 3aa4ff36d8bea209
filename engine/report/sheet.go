package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"
)

// Sheet is a page of sentences, charts and tables in the look of the report.
type Sheet struct {
	Title   string
	Under   string // a line below the title
	Facts   []Fact
	Says    []string
	Charts  []Chart
	Tables  []Grid
	Again   string // the command that makes it again
	Program string
	Made    time.Time
}

// Grid is a table with a title. The first column is of words, and so are those that Words
// names; the others are of figures.
type Grid struct {
	Title string
	Heads []string
	Words []int
	Rows  [][]string
	Below string
}

// Figures reports whether a column is of figures.
func (g Grid) Figures(column int) bool {
	for _, w := range g.Words {
		if w == column {
			return false
		}
	}
	return column > 0
}

//go:embed sheet.html.tmpl
var sheet string

// HTML writes it as one file that needs nothing else.
func (s *Sheet) HTML(w io.Writer) error {
	var figures []figure
	for _, c := range s.Charts {
		svg, err := drawChart(c)
		if err != nil {
			return fmt.Errorf("draw %q: %w", c.Title, err)
		}
		if svg != "" {
			figures = append(figures, figure{Title: c.Title, SVG: svg})
		}
	}
	t, err := template.New("sheet").Parse(style + sheet)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	return t.Execute(w, struct {
		*Sheet
		Figures []figure
	}{s, figures})
}
