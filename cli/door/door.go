// Package door is what every door to a running experiment has in common, whatever
// it speaks: who may come in, what is told, and what can be decided.
//
// Its three nouns are [Door], [Caller] and [Command]. A door answers from the
// snapshots and the reader of an engine, which may run the experiment or look on;
// a caller has a name, which signs decisions, and a role; a command is a verb of
// the command line as a value.
//
// Caveats: texts of candidates, agents and evaluators lose their control
// characters here, because answers go to screens; a patch is given as it is.
// Nothing here waits for a caller: who reads slowly misses states in between.
package door

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atoll/engine"
	"atoll/engine/query"
	"atoll/engine/view"
	"atoll/store/record"
)

// Door lets others look at one experiment and decide about it. All methods may
// be called from any goroutine while the engine runs or idles.
type Door struct {
	eng *engine.Engine
	log *Log
}

// New returns a door on an engine. Call [Door.Run] for the log.
func New(eng *engine.Engine) *Door {
	return &Door{eng: eng, log: newLog(eng.Reader())}
}

// Run follows the experiment's log until ctx ends.
func (d *Door) Run(ctx context.Context) { d.log.follow(ctx, d.eng.Feed()) }

// Log is the ordered log of the experiment.
func (d *Door) Log() *Log { return d.log }

// Reader answers what a snapshot is too small for.
func (d *Door) Reader() *query.Reader { return d.eng.Reader() }

// Feed is where the engine publishes its snapshots.
func (d *Door) Feed() *view.Feed { return d.eng.Feed() }

// Snapshot is the newest state. An experiment that says it runs while no engine
// does is told as stopped. It is shared: do not write.
func (d *Door) Snapshot() *view.Snapshot { return AtRest(d.eng.Feed().Latest()) }

// Latency tells how long the transactions took that this process wrote: how many
// there were, their seconds together, and how many took at most so many seconds.
func (d *Door) Latency() (count uint64, sum float64, buckets map[float64]uint64) {
	l := d.eng.Latency()
	return l.Count, l.Sum.Seconds(), l.Buckets
}

// AtRest tells an experiment that nobody runs as stopped, with nothing in work.
func AtRest(s *view.Snapshot) *view.Snapshot {
	if s.Loading || s.Owner || s.OwnerPID != 0 || s.State != record.ExperimentRunning && s.Jobs.Running == 0 {
		return s
	}
	at := *s
	engine.AtRest(&at, engine.NoEngine)
	return &at
}

// Ready waits until the log is folded, at most so long. The error is [ErrLoading],
// or the one that the engine ended with.
func (d *Door) Ready(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for version := uint64(0); ; {
		s, err := d.eng.Feed().Wait(ctx, version)
		switch {
		case s.Fatal != "":
			return fmt.Errorf("%w: %s", engine.ErrBroken, s.Fatal)
		case !s.Loading && s.Experiment.ID != 0:
			return nil
		case err != nil:
			return ErrLoading
		}
		version = s.Version
	}
}

// The errors that doors tell apart, beside those of the engine.
var (
	// ErrLoading: the log of the experiment is still being read.
	ErrLoading = errors.New("the experiment is still being read; try again in a moment")
	// ErrNoEngine: this process looks on, and what was asked is for the one that runs.
	ErrNoEngine = errors.New("no engine of this process runs the jobs")
	// ErrCommand: what was asked makes no sense, whatever the state is.
	ErrCommand = errors.New("bad command")
)
