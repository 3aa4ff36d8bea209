package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/fleet/wire"
	"atoll/engine/view"
)

// need is a label that a machine must have to measure, and who asks for it.
type need struct{ label, by string }

// needsOf are the labels that an evaluator asks for: one machine runs all stages of a
// sample, so what one of them needs all do.
func needsOf(e config.Evaluator) []need {
	var out []need
	for _, label := range e.Needs {
		out = append(out, need{label, "the evaluator"})
	}
	for i, s := range e.Stages {
		for _, label := range s.Needs {
			out = append(out, need{label, "stage " + cmp.Or(s.Name, fmt.Sprint(i+1))})
		}
	}
	return out
}

// unfit says why a machine cannot measure with an evaluator, and what would help; "" where
// it can. Its system and processor are labels that nobody need give.
func unfit(e config.Evaluator, h *wire.Hello) (why, help string) {
	if e.Pool != "" && h.Pool != e.Pool {
		return fmt.Sprintf("the evaluator measures in pool %s, and it is of pool %s", e.Pool, h.Pool),
			fmt.Sprintf("invite it with --pool %s, or start its worker with that where it joins by a URL", e.Pool)
	}
	for _, n := range needsOf(e) {
		name, value := config.CutLabel(n.label)
		has, given := h.Labels[name]
		switch {
		case given:
		case name == "os":
			has = h.OS
		case name == "arch":
			has = h.Arch
		}
		if has != value {
			return n.by + " needs " + n.label + ", which it does not have", "start its worker with --label " + n.label + " where it does"
		}
	}
	return "", ""
}

// unfit says why a machine cannot measure for a run; none asks for nothing.
func (s *session) unfit(h *wire.Hello) (why, help string) {
	if s == nil {
		return "", ""
	}
	return unfit(s.job.Config.Evaluator, h)
}

// maxUnfit bounds of how many machines it is remembered that they cannot measure.
const maxUnfit = 100

// notFit notes a machine that cannot measure for the run.
func (f *flow) notFit(name, why string) {
	if len(f.refusedFor) < maxUnfit {
		f.refusedFor[name] = why
	}
}

// maxReasons is how many reasons for which nobody measures are told.
const maxReasons = 3

// nobody says who could take the samples that wait while there is not one slot.
func (f *flow) nobody(samples int, machines map[string]*machine) string {
	told := "no slot for " + view.Plural(samples, "sample")
	if len(machines) == 0 && len(f.refusedFor) == 0 {
		return told + ": no machine has joined; `atoll fleet invite NAME` prints the line that lets one join"
	}
	why := map[string]string{}
	for name, m := range machines {
		if !m.serves() || m.check.held {
			if why[name] = m.standing(0); m.aside != "" {
				why[name] = "set aside, since " + m.aside
			}
		}
	}
	maps.Copy(why, f.refusedFor)
	told += ": no machine can measure"
	names := slices.Sorted(maps.Keys(why))
	for n := 0; len(names) > 0; n++ { // machines that lack the same are told together
		if n == maxReasons {
			return told + fmt.Sprintf("; `atoll fleet` says why %d more cannot", len(names))
		}
		reason := why[names[0]]
		alike := func(name string) bool { return why[name] == reason }
		same := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !alike(name) })
		who := strings.Join(same[:min(len(same), 6)], ", ")
		if more := len(same) - 6; more > 0 {
			who += fmt.Sprintf(" and %d more", more)
		}
		told += fmt.Sprintf("; %s: %s", who, reason)
		names = slices.DeleteFunc(names, alike)
	}
	return told
}
