package engine

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"atoll/config"
	"atoll/engine/doctor"
	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/gateway"
	"atoll/engine/query"
	"atoll/engine/roster"
	"atoll/engine/sandbox"
	"atoll/engine/schedule"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Options say how one process runs or watches an experiment.
type Options struct {
	Who    string           // who decides here; goes into decisions
	Now    func() time.Time // nil: time.Now
	Once   bool             // dispatch up to the workers, wait, return
	For    time.Duration    // drain after this time; 0 = no limit
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
	// Getenv reads the keys of providers; nil: os.Getenv.
	Getenv func(string) string
	// Gateway tunes the way to models; providers, prices, keys and clock come
	// from the configuration and from these options.
	Gateway gateway.Options
	// Record is a folder in which what agents do is written, for a replay; "" =
	// nowhere.
	Record string
	// Remeasure is a configuration whose evaluator and limits count from now on:
	// where they, or the evaluator's files, differ from what the values are of, a
	// new objective version begins. nil: a difference is [ErrFrozen].
	Remeasure *config.Config
	// RootOnly measures the root and returns: nothing is made or asked.
	RootOnly bool
}

// Engine runs one experiment of a session, or looks on while another process
// does. Make one with [New]; [Engine.Run] is called once.
type Engine struct {
	*signals
	journal
	equipment

	ses  *Session
	exp  record.ExperimentID
	opt  Options
	cfg  config.Config
	feed *view.Feed
	live *work.Live

	db    *store.DB
	repo  *gitops.Repo
	work  *work.Runner // of the present state; the loop's
	money *roster.Budget

	// Owned by the loop.
	usage
	told
	st       *fold.State
	owner    bool
	plan     *schedule.Owner // what the owner adds
	anchored int             // attempts since the last anchor
	fatal    error

	// Shared with the workers.
	set     atomic.Pointer[record.Settings] // as they are now
	trouble troubles

	questions query.Questions
	reader    *query.Reader
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
	e := &Engine{
		ses: ses, exp: exp, opt: opt, journal: journal{log: opt.Logger, logs: newLogRing(opt.Now)}, feed: ses.Feed, live: work.NewLive(opt.Now),
		db: ses.DB, repo: ses.Repo,
		questions: make(query.Questions), signals: newSignals(),
	}
	e.reader = query.NewReader(query.Options{
		Experiment: exp, DB: e.db, Repo: e.repo, Asker: e.questions, Live: e.live,
		Doctor: func(ctx context.Context, cfg config.Config) []view.CheckLine {
			return Doctor(ctx, doctor.Options{
				Target: ses.Target, State: ses.Dir, Config: config.Loaded{Config: cfg, Dir: ses.Dir}, Now: opt.Now,
			})
		},
	})
	e.plan = schedule.New(schedule.Options{
		Experiment: exp, DB: e.db, Repo: e.repo, Live: e.live, Host: scheduled{e}, RootOnly: opt.RootOnly,
	})
	e.money = roster.NewBudget(exp, e.db, host{e}, func() float64 { return e.settings().MaxCostUSD })
	return e
}

// settings are those in force, for any goroutine; the zero value before the
// state is there.
func (e *Engine) settings() record.Settings {
	if now := e.set.Load(); now != nil {
		return *now
	}
	return record.Settings{}
}

// equipment is what an owner makes ready for a run and lets go of after it;
// nil until then.
type equipment struct {
	box    *sandbox.Box
	eval   *eval.Evaluator
	roster *roster.Roster // of one that looks on as well
}

// usage is how much of the limits of a run is used.
type usage struct {
	budget   string    // the one that is used up, "" = none
	wallFrom time.Time // the wall clock is counted up to here
}

// newRunner makes what carries out jobs under the present state.
func (e *Engine) newRunner() *work.Runner {
	return work.New(work.Options{
		Facts: work.Facts{Experiment: e.st.Exp, Config: e.cfg, Learned: e.st.Learned}, DB: e.db, Repo: e.repo, Budget: e.money,
		Live: e.live, Standing: query.Standing{Asker: e.questions}, Host: host{e}, Now: e.opt.Now, Settings: e.settings,
	})
}

// Feed returns where the engine publishes its snapshots.
func (e *Engine) Feed() *view.Feed { return e.feed }

// Reader returns who answers what a snapshot is too small to carry.
func (e *Engine) Reader() *query.Reader { return e.reader }

// Decide appends decisions that are made by one act, all or none, after checking
// them against the state; the loop carries them out when it folds the rows.
// Together they are one step of undo. It works on an engine that only looks on as
// well. It returns the position of the last row.
func (e *Engine) Decide(ctx context.Context, ds ...record.Decision) (record.Seq, error) {
	if len(ds) == 1 && ds[0].Verb == record.Inject && len(ds[0].Args) == 0 {
		_, err := e.Inject(ctx, ds[0].Text)
		return 0, err
	}
	made := make([]record.Decision, len(ds))
	var err error
	if askErr := e.questions.Ask(ctx, func(s *fold.State) {
		for i, d := range ds {
			if d.Who == "" {
				d.Who = e.opt.Who
			}
			if made[i], err = s.Prepare(d); err != nil {
				return
			}
		}
	}); askErr != nil {
		return 0, askErr
	}
	if err != nil {
		return 0, err
	}
	return e.append(ctx, made...)
}

// Undo takes back the last step that can be taken back, a decision or those that
// were made together, and says what is so again.
func (e *Engine) Undo(ctx context.Context) (string, error) {
	return e.unwind(ctx, (*fold.State).NextUndo)
}

// Redo does the last step that was undone again and says which.
func (e *Engine) Redo(ctx context.Context) (string, error) {
	return e.unwind(ctx, (*fold.State).NextRedo)
}

func (e *Engine) unwind(ctx context.Context, next func(*fold.State, string) ([]record.Decision, error)) (string, error) {
	var step []record.Decision
	var text string
	var err error
	if askErr := e.questions.Ask(ctx, func(s *fold.State) {
		step, err = next(s, e.opt.Who)
		text = s.StepText(step)
	}); askErr != nil {
		return "", askErr
	}
	if err != nil {
		return "", err
	}
	seq, err := e.append(ctx, step...)
	if err != nil {
		return "", err
	}
	return text, e.awaitFold(ctx, seq)
}

// awaitFold returns when the loop has folded the log up to a row, so that the
// next step is the one before.
func (e *Engine) awaitFold(ctx context.Context, seq record.Seq) error {
	for folded := record.Seq(0); folded < seq; {
		e.poke()
		if err := e.questions.Ask(ctx, func(s *fold.State) { folded = s.Seq }); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) append(ctx context.Context, ds ...record.Decision) (record.Seq, error) {
	seq, err := e.db.AppendDecisions(ctx, e.exp, ds...)
	if err != nil {
		return 0, fmt.Errorf("write the decision: %w", err)
	}
	e.poke()
	return seq, nil
}

// Owner reports whether this process runs the jobs. It is meaningful once Run
// has taken or been refused the lock.
func (e *Engine) Owner() bool { return e.ses.Locked() }
