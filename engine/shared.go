package engine

import (
	"context"
	"fmt"
	"sync/atomic"

	"atoll/engine/agent/broker"
	"atoll/engine/fold"
	"atoll/engine/query"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// shared is what every goroutine of an engine may use.
type shared struct {
	*signals
	journal

	ses  *Session
	exp  record.ExperimentID
	opt  Options
	db   *store.DB
	repo *gitops.Repo
	feed *view.Feed
	live *work.Live

	questions query.Questions // asked of the loop
	reader    *query.Reader
	alarms    *alarms
	money     *roster.Budget
	tasks     *broker.Broker                  // jobs that workers from elsewhere come for
	set       atomic.Pointer[record.Settings] // as they are now; nil before the state is there
}

// settings are those in force, for any goroutine; the zero value before the
// state is there.
func (s *shared) settings() record.Settings {
	if now := s.set.Load(); now != nil {
		return *now
	}
	return record.Settings{}
}

// atRest has fn see a state that says what holds while no engine runs: an experiment that
// was left as running, by an engine that was killed, has stopped.
func (s *shared) atRest(st *fold.State, fn func()) {
	if st.Run == record.ExperimentRunning && s.ses.OwnerPID() == 0 {
		st.Run = record.ExperimentStopped
		defer func() { st.Run = record.ExperimentRunning }()
	}
	fn()
}

// append writes decisions and has the loop fold them.
func (s *shared) append(ctx context.Context, ds ...record.Decision) (record.Seq, error) {
	seq, err := s.db.AppendDecisions(ctx, s.exp, ds...)
	return s.appended(ctx, seq, err, ds)
}

// appended ends the writing of decisions, whose last row is at seq.
func (s *shared) appended(ctx context.Context, seq record.Seq, err error, ds []record.Decision) (record.Seq, error) {
	if err != nil {
		return 0, fmt.Errorf("write the decision: %w", err)
	}
	if err := Settle(ctx, s.ses, s.exp, ds...); err != nil {
		return 0, err
	}
	s.wake()
	return seq, nil
}
