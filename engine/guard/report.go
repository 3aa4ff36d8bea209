package guard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atoll/store/record"
)

// The kinds of a [Difference].
const (
	Output  = "output"  // another result, error, panic or text
	Ends    = "ends"    // the candidate does not come back: it exits, hangs or takes all memory
	Removed = "removed" // an exported name is gone
	Changed = "changed" // an exported name has another type, or begins with another value
	Beyond  = "beyond"  // the code does something to its process that the root's does not
	Nil     = "nil"     // nil in the place of an empty list or table, or the other way
	Kept    = "kept"    // JavaScript: the code keeps something between calls that the root's does not
	Layout  = "layout"  // JavaScript: a list in a field of an object holds the same in another order
)

// Difference is one function, method or command that behaves in another way.
type Difference struct {
	Where     string `json:"where"` // "strcase.ToSnake", "geo.Point.Add", "mod.func", or the command
	Kind      string `json:"kind"`
	Input     string `json:"input"`     // the smallest that was found
	Root      string `json:"root"`      // what the root gave
	Candidate string `json:"candidate"` // what the candidate gave
	Cases     int    `json:"cases"`     // inputs that told the two apart
	Of        int    `json:"of"`        // inputs that were compared

	group string // that a probe calls it; empty for what no probe asked
	own   bool   // its own code changed
	test  bool   // it is a test that was played
}

// String is the difference in one line: of long outputs the part that differs, and a long input behind them.
func (d Difference) String() string {
	if place, root, candidate, ok := inTest(d); ok {
		return Difference{Kind: d.Kind, Where: d.Where, Input: d.Input + ": " + place, Root: root, Candidate: candidate}.String()
	}
	root, candidate := apart(unlike(d.Root, d.Candidate))
	told, later := behind(d.Root, d.Candidate)
	switch {
	case d.Kind == Removed:
		return d.Where + " is gone"
	case d.Kind == Beyond || d.Kind == Kept:
		return d.Where + " " + d.Candidate
	case d.Kind == Changed:
		return fmt.Sprintf("%s was %s and is %s", d.Where, root, candidate)
	case later && isLong(d.Input):
		return fmt.Sprintf("%s %s on %s", d.Where, told, inLine(d.Input))
	case later:
		return d.Input + " " + told
	case isLong(d.Input):
		return fmt.Sprintf("%s %s and %s on %s", d.Where, answered(root), answers(candidate), inLine(d.Input))
	}
	return fmt.Sprintf("%s %s and %s", d.Input, answered(root), answers(candidate))
}

// doing are what outcomes that are no value begin with, and what they were.
var doing = map[string]string{"raises": "raised", "throws": "threw", "rejects": "rejected", "yields": "yielded"}

// answered says what the root did.
func answered(outcome string) string {
	verb, rest, _ := strings.Cut(outcome, " ")
	if past := doing[verb]; past != "" {
		return past + " " + rest
	}
	return "gave " + outcome
}

// answers says what a candidate does.
func answers(outcome string) string {
	verb, _, _ := strings.Cut(outcome, " ")
	if doing[verb] != "" {
		return outcome
	}
	return "gives " + outcome
}

// Key names a difference, so that one that a person accepted is known again:
// the same function, input and answer.
func (d Difference) Key() string {
	return strings.Join([]string{d.Kind, d.Where, d.Input, d.Candidate}, "\x00")
}

