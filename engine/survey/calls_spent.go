package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// uncompared are the functions of which no answer is compared.
func (s *callBench) uncompared() (names []string) {
	for _, f := range s.calls.Functions {
		if !slices.ContainsFunc(f.Calls, func(c call) bool { return c.Answer != nil }) {
			names = append(names, f.called())
		}
	}
	return names
}

// used are the classes of which methods are called.
func (s *callBench) used() (names []string) {
	for _, f := range s.calls.Functions {
		if slices.ContainsFunc(f.Calls, func(c call) bool { return len(c.Then) > 0 }) {
			names = append(names, f.called())
		}
	}
	return names
}

const (
	// leastMeasured is the share of the tests' time below which little of it is measured.
	leastMeasured = 0.1
	// slowed is how much longer code takes while its calls are recorded, about.
	slowed = 5
	// mostlyOwn is the share of the time of the tests from which on they themselves measure the code rather than
	// how they start.
	mostlyOwn = 0.25
)

// spending is in what tests spend the time that they spend in the repository.
type spending struct {
	measured float64  // share of what is measured
	seconds  float64  // in all, while calls are recorded
	rest     []string // what takes a good part and is not measured, with its share
}

// spent is what is known of that; nil where nothing is.
func (s *callBench) spent() *spending {
	all, measured := 0.0, 0.0
	var rest []string
	for name, t := range s.calls.Spent {
		all += t
		if slices.ContainsFunc(s.calls.Functions, func(f *calledOften) bool { return f.Name == name }) {
			measured += t
		} else if !slices.Contains(s.left, calledName(name)) {
			rest = append(rest, name)
		}
	}
	if all == 0 {
		return nil
	}
	slices.SortFunc(rest, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.calls.Spent[b], s.calls.Spent[a]), strings.Compare(a, b))
	})
	p := &spending{measured: measured / all, seconds: all}
	for _, name := range rest {
		if share := s.calls.Spent[name] / all; share >= negligible {
			p.rest = append(p.rest, fmt.Sprintf("%s %.0f %%", calledName(name), 100*share))
		}
	}
	return p
}

// told says what share is measured, and names what takes the rest.
func (p *spending) told() string {
	text := fmt.Sprintf("of the time that the tests spend in this repository %.0f %% is in what is measured", 100*p.measured)
	if len(p.rest) > 0 {
		text += "; no call could be made again of " + someOf(p.rest, 6)
	}
	return text
}

// few says why the tests themselves measure more than their calls that can be made again; "" where they do not.
func (s *callBench) few() string {
	p := s.spent()
	if p == nil || p.measured >= leastMeasured || len(s.m.Stages) == 0 || s.tests > slowTests || p.seconds/slowed < mostlyOwn*s.tests.Seconds() {
		return ""
	}
	return "no benchmark of calls of the tests: " + p.told()
}

// tellRest says in what the tests spend the rest of their time, where that is a good part.
func (s *callBench) tellRest() {
	p := s.spent()
	switch {
	case p == nil:
	case p.measured < leastMeasured:
		note(s.survey, "CHECK evaluator.command: "+p.told())
	case len(p.rest) > 0:
		note(s.survey, p.told())
	}
}
