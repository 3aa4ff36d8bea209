package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"atoll/engine/agent/offline/language"
)

// Source is one file of the tree.
type Source struct {
	Path string // with slashes, relative to the top of the tree
	Data []byte
}

// Function is a function or method. Its name is as Go's tools write it,
// "(*Parser).Next", and elsewhere with its class, "Parser.next".
type Function struct {
	Name       string `json:"name"`
	Line       int    `json:"line"` // from 1
	Lines      int    `json:"lines"`
	Cyclomatic int    `json:"cyclomatic"`          // from 1; 0: //gocyclo:ignore stands above it
	Cognitive  int    `json:"cognitive,omitempty"` // Go only; 0 also where //gocognit:ignore stands above it
	// Coverage is the percentage of its lines that the tests ran; nil: not known.
	Coverage *float64 `json:"coverage,omitempty"`
}

// File is one file that was measured.
type File struct {
	Path            string     `json:"path"`
	Language        string     `json:"language"`
	Lines           int        `json:"lines"` // that are not empty and hold more than a comment
	Maintainability float64    `json:"maintainability"`
	Functions       []Function `json:"functions,omitempty"`
	Classes         []Function `json:"classes,omitempty"`    // Python only; they are no part of sums, and no findings
	Duplicated      int        `json:"duplicated,omitempty"` // lines that stand elsewhere, too
	Coverage        *float64   `json:"coverage,omitempty"`   // as of a function
}

// Report is what a tree came to. Files are sorted by path.
type Report struct {
	Files   []File
	Skipped int       // files that are no source code, tests, or written by tools
	Foreign []Finding // of plug-ins, with their name and a rule as figure: todo-finder/todo PATH
}

// Totals are the figures of a whole tree.
type Totals struct {
	Files      int     `json:"files"`
	Lines      int     `json:"lines"`
	Functions  int     `json:"functions"`
	Complexity int     `json:"complexity"` // of the most complex function
	Mean       float64 `json:"mean"`       // cyclomatic complexity of functions
	Duplicated int     `json:"duplicated"` // lines
}

