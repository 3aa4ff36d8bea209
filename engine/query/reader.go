package query

import (
	"context"
	"sync/atomic"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/history"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Live knows what jobs tell while they run.
type Live interface {
	LinesOf(id record.JobID) []string
	PromptsOf(id record.JobID) []record.Evidence // as sent so far
}

// Previewer renders the prompt of a job that waits.
type Previewer interface {
	Preview(ctx context.Context, job record.Job) (record.Evidence, error)
}

// Options are what a reader looks at.
type Options struct {
	Experiment record.ExperimentID
	DB         *store.DB
	Repo       *gitops.Repo
	Asker      Asker
	Live       Live
	// Doctor checks the machine and the store for a configuration.
	Doctor func(ctx context.Context, cfg config.Config) []view.CheckLine
}

// Reader answers questions about one experiment. Every method may be called
// from any goroutine and reads committed rows only.
type Reader struct {
	exp      record.ExperimentID
	db       *store.DB
	repo     *gitops.Repo
	asker    Asker
	live     Live
	doctor   func(ctx context.Context, cfg config.Config) []view.CheckLine
	previews atomic.Pointer[Previewer]
	past     *history.Book
}

// NewReader returns a reader that shows no prompts of jobs that wait until
// [Reader.ShowPrompts].
func NewReader(o Options) *Reader {
	return &Reader{exp: o.Experiment, db: o.DB, repo: o.Repo, asker: o.Asker, live: o.Live, doctor: o.Doctor, past: history.NewBook(o.DB, o.Experiment)}
}

// ShowPrompts lets the reader show the prompts of jobs that wait from now on. p
// is ready for calls from any goroutine.
func (r *Reader) ShowPrompts(p Previewer) { r.previews.Store(&p) }

// Metrics returns the metrics of some candidates, those of the sample in the middle. One that was
// never measured is not in the answer; one that the present objective version
// did not measure has those of an earlier one.
func (r *Reader) Metrics(ctx context.Context, ids []record.CandidateID) (map[record.CandidateID][]record.Metric, error) {
	return r.db.MetricsOf(ctx, r.exp, ids)
}

// Past tells how the experiment stood after a moment of its log, by its number
// from 0; one below 0 means the newest.
func (r *Reader) Past(ctx context.Context, at int) (view.Past, error) {
	layout := 0
	if err := r.asker.Ask(ctx, func(s *fold.State) { layout = s.Report.Version }); err != nil {
		return view.Past{}, err
	}
	return r.past.At(ctx, at, layout)
}

// Decisions returns the newest decisions, newest first.
func (r *Reader) Decisions(ctx context.Context, limit int) ([]record.Decision, error) {
	return r.db.Decisions(ctx, r.exp, limit)
}
