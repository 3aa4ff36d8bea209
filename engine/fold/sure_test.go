package fold

import (
	"testing"

	"atoll/store/record"
)

func TestWhomAPromotionVerifiedIsTheBestWhileNothingProvesWhoLeads(t *testing.T) {
	promoted := func(id record.CandidateID, args string) record.Decision {
		return record.Decision{Verb: record.Promote, Candidate: id, Text: "atoll/x", Args: []byte(args)}
	}
	const verified, plain = `{"base":"main","onto":"1234567","gain":"a gain of +82 %"}`, `{}`
	for name, c := range map[string]struct {
		decisions []record.Decision
		want      record.CandidateID // NoCandidate: who leads
	}{
		"nothing was promoted":                   {nil, record.NoCandidate},
		"a branch was made without measuring":    {[]record.Decision{promoted(3, plain)}, record.NoCandidate},
		"one was verified":                       {[]record.Decision{promoted(3, verified)}, 3},
		"two were, and the later is named":       {[]record.Decision{promoted(3, verified), promoted(2, verified)}, 2},
		"one was verified and rejected since":    {[]record.Decision{promoted(3, verified), about(record.Reject, candidate(3))}, record.NoCandidate},
		"the best was verified, and one beside":  {[]record.Decision{promoted(3, verified), promoted(1, verified)}, record.NoCandidate},
		"one was verified and made plainly then": {[]record.Decision{promoted(3, verified), promoted(3, plain)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := crowded(t)
			s.st.Noisy = true
			for _, d := range c.decisions {
				s.decide(d)
			}
			snap, want := s.st.Snapshot(), c.want
			if want == record.NoCandidate {
				want = s.st.Best
			}
			if snap.Best.ID != want || c.want != record.NoCandidate && snap.Best.Verified == nil || snap.Sure != nil {
				t.Errorf("%s is the best, on branch %v, beside %v; want %s", snap.Best.ID, snap.Best.Verified, snap.Sure, want)
			}
		})
	}
}