// Run measures the files of a tree.
func Run(sources []Source) Report {
	var r Report
	var lines []significant
	for _, s := range sources {
		f, own, ok := measure(s)
		if !ok {
			r.Skipped++
			continue
		}
		for _, l := range own {
			lines = append(lines, significant{file: len(r.Files), text: l})
		}
		r.Files = append(r.Files, f)
	}
	for file, n := range duplicated(lines, len(r.Files)) {
		r.Files[file].Duplicated = n
	}
	slices.SortFunc(r.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return r
}

// Reads reports whether a file of this name is source code that is measured.
func Reads(path string) bool {
	l := language.Of(path)
	return l != nil && hasFunctions(l) && !language.IsTest(path) && !language.SkippedDir(path)
}

// measure returns a file's figures and its lines without white space around them.
func measure(s Source) (File, []string, bool) {
	l := language.Of(s.Path)
	if !Reads(s.Path) || language.LooksGenerated(s.Data) {
		return File{}, nil, false
	}
	toks := language.Lex(s.Data, l)
	f := File{Path: s.Path, Language: l.Name}
	var lines []string
	f.Lines, lines = codeLines(s.Data, toks)
	switch {
	case l.Name == "go":
		fns, err := goFunctions(s)
		if err != nil {
			return File{}, nil, false
		}
		f.Functions = fns
	case l.Name == "python":
		f.Functions, f.Classes = pythonFunctions(s, l, toks)
	default:
		f.Functions = otherFunctions(s, l, toks)
	}
	f.Maintainability = maintainability(s.Data, toks, f)
	return f, lines, true
}

func hasFunctions(l *language.Language) bool {
	switch l.Layout {
	case language.LayoutBrace, language.LayoutIndent, language.LayoutLines:
		return true
	}
	return false
}

// codeLines counts the lines that hold a token, and returns them trimmed.
func codeLines(src []byte, toks []language.Token) (int, []string) {
	var out []string
	last := -1
	for _, t := range toks {
		if t.Line == last {
			continue
		}
		last = t.Line
		lo := language.LineStart(src, t.Start)
		out = append(out, strings.TrimSpace(string(src[lo:language.LineEnd(src, t.Start)])))
	}
	return len(out), out
}

// maintainability is the index of a file, 0 to 100.
func maintainability(src []byte, toks []language.Token, f File) float64 {
	if f.Lines == 0 {
		return 100
	}
	kinds := map[string]bool{}
	for _, t := range toks {
		kinds[t.Text(src)] = true
	}
	volume := float64(len(toks)) * math.Log2(float64(max(len(kinds), 2)))
	cc := 0
	for _, fn := range f.Functions {
		cc += fn.Cyclomatic
	}
	mi := 171 - 5.2*math.Log(volume) - 0.23*float64(cc) - 16.2*math.Log(float64(f.Lines))
	return min(100, max(0, mi*100/171))
}

// Totals sums a report up.
func (r *Report) Totals() Totals {
	t := Totals{Files: len(r.Files)}
	sum, counted := 0, 0
	for i := range r.Files {
		f := &r.Files[i]
		t.Lines += f.Lines
		t.Duplicated += f.Duplicated
		t.Functions += len(f.Functions)
		for _, fn := range f.Functions {
			sum += fn.Cyclomatic
			counted += min(fn.Cyclomatic, 1)
			t.Complexity = max(t.Complexity, fn.Cyclomatic)
		}
	}
	t.Mean = float64(sum) / float64(max(counted, 1))
	return t
}

// The figures that [Report.Figure] knows.
const (
	Complexity      = "complexity"      // cyclomatic, of a function or a Python class FILE:NAME
	Cognitive       = "cognitive"       // of a Go function FILE:NAME
	Length          = "length"          // lines of a function FILE:NAME
	Maintainability = "maintainability" // of a FILE, 0 to 100
	Lines           = "lines"           // of a FILE, or of the whole tree: all
	Duplicated      = "duplicated"      // lines of a FILE, or of the whole tree: all
	Covered         = "coverage"        // percent of the lines of a FILE or FILE:NAME that the tests ran
	Worst           = "worst"           // the highest complexity of a FILE, or of the whole tree: all
)

// Figure returns one number of a report: "complexity parse.go:Parse". A function or
// file that is gone has complexity and lines of 0, and a maintainability of 100.
// The error says what can be asked.
func (r *Report) Figure(name string) (float64, error) {
	figure, place, _ := strings.Cut(name, " ")
	path, fn, _ := strings.Cut(place, ":")
	i, found := slices.BinarySearchFunc(r.Files, path, func(f File, p string) int { return cmp.Compare(f.Path, p) })
	var f File
	if found {
		f = r.Files[i]
	}
	t := r.Totals()
	if strings.Contains(figure, "/") { // of a plug-in, which tells what is above its bound alone
		for _, g := range r.Foreign {
			if g.Figure == name {
				return g.Value, nil
			}
		}
		return 0, nil
	}
	switch figure {
	case Covered:
		return f.covered(place, fn)
	case Complexity, Cognitive, Length:
		if fn == "" {
			return 0, fmt.Errorf("%s is a figure of a function: write %s FILE:FUNCTION", figure, figure)
		}
		for _, g := range slices.Concat(f.Functions, f.Classes) {
			if g.Name == fn {
				return float64(map[string]int{Complexity: g.Cyclomatic, Cognitive: g.Cognitive, Length: g.Lines}[figure]), nil
			}
		}
		return 0, nil
	case Maintainability:
		if !found {
			return 100, nil
		}
		return f.Maintainability, nil
	case Lines, Duplicated, Worst:
		if path == "all" {
			return float64(map[string]int{Lines: t.Lines, Duplicated: t.Duplicated, Worst: t.Complexity}[figure]), nil
		}
		worst := 0
		for _, g := range f.Functions {
			worst = max(worst, g.Cyclomatic)
		}
		return float64(map[string]int{Lines: f.Lines, Duplicated: f.Duplicated, Worst: worst}[figure]), nil
	}
	return 0, fmt.Errorf("the auditor has no figure %q; it has complexity, cognitive and length of FILE:FUNCTION, coverage of both, maintainability, lines, duplicated and worst of FILE (the last three also of all)", figure)
}

// covered is the coverage of a file, or of one of its functions.
func (f *File) covered(place, fn string) (float64, error) {
	share := f.Coverage
	if fn != "" {
		share = nil
		for _, g := range f.Functions {
			if g.Name == fn {
				share = g.Coverage
			}
		}
	}
	if share == nil {
		return 0, fmt.Errorf("the coverage of %s is not known: no profile of a test tool names it", place)
	}
	return *share, nil
}
