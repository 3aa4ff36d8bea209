package fold_test

import (
	"testing"

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
