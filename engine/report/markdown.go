package report

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/template"

	"atoll/engine/view"
	"atoll/store/record"
)

//go:embed report.md.tmpl
var document string

// Markdown writes the story without the map's changes and without drawings.
func Markdown(w io.Writer, s *Story) error {
	t, err := template.New("document").Funcs(template.FuncMap{
		"clean": plain, "value": value, "signed": signed, "share": share, "money": money, "perGain": perGain, "number": view.FormatValue,
		"diff": diffText, "axis": axisText, "measured": measured(plain),
	}).Parse(document)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	return t.Execute(w, s)
}

// plain is one line of foreign text that Markdown takes for text.
func plain(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "#", `\#`).Replace(view.CleanLine(text))
}

// diffText writes a change as a fenced block, longer than any fence within.
func diffText(p Patch) string {
	var b strings.Builder
	for _, f := range p.Files {
		fmt.Fprintf(&b, "--- %s\n", view.CleanLine(f.Path))
		for _, h := range f.Hunks {
			if len(h.Lines) == 0 {
				continue
			}
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
			for _, l := range h.Lines {
				fmt.Fprintf(&b, "%c%s\n", l.Kind, view.CleanLine(strings.ReplaceAll(l.Text, "\t", "    ")))
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	fence := "```"
	for strings.Contains(b.String(), fence) {
		fence += "`"
	}
	return fence + "diff\n" + b.String() + fence
}

// RootMetric is what the root has of a metric; nil: nothing.
func (s *Story) RootMetric(name string) *record.Metric {
	if s.Winner == nil || s.Winner.Root == nil {
		return nil
	}
	for i, m := range s.Winner.Root.Metrics {
		if m.Name == name {
			return &s.Winner.Root.Metrics[i]
		}
	}
	return nil
}

// measured returns what writes the value of a metric with its unit, which is foreign text.
func measured(clean func(string) string) func(record.Metric) string {
	return func(m record.Metric) string {
		return strings.TrimSpace(view.FormatValue(m.Value) + " " + clean(m.Unit))
	}
}

// Table is a titled list of yields.
type Table struct {
	Title string
	Rows  []view.Yield
}

// Yields titles a list for the page.
func (s *Story) Yields(title string, rows []view.Yield) Table {
	out := Table{Title: title}
	for _, y := range rows {
		if y.Tries > 0 {
			out.Rows = append(out.Rows, y)
		}
	}
	return out
}

// Lessons are the notes that count.
func (s *Story) Lessons() []record.Note {
	var out []record.Note
	for _, n := range s.Snap.Notes {
		if !n.Gone {
			out = append(out, n)
		}
	}
	return out
}
