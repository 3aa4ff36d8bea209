package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"atoll/engine/view"
)

//go:embed page.html.tmpl
var page string

//go:embed style.html.tmpl
var style string

// HTML writes the story as one file that needs nothing else: no script, no font,
// no picture and no request. It follows the reader's choice of light or dark and
// prints.
func HTML(w io.Writer, s *Story) error {
	charts, err := s.charts()
	if err != nil {
		return err
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"clean": view.CleanLine, "value": value, "signed": signed, "share": share, "money": money, "perGain": perGain,
		"number": view.FormatValue, "measured": measured(view.CleanLine), "axis": axisText, "diff": diffHTML, "add": func(a, b int) int { return a + b },
	}).Parse(style + page)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	return t.Execute(w, struct {
		*Story
		Charts []figure
		Map    template.HTML
	}{s, charts, s.drawMap()})
}

// diffHTML writes a change as coloured lines. Every text is escaped.
func diffHTML(p Patch) template.HTML {
	var b strings.Builder
	for _, f := range p.Files {
		fmt.Fprintf(&b, "<span class=\"file\">%s</span>\n", clean(f.Path))
		if f.Binary {
			b.WriteString("binary\n")
		}
		for _, h := range f.Hunks {
			if len(h.Lines) == 0 {
				continue
			}
			fmt.Fprintf(&b, "<span class=\"at\">@@ -%d,%d +%d,%d @@</span>\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
			for _, l := range h.Lines {
				switch l.Kind {
				case '+':
					fmt.Fprintf(&b, "<ins>+%s</ins>\n", clean(l.Text))
				case '-':
					fmt.Fprintf(&b, "<del>-%s</del>\n", clean(l.Text))
				default:
					fmt.Fprintf(&b, " %s\n", clean(l.Text))
				}
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return template.HTML("<pre class=\"diff\" tabindex=\"0\">" + b.String() + "</pre>") // escaped above, line by line
}

// clean is one line of foreign text, escaped. Tabs stay as wide as they are read.
func clean(text string) string {
	return template.HTMLEscapeString(view.CleanLine(strings.ReplaceAll(text, "\t", "    ")))
}
