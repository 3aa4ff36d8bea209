package work

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/gate"
	"atoll/engine/memory"
	"atoll/engine/roster"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Facts are fixed for a run.
type Facts struct {
	Experiment record.Experiment
	Config     config.Config
	Learned    bool // the map has learned axes
}

// Standing answers how the search stands now.
type Standing interface {
	// Places says where candidates lie in the archive, "" where one has no place.
	Places(ctx context.Context, ids []record.CandidateID) ([]string, error)
	// Neighbours tells which of some candidates lie in the niche of one.
	Neighbours(ctx context.Context, of record.CandidateID, ids []record.CandidateID) (map[record.CandidateID]bool, error)
	// WouldTake reports whether a measured candidate would take a niche now, and
	// whether it would be the best.
	WouldTake(ctx context.Context, c *record.Candidate, vector []float32) (takes, best bool, err error)
	// Elites lists who holds a niche.
	Elites(ctx context.Context) ([]record.CandidateID, error)
	// TargetFacts is what a mapper may know.
	TargetFacts(ctx context.Context) (fold.TargetFacts, error)
	// KeepTargets adds to new proposals the old ones that a person set something for.
	KeepTargets(ctx context.Context, found []record.Target) ([]record.Target, error)
}

// Host is told what a job has to say beside its result. Its methods are safe
// for concurrent use and do not wait.
type Host interface {
	Note(level string, job record.JobID, text string, at ...time.Time)
	Decide(ctx context.Context, d record.Decision) (record.Seq, error)
	Wake()                                        // there may be something to do
	Exhausted(b *store.BudgetError)               // a budget is used up
	StoreFailed(err error)                        // no job can be blamed
	Pause(why string)                             // no more jobs should be claimed for now
	RootSick(reason string)                       // the root fails where it did not before
	RootFailed(class record.Class, reason string) // nothing can be compared
}

// Options are what a runner works with. Everything but the evaluator and the
// roster is there from the start; see [Runner.Equip] and [Runner.SetRoster].
type Options struct {
	Facts    Facts
	DB       *store.DB
	Repo     *gitops.Repo
	Budget   *roster.Budget
	Live     *Live
	Standing Standing
	Host     Host
	Now      func() time.Time
	Settings func() record.Settings // as they are now
}

// Runner carries out leased jobs. What is fixed for the run it has by value;
// its methods are safe for concurrent use once it is equipped.
type Runner struct {
	facts    Facts
	db       *store.DB
	repo     *gitops.Repo
	box      *sandbox.Box
	eval     *eval.Evaluator
	roster   *roster.Roster
	money    *roster.Budget
	live     *Live
	standing Standing
	host     Host
	now      func() time.Time
	settings func() record.Settings

	objName atomic.Pointer[string]
	policy  gate.Policy
	allows  *sync.Map // what gate.Allows says of each path, which costs a dozen patterns
	texts

	mu        sync.Mutex
	prepared  map[record.JobID]record.Hash // commits found without a row, or injected
	items     map[record.CandidateID]agent.Item
	histories map[record.JobID]*agent.History
	epochs    map[int]memory.EpochFacts // of the last epochs, by number
	base      string                    // checkout of the root
	breaker   breaker
	dismissed map[record.CandidateID]bool // by this engine, for want of their objects
}

// texts is what a runner keeps of sources it read, so that it reads each once.
type texts struct {
	touched touchedPaths
	embed   Embedding
	chunks  chunks
}

// New returns a runner that can read; Equip and SetRoster make it one that
// works.
func New(o Options) *Runner {
	g, ev := o.Facts.Config.Gate, o.Facts.Config.Evaluator
	return &Runner{
		facts: o.Facts, db: o.DB, repo: o.Repo, money: o.Budget, live: o.Live, standing: o.Standing, host: o.Host, now: o.Now,
		settings: o.Settings, allows: new(sync.Map),
		policy: gate.Policy{
			Protected: ev.Protected, Scope: g.Scope, Forbidden: g.Forbidden,
			MaxFiles: g.MaxFiles, MaxLines: g.MaxLines, MaxFileBytes: g.MaxFileBytes,
		},
	}
}

// Equip gives the runner its sandbox and its evaluator, before the first job.
func (w *Runner) Equip(box *sandbox.Box, ev *eval.Evaluator) {
	w.box, w.eval = box, ev
	w.policy.Protected, w.allows = ev.Protected(), new(sync.Map)
}

// SetRoster gives the runner who can be asked, before the first job.
func (w *Runner) SetRoster(r *roster.Roster) { w.roster = r }

// SetMetric names the metric that an earlier run learned from the root.
func (w *Runner) SetMetric(name string) { w.objName.Store(&name) }

// factsKept is how many epochs wait for their reflection at most.
const factsKept = 8

// KeepEpoch keeps what an epoch showed for the job that reflects on it.
func (w *Runner) KeepEpoch(f memory.EpochFacts) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.epochs == nil {
		w.epochs = map[int]memory.EpochFacts{}
	}
	w.epochs[f.Number] = f
	delete(w.epochs, f.Number-factsKept)
}

// SetHistory gives a job the counts that its agent may learn from, and forgets
// those of an old one.
func (w *Runner) SetHistory(job record.JobID, h *agent.History, old record.JobID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.histories == nil {
		w.histories = map[record.JobID]*agent.History{}
	}
	w.histories[job] = h
	delete(w.histories, old)
}
