package engine

import (
	"context"
	"errors"

	"atoll/engine/doctor"
	"atoll/engine/view"
)

// Doctor checks what o names and the store in its state directory, unless
// o.Open says how to open another.
func Doctor(ctx context.Context, o doctor.Options) []view.CheckLine {
	if o.Open == nil {
		o.Open = func(ctx context.Context) (*doctor.Store, error) { return openStore(ctx, o) }
	}
	return doctor.Check(ctx, o)
}

func openStore(ctx context.Context, o doctor.Options) (*doctor.Store, error) {
	ses, err := OpenSession(ctx, SessionOptions{Dir: o.State, Target: o.Target, ReadOnly: true, Now: o.Now})
	if errors.Is(err, ErrNoExperiment) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	st := &doctor.Store{DB: ses.DB, Repo: ses.Repo, Close: ses.Close}
	if exp, err := ses.Find(ctx, ""); err == nil {
		st.Latest = exp.ID
	}
	return st, nil
}
