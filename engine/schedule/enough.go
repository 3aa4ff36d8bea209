package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"atoll/engine/fold"
	"atoll/engine/view"
)

// Enough says whether what was measured is what a run is for, and why; "" is not yet.
// It is asked on the goroutine that owns the state, once at each fold position, so
// what it says must follow from the state and from what never changes, such as trees.
type Enough func(ctx context.Context, st *fold.State) (why string, err error)

// metaEnough keeps how far it was asked, and what was said, so that folding the past
// does not ask again.
const metaEnough = "enough"

// sufficiency is what [Enough] said so far.
type sufficiency struct {
	Asked int    `json:"asked"` // fold position up to which it was asked
	Why   string `json:"why"`   // nothing more is made; "": the search goes on
}

// askEnough asks at a fold position. From the one on at which it is enough nothing more
// is made: what exists is carried out to its end, in whatever time that takes.
func (o *Owner) askEnough(ctx context.Context) error {
	if o.enough == nil || o.st.Archive() == nil || o.st.FoldCount() <= o.sufficient.Asked || o.sufficient.Why != "" {
		return nil
	}
	why, err := o.enough(ctx, o.st)
	if err != nil {
		return err
	}
	return o.keepEnough(ctx, sufficiency{o.st.FoldCount(), why})
}

func (o *Owner) keepEnough(ctx context.Context, s sufficiency) error {
	o.sufficient = s
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return o.db.PutMeta(ctx, o.exp, metaEnough, string(data))
}

// resumeEnough reads what an earlier run was told.
func (o *Owner) resumeEnough(ctx context.Context) error {
	o.sufficient = sufficiency{}
	if o.enough == nil {
		return nil
	}
	text, ok, err := o.db.Meta(ctx, o.exp, metaEnough)
	if err != nil || !ok {
		return err
	}
	if err := json.Unmarshal([]byte(text), &o.sufficient); err != nil {
		return fmt.Errorf("read whether the search has enough: %w", err)
	}
	return nil
}

// stillEnough asks again when everything came to its end: later samples may have taken
// back what was enough, and then the search goes on as far as its budget.
func (o *Owner) stillEnough(ctx context.Context) (bool, error) {
	if o.sufficient.Why == "" {
		return true, nil
	}
	why, err := o.enough(ctx, o.st)
	if err != nil {
		return false, err
	}
	return why != "", o.keepEnough(ctx, sufficiency{o.st.FoldCount(), why})
}

// ended says how a search ended whose jobs all came to their end.
func (o *Owner) ended() string {
	jobs := view.Plural(o.made, "job") + " done"
	if o.sufficient.Why == "" {
		return jobs
	}
	return strings.TrimSuffix(o.sufficient.Why, ".") + "; " + jobs
}
