package view

import (
	"fmt"
	"math"
	"strings"
	"time"

	"atoll/store/record"
)

// Evidence is what a commit or a patch tells of a candidate that nobody verified: what
// may be claimed, how it was measured, and how to do it again. It is empty for the root.
func Evidence(s *Snapshot, d *CandidateDetail, evaluator string) string {
	id := d.Candidate.ID
	if id == record.Root {
		return ""
	}
	told := ClaimText(s, id, &d.Claim)
	if doubt := Doubt(&d.Candidate); doubt != "" {
		told = doubt + ".\n" + told
	}
	lines := []string{told}
	if len(d.Samples) > 0 {
		lines = append(lines, fmt.Sprintf("Measured where the search began (%s), not on the branch as it is now: %s.", s.Experiment.RootCommit.Short(), conditions(s, d.Samples)))
	}
	if evaluator != "" {
		lines = append(lines, "Evaluator: "+Shorten(evaluator, 300))
	}
	lines = append(lines, fmt.Sprintf("Reproduce: atoll promote %s --verify --experiment %d", id, s.Experiment.ID))
	return strings.Join(lines, "\n")
}

// Doubt says why a candidate is none to be kept as it is: it failed, was rejected, waits for a
// person, or was never measured. "" of one that has a value and nothing against it.
func Doubt(c *record.Candidate) string {
	why := clip(strings.TrimSpace(CleanLine(c.Reason)), 300) // values in it keep their spaces: f("  ") is not f(" ")
	if c.Class != record.ClassNone && why != "" {
		why = string(c.Class) + ": " + why
	}
	if why != "" {
		why = ": " + why
	}
	switch c.Status {
	case record.StatusFailed:
		return c.ID.String() + " failed" + why
	case record.StatusRejected:
		return c.ID.String() + " was rejected" + why
	case record.StatusHeld:
		return c.ID.String() + " waits for a person" + why
	case record.StatusMade, record.StatusCancelled:
		return c.ID.String() + " was not measured" + why
	case record.StatusScored, record.StatusElite:
	}
	return ""
}

// conditions are what the samples of a candidate were taken under.
func conditions(s *Snapshot, samples []record.Sample) string {
	held, low, high := 0, math.Inf(1), math.Inf(-1)
	var last record.Millis
	for _, m := range samples {
		if m.HeldOut {
			held++
		}
		if m.Load != nil {
			low, high = min(low, *m.Load), max(high, *m.Load)
		}
		last = max(last, m.At)
	}
	parts := []string{fmt.Sprintf("%s, %d held out from every decision", Plural(len(samples), "sample"), held)}
	if low <= high {
		parts = append(parts, fmt.Sprintf("load by processor %.2f to %.2f", low, high))
	}
	if s.Rung != "" {
		parts = append(parts, "sandbox rung "+CleanLine(s.Rung))
	}
	if last > 0 {
		parts = append(parts, time.UnixMilli(int64(last)).UTC().Format("2006-01-02 15:04 MST"))
	}
	return strings.Join(parts, ", ")
}
