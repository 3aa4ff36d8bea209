package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/memory"
	"atoll/engine/roster"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

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
	Drain    <-chan struct{}        // closed: nothing is claimed or tried again
	Silence  time.Duration          // of who works, after which a run that ends does not wait; 0 = 20 s
}

// Runner carries out leased jobs, each step by a part that knows one thing. Its
// methods are safe for concurrent use once it is equipped.
type Runner struct {
	*run
	scope      *scope
	candidates *candidates
	vectors    *vectors
	maker      *maker
	notebook   *notebook
	mapper     *mapper
	agents     agentStreak
	settled    record.CandidateID // the last best of which no comparison is due; of the goroutine that owns the state
}

// New returns a runner that can read; Equip and SetRoster make it one that
// works.
func New(o Options) *Runner {
	r := &run{
		facts: o.Facts, db: o.DB, repo: o.Repo, money: o.Budget, live: o.Live, standing: o.Standing, host: o.Host, now: o.Now,
		settings: o.Settings, drain: o.Drain, silence: cmp.Or(o.Silence, DefaultSilence),
	}
	w := &Runner{run: r, scope: newScope(r), candidates: &candidates{run: r}, vectors: &vectors{run: r}, agents: agentStreak{run: r}}
	said := &evaluatorFeedback{r}
	editor := &editor{candidates: w.candidates, scope: w.scope, feedback: said, lineage: &stretches{run: r}}
	gate := &gatekeeper{candidates: w.candidates, scope: w.scope, changed: &changedPaths{candidates: w.candidates}, health: &healthiness{run: r, scope: w.scope}}
	committer := &committer{candidates: w.candidates}
	w.maker = &maker{
		run: r, editor: editor, committer: committer, gate: gate,
		measurer: &measurer{run: r, products: &products{r}, vectors: w.vectors, gate: gate, machine: newMachine(), compared: map[record.CandidateID]int{}},
		ender:    &ender{&rescuer{committer: committer}},
	}
	w.notebook = &notebook{candidates: w.candidates, feedback: said}
	w.mapper = &mapper{editor}
	return w
}

// Equip gives the runner its sandbox and its evaluator, before the first job. It
// measures here, unless [Runner.SetMeter] says otherwise.
func (w *Runner) Equip(box *sandbox.Box, ev *eval.Evaluator) {
	e := w.facts.Experiment
	w.box, w.eval = box, ev
	w.bench = &Bench{Experiment: e.Name, Seed: e.Seed, RootCommit: e.RootCommit, RootTree: e.RootTree, Repo: w.repo, Eval: ev}
	w.meter = w.bench
	w.scope.protect(ev.Protected())
}

// SetPlugins gives the runner the plug-ins that place candidates, before the first
// job.
func (w *Runner) SetPlugins(p *Plugins) { w.plugins = p }

// Bench is what measures here, once the runner is equipped.
func (w *Runner) Bench() *Bench { return w.bench }

// SetMeter has samples taken elsewhere, before the first job.
func (w *Runner) SetMeter(m Meter) { w.meter = m }

// SetRoster gives the runner who can be asked, before the first job.
func (w *Runner) SetRoster(r *roster.Roster) { w.roster = r }

// SetPrepared has a job go on from a commit that exists.
func (w *Runner) SetPrepared(job record.JobID, commit record.Hash) {
	w.maker.committer.prepare(job, commit)
}

// SetHistory gives a job the counts that its agent may learn from, and forgets
// those of an old one.
func (w *Runner) SetHistory(job record.JobID, h *agent.History, old record.JobID) {
	w.maker.editor.setHistory(job, h, old)
}

// KeepEpoch keeps what an epoch showed for the job that reflects on it.
func (w *Runner) KeepEpoch(f memory.EpochFacts) { w.notebook.keepEpoch(f) }

// WriteNotes puts fresh notes beside those that are there; nil stands for
// those that follow from the figures alone.
func (w *Runner) WriteNotes(ctx context.Context, facts memory.EpochFacts, fresh []record.Note) error {
	return w.notebook.write(ctx, facts, fresh)
}

// Scope returns the target of a job and which paths it may change: those of
// the target, within the gate's scope, and never a protected one.
func (w *Runner) Scope(name string) (agent.Target, func(string) bool) { return w.scope.of(name) }

// Survey reads what a mapper may know beside the files of the best candidate.
func (w *Runner) Survey(ctx context.Context, p *fold.TargetFacts) (offline.Survey, agent.Tree, error) {
	return w.mapper.survey(ctx, p)
}

// Embedding makes the embedder and the rule of eligible files once; both
// depend on the root alone.
func (w *Runner) Embedding(ctx context.Context) (*Embedding, error) { return w.vectors.embedding(ctx) }

// FromRoot tells how a candidate differs from the root.
func (w *Runner) FromRoot(ctx context.Context, id record.CandidateID) ([]record.FileDiff, error) {
	return w.candidates.fromRoot(ctx, id)
}

// carryOut takes one leased job as far as it goes, at a place of the pool. It reports whether the worker
// may go on with another: not where one as good as this would break off, too.
func (w *Runner) carryOut(ctx context.Context, lease *record.Lease, at leaver) (goOn bool) {
	jobCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.live.begin(*lease, cancel)
	defer w.live.end(lease.Job.ID)
	defer w.money.Forget(lease.Job.ID)
	r := &attempt{run: w.run, lease: *lease, started: w.now(), ended: w.ended, place: at}
	if err := w.do(jobCtx, r); err != nil {
		w.maker.ender.giveUp(jobCtx, r, err)
		return !errors.Is(err, errPutBack)
	}
	return true
}

// do carries out a job by its kind. An error is none of the job's: its attempt
// broke off.
func (w *Runner) do(ctx context.Context, r *attempt) error {
	job := r.lease.Job
	switch {
	case job.Kind == record.Make:
		return w.maker.make(ctx, r)
	case job.Kind == record.Evaluate:
		return w.maker.measurer.measure(ctx, r)
	case job.Kind == record.Assist && job.Purpose == record.PurposeReflect:
		return w.notebook.reflect(ctx, r)
	case job.Kind == record.Assist && job.Purpose == record.PurposeMap:
		return w.mapper.propose(ctx, r)
	}
	return r.fail(ctx, record.ClassInternal, fmt.Sprintf("this version cannot do %s jobs %s", job.Kind, job.Purpose))
}

// ended takes note of how a job ended.
func (w *Runner) ended(ctx context.Context, out store.Outcome) {
	w.agents.watch(out)
	if out.State == record.Scored && out.Candidate != nil {
		w.maker.gate.changed.keep(ctx, out.Candidate)
	}
}
