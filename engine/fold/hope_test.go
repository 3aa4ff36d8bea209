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

func TestWhoseGainIsConfirmedIsTheBestWhileThatOfWhoLeadsIsNot(t *testing.T) {
	const dev = 0.1
	told := 0
	for seed := range uint64(4) {
		w := newTrial(t, seed+1, 300, dev, nearTen)
		w.look = func() {
			s := w.st.Snapshot()
			if claim, ok := w.st.ClaimOf(s.Best.ID); !ok || claim != s.Best.Claim || w.st.Candidate(s.Best.ID).Out() {
				t.Errorf("c%d is the best with %+v, and has %+v", s.Best.ID, s.Best.Claim, claim)
			}
			if s.Best.ID == w.st.Best {
				return
			}
			told++
			if leads, _ := w.st.ClaimOf(w.st.Best); s.Best.Claim.Word != evidence.Confirmed || leads.Word == evidence.Confirmed {
				t.Errorf("c%d (%s) is told as the best, and c%d (%s) leads", s.Best.ID, s.Best.Claim.Word, w.st.Best, leads.Word)
			}
			if who, ok := s.Ahead(); !ok || who.ID != w.st.Best || !who.Leads {
				t.Errorf("%+v is named beside the best, and c%d leads", who, w.st.Best)
			}
		}
		w.run()
	}
	if told == 0 {
		t.Error("who led was always confirmed before anybody else")
	}
}
