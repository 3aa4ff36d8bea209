package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
	"atoll/engine/campaign/fresh"
	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/memory"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/store/record"
)

// campaignBranch is the branch of atoll's store that a campaign's tasks build on.
const campaignBranch = "campaign"

// How many of an experiment's best are looked at for one that meets the acceptance,
// and how many of them commands are run on.
const (
	lookAt = 64
	runOn  = 8
)

// What the command of a chore has without a deadline: as a whole, and in silence.
const (
	choreTime    = 30 * time.Minute
	choreSilence = 10 * time.Minute
)

// taskRunner carries out the tasks of a campaign: each is an experiment of the
// session's state directory, a chore one with a single job whose agent is the
// command. It implements [campaign.Executor].
type taskRunner struct {
	app      *App
	ses      *engine.Session
	place    place
	loaded   config.Loaded
	tell     func(campaign.Event)
	search   func(task int, s *view.Snapshot) // told how the search of a task stands, nil at its end; it may be nil
	box      *sandbox.Box                     // made when first asked for
	auditors *auditors                        // as box
	covered  float64                          // percent of each file that the tests should run; 0: not asked for
	marks    map[record.Hash]audit.Marks      // of commits, by commit
	registry fresh.Registry                   // as box

	mu      sync.Mutex
	running *engine.Engine
	left    bool
}

// leave ends the task that runs as soon as what it has begun is done; the next run
// of the campaign goes on with it. Any goroutine may call it.
func (r *taskRunner) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = true
	if r.running != nil {
		r.running.Drain()
	}
}

// runs says which engine runs, and whether none may any more.
func (r *taskRunner) runs(eng *engine.Engine) (left bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = eng
	return r.left
}

func (r *taskRunner) close() {
	if r.box != nil {
		_ = r.box.Close()
	}
}

// Head implements [campaign.Executor]: the commit that atoll.yaml names.
func (r *taskRunner) Head(ctx context.Context) (record.Hash, error) {
	if r.place.target.Path == "" {
		return record.Hash{}, usage("a campaign needs its repository: run this inside it, or name it with --repo")
	}
	return r.ses.Repo.Import(ctx, r.place.target, r.loaded.Root)
}

// Publish implements [campaign.Executor].
func (r *taskRunner) Publish(ctx context.Context, head record.Hash) error {
	return r.ses.Repo.SetBranch(ctx, campaignBranch, head)
}

// sandbox is where commands and plug-ins run, made when first asked for.
func (r *taskRunner) sandbox(ctx context.Context) (*sandbox.Box, error) {
	if r.box != nil {
		return r.box, nil
	}
	var err error
	c := r.loaded.Sandbox
	r.box, err = sandbox.New(ctx, sandbox.Options{Mode: sandbox.Mode(c.Mode), Scratch: c.Scratch})
	return r.box, err
}

// Execute implements [campaign.Executor].
func (r *taskRunner) Execute(ctx context.Context, a campaign.Assignment) (campaign.Outcome, error) {
	if gone, err := r.gone(ctx, a); gone != "" || err != nil {
		return campaign.Outcome{Status: campaign.Dropped, Reason: gone}, err
	}
	exp, err := r.experiment(ctx, a)
	if err != nil {
		var bad config.Problems
		if errors.As(err, &bad) || errors.Is(err, errUsage) { // the task cannot be carried out as it is
			return campaign.Outcome{Status: campaign.Failed, Reason: message(err)}, nil
		}
		return campaign.Outcome{}, err
	}
	p := &picker{taskRunner: r, task: &a.Task, exp: exp, began: a.Began, known: map[string]campaign.Check{}}
	if err := r.run(ctx, a, p); err != nil {
		return campaign.Outcome{}, err
	}
	return r.outcome(ctx, a, p)
}

// experimentName is the experiment of an attempt, by the attempt's name.
func experimentName(attempt string) string { return "campaign-" + attempt }

// experiment finds the experiment of an attempt, or begins it.
func (r *taskRunner) experiment(ctx context.Context, a campaign.Assignment) (record.Experiment, error) {
	return r.experimentWith(ctx, a, func(*config.Config) {})
}

