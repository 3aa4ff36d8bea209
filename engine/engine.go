package engine

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"atoll/config"
	"atoll/engine/agent/broker"
	"atoll/engine/agent/client"
	"atoll/engine/doctor"
	"atoll/engine/gateway"
	"atoll/engine/query"
	"atoll/engine/roster"
	"atoll/engine/sandbox"
	"atoll/engine/schedule"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store/record"
)

// Options say how one process runs or watches an experiment.
type Options struct {
	Who    string           // who decides here; goes into decisions
	Now    func() time.Time // nil: time.Now
	Once   bool             // dispatch up to the workers, wait, return
	For    time.Duration    // drain after this time, and break off what is not done a quarter of it later; 0 = no limit
	Logger *slog.Logger     // nil: discard
	// Unattended ends the run where a person would be asked to mend something;
	// otherwise it pauses.
	Unattended bool
	// KeepState leaves an experiment as it is, paused, stopped or done, until a
	// decision resumes it; otherwise Run resumes it.
	KeepState bool
	Sandbox   sandbox.Options // Mode comes from the configuration
	// Live is the configuration as it is now: its agents, roles, prices and
	// prompts count instead of those the experiment started with. nil: those.
	Live *config.Config
	// Look leaves the jobs alone, also when nobody else runs them.
	Look bool
	// Say are lines that the log of the run begins with.
	Say []string
	// Grade is what is known of the evaluator, in words; snapshots carry it.
	Grade string
	// Getenv reads the keys of providers; nil: os.Getenv.
	Getenv func(string) string
	// Gateway tunes the way to models; providers, prices, keys and clock come
	// from the configuration and from these options.
	Gateway gateway.Options
	// Silence of who works for a job, after which a run that ends does not wait for it
	// any longer; 0 = 20 s. After For it is the least time that is waited.
	Silence time.Duration
	// Record is a folder in which what agents do is written, for a replay; "" =
	// nowhere.
	Record string
	// Remeasure is a configuration whose evaluator and limits count from now on:
	// where they, or the evaluator's files, differ from what the values are of, a
	// new objective version begins. nil: a difference is [ErrFrozen].
	Remeasure *config.Config
	// RootOnly measures the root and returns: nothing is made or asked.
	RootOnly bool
	// Enough ends an unattended run before its budget is used up; nil: nothing does.
	// It is asked on the goroutine of Run at each fold position.
	Enough schedule.Enough
	// Fleet takes the samples instead of this machine; nil: they are taken here.
	Fleet Fleet
}

// Fleet has candidates measured on other machines. Its methods are safe for
// concurrent use.
type Fleet interface {
	// Open makes ready to measure in the place of a station. The meter serves
	// until the next Open.
	Open(ctx context.Context, s work.Station) (work.Meter, error)
	// Slots is how many samples can be taken at the same time now, Tasks how many
	// are being taken or wait for that.
	Slots() int
	Tasks() int
	// Edit runs a coding client on a machine that may.
	client.Elsewhere
}

// Engine runs one experiment of a session, or looks on while another process
// does. Make one with [New]; [Engine.Run] and [Engine.Idle] are called from one
// goroutine, everything else from any.
type Engine struct {
	*shared
	loop *loop
	who  string                 // signs what is decided through this value
	may  func(record.Verb) bool // which verbs; nil: all
}

// New returns an engine for an experiment of an open session. It starts
// nothing.
func New(ses *Session, exp record.ExperimentID, opt Options) *Engine {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Getenv == nil {
		opt.Getenv = os.Getenv
	}
	s := &shared{
		signals: newSignals(), journal: journal{log: opt.Logger, lines: newLogRing(opt.Now)},
		ses: ses, exp: exp, opt: opt, db: ses.DB, repo: ses.Repo, feed: ses.Feed, live: work.NewLive(opt.Now),
		questions: make(query.Questions), tasks: broker.New(opt.Now),
	}
	s.alarms = &alarms{journal: &s.journal, signals: s.signals, decide: s.append}
	s.money = roster.NewBudget(exp, s.db, s.alarms, func() float64 { return s.settings().MaxCostUSD })
	s.reader = query.NewReader(query.Options{
		Experiment: exp, DB: s.db, Repo: s.repo, Asker: s.questions, Live: s.live,
		Doctor: func(ctx context.Context, cfg config.Config) []view.CheckLine {
			return Doctor(ctx, doctor.Options{
				Target: ses.Target, State: ses.Dir, Config: config.Loaded{Config: cfg, Dir: ses.Dir}, Now: opt.Now,
			})
		},
	})
	return &Engine{shared: s, loop: newLoop(s), who: opt.Who}
}

// As returns the same engine for another person: who signs what is decided
// through it, and may says which verbs that person has, also of what undo and redo
// would write; nil means all. A verb that is not theirs is [ErrRole].
func (e *Engine) As(who string, may func(record.Verb) bool) *Engine {
	other := *e
	other.who, other.may = who, may
	return &other
}

// allowed is [ErrRole] where a decision is not for the one who decides here.
func (e *Engine) allowed(ds ...record.Decision) error {
	for _, d := range ds {
		if e.may != nil && !e.may(d.Verb) {
			return fmt.Errorf("%w: %s may not %s", ErrRole, e.who, d.Verb)
		}
	}
	return nil
}

// Run runs the experiment until it is done, drained or ctx ends. When another
// process holds the engine's lock it only looks on: it folds what that process
// writes and returns when ctx ends. The error is nil for a clean end.
func (e *Engine) Run(ctx context.Context) error { return e.loop.run(ctx) }

// Idle keeps a console alive between runs: it answers questions, folds what
// other processes write, carries out decisions and publishes. It returns true
// when there is work for another [Engine.Run] (a larger budget, a job to retry,
// a candidate that was approved), and false when ctx ends. Call it only while
// Run does not run, from the goroutine that calls Run.
func (e *Engine) Idle(ctx context.Context) (work bool) { return e.loop.idle(ctx) }

// Feed returns where the engine publishes its snapshots.
func (e *Engine) Feed() *view.Feed { return e.feed }

// Reader returns who answers what a snapshot is too small to carry.
func (e *Engine) Reader() *query.Reader { return e.reader }

// Tasks are the jobs that workers from elsewhere come for, while this process runs
// them.
func (e *Engine) Tasks() *broker.Broker { return e.tasks }

// Owner reports whether this process runs the jobs. It is meaningful once Run
// has taken or been refused the lock.
func (e *Engine) Owner() bool { return e.ses.Locked() }
