package history

import (
	"context"

	"atoll/store/record"
)

// Epoch is how an experiment stood when a stretch of jobs ended.
type Epoch struct {
	Number int // from 1
	Jobs   int // folded so far
	At     record.Millis
	Best   record.CandidateID // [record.NoCandidate] before anything was measured
}

// Epochs tells who led at the end of each stretch of every jobs, and now where that
// is somebody else: the last one may be shorter. It folds the log once, under the
// present map.
func Epochs(ctx context.Context, log Log, exp record.ExperimentID, every int) ([]Epoch, error) {
	w, err := newWalk(ctx, log, exp)
	if err != nil {
		return nil, err
	}
	var list []Epoch
	note := func(jobs int) {
		list = append(list, Epoch{Number: len(list) + 1, Jobs: jobs, At: w.last, Best: w.st.Best})
	}
	const end = record.Seq(1 << 62)
	err = w.upTo(ctx, end, func(record.FoldRow) error {
		w.said = nil
		// Strict order folds several jobs at one row.
		for w.st.FoldCount() >= (len(list)+1)*every {
			note((len(list) + 1) * every)
		}
		return nil
	})
	if n := len(list); err == nil && w.st.FoldCount() > n*every && (n == 0 || list[n-1].Best != w.st.Best) {
		note(w.st.FoldCount())
	}
	return list, err
}