// experimentWith is experiment with a change of its configuration.
func (r *taskRunner) experimentWith(ctx context.Context, a campaign.Assignment, change func(*config.Config)) (record.Experiment, error) {
	name := experimentName(a.Name)
	all, err := r.ses.DB.Experiments(ctx)
	if err != nil {
		return record.Experiment{}, err
	}
	if i := slices.IndexFunc(all, func(e record.Experiment) bool { return e.Name == name }); i >= 0 {
		return all[i], nil
	}
	l := r.loaded
	l.Config = r.configFor(a)
	l.Config.Name = name
	change(&l.Config)
	if a.Task.Command == "" {
		if problems := l.Complete(); len(problems) > 0 {
			return record.Experiment{}, problems
		}
	}
	cfg, err := sealedFor(ctx, r.ses, r.place, a.Root, l)
	if err != nil {
		return record.Experiment{}, err
	}
	exp, err := engine.Create(ctx, r.ses, engine.Plan{Config: cfg, Root: a.Root, Branch: campaignBranch})
	if err != nil {
		return exp, err
	}
	for _, text := range a.Lessons {
		if _, err := r.ses.DB.PutNote(ctx, exp.ID, record.Note{Kind: memory.Long, Text: text, Author: memory.AuthorCampaign}); err != nil {
			return exp, err
		}
	}
	return exp, nil
}

// configFor is the configuration of one attempt: the repository's own, with what
// the task says.
func (r *taskRunner) configFor(a campaign.Assignment) config.Config {
	cfg := r.loaded.Config
	t := &a.Task
	cfg.Goal = cmp.Or(t.Goal, t.Title)
	cfg.Seed += uint64(1000*t.ID + a.Attempt)
	if len(t.Scope) > 0 {
		cfg.Gate.Scope = t.Scope
	}
	cfg.Acceptance = nil
	for _, c := range t.Acceptance {
		cfg.Acceptance = append(cfg.Acceptance, c.String())
	}
	cfg.Budget = config.Budget{Jobs: t.MakeJobs(), CostUSD: t.CostUSD, Wall: t.Wall()}
	if a.Left.Jobs > 0 {
		cfg.Budget.Jobs = min(cfg.Budget.Jobs, a.Left.Jobs)
	}
	if a.Left.CostUSD > 0 && (cfg.Budget.CostUSD == 0 || cfg.Budget.CostUSD > a.Left.CostUSD) {
		cfg.Budget.CostUSD = a.Left.CostUSD
	}
	if t.Command != "" {
		return chore(cfg, t)
	}
	return cfg
}

// chore is a configuration under which one job runs a command in the tree, and
// whatever it changed is a candidate. Nothing is searched, so nothing is measured
// but that the command ended well.
func chore(cfg config.Config, t *campaign.Task) config.Config {
	protected, caches := unprotected(cfg.Evaluator.Protected, t), union(cfg.Evaluator.Caches, offlineCaches()...)
	cfg.Evaluator = config.Defaults().Evaluator
	cfg.Evaluator.Command, cfg.Evaluator.Output = []string{"echo 1"}, "last-number"
	cfg.Evaluator.Protected, cfg.Evaluator.Caches = protected, caches
	cfg.Evaluator.RootRepeats, cfg.Evaluator.Repeats = 1, 1
	cfg.Guard, cfg.Review, cfg.Roles = "off", config.Review{Measure: "off", Niche: "off", Fail: "open"}, config.Roles{}
	cfg.Budget = config.Budget{Jobs: 1}
	cfg.Workers = 1
	cfg.Targets = nil
	cfg.Map.Axes, cfg.Health = nil, config.Defaults().Health
	if len(t.Scope) == 0 { // the command is the person's own
		cfg.Gate.Scope = nil
	}
	cfg.Search.Operators = map[string]float64{string(record.OpMutate): 1}
	agent := config.Agent{Name: "chore", Kind: "command", Preset: "generic", Command: []string{"sh", "-c", t.Command}, Weight: 1, Attempts: 1, Timeout: choreTime}
	if t.Wall() > 0 {
		agent.Timeout = t.Wall()
	}
	cfg.Agents = []config.Agent{agent}
	return cfg
}

