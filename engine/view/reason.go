package view

import (
	"slices"
	"strconv"
	"strings"

	"atoll/engine/evidence"
	"atoll/store/record"
)

// Drained is the reason of an experiment whose engine was told to end.
const Drained = "drained; `atoll run` goes on"

// TimeOver is the reason of an experiment whose run was bounded in time.
const TimeOver = "the time was over; `atoll run` goes on"

// Rests reports whether a reason is one of a run that ended as it was told to.
func Rests(reason string) bool {
	return strings.HasPrefix(reason, Drained) || strings.HasPrefix(reason, TimeOver)
}

// TellRest adds to the reason of an experiment that is done, drained or out of time what is left
// as of now: those that wait for a person, whose jobs are not done, and a gain that
// neither the run nor a promotion confirmed. The log keeps none of it, for all change with every decision.
func (s *Snapshot) TellRest() {
	done := s.State == record.ExperimentDone
	if !done && (s.State != record.ExperimentStopped || !Rests(s.Reason)) {
		return
	}
	parts := slices.DeleteFunc(strings.Split(s.Reason, "; "), func(part string) bool {
		return part == "" || strings.HasSuffix(part, waitingForReview) || strings.HasSuffix(part, notConfirmed)
	})
	if done && s.Jobs.Held > 0 {
		for i, part := range parts {
			if n, _, ok := strings.Cut(part, " job"); ok && whole(n) && strings.HasSuffix(part, jobsDone) {
				parts[i] = JobsDone(s.Jobs.Ended())
			}
		}
		parts = append(parts, Plural(s.Jobs.Held, "candidate")+waitingForReview)
	}
	if b := &s.Best; b.ID > record.Root && b.Claim.Word == evidence.Unconfirmed && b.Verified == nil {
		parts = append(parts, "the gain of "+b.ID.String()+notConfirmed)
	}
	s.Reason = strings.Join(parts, "; ")
}

// WithoutDoubt is a reason without what [Snapshot.TellRest] says of a gain that is not
// confirmed, for readers who are told more of it.
func WithoutDoubt(reason string) string {
	parts := strings.Split(reason, "; ")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return strings.HasSuffix(part, notConfirmed) }), "; ")
}

// JobsDone says how many jobs came to their end.
func JobsDone(n int) string { return Plural(n, "job") + jobsDone }

func whole(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}

const (
	jobsDone         = " done"
	waitingForReview = " waiting for review"
	notConfirmed     = " is not confirmed"
)
