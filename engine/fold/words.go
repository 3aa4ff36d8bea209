package fold

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atoll/store/record"
)

// DecisionText says in a few words what a decision does, with niches named as on
// the map. One that takes another back, or does it again, is told by what it
// leaves behind: "c12 waits again".
func (a *standings) DecisionText(d record.Decision) string {
	if d.Undoes != 0 {
		if text := backText(d, []string{a.nameOf(d)}); text != "" {
			return text
		}
	}
	text := string(d.Verb)
	if goneNote(d) {
		text = "drop the note"
	}
	if name := a.nameOf(d); name != "" {
		text += " " + name
	}
	if d.Verb == record.Boost {
		text += fmt.Sprintf(" x%.3g", d.Value)
	}
	if d.Text != "" && !isTarget(d) {
		text += ": " + d.Text
	}
	return text
}

// PausedBy is why an experiment is paused that a person paused.
func PausedBy(who string) string { return "paused by " + who }

// StepText says in a few words what decisions that are one step of undo or redo
// leave behind: "c1, c2, c3 wait again".
func (a *standings) StepText(step []record.Decision) string {
	var texts []string
	for i := 0; i < len(step); {
		d, names := step[i], []string{a.nameOf(step[i])}
		for i++; i < len(step) && alike(d, step[i]); i++ {
			names = append(names, a.nameOf(step[i]))
		}
		text := backText(d, names)
		if text == "" {
			text = a.DecisionText(d)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func alike(a, b record.Decision) bool {
	return a.Verb == b.Verb && a.Value == b.Value && a.Verb != record.Set && (a.Candidate < 0) == (b.Candidate < 0)
}

// nameOf names what a decision is about, "" for the experiment.
func (a *standings) nameOf(d record.Decision) string {
	switch {
	case d.Verb == record.Boost && d.Cell >= 0:
		return "niche " + a.CellName(d.Cell)
	case d.Candidate != record.NoCandidate:
		return d.Candidate.String()
	case d.Job != record.NoJob:
		return d.Job.String()
	case d.Cell >= 0:
		return "niche " + a.CellName(d.Cell)
	case isTarget(d):
		return d.Text
	}
	return ""
}

// goneNote reports whether a decision drops a note.
func goneNote(d record.Decision) bool {
	var n record.Note
	return d.Verb == record.WriteNote && json.Unmarshal(d.Args, &n) == nil && n.Gone
}

// isTarget reports whether a decision is about a target, which it names by its
// text.
func isTarget(d record.Decision) bool {
	switch d.Verb {
	case record.Freeze, record.Release, record.Boost:
		return d.Candidate == record.NoCandidate && d.Cell < 0
	}
	return false
}

// backText tells what taking decisions of one kind back, or doing them again,
// leaves behind; "" for those that can be neither.
func backText(d record.Decision, names []string) string {
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }) // c2 before c10
	who, be, wait := strings.Join(names, ", "), "is", "waits"
	if len(names) > 1 {
		be, wait = "are", "wait"
	}
	if len(names) > 3 {
		who = fmt.Sprintf("%d candidates", len(names))
		if d.Verb == record.Boost || d.Candidate == record.NoCandidate {
			who = fmt.Sprintf("%d niches", len(names))
		}
	}
	switch d.Verb {
	case record.Hold:
		return fmt.Sprintf("%s %s again", who, wait)
	case record.Approve:
		return fmt.Sprintf("%s %s approved again", who, be)
	case record.Reject:
		return fmt.Sprintf("%s %s rejected again", who, be)
	case record.Restore:
		return fmt.Sprintf("%s %s no longer rejected", who, be)
	case record.Freeze:
		return fmt.Sprintf("%s %s frozen again", who, be)
	case record.Release:
		if d.Value > 0 || d.Candidate != record.NoCandidate && d.Cell < 0 { // a boost lasts
			return fmt.Sprintf("%s %s no longer frozen", who, be)
		}
		return fmt.Sprintf("%s %s no longer frozen or boosted", who, be)
	case record.Boost:
		if d.Value == 1 {
			return fmt.Sprintf("%s %s no longer boosted", who, be)
		}
		return fmt.Sprintf("%s %s boosted x%.3g again", who, be, d.Value)
	case record.Pin:
		return fmt.Sprintf("%s %s pinned again", who, be)
	case record.Unpin:
		return fmt.Sprintf("%s %s no longer pinned", who, be)
	case record.Pause:
		return "paused again"
	case record.Resume:
		return "no longer paused"
	case record.Set:
		return d.Text + " again"
	case record.WriteNote:
		if goneNote(d) {
			return "no longer noted: " + d.Text
		}
		return "noted again: " + d.Text
	case record.Prioritise:
		return fmt.Sprintf("%s has priority %g again", who, d.Value)
	}
	return ""
}
