package memory

import (
	"fmt"
	"sort"
	"strings"

	"atoll/store/record"
)

// The kinds of notes.
const (
	Short     = "short"
	Long      = "long"
	FailureOf = "failure"
	Direction = "direction"
)

// The authors of notes that no person wrote.
const (
	AuthorDigest    = "digest"
	AuthorReflector = "reflector"
	AuthorCampaign  = "campaign" // what earlier tasks came to; commands and candidates may have worded parts of it
)

// noteRunes bounds the text of a note.
const noteRunes = 400

// digestFailures is how many ways of failing a digest tells, and minFailures
// how often one must have been met in the epoch.
const (
	digestFailures = 4
	minFailures    = 2
)

// Digest writes the notes of an epoch without a model: what moved, what gained
// most so far by target, what failed again and again, and, when the best
// stands still, what could move it. The same facts give the same notes. Their
// ID is 0: [Merge] says which of them replace older ones.
func Digest(f EpochFacts) []record.Note {
	if f.Jobs == 0 {
		return nil
	}
	notes := []record.Note{f.summary()}
	notes = append(notes, f.gains()...)
	notes = append(notes, f.pitfalls()...)
	if n, ok := f.plateau(); ok {
		notes = append(notes, n)
	}
	return notes
}

func note(kind, target, text string) record.Note {
	return record.Note{Kind: kind, Target: target, Text: clip(text, noteRunes), Author: AuthorDigest}
}

// summary is the short-term note: best, operators, best gains.
func (f *EpochFacts) summary() record.Note {
	var b strings.Builder
	fmt.Fprintf(&b, "Jobs %d to %d: ", f.From, f.To)
	better := "Better than their parent: "
	if f.BestTold != nil {
		fmt.Fprintf(&b, "best %s is %s. ", f.name(), f.bestNow())
		better = "Better than their parent by the samples that decided: "
	} else if f.better(f.Best, f.BestBefore) {
		fmt.Fprintf(&b, "best %s from %s to %s (%s). ", f.name(), number(f.BestBefore), number(f.Best), f.BestID)
	} else {
		fmt.Fprintf(&b, "best %s stayed at %s (%s). ", f.name(), number(f.Best), f.BestID)
	}
	var yields []string
	for _, t := range byYield(f.Operators) {
		yields = append(yields, fmt.Sprintf("%s %d/%d", t.Name, t.Better, t.Jobs))
	}
	if len(yields) > 0 {
		b.WriteString(better + strings.Join(yields, ", ") + ". ")
	}
	for i, x := range f.Improvements {
		if i == 2 {
			break
		}
		x.Files = nil
		b.WriteString(clip(gainLine(x), 120) + ". ")
	}
	return note(Short, "", b.String())
}

func (f *EpochFacts) name() string {
	if f.Metric == "" {
		return "objective"
	}
	return f.Metric
}

// byYield sorts by the share of jobs that were better, then by name.
func byYield(list []Tally) []Tally {
	out := append([]Tally(nil), list...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Better*out[j].Jobs > out[j].Better*out[i].Jobs })
	return out
}

// gains is the long-term note of each target: what gained most in the whole
// run. A later one replaces it.
func (f *EpochFacts) gains() []record.Note {
	byTarget := map[string][]string{}
	if f.BestTold != nil {
		for _, x := range f.Pool { // what was told earlier may not hold any more
			byTarget[x.Target] = nil
		}
	}
	for _, x := range f.Ever {
		if len(byTarget[x.Target]) < 3 {
			bare := x
			bare.Target = ""
			byTarget[x.Target] = append(byTarget[x.Target], clip(gainLine(bare), 110))
		}
	}
	targets := make([]string, 0, len(byTarget))
	for t := range byTarget {
		targets = append(targets, t)
	}
	sort.Strings(targets)
	var out []record.Note
	for _, t := range targets {
		if len(byTarget[t]) == 0 {
			out = append(out, note(Long, t, "Largest gains so far: none that samples which did not decide confirm"))
			continue
		}
		out = append(out, note(Long, t, "Largest gains so far: "+strings.Join(byTarget[t], "; ")))
	}
	return out
}

// pitfalls are the ways of failing that were met more than once.
func (f *EpochFacts) pitfalls() []record.Note {
	var out []record.Note
	for _, x := range f.Failures {
		if x.Count < minFailures || len(out) == digestFailures {
			break
		}
		text := fmt.Sprintf("%s, %d of %d jobs up to job %d: %s", x.Class, x.Count, f.Jobs, f.To, clip(x.Reason, 160))
		if s := lastLines(x.Sample, 2); s != "" {
			text += "; for example " + clip(s, 160)
		}
		out = append(out, note(FailureOf, x.Target, text))
	}
	return out
}

// plateau is a direction where the best has stood still for two epochs.
func (f *EpochFacts) plateau() (record.Note, bool) {
	if f.Stale < 2 {
		return record.Note{}, false
	}
	stood := number(f.Best)
	if f.BestTold != nil {
		stood = f.bestNow()
	}
	text := fmt.Sprintf("The best %s has stood at %s for %s: small steps from it seem used up; try another structure, a rewrite, or a version that is worse now but different.", f.name(), stood, record.Plural(f.Stale, "epoch"))
	if y := byYield(f.Operators); len(y) > 0 && y[0].Better > 0 && f.BestTold == nil {
		text += fmt.Sprintf(" %s still finds improvements (%d of %d).", y[0].Name, y[0].Better, y[0].Jobs)
	}
	return note(Direction, "", text), true
}
