package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// Enough says whether what was measured is what a run is for, and why; "" is not yet.
// It is asked on the goroutine that owns the state, once at each fold position, so
// what it says must follow from the state and from what never changes, such as trees.
type Enough func(ctx context.Context, st *fold.State) (why string, err error)

// metaEnough keeps how far it was asked, and what was said, so that folding the past
// does not ask again.
const metaEnough = "enough"

// sufficiency asks [Enough], and knows what it said so far.
type sufficiency struct {
	enough Enough // nil: nothing is ever enough
	db     *store.DB
	exp    record.ExperimentID
	said   verdict
}

// verdict is what was said at a fold position.
type verdict struct {
	Asked int    `json:"asked"` // fold position up to which it was asked
	Why   string `json:"why"`   // nothing more is made; "": the search goes on
}

// reached reports that nothing more is to be made.
func (s *sufficiency) reached() bool { return s.said.Why != "" }

// ask asks at a fold position. From the one on at which it is enough nothing more
// is made: what exists is carried out to its end, in whatever time that takes.
func (s *sufficiency) ask(ctx context.Context, st *fold.State) error {
	if s.enough == nil || st.Archive() == nil || st.FoldCount() <= s.said.Asked || s.reached() {
		return nil
	}
	return s.askNow(ctx, st)
}

func (s *sufficiency) askNow(ctx context.Context, st *fold.State) error {
	why, err := s.enough(ctx, st)
	if err != nil {
		return err
	}
	s.said = verdict{st.FoldCount(), why}
	data, err := json.Marshal(s.said)
	if err != nil {
		return err
	}
	return s.db.PutMeta(ctx, s.exp, metaEnough, string(data))
}

// resume reads what an earlier run was told.
func (s *sufficiency) resume(ctx context.Context) error {
	s.said = verdict{}
	if s.enough == nil {
		return nil
	}
	text, ok, err := s.db.Meta(ctx, s.exp, metaEnough)
	if err != nil || !ok {
		return err
	}
	if err := json.Unmarshal([]byte(text), &s.said); err != nil {
		return fmt.Errorf("read whether the search has enough: %w", err)
	}
	return nil
}

// still asks again when everything came to its end: later samples may have taken
// back what was enough, and then the search goes on as far as its budget.
func (s *sufficiency) still(ctx context.Context, st *fold.State) (bool, error) {
	if !s.reached() {
		return true, nil
	}
	err := s.askNow(ctx, st)
	return s.reached(), err
}

// ended says how a search ended that made so many jobs, which all came to their end.
func (s *sufficiency) ended(made int) string {
	jobs := view.JobsDone(made)
	if !s.reached() {
		return jobs
	}
	return strings.TrimSuffix(s.said.Why, ".") + "; " + jobs
}
