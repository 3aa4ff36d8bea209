package fold_test

import (
	"context"
	"fmt"
	"testing"

	"atoll/engine/fold"
	"atoll/store/record"
)

// partly is the log of a trial up to a row.
type partly struct {
	*trial
	rows int
}

func (p *partly) FoldLog(ctx context.Context, exp record.ExperimentID, after record.Seq, fn func(record.FoldRow) error) error {
	return p.trial.FoldLog(ctx, exp, after, func(r record.FoldRow) error {
		if int(r.Seq) > p.rows {
			return nil
		}
		return fn(r)
	})
}

func TestASearchDoesNotStandAfterABestThatLaterSamplesFound(t *testing.T) {
	w := newTrial(t, 3, 300, 0.3, nearTen)
	w.run()
	p := &partly{trial: w}
	st, err := fold.OpenState(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	ended, since, late, stands := 0, 0, 0, 0
	for p.rows < len(w.rows) {
		p.rows++
		was := st.Best
		if err := st.CatchUp(t.Context(), p, func(record.JobID) error { return nil }); err != nil {
			t.Fatal(err)
		}
		makes := w.rows[p.rows-1].Work.Kind == record.Make
		if makes {
			ended++
		}
		if fell := w.rows[p.rows-1].Cand != nil && w.rows[p.rows-1].Cand.ID == was; st.Best != was && st.Best != record.Root && !fell {
			since = ended
			if !makes {
				late++
			}
		}
		n := 0
		if _, err := fmt.Sscanf(st.Snapshot().Stalled, "no better best in the last %d jobs", &n); err != nil {
			continue
		}
		stands++
		if n > ended-since {
			t.Fatalf("after %d jobs it says that the last %d found no better best; %s became it %d jobs ago", ended, n, st.Best, ended-since)
		}
	}
	if late == 0 || stands == 0 {
		t.Errorf("%d times a best was found by later samples, and the search stood after %d rows: nothing was tried", late, stands)
	}
}