// run runs the experiment of an attempt to its end, unless it has ended. Where
// something that was measured meets the acceptance, that is the end.
func (r *taskRunner) run(ctx context.Context, a campaign.Assignment, p *picker) error {
	exp := p.exp
	if exp.State == record.ExperimentDone {
		return nil
	}
	opt := r.app.engineOptions(runFlags{})
	opt.Unattended = true
	if a.Task.Command == "" {
		opt.Enough = p.enough
	}
	eng := engine.New(r.ses, exp.ID, opt)
	if r.runs(eng) {
		return errInterrupted
	}
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	stop := r.app.onSignals(eng, func() { abort(errInterrupted) })
	watched := make(chan struct{})
	readCtx, stopReading := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(watched)
		r.follow(readCtx, a, eng.Feed(), exp.ID)
	}()
	err := eng.Run(ctx)
	stopReading()
	<-watched
	if left := r.runs(nil); stop() || left {
		return errors.Join(errInterrupted, ignoreCancel(err))
	}
	return err
}

// follow tells of each new best of a task's experiment.
func (r *taskRunner) follow(ctx context.Context, a campaign.Assignment, feed *view.Feed, exp record.ExperimentID) {
	var version uint64
	best := record.Root
	show := func(s *view.Snapshot) {
		if r.search != nil {
			r.search(a.Task.ID, s)
		}
	}
	defer show(nil)
	for {
		snap, err := feed.Wait(ctx, version)
		version = snap.Version
		if snap.Experiment.ID == exp {
			show(snap)
		}
		if snap.Experiment.ID == exp && snap.Best.ID > record.Root && snap.Best.ID != best {
			best = snap.Best.ID
			r.tell(campaign.Event{Task: a.Task.ID, Text: fmt.Sprintf("%s leads with %s; the root has %s (job %d of %d)",
				best, bestText(snap), rootValue(snap), snap.Jobs.Ended(), snap.Jobs.Max)})
		}
		if err != nil {
			return
		}
	}
}

// outcome looks for the best candidate that meets the acceptance, and makes it one
// commit on the campaign's branch.
func (r *taskRunner) outcome(ctx context.Context, a campaign.Assignment, p *picker) (campaign.Outcome, error) {
	exp := p.exp
	st, err := fold.LoadState(ctx, r.ses.DB, exp.ID)
	if err != nil {
		return campaign.Outcome{}, err
	}
	snap := st.Snapshot()
	used, err := r.ses.DB.Counters(ctx, exp.ID)
	if err != nil {
		return campaign.Outcome{}, err
	}
	out := campaign.Outcome{Status: campaign.Failed, Jobs: used.Begun, USD: used.KnownUSD + used.ForfeitUSD}
	if snap.Root.ID == record.NoCandidate {
		out.Reason = cmp.Or(snap.Reason, "the root could not be measured")
		return out, nil
	}
	won, err := p.pick(ctx, st)
	if err != nil {
		return out, err
	}
	out.Checks = won.checks
	if !won.ok {
		out.Reason = cmp.Or(p.vain(), won.reason)
		if wall := a.Task.Wall(); wall > 0 && a.Task.Command == "" && used.WallMS >= wall.Milliseconds() {
			out.Reason = deadlinePassed(wall) + "; " + won.reason
		}
		return out, nil
	}
	out.Status, out.Reason = campaign.Done, won.reason
	if won.candidate == record.Root {
		return out, nil // it holds as it is: the branch stays
	}
	out.Winner = won.candidate.String()
	if c, ok := st.ClaimOf(won.candidate); ok && a.Task.Command == "" { // a chore measures nothing
		if pct := view.ClaimPercent(c); pct == pct { // told as a fact
			out.Gain = &pct
		}
	}
	out.Commit, err = r.commit(ctx, a, exp, won)
	return out, err
}

