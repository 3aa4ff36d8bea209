package audit

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"atoll/engine/agent/offline/language"
	"atoll/engine/campaign/fresh"
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

	literals []Function // of Go variables, which no tool lists; for [Judge]
}

// Report is what a tree came to. Files are sorted by path.
type Report struct {
	Files   []File
	Skipped int       // files that are no source code, tests, or written by tools
	Foreign []Finding // of plug-ins, with their name and a rule as figure: todo-finder/todo PATH
	Plugged []string  // the plug-ins that looked, by name
	Unread  []string  // source files that could not be measured, such as Go that does not parse; among Skipped
	Marks   Marks     // that the tree has, whether or not they counted

	// Dependencies are those of the tree's manifests, by manifest and name, where they were
	// looked at; Unreadable are the manifests that could not be read, with the reason.
	Dependencies []fresh.Dependency
	Unreadable   []string
}

// Marks are what a tree tells tools of itself: which files are generated ("generated
// FILE"), and which functions gocyclo and gocognit shall ignore ("gocyclo FILE:NAME").
type Marks map[string]bool

// Totals are the figures of a whole tree.
type Totals struct {
	Files      int     `json:"files"`
	Lines      int     `json:"lines"`
	Functions  int     `json:"functions"`
	Complexity int     `json:"complexity"` // of the most complex function
	Mean       float64 `json:"mean"`       // cyclomatic complexity of functions
	Duplicated int     `json:"duplicated"` // lines
}

// Run measures the files of a tree as the tools of its languages do: what the tree
// marks as generated or to be ignored is passed over.
func Run(sources []Source) Report { return run(sources, MeasureOwn) }

// RunBy measures the files of a tree in which only some marks count: those of the tree
// that it grew out of.
func RunBy(marks Marks, sources []Source) Report {
	return run(sources, func(s Source) *Piece { return MeasureFile(marks, s) })
}

func run(sources []Source, measure func(Source) *Piece) Report {
	pieces := make([]*Piece, len(sources))
	for i, s := range sources {
		pieces[i] = measure(s)
	}
	return Join(pieces)
}

// Piece is one file that was measured by itself. It does not change; many make a report by
// [Join], so that of a tree that changed in a file only that one is measured again.
type Piece struct {
	file  File
	lines []string // with code, without white space around them
	marks []string
	err   error
}

// MeasureFile measures one file, in which only some marks count, as for [RunBy].
func MeasureFile(marks Marks, s Source) *Piece {
	return measured(s, func(mark string) bool { return marks[mark] })
}

// MeasureOwn measures one file, in which its own marks count, as for [Run].
func MeasureOwn(s Source) *Piece { return measured(s, func(string) bool { return true }) }

// Unmeasured is a source file that cannot be read, such as one that is too large.
func Unmeasured(path string) *Piece { return &Piece{file: File{Path: path}, err: errUnread} }

func measured(s Source, counts func(mark string) bool) *Piece {
	p := &Piece{}
	p.file, p.lines, p.err = measure(s, func(mark string) bool {
		p.marks = append(p.marks, mark)
		return counts(mark)
	})
	p.file.Path = s.Path
	return p
}

// Join makes the report of a tree of its files.
func Join(pieces []*Piece) Report {
	r := Report{Marks: Marks{}}
	var lines []significant
	for _, p := range pieces {
		for _, mark := range p.marks {
			r.Marks[mark] = true
		}
		if errors.Is(p.err, errUnread) {
			r.Unread = append(r.Unread, p.file.Path)
		}
		if p.err != nil {
			r.Skipped++
			continue
		}
		for _, l := range p.lines {
			lines = append(lines, significant{file: len(r.Files), text: l})
		}
		r.Files = append(r.Files, p.file)
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
	return l != nil && hasFunctions(l) && !language.IsTest(path) && !language.SkippedDir(path) && !strings.HasSuffix(path, ".pyi")
}

// Why a file has no figures.
var (
	errPassedOver = errors.New("no source code, a test, or written by a tool")
	errUnread     = errors.New("it cannot be read")
)

// measure returns a file's figures and its lines without white space around them. keep
// says which marks count.
func measure(s Source, keep func(mark string) bool) (File, []string, error) {
	l := language.Of(s.Path)
	if !Reads(s.Path) || language.LooksGenerated(s.Data) && keep("generated "+s.Path) {
		return File{}, nil, errPassedOver
	}
	toks := language.Lex(s.Data, l)
	f := File{Path: s.Path, Language: l.Name}
	var lines []string
	f.Lines, lines = codeLines(s.Data, toks)
	switch {
	case l.Name == "go":
		fns, literals, err := goFunctions(s, keep)
		if err != nil {
			return File{}, nil, errUnread
		}
		f.Functions, f.literals = fns, literals
	case l.Name == "python":
		f.Functions, f.Classes = pythonFunctions(s, l, toks)
	default:
		f.Functions = otherFunctions(s, l, toks)
	}
	f.Maintainability = maintainability(s.Data, toks, f)
	return f, lines, nil
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
	Behind          = "behind"          // releases known that are newer than what MANIFEST:DEPENDENCY has
)
