package fold

import (
	"maps"
	"regexp"
	"sort"

	"atoll/engine/view"
	"atoll/store/record"
)

// figures are what differs between two failures of one kind.
var figures = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// failures are the groups of failures by class and shape of the reason.
type failures map[string]*failureGroup

// failureGroup is a group with when its jobs failed.
type failureGroup struct {
	view.FailureGroup
	when  course
	other bool // of those that are told together
}

// sample is the job that a group is told by, and what it failed for.
type sample struct {
	job    record.JobID
	reason string
}

// tellBy tells a group by another job.
func (g *failureGroup) tellBy(s sample) {
	if g.Sample = s.job; !g.other {
		g.Reason = s.reason
	}
}

// count groups failures by class and by reason without its figures. It returns the
// sample that the group had before.
func (f failures) count(job record.JobID, class record.Class, reason string) (before sample) {
	g := f.group(class, reason)
	if g == nil {
		g = &failureGroup{FailureGroup: view.FailureGroup{Class: class, Reason: reason, Cure: cure(class), Sample: record.NoJob}}
		key := keyOf(class, reason)
		if len(f) >= failureGroups {
			key, g.Reason, g.other = string(class), "other", true
		}
		f[key] = g
	}
	before = sample{g.Sample, g.Reason}
	g.Count++
	g.tellBy(sample{job, reason})
	g.when.add(int(job), 1)
	return before
}

// discount takes back a failure that was counted when the group had this sample.
func (f failures) discount(job record.JobID, class record.Class, reason string, before sample) {
	g := f.group(class, reason)
	if g == nil {
		return
	}
	g.Count--
	g.when.add(int(job), -1)
	if g.Sample == job {
		g.tellBy(before)
	}
	maps.DeleteFunc(f, func(_ string, have *failureGroup) bool { return have == g && g.Count == 0 })
}

func keyOf(class record.Class, reason string) string {
	return string(class) + "\x00" + figures.ReplaceAllString(reason, "N")
}

// group is the one that a failure belongs to, nil where there is none yet. When
// there are too many groups those to come are told together.
func (f failures) group(class record.Class, reason string) *failureGroup {
	if g := f[keyOf(class, reason)]; g != nil || len(f) < failureGroups {
		return g
	}
	return f[string(class)]
}

// failureGroups bounds the number of different reasons that are told apart.
const failureGroups = 200

// groups returns the groups, most frequent first; last is the newest job.
func (f failures) groups(last int) []view.FailureGroup {
	out := make([]view.FailureGroup, 0, len(f))
	for _, g := range f {
		told := g.FailureGroup
		told.Course = g.when.upTo(last)
		out = append(out, told)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Count != out[j].Count {
			return out[i].Count > out[j].Count
		}
		return out[i].Reason < out[j].Reason
	})
	return out
}

// cure says what a person could do about a class of failures.
func cure(class record.Class) string {
	switch class {
	case record.ClassBuild:
		return "use operators that keep the program whole (tune), or give the repair operator weight"
	case record.ClassTest:
		return "read a sample's evaluator output; state the broken rule under constraints"
	case record.ClassTimeout:
		return "raise evaluator.timeout, or add a quick stage that stops slow candidates"
	case record.ClassMemory:
		return "raise limits.memory"
	case record.ClassOutput:
		return "raise limits.output, or print less in the evaluator"
	case record.ClassCrash:
		return "read a sample's stderr"
	case record.ClassMetric:
		return "make the evaluator write a finite number for every metric"
	case record.ClassGate:
		return "widen gate.scope or tell agents the limits under constraints"
	case record.ClassSandbox:
		return "read the evidence: the candidate tried what the sandbox forbids"
	case record.ClassEvaluator:
		return "the evaluator fails on the root as well: mend it, then run --new"
	case record.ClassAgent:
		return "run doctor --deep to try the agent"
	case record.ClassNoChange:
		return "look whether gate.scope lets it change code; sharpen the goal, or lower the agent's weight"
	case record.ClassBudget:
		return "raise the budget of one job"
	}
	return ""
}