// commit writes the winner's tree as one commit on the attempt's root. The same
// attempt gives the same commit, whenever it is made.
func (r *taskRunner) commit(ctx context.Context, a campaign.Assignment, exp record.Experiment, won verdict) (record.Hash, error) {
	root, err := r.ses.Repo.Commit(ctx, a.Root)
	if err != nil {
		return record.Hash{}, err
	}
	c, err := r.ses.DB.Candidate(ctx, exp.ID, won.candidate)
	if err != nil {
		return record.Hash{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nTask t%d of the campaign, candidate %s of %s.\n", view.CleanLine(a.Task.Title), a.Task.ID, won.candidate, exp.Name)
	for _, k := range won.checks {
		fmt.Fprintf(&b, "Accepted: %s (%s)\n", k.Acceptance, view.CleanLine(k.Detail))
	}
	if a.Task.Epic != "" {
		fmt.Fprintf(&b, "Epic: %s\n", view.CleanLine(a.Task.Epic))
	}
	h, err := r.ses.Repo.WriteCommit(ctx, gitopsCommit(c.Tree, a.Root, b.String(), root.Time.Add(time.Second)))
	if err != nil {
		return h, err
	}
	return h, r.ses.Repo.Anchor(ctx, exp.ID, []record.Hash{h})
}

// passes runs a command on a tree, in the sandbox and with what the evaluator may
// see, protected files from the attempt's root. It reports the last line of output.
func (r *taskRunner) passes(ctx context.Context, a *campaign.Task, exp record.Experiment, command string, c record.Candidate) (bool, string, error) {
	box, err := r.sandbox(ctx)
	if err != nil {
		return false, "", err
	}
	o := eval.OptionsOf(r.loaded.Config)
	o.Command, o.Adapter, o.AdapterOptions, o.Output = []string{runsWell(command)}, "", nil, "last-number"
	o.Stages, o.Objective, o.Direction, o.Paired, o.Artifact = nil, "", "", false, ""
	o.Caches, o.Protected = union(o.Caches, offlineCaches()...), unprotected(o.Protected, a)
	if o.Dir != "" && !filepath.IsAbs(o.Dir) {
		o.Dir = filepath.Join(r.loaded.Dir, o.Dir)
	}
	if a.Wall() > 0 {
		o.Timeout = a.Wall()
	}
	ev, err := eval.New(ctx, box, o)
	if err != nil {
		return false, "", err
	}
	dir, release, err := r.ses.Repo.Checkout(ctx, exp.RootTree)
	if err != nil {
		return false, "", err
	}
	defer release()
	delta, err := r.ses.Repo.Changes(ctx, exp.RootTree, c.Tree)
	if err != nil {
		return false, "", err
	}
	res, err := ev.Run(ctx, eval.Request{
		Base: dir, Trusted: dir, Delta: delta, Experiment: exp.Name, Candidate: c.ID, BaseCommit: exp.RootCommit, Commit: c.Commit, Goal: a.Title,
	})
	if err != nil {
		return false, "", err
	}
	if res.Failed() {
		return false, view.CleanLine(res.Reason), nil
	}
	return true, "ended with 0", nil
}

// runsWell is a command that prints 1 when the given one ends with 0.
func runsWell(command string) string {
	return "(\n" + command + "\n) >&2\ncode=$?\nif [ \"$code\" = 0 ]; then echo 1; fi\nexit $code"
}

// unprotected are the protected files without those that a command of the auditor's own is
// to change, such as go.mod where a dependency is raised: no candidate wrote that command.
func unprotected(globs []string, t *campaign.Task) []string {
	if t.Origin != campaign.FromAudit || t.Command == "" {
		return globs
	}
	return slices.DeleteFunc(slices.Clone(globs), func(g string) bool { return slices.Contains(t.Scope, strings.TrimPrefix(g, "/")) })
}

// offlineCaches are those that commands of tasks find what they need in, without a network.
func offlineCaches() []string { return []string{"go", "npm", "pip", "cargo"} }

func union(list []string, more ...string) []string {
	out := slices.Clone(list)
	for _, m := range more {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}
