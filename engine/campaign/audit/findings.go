package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
)

// Bounds are what a healthy tree keeps within. The zero value of a field takes the
// default.
type Bounds struct {
	Complexity      int     // of a function; 0: 15
	Maintainability float64 // of a file, at least; 0: 10, which is rank B
	FunctionLines   int     // 0: 120
	FileLines       int     // 0: 1,000
	DuplicatedLines int     // of a file; 0: 60
	Coverage        float64 // percent of a file, at least, where a profile knows it; 0: none is asked for
}

func (b Bounds) filled() Bounds {
	b.Complexity = cmp.Or(b.Complexity, 15)
	b.Maintainability = cmp.Or(b.Maintainability, 10)
	b.FunctionLines = cmp.Or(b.FunctionLines, 120)
	b.FileLines = cmp.Or(b.FileLines, 1000)
	b.DuplicatedLines = cmp.Or(b.DuplicatedLines, 60)
	return b
}

// Measure is a figure that is beyond its bound.
type Measure struct {
	Figure string  `json:"figure"` // as [Report.Figure] reads it
	Value  float64 `json:"value"`
	Bound  float64 `json:"bound"`
}

// Finding is one place that is worse than the bounds: a function, or a file as a whole.
type Finding struct {
	Key      string `json:"key"` // the same for the same place in another commit
	Path     string `json:"path"`
	Function string `json:"function,omitempty"`
	Line     int    `json:"line,omitempty"`
	// Figure, Value and Bound are the first of Over.
	Figure   string    `json:"figure"` // as [Report.Figure] reads it
	Value    float64   `json:"value"`
	Bound    float64   `json:"bound"`
	Over     []Measure `json:"over"`     // every measure of the place that is beyond its bound
	Priority int       `json:"priority"` // 1 to 5, 5 first
	Text     string    `json:"text"`
	// Remedy mends it where a command is known that does; nil: somebody has to edit.
	Remedy *Remedy `json:"remedy,omitempty"`
}

// Remedy is a command that mends a finding, run by sh -c at the top of the tree without a
// network.
type Remedy struct {
	Command string   `json:"command"`
	Proof   string   `json:"proof"` // a command that ends with 0 where nothing broke
	Scope   []string `json:"scope"` // the files that it may change
}

// OutOfReach reports whether mending a finding takes a network: a newer release of a
// dependency is known, and its source does not lie here.
func (g *Finding) OutOfReach() bool {
	return strings.HasPrefix(g.Figure, Behind+" ") && g.Remedy == nil
}

// Findings lists what of a report is worse than the bounds, the urgent first: one
// finding for each function, with everything that is wrong with it, and one for each fault of
// a file as a whole. before is the report of an earlier commit, or nil: what became
// worse since counts more, what became better less.
func (r *Report) Findings(b Bounds, before *Report) []Finding {
	b = b.filled()
	var out []Finding
	for i := range r.Files {
		out = append(out, findingsOf(&r.Files[i], b, before)...)
	}
	for i := range r.Dependencies {
		if g, ok := staleFinding(&r.Dependencies[i]); ok {
			out = append(out, g)
		}
	}
	for _, g := range r.Foreign {
		g.Priority = min(5, max(1, g.Priority+trend(before, g)))
		g.Over = []Measure{{g.Figure, g.Value, g.Bound}}
		out = append(out, g)
	}
	slices.SortStableFunc(out, func(a, c Finding) int {
		return cmp.Or(cmp.Compare(c.Priority, a.Priority), cmp.Compare(c.Value/max(c.Bound, 1), a.Value/max(a.Bound, 1)), cmp.Compare(a.Key, c.Key))
	})
	return out
}

