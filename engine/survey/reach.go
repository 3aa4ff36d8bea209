package survey

import (
	"fmt"
	"strings"
)

// reach is what the calls or benchmarks that are measured run of each file of the tree: how many lines of its functions,
// or statements, of how many. Where only the files are known in which functions are called the second number is 0, and others are missing.
type reach map[string][2]int

const (
	// mostReached is the share of the code from which on nothing is said of the rest.
	mostReached = 0.9
	// fewReached is the share below which a person should look at the scope.
	fewReached = 0.5
)

// of counts the lines of some files that are run, and all of them, and names the files of which nothing is.
func (r reach) of(files []string) (ran, all int, missed []string) {
	counted := false
	for _, n := range r {
		counted = counted || n[1] > 0
	}
	for _, f := range files {
		n, known := r[f]
		ran, all = ran+n[0], all+n[1]
		if n[0] == 0 && (known || !counted) {
			missed = append(missed, f)
		}
	}
	return ran, all, missed
}

// tellReach says how much of what candidates may change is run by what is measured, where that is not nearly all.
func (s *protection) tellReach() {
	if len(s.reach) == 0 {
		return
	}
	var files []string
	for _, f := range s.Lab.Files {
		if s.sources.has(f) && !covered(s.d.Protected, f) && (len(s.d.Scope) == 0 || covered(s.d.Scope, f)) {
			files = append(files, f)
		}
	}
	ran, all, missed := s.reach.of(files)
	share := float64(ran) / float64(max(1, all))
	who, what := "the calls", "lines of functions"
	if s.d.Adapter == "gobench" {
		who, what = "the benchmarks", "statements"
	}
	var parts []string
	if all > 0 && share < mostReached {
		parts = append(parts, fmt.Sprintf("run %.0f %% of the %s that candidates may change", 100*share, what))
	}
	if len(missed) > 0 {
		parts = append(parts, "reach nothing in "+someOf(missed, 8))
	}
	if len(parts) == 0 {
		return
	}
	text := fmt.Sprintf("%s that %s is made of %s: a change of what they do not run cannot be told to be better; take it out of gate.scope, or measure it too", who, s.m.Objective, strings.Join(parts, ", and "))
	if all > 0 && share < fewReached {
		text = "CHECK gate.scope: " + text
	}
	note(s.survey, text)
}
