package fold

import (
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func reject(id record.CandidateID) record.Decision { return about(record.Reject, candidate(id)) }

func TestWhatIsRejectedIsCountedByWhom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		told func(s *story)
		want view.Rejections
	}{
		"nothing":                        {func(*story) {}, view.Rejections{}},
		"one by a person":                {func(s *story) { s.decide(reject(1)) }, view.Rejections{People: 1}},
		"one by each":                    {func(s *story) { s.decide(reject(1)); s.decideBy("guard", reject(2)) }, view.Rejections{People: 1, Guard: 1}},
		"one that was restored does not": {func(s *story) { s.decideBy("guard", reject(1)); s.decide(about(record.Restore, candidate(1))) }, view.Rejections{}},
		"one that a person rejected again": {func(s *story) {
			s.decideBy("guard", reject(1))
			s.decide(about(record.Restore, candidate(1)))
			s.decide(reject(1))
		}, view.Rejections{People: 1}},
	} {
		s := crowded(t)
		c.told(s)
		if got := s.st.Snapshot().Rejections; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestApprovingWhatWasRejectedIsRefusedWithWhatDoesIt(t *testing.T) {
	t.Parallel()
	s := crowded(t)
	s.decideBy("guard", reject(1))
	_, err := s.st.Prepare(about(record.Approve, candidate(1)))
	if want := "c1 does not wait for review: the guard rejected it; `atoll restore c1` takes that back"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTheRejectionByTheGuardIsToldOnceAndIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, end := range []record.JobState{record.Rejected, record.Failed} { // the second in logs of before
		s := crowded(t)
		s.decideBy("guard", record.Decision{Verb: record.Reject, Candidate: 1, Job: record.NoJob, Cell: -1, Text: "behaves in another way: f(1) gave 2 and gives 3"})
		value := 3.0
		s.row(record.FoldRow{
			LogRow: record.LogRow{Kind: record.LogEnd, Job: 9, Candidate: 1, Data: data(record.EndData{State: end, Class: record.ClassReview, Reason: "refused by the guard: it behaves in another way than the root"})},
			Work:   &record.Job{ID: 9, Kind: record.Evaluate, State: end, Purpose: record.PurposeConfirm, Candidate: 1},
			Cand:   &record.FoldCandidate{ID: 1, Operator: record.OpTune, Agent: "offline", Status: record.StatusScored, Objective: &value, Samples: 1, Version: 1, Measures: []float64{0.55}},
		})
		said := 0
		for _, e := range s.st.TakeEvents() {
			if strings.Contains(e.Text, "another way") {
				said++
			}
			if strings.Contains(e.Text, "failed") {
				t.Errorf("%s: it did not fail: %s", end, e.Text)
			}
		}
		snap := s.st.Snapshot()
		if said != 1 || len(snap.Failures) != 0 {
			t.Errorf("%s: told %d times, failures %v", end, said, snap.Failures)
		}
		if last := snap.Recent[0].Job; last.ID != 9 || last.State != end {
			t.Errorf("%s: the last to end is %s, %s", end, last.ID, last.State)
		}
	}
}

func TestWhoRejectedACandidateIsTold(t *testing.T) {
	t.Parallel()
	by := func(who string, verb record.Verb, id record.CandidateID) record.Decision {
		d := record.NewDecision(verb)
		d.Who, d.Candidate = who, id
		return d
	}
	for name, c := range map[string]struct {
		all  []record.Decision
		want string
	}{
		"the guard":                  {[]record.Decision{by("guard", record.Reject, 9), by("ada", record.Reject, 8)}, "the guard"},
		"a person after the guard":   {[]record.Decision{by("guard", record.Reject, 9), by("ada", record.Restore, 9), by("ada", record.Reject, 9)}, "ada"},
		"one whose name has a break": {[]record.Decision{by("a\nb", record.Reject, 9)}, "a b"},
		"nobody who is known":        {nil, "somebody"},
	} {
		if got := (&decisions{All: c.all}).RejectedBy(9); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