func findingsOf(f *File, b Bounds, before *Report) []Finding {
	var out []Finding
	over := 0
	for _, fn := range f.Functions {
		if fn.Cyclomatic > b.Complexity {
			over++
		}
	}
	for _, fn := range f.Functions {
		if g, ok := findingOf(f, fn, b, over, before); ok {
			out = append(out, g)
		}
	}
	whole := func(figure string, value, bound float64, format string, args ...any) {
		place := figure + " " + f.Path
		out = append(out, Finding{
			Key: "audit:" + figure + ":" + f.Path, Path: f.Path, Figure: place, Value: value, Bound: bound, Over: []Measure{{place, value, bound}}, Priority: 2,
			Text: "Refactor " + f.Path + " - " + fmt.Sprintf(format, args...),
		})
	}
	if f.Maintainability < b.Maintainability && len(out) == 0 {
		whole(Maintainability, f.Maintainability, b.Maintainability, "its maintainability is %.1f (rank %s), below %g", f.Maintainability, Rank(f.Maintainability), b.Maintainability)
	}
	if f.Lines > b.FileLines {
		whole(Lines, float64(f.Lines), float64(b.FileLines), "it has %d lines of code, above %d", f.Lines, b.FileLines)
	}
	if f.Coverage != nil && *f.Coverage < b.Coverage {
		whole(Covered, *f.Coverage, b.Coverage, "tests run %.0f %% of its lines, below %g %%", *f.Coverage, b.Coverage)
	}
	if f.Duplicated > b.DuplicatedLines {
		whole(Duplicated, float64(f.Duplicated), float64(b.DuplicatedLines), "%d of its lines stand elsewhere, too; above %d", f.Duplicated, b.DuplicatedLines)
	}
	return out
}

// findingOf is what is wrong with one function: with its complexity first, else with its
// length.
func findingOf(f *File, fn Function, b Bounds, over int, before *Report) (Finding, bool) {
	g := Finding{Path: f.Path, Function: fn.Name, Line: fn.Line, Priority: 2}
	var words []string
	for _, m := range []struct {
		figure       string
		value, bound int
		words        string
	}{
		{Complexity, fn.Cyclomatic, b.Complexity, "a complexity of %d, above %d"},
		{Length, fn.Lines, b.FunctionLines, "%d lines, above %d"},
	} {
		if m.value > m.bound {
			g.Over = append(g.Over, Measure{m.figure + " " + f.Path + ":" + fn.Name, float64(m.value), float64(m.bound)})
			words = append(words, fmt.Sprintf(m.words, m.value, m.bound))
		}
	}
	if len(g.Over) == 0 {
		return g, false
	}
	first := g.Over[0]
	g.Figure, g.Value, g.Bound, g.Key = first.Figure, first.Value, first.Bound, "audit:"+strings.Replace(first.Figure, " ", ":", 1)
	if fn.Cyclomatic > b.Complexity {
		g.Priority = priority(fn.Cyclomatic, f.Maintainability, over, trend(before, g))
	}
	g.Text = fmt.Sprintf("Refactor %s - %s has %s", f.Path, fn.Name, strings.Join(words, ", and "))
	return g, true
}

// trend is the sign of what changed since an earlier report.
func trend(before *Report, g Finding) int {
	if before == nil {
		return 0
	}
	was, err := before.Figure(g.Figure)
	switch {
	case err != nil || was == 0:
		return 0
	case g.Value > was:
		return 1
	case g.Value < was:
		return -1
	}
	return 0
}

// Rank is the letter of a maintainability: A above 19 and B above 9, as radon has
// them; below, C above 4, D above 0, F.
func Rank(mi float64) string {
	for i, least := range []float64{19, 9, 4, 0} {
		if mi > least {
			return "ABCD"[i : i+1]
		}
	}
	return "F"
}

// priority is 5 above a complexity of 30, 4 above 20, 3 above 15, else 2; then F +1, C
// and B -1, A -2 for the file's maintainability; +1 where more than five functions are
// too complex; +1 where it became worse and -1 where it became better; at least 1
// and at most 5.
func priority(cc int, mi float64, over, trend int) int {
	p := 2
	switch {
	case cc > 30:
		p = 5
	case cc > 20:
		p = 4
	case cc > 15:
		p = 3
	}
	p += map[string]int{"F": 1, "C": -1, "B": -1, "A": -2}[Rank(mi)]
	if over > 5 {
		p++
	}
	return min(5, max(1, p+trend))
}

// String is the finding as one line without control characters: PATH:LINE: text.
func (g Finding) String() string {
	var b strings.Builder
	b.WriteString(g.Path)
	if g.Line > 0 {
		fmt.Fprintf(&b, ":%d", g.Line)
	}
	fmt.Fprintf(&b, ": p%d %s", g.Priority, strings.TrimPrefix(strings.TrimPrefix(g.Text, "Refactor "+g.Path+" - "), "Raise "+g.Path+" - "))
	return clean.Line(b.String())
}
