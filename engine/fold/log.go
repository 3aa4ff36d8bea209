package fold

import (
	"context"

	"atoll/store/record"
)

// Log is the ordered log of experiments and what its rows speak of; the store
// is one. A State keeps it for vectors and metrics of single candidates: it must stay
// open, and may be called from the goroutine that owns the State at any time.
type Log interface {
	Experiment(ctx context.Context, id record.ExperimentID) (record.Experiment, error)
	// Settings are the live settings as they are now.
	Settings(ctx context.Context, exp record.ExperimentID) (record.Settings, error)
	// FoldLog calls fn for the rows after a position, in order, until there are
	// no more. An error of fn ends the stream and is returned.
	FoldLog(ctx context.Context, exp record.ExperimentID, after record.Seq, fn func(record.FoldRow) error) error
	// Spaces lists the versions of the learned map, oldest first; their models
	// may be left out. Space returns one with its model.
	Spaces(ctx context.Context, exp record.ExperimentID) ([]record.Space, error)
	Space(ctx context.Context, exp record.ExperimentID, version int) (record.Space, error)
	// Vector is the embedding of one candidate; Vectors streams those of all,
	// by number; a slice is the callee's to keep.
	Vector(ctx context.Context, exp record.ExperimentID, id record.CandidateID) ([]float32, error)
	Vectors(ctx context.Context, exp record.ExperimentID, fn func(id record.CandidateID, v []float32) error) error
	// Metrics are those of one candidate, of the sample in the middle; asked for where
	// something counts beside the objective.
	Metrics(ctx context.Context, exp record.ExperimentID, id record.CandidateID) ([]record.Metric, error)
}