// Lines are neighbouring lines of a file, numbered from 1 in the candidate.
type Lines struct {
	File string `json:"file"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

func (l Lines) String() string {
	if l.From == l.To {
		return fmt.Sprintf("%s:%d", l.File, l.From)
	}
	return fmt.Sprintf("%s:%d-%d", l.File, l.From, l.To)
}

// Report is what a check found.
type Report struct {
	Functions   int          `json:"functions"`        // functions, methods and commands that were compared
	Tests       int          `json:"tests,omitempty"`  // tests that were played with other values
	Cases       int          `json:"cases"`            // inputs given to both
	Values      int          `json:"values,omitempty"` // exported constants and variables that were compared
	Unsteady    int          `json:"unsteady"`         // inputs on which the root does not agree with itself
	Differences []Difference `json:"differences,omitempty"`
	// Accepted are differences that may be.
	Accepted []Difference `json:"accepted,omitempty"`
	// Told are differences of kind [Nil], [Kept] and [Layout]. Most callers do not see them, so they hold
	// no candidate back; JSON and comparisons with nil, memory, and who looks into a field show them.
	Told []Difference `json:"told,omitempty"`
	// Unreached are changed lines of code that no test and no input ran.
	// Measured says that they were looked for.
	Unreached []Lines `json:"unreached,omitempty"`
	Measured  bool    `json:"measured"`
	// Layout says that no code changed but its comments and layout.
	Layout bool `json:"layout,omitempty"`
	// Open says that a function which was compared, and reaches what changed, takes values of any type: few
	// of those are made.
	Open bool `json:"open,omitempty"`
	// Notes say in plain sentences what was not compared, and why.
	Notes     []string `json:"notes,omitempty"`
	OutOfTime bool     `json:"out_of_time,omitempty"`
	// Unsure are inputs on which answers differed once, where the time was over before they were asked again.
	Unsure int    `json:"unsure,omitempty"`
	Cut    string `json:"cut,omitempty"` // what ended it before its end: [CutWork] or [CutTime]
	// Failed says why no input was given to both, where code changed that the guard compares: a probe did
	// not answer, or the time was over before. It is empty where there is nothing that the guard could compare.
	Failed string `json:"failed,omitempty"`
}

// Compared reports that something was, or that there is nothing to compare.
func (r *Report) Compared() bool {
	return r.Cases > 0 || (r.Values > 0 || r.Layout) && r.Failed == "" || !r.Same()
}

// fail notes that a part of what changed could not be compared.
func (r *Report) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.note("%s", text)
	if r.Failed == "" {
		r.Failed = text
	}
}

// Overdue reports that the time was over before anything was compared: with more of it, more may be.
func (r *Report) Overdue() bool {
	return r.Cases == 0 && r.Same() && (r.Failed == overdue || r.OutOfTime && r.Values == 0)
}

// overdue is why nothing was compared where the time was over.
const overdue = "the time for it was over before anything was"

// settle makes up whether the comparison came to nothing: what failed of it is no matter where other inputs were
// compared.
func (r *Report) settle() {
	switch {
	case r.Cases > 0:
		r.Failed = ""
	case r.OutOfTime:
		r.Failed = overdue
	}
}

// Same reports that no difference was found.
func (r *Report) Same() bool { return len(r.Differences) == 0 }

// Summary is the report in one line.
func (r *Report) Summary() string {
	switch {
	case len(r.Differences) == 1:
		return "behaves in another way: " + r.Differences[0].String()
	case len(r.Differences) > 1:
		return fmt.Sprintf("behaves in another way in %d places; %s", len(r.Differences), r.Differences[0])
	case r.Overdue():
		return "behaviour was not compared: " + overdue + "; a run with more time has more for it"
	case r.Cases == 0 && r.Failed != "":
		return "behaviour was not compared: " + r.Failed
	case r.Cases == 0 && r.Values > 0:
		return fmt.Sprintf("the %d exported constants and variables that can change are the root's; there was no function to compare", r.Values)
	case r.Cases == 0 && len(r.Notes) > 0:
		return "behaviour was not compared: " + r.Notes[0]
	case r.Cases == 0:
		return "behaviour was not compared"
	}
	text := "behaves as the root"
	if r.OutOfTime {
		text = "no difference was found"
	}
	if r.Unsure > 0 {
		text = "no difference is sure"
	}
	text += fmt.Sprintf(" on %s of %s", record.Plural(r.Cases, "input"), record.Plural(r.Functions, "function"))
	if r.Tests > 0 {
		text += " and " + record.Plural(r.Tests, "test")
	}
	if told := r.toldKinds(); told != "" {
		text += ", but for " + told
	}
	switch {
	case r.Cut == CutWork:
		text += "; its processor time was over before all was compared"
	case r.OutOfTime:
		text += "; the clock ended it before all was compared"
	}
	if r.Unsure > 0 {
		text += fmt.Sprintf(", and answers differed on %s that could not be asked again", record.Plural(r.Unsure, "input"))
	}
	return text
}

// toldKinds are in words what the differences that hold nothing back are of.
func (r *Report) toldKinds() string {
	var words []string
	for _, k := range []struct{ kind, words string }{{Nil, "nil and empty"}, {Layout, "the order of lists within objects"}, {Kept, "what it keeps between calls"}} {
		if slices.ContainsFunc(r.Told, func(d Difference) bool { return d.Kind == k.kind }) {
			words = append(words, k.words)
		}
	}
	return strings.Join(words, " and ")
}

func (r *Report) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// beyond notes that a file does something to its process that the root's does not.
func (r *Report) beyond(file, what string) {
	r.Differences = append(r.Differences, Difference{Where: file, Kind: Beyond, Input: file, Root: "does not", Candidate: what, Cases: 1, Of: 1})
}

// keeps notes that a file keeps something between calls that the root's does not, which no answer shows.
func (r *Report) keeps(file, what string) {
	r.Told = append(r.Told, Difference{Where: file, Kind: Kept, Input: file, Root: "does not", Candidate: what, Cases: 1, Of: 1})
}

// explains reports that an input contains a call that is known to differ by
// itself.
func (r *Report) explains(p pair, input string) bool {
	return slices.ContainsFunc(r.Differences, func(d Difference) bool {
		return d.Kind != Beyond && strings.HasPrefix(d.Where, p.name) && len(d.Input) < len(input) && calls(input, d.Where)
	})
}

// known are the groups of a pair that are known to differ.
func (r *Report) known(p pair) []string {
	var out []string
	for _, d := range r.Differences {
		if d.group != "" && d.Where == p.where(d.group) {
			out = append(out, d.group)
		}
	}
	return out
}

// calls reports that an input calls the function or method of a name.
func calls(input, where string) bool {
	name := where[strings.LastIndexByte(where, '.')+1:]
	for at := 0; ; {
		i := strings.Index(input[at:], name+"(")
		if i < 0 {
			return false
		}
		at += i
		if at == 0 || !isLetter(input[at-1]) {
			return true
		}
		at++
	}
}

func isLetter(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '"' || b == '\''
}

// reduce drops differences that only repeat a simpler one: their own code is the root's and their input
// calls what is known to differ, or their input is that of another one, to which both answer alike, such as a
// constructor that fails; or they are of tests, where a function is known to differ.
func (r *Report) reduce() {
	all := slices.Clone(r.Differences)
	said := map[[4]string]bool{}
	r.Differences = slices.DeleteFunc(r.Differences, func(d Difference) bool {
		what := [4]string{d.Kind, d.Input, d.Root, d.Candidate}
		if said[what] {
			return true
		}
		said[what] = true
		if d.test {
			return slices.ContainsFunc(all, func(o Difference) bool { return o.group != "" && !o.test })
		}
		return !d.own && slices.ContainsFunc(all, func(o Difference) bool {
			return o.Where != d.Where && o.Kind != Removed && o.Kind != Changed && o.Kind != Beyond && len(o.Input) < len(d.Input) && calls(d.Input, o.Where) && !calls(o.Input, d.Where)
		})
	})
}

// Where names what behaves in another way, each once.
func (r *Report) Where() []string {
	var out []string
	for _, d := range r.Differences {
		if !slices.Contains(out, d.Where) {
			out = append(out, d.Where)
		}
	}
	return out
}

// refused is the place of the first difference that may not be; -1: there is none.
func (r *Report) refused(accepted []string) int {
	return slices.IndexFunc(r.Differences, func(d Difference) bool { return !slices.Contains(accepted, d.Where) })
}

// accept takes out what may differ.
func (r *Report) accept(where []string) {
	r.Differences = slices.DeleteFunc(r.Differences, func(d Difference) bool {
		if slices.Contains(where, d.Where) {
			r.Accepted = append(r.Accepted, d)
			return true
		}
		return false
	})
	r.Told = slices.DeleteFunc(r.Told, func(d Difference) bool { return slices.Contains(where, d.Where) })
}

// sort puts what tells most first: what reads shortest, then by name.
func (r *Report) sort() {
	slices.SortStableFunc(r.Differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(len(a.String()), len(b.String())), strings.Compare(a.Where, b.Where))
	})
	slices.SortFunc(r.Unreached, func(a, b Lines) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.From, b.From))
	})
}

func rank(kind string) int {
	return slices.Index([]string{Beyond, Output, Ends, Changed, Removed}, kind)
}

// together joins line numbers to stretches.
func together(file string, lines []int) []Lines {
	slices.Sort(lines)
	var out []Lines
	for _, n := range slices.Compact(lines) {
		if len(out) > 0 && out[len(out)-1].To == n-1 {
			out[len(out)-1].To = n
			continue
		}
		out = append(out, Lines{file, n, n})
	}
	return out
}
