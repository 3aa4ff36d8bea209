package audit

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
)

// ErrNoPlace: the tree has no such file or function, or it is one that is not measured.
// The text says what is near.
var ErrNoPlace = errors.New("there is no such place")

// Figure returns one number of a report: "complexity parse.go:Parse". Of several
// functions of one name it is the highest. A place that the report does not have is
// [ErrNoPlace]; other errors say what can be asked. Of a plug-in, which tells what is
// above its bound alone, any other place has 0.
func (r *Report) Figure(name string) (float64, error) {
	figure, place, _ := strings.Cut(name, " ")
	if strings.Contains(figure, "/") {
		for _, g := range r.Foreign {
			if g.Figure == name {
				return g.Value, nil
			}
		}
		return 0, nil
	}
	if figure == Behind {
		return r.behind(place)
	}
	file, fn, _ := strings.Cut(place, ":")
	switch figure {
	case Complexity, Cognitive, Length:
		if fn == "" {
			return 0, fmt.Errorf("%s is a figure of a function: write %s FILE:FUNCTION", figure, figure)
		}
	case Lines, Duplicated, Worst:
		if place == "all" {
			t := r.Totals()
			return float64(map[string]int{Lines: t.Lines, Duplicated: t.Duplicated, Worst: t.Complexity}[figure]), nil
		}
	case Maintainability, Covered:
	default:
		return 0, fmt.Errorf("the auditor has no figure %q; it has complexity, cognitive and length of FILE:FUNCTION, coverage of both, maintainability, lines, duplicated and worst of FILE (the last three also of all), behind of MANIFEST:DEPENDENCY", figure)
	}
	f := r.file(file)
	if f == nil {
		return 0, r.noFile(file)
	}
	if fn != "" && figure != Covered {
		v, ok := f.highest(figure, fn)
		if ok && v == 0 && figure == Complexity { // it is from 1
			return 0, fmt.Errorf("%w: %s is told not to be measured by gocyclo", ErrNoPlace, place)
		}
		if !ok {
			return 0, f.noFunction(fn)
		}
		return v, nil
	}
	return f.figure(figure, place, fn)
}

// file is a file of the report, or nil.
func (r *Report) file(name string) *File {
	if i, ok := slices.BinarySearchFunc(r.Files, name, func(f File, p string) int { return cmp.Compare(f.Path, p) }); ok {
		return &r.Files[i]
	}
	return nil
}

// units are the functions and classes of a file, those among them that no tool lists
// too.
func (f *File) units() []Function { return slices.Concat(f.Functions, f.Classes, f.literals) }

// of is the figure of a function of that name.
func (fn *Function) of(figure string) float64 {
	switch figure {
	case Cognitive:
		return float64(fn.Cognitive)
	case Length:
		return float64(fn.Lines)
	}
	return float64(fn.Cyclomatic)
}

func (f *File) highest(figure, fn string) (v float64, ok bool) {
	for _, g := range f.units() {
		if g.Name == fn {
			v, ok = max(v, g.of(figure)), true
		}
	}
	return v, ok
}

// figure is one of a whole file, or the coverage of one of its functions.
func (f *File) figure(figure, place, fn string) (float64, error) {
	switch figure {
	case Covered:
		return f.covered(place, fn)
	case Maintainability:
		return f.Maintainability, nil
	case Lines:
		return float64(f.Lines), nil
	case Duplicated:
		return float64(f.Duplicated), nil
	}
	worst := 0
	for _, g := range f.Functions {
		worst = max(worst, g.Cyclomatic)
	}
	return float64(worst), nil
}

// nearNames is how many names an error offers.
const nearNames = 5

func (f *File) noFunction(fn string) error {
	var names []string
	for _, g := range f.units() {
		names = append(names, g.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: %s has no function", ErrNoPlace, f.Path)
	}
	return fmt.Errorf("%w: %s has no function %s; it has %s", ErrNoPlace, f.Path, fn, near(fn, names))
}

func (r *Report) noFile(name string) error {
	if slices.Contains(r.Unread, name) {
		return fmt.Errorf("%w: %s cannot be read as source code", ErrNoPlace, name)
	}
	var names []string
	for i := range r.Files {
		names = append(names, r.Files[i].Path)
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: the auditor measures no file %s", ErrNoPlace, name)
	}
	return fmt.Errorf("%w: the auditor measures no file %s; it measures %s", ErrNoPlace, name, near(name, names))
}

// near lists the names that are most like one, best first.
func near(name string, among []string) string {
	base := func(s string) string { return strings.Trim(strings.ToLower(path.Base(s)), "()*") }
	want := base(name)
	differs := map[string]int{}
	for _, s := range among {
		differs[s] = -2 * common(base(s), want)
		if got := base(s); strings.Contains(got, want) || strings.Contains(want, got) {
			differs[s] -= len(want)
		}
	}
	list := slices.Compact(slices.Sorted(slices.Values(among)))
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(differs[a], differs[b]) })
	more := ""
	if n := len(list); n > nearNames {
		list, more = list[:nearNames], fmt.Sprintf(" and %d more", n-nearNames)
	}
	for i := range list {
		list[i] = clean.Line(list[i])
	}
	return strings.Join(list, ", ") + more
}

// common is how long two texts are the same from the beginning.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
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
