package view

import (
	"fmt"
	"math"
	"strings"

	"atoll/engine/evidence"
	"atoll/store/record"
)

// Front is who is best in a way of its own: on the Pareto front of the objective and of what
// counts beside it, or in one of the cases. It is empty where nothing counts beside the objective.
type Front struct {
	Objectives    []FrontObjective // beside the objective
	Cases         []string         // metrics of the root
	CaseDirection string
	Root          []float64     // beside the objective, NaN = it has none
	Members       []FrontMember // by the objective, the best first
}

// FrontObjective is a metric that counts beside the objective.
type FrontObjective struct {
	Metric    string
	Direction string
	Step      float64 // 0 = values are compared as they are
}

// FrontMember is one candidate of a front.
type FrontMember struct {
	ID        record.CandidateID
	Objective float64         // of the samples that decided
	Claim     *evidence.Claim // of samples that decided nothing; nil where there are none, or nothing varies
	Samples   int             // that decided
	Values    []float64       // beside the objective, of the sample in the middle; NaN = not measured
	On        bool            // no other is at least as good in everything
	Leads     []FrontCase     // the cases in which none is better
	Cell      int             // -1 = it lies nowhere
	Holds     bool            // its niche
	Frozen    bool
	Intent    string
}

// FrontCase is a case that a candidate leads.
type FrontCase struct {
	Case  int // of [Front.Cases]
	Value float64
}

// Kept reports whether anything counts beside the objective.
func (f *Front) Kept() bool { return len(f.Objectives)+len(f.Cases) > 0 }

// Beside writes the value of a member in one of the objectives, with what it is more or
// less than the root's: "12.1 (-35 %)".
func (f *Front) Beside(m *FrontMember, objective int) string {
	v, root := m.Values[objective], f.Root[objective]
	switch {
	case math.IsNaN(v):
		return "-"
	case m.ID == record.Root || root == 0 || math.IsNaN(root) || v == root:
		return FormatValue(v)
	}
	return fmt.Sprintf("%s (%+.3g %%)", FormatValue(v), 100*(v-root)/math.Abs(root))
}

// LeadText names the cases that a member leads, some of them, as the evaluator wrote them.
func (f *Front) LeadText(m *FrontMember, most int) string {
	var names []string
	for _, c := range m.Leads[:min(len(m.Leads), most)] {
		names = append(names, f.Cases[c.Case])
	}
	switch more := len(m.Leads) - most; {
	case len(m.Leads) == 0:
		return "-"
	case more > 0:
		return fmt.Sprintf("%d of %d: %s, ...", len(m.Leads), len(f.Cases), strings.Join(names, ", "))
	}
	return strings.Join(names, ", ")
}

// On is how many candidates no other is at least as good as in everything.
func (f *Front) On() (n int) {
	for i := range f.Members {
		if f.Members[i].On {
			n++
		}
	}
	return n
}

// noFront is said where there is no front.
const noFront = "Nothing counts beside the objective, so there is no front: name metrics in front.objectives or front.cases of atoll.yaml."

// FrontSentence says what a front is made of, or why there is none.
func FrontSentence(f *Front, objective, direction string) string {
	if !f.Kept() {
		return noFront
	}
	way := func(metric, direction string) string {
		if direction == "minimize" {
			return CleanLine(metric) + " (less is better)"
		}
		return CleanLine(metric) + " (more is better)"
	}
	if objective == "" {
		objective = "the objective"
	}
	var out []string
	if len(f.Objectives) > 0 {
		names := []string{way(objective, direction)}
		for _, o := range f.Objectives {
			names = append(names, way(o.Metric, o.Direction))
		}
		out = append(out, fmt.Sprintf("%s on the front of %s.", Plural(f.On(), "candidate"), strings.Join(names, ", ")))
	}
	if len(f.Cases) > 0 {
		leaders := 0
		for i := range f.Members {
			leaders += min(1, len(f.Members[i].Leads))
		}
		out = append(out, fmt.Sprintf("%s led by %s.", Plural(len(f.Cases), "case"), Plural(leaders, "candidate")))
	}
	return strings.Join(out, " ")
}
