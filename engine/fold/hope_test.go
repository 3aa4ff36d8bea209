package fold_test

import (
	"testing"

	"atoll/engine/evidence"
	"atoll/store/record"
)

func TestWhoLooksPlainlyBetterThanTheBestIsNamedUntilItIsFoundOut(t *testing.T) {
	const dev = 0.02
	w := newTrial(t, 5, 60, dev, nearTen)
	named := map[record.CandidateID]bool{}
	w.look = func() {
		s := w.st.Snapshot()
		if s.Hope == nil {
			return
		}
		named[s.Hope.ID] = true
		if s.Hope.ID == s.Best.ID || s.Hope.Objective <= s.Best.Objective || s.Hope.Samples < 1 {
			t.Errorf("c%d with %g of %d samples is named beside the best, c%d with %g", s.Hope.ID, s.Hope.Objective, s.Hope.Samples, s.Best.ID, s.Best.Objective)
		}
	}
	w.run()
	if len(named) == 0 {
		t.Error("nobody was ever named")
	}
	if s := w.st.Snapshot(); s.Hope != nil {
		t.Errorf("at the end of all questions c%d is still open beside c%d", s.Hope.ID, s.Best.ID)
	}
}

func TestWhoseGainIsConfirmedIsNamedWhileThatOfTheBestIsNot(t *testing.T) {
	const dev = 0.1
	named := 0
	for seed := range uint64(4) {
		w := newTrial(t, seed+1, 300, dev, nearTen)
		w.look = func() {
			s := w.st.Snapshot()
			if s.Sure == nil {
				return
			}
			named++
			if s.Sure.ID == s.Best.ID || s.Sure.Claim.Word != evidence.Confirmed || s.Best.Claim.Word == evidence.Confirmed {
				t.Errorf("c%d (%s) is named beside the best, c%d (%s)", s.Sure.ID, s.Sure.Claim.Word, s.Best.ID, s.Best.Claim.Word)
			}
			if claim, ok := w.st.ClaimOf(s.Sure.ID); !ok || claim != s.Sure.Claim || w.st.Candidate(s.Sure.ID).Out() {
				t.Errorf("c%d is named with %+v, and has %+v", s.Sure.ID, s.Sure.Claim, claim)
			}
		}
		w.run()
	}
	if named == 0 {
		t.Error("nobody was ever named")
	}
}
