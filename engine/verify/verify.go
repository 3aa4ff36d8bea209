package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/gate"
	"atoll/engine/guard"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/gitops"
	"atoll/store/record"
)

// ErrBranch: the user's branch as it is now does not pass its own evaluator, so
// that nothing can be compared with it.
var ErrBranch = errors.New("the branch as it is now fails the evaluator")

// Question is a candidate that should become a branch.
type Question struct {
	Store      string        // the experiment's bare repository
	Target     gitops.Target // the user's repository; it is read
	Experiment record.Experiment
	Config     config.Config // of the experiment; Evaluator.Dir is absolute
	Metric     string        // searched on, where the configuration names none
	Candidate  record.Candidate
	Lineage    []Step
	Noisy      bool   // values of this experiment are known to vary
	Accepted   bool   // a person accepted that the candidate behaves in another way
	Believed   bool   // a person looked at a change that takes what is beyond belief, or that nothing compared
	Minimise   bool   // what brings nothing is left out
	Rounds     int    // at most; [DefaultRounds] when 0
	Command    string // how to ask again
	Now        func() time.Time
	Tell       func(line string) // told of each step; it may be nil
}

// check is one verification under way.
type check struct {
	q      Question
	repo   *gitops.Repo
	box    *sandbox.Box
	ev     *eval.Evaluator
	base   string // checkout of the branch
	delta  []record.Change
	report Report
	turns  bool // one sample measures the branch, too
}

// Run answers a question. A change that conflicts, that the gate or the
// evaluator refuses, that behaves in another way or whose gain does not hold is no
// error: the report says so in Refused. Objects are added to the store;
// nothing else is written. Errors: [ErrBranch], those of the machine and the context's.
func Run(ctx context.Context, q Question) (report Report, err error) {
	q.Rounds = cmp.Or(q.Rounds, DefaultRounds)
	tmp, err := os.MkdirTemp("", "atoll-verify-")
	if err != nil {
		return report, fmt.Errorf("make a scratch folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	c := &check{q: q, report: Report{
		Experiment: q.Experiment.Name, Candidate: q.Candidate.ID, Lineage: q.Lineage, Base: q.Experiment.Branch,
		Evaluator: q.Config.Evaluator.Line(), Command: q.Command,
		Conditions: Conditions{Platform: platform(), Cores: runtime.NumCPU(), Date: q.Now()},
	}}
	// Checkouts of its own: nothing that an earlier run left is measured.
	if c.repo, err = gitops.Open(ctx, gitops.Options{Dir: q.Store, Cache: filepath.Join(tmp, "checkouts")}); err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, c.repo.Close()) }()
	if c.box, err = sandbox.New(ctx, sandbox.Options{Mode: sandbox.Mode(q.Config.Sandbox.Mode), Scratch: q.Config.Sandbox.Scratch}); err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, c.box.Close()) }()
	c.report.Conditions.Rung = c.box.Rung().String()
	err = c.run(ctx)
	return c.report, err
}

func (c *check) tell(format string, args ...any) {
	if c.q.Tell != nil {
		c.q.Tell(fmt.Sprintf(format, args...))
	}
}

func (c *check) run(ctx context.Context) error {
	o := eval.OptionsOf(c.q.Config)
	c.turns = o.Turns()
	o.Paired = c.turns // else both sides are measured here, with the values themselves
	var err error
	if c.ev, err = eval.New(ctx, c.box, o); err != nil {
		return err
	}
	c.ev.SetObjective(c.q.Metric)
	c.report.Missing = c.ev.Guarantees()
	release, err := c.merge(ctx)
	if err != nil || c.report.Refused != "" {
		return err
	}
	defer release()
	for _, step := range []func(context.Context) error{c.gate, c.passes, c.behaves, c.vouched, c.minimise, c.lessBehaves, c.measure} {
		if err := step(ctx); err != nil || c.report.Refused != "" {
			return err
		}
	}
	return nil
}

// merge puts the change on top of the branch as it is now and checks that out.
func (c *check) merge(ctx context.Context) (release func(), err error) {
	release = func() {}
	x, r := c.q.Experiment, &c.report
	if r.Onto, err = c.repo.FetchCommit(ctx, c.q.Target, x.Branch); err != nil {
		return release, err
	}
	r.Moved = r.Onto != x.RootCommit
	info, err := c.repo.Commit(ctx, r.Onto)
	if err != nil {
		return release, err
	}
	c.tell("putting %s on top of %s (%s)", c.q.Candidate.ID, r.Base, r.Onto.Short())
	if r.tree = c.q.Candidate.Tree; info.Tree != x.RootTree {
		if r.tree, r.Conflicts, err = c.repo.Merge(ctx, x.RootTree, info.Tree, c.q.Candidate.Tree); err != nil {
			return release, err
		}
	}
	if len(r.Conflicts) > 0 {
		r.tree = record.Hash{}
		r.refuse("%s changed since the experiment began, in the lines that %s changes: %s", r.Base, r.Candidate, strings.Join(r.Conflicts, ", "))
		return release, nil
	}
	if c.delta, err = c.repo.Changes(ctx, info.Tree, r.tree); err != nil {
		return release, err
	}
	if len(c.delta) == 0 {
		r.refuse("%s holds what %s changes already", r.Base, r.Candidate)
		return release, nil
	}
	for _, d := range c.delta {
		r.Files = append(r.Files, d.Path)
	}
	slices.Sort(r.Files)
	c.base, release, err = c.repo.Checkout(ctx, info.Tree)
	if err != nil {
		return func() {}, err
	}
	return release, nil
}

// gate applies the policy of names and kinds to the whole change; limits of
// size are those of one edit and stay out.
func (c *check) gate(ctx context.Context) error {
	info, err := c.repo.Commit(ctx, c.report.Onto)
	if err != nil {
		return err
	}
	diffs, err := c.repo.DiffTrees(ctx, info.Tree, c.report.tree)
	if err != nil {
		return err
	}
	g := c.q.Config.Gate
	v := gate.Check(gate.Policy{Protected: c.ev.Protected(), Scope: g.Scope, Forbidden: g.Forbidden}, diffs, c.delta, c.q.Candidate.Operator)
	if v.Rejected {
		c.report.refuse("the gate refuses it: %s", v.Reason())
		return nil
	}
	return c.keepsTheClock(ctx, v, diffs)
}

// keepsTheClock refuses a change that writes to what a benchmark tells its time by, in a file that does not on the branch.
func (c *check) keepsTheClock(ctx context.Context, v gate.Verdict, diffs []record.FileDiff) error {
	for _, f := range v.Findings {
		if f.Rule != gate.RuleClock || c.q.Believed {
			continue
		}
		if i := slices.IndexFunc(diffs, func(d record.FileDiff) bool { return d.Path == f.Path && d.OldExist }); i >= 0 {
			old, err := c.repo.Blob(ctx, diffs[i].OldHash)
			if err != nil {
				return err
			}
			if gate.WritesToClock(f.Path, old) != "" {
				continue
			}
		}
		c.report.refuse("%s: the figures may be its own; look at `atoll diff %s`; --believe promotes it after that", f.Text, c.q.Candidate.ID)
		return nil
	}
	return nil
}

// sample measures one of the two trees once.
func (c *check) sample(ctx context.Context, winner bool, repeat int) (eval.Outcome, error) {
	q := eval.Request{
		Base: c.base, Trusted: c.base, Experiment: c.q.Experiment.Name, BaseCommit: c.report.Onto, Commit: c.report.Onto,
		Goal: c.q.Config.Goal, Repeat: repeat, Seed: c.q.Experiment.Seed, Root: !winner,
	}
	if winner {
		q.Delta, q.Candidate, q.Commit = c.delta, c.q.Candidate.ID, c.q.Candidate.Commit
	}
	out, err := c.ev.Run(ctx, q)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out, err
}

// passes runs the evaluator's stages, tests among them, once on both. What is
// measured on the way warms caches and counts for nothing.
func (c *check) passes(ctx context.Context) error {
	c.tell("running the evaluator on both")
	quiet := c.tellLong("running the evaluator on " + c.report.Base)
	root, err := c.sample(ctx, false, 0)
	quiet()
	if err != nil {
		return err
	}
	if root.Failed() {
		return fmt.Errorf("%w (%s): %s; mend %s first", ErrBranch, root.Class, view.CleanLine(root.Reason), c.report.Base)
	}
	quiet = c.tellLong(fmt.Sprintf("running the evaluator on %s on top of it", c.q.Candidate.ID))
	out, err := c.sample(ctx, true, 0)
	quiet()
	if err != nil {
		return err
	}
	if out.Failed() {
		c.report.refuse("on %s as it is now it fails (%s): %s", c.report.Base, out.Class, out.Reason)
		return nil
	}
	if out.Twin != nil {
		c.report.refuse("it builds the same program as %s", c.report.Base)
		return nil
	}
	c.report.Figures = &Figures{Metric: strings.TrimSuffix(root.ObjectiveName, ".ratio"), Minimize: c.q.Config.Evaluator.Direction == eval.Minimize}
	return nil
}

// comparing is the processor time that the guard may take, more than in a search: nothing waits for
// it but the person who asked. mostComparing is what it may take by the clock.
const (
	comparing     = 3 * guard.DefaultWork
	mostComparing = guard.Slack * comparing
)

// behaves lets the guard compare both, where it is on for the experiment.
func (c *check) behaves(ctx context.Context) error {
	if !work.Guards(c.q.Config, c.ev.Objective(), c.q.Candidate.Metrics) {
		return nil
	}
	options := work.GuardOptions(c.q.Config)
	var now progress
	options.Work, options.Thorough, options.Doing, options.Found = comparing, true, now.doing, c.tellFirst
	box := &meteredBox{Box: c.box}
	g, err := guard.New(box, options)
	if err != nil {
		return err
	}
	quiet := c.tellComparing(box, &now)
	found, err := g.Check(ctx, guard.Tree{Base: c.base}, guard.Tree{Base: c.base, Delta: c.delta}, c.report.Files)
	took := quiet()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		why := view.CleanLine(err.Error())
		if found.Notes = append(found.Notes, why); found.Cases == 0 {
			found.Failed = why
		}
	}
	c.report.Behaviour = &found
	c.tell("%s", comparedText(&found, c.report.Files, took, time.Duration(box.used.Load())))
	if !found.Same() {
		if c.report.Accepted = c.q.Accepted; !c.q.Accepted {
			c.report.refuse("it %s", found.Summary())
		}
	}
	return nil
}

// lessBehaves compares what is left where something was left out: less of a change may do
// something else than all of it.
func (c *check) lessBehaves(ctx context.Context) error {
	if len(c.report.Left)+len(c.report.Steps) == 0 {
		return nil
	}
	if err := c.behaves(ctx); err != nil || c.report.Refused != "" {
		return err
	}
	return c.vouched(ctx)
}

// vouched refuses a change of which the guard should have compared the behaviour and could not, and one of what a
// program takes where nothing looked whether it still does the same: the less it does the less it takes. Where the
// objective is a score of the answers, the evaluator looks itself.
func (c *check) vouched(context.Context) error {
	b, cfg := c.report.Behaviour, c.q.Config
	if c.q.Believed || b == nil {
		return nil
	}
	if b.Failed != "" {
		c.report.refuse("the guard is on and could not compare whether it still does the same: %s; look at `atoll diff %s`, or name command lines in guard_commands, which are compared in any language; --believe promotes it after that",
			strings.TrimSuffix(b.Failed, "."), c.q.Candidate.ID)
		return nil
	}
	if b.Compared() || len(cfg.Evaluator.Stages) > 1 {
		return nil
	}
	if cfg.Guard = "auto"; !work.Guards(cfg, c.ev.Objective(), c.q.Candidate.Metrics) {
		return nil
	}
	c.report.refuse("nothing looked whether it still does the same: the evaluator has no stage of tests, and %s; look at `atoll diff %s`, or name tests in evaluator.stages or command lines in guard_commands; --believe promotes it after that",
		b.Summary(), c.q.Candidate.ID)
	return nil
}

// measure takes rounds of both, in an order that turns with each round, until
// the figures are clear.
func (c *check) measure(ctx context.Context) error {
	f := c.report.Figures
	c.noteLoad()
	defer c.noteLoad()
	for round := range c.q.Rounds {
		quiet := c.tellLong(fmt.Sprintf("measuring round %d of at most %d", round+1, c.q.Rounds))
		before, after, err := c.round(ctx, round)
		quiet()
		if err != nil || c.report.Refused != "" {
			return err
		}
		f.add(before, after)
		c.tell("round %d: %s before, %s after", round+1, view.FormatValue(before.value), view.FormatValue(after.value))
		if done, err := f.done(c.q.Noisy, c.q.Rounds); err != nil {
			return err
		} else if done {
			break
		}
	}
	c.settle()
	return f.judgeParts(c.q.Rounds)
}

// round measures both sides once.
func (c *check) round(ctx context.Context, round int) (branch, winner side, err error) {
	var sides [2]side
	for i := range sides {
		at := (round + i) % 2
		if c.turns && at == 0 {
			continue
		}
		out, err := c.sample(ctx, at == 1, 1+round)
		if err != nil {
			return branch, winner, err
		}
		if out.Failed() {
			c.report.refuse("round %d: %s fails (%s): %s", round+1, [...]string{c.report.Base, "it"}[at], out.Class, out.Reason)
			return branch, winner, nil
		}
		sides[at] = side{out.Objective, out.Metrics}
		if c.turns {
			sides = [2]side{{out.Beside, out.BesideMetrics}, {out.Of, out.Metrics}}
		}
	}
	return sides[0], sides[1], nil
}

// timed reports that the figures are times.
func (c *check) timed() bool {
	unit := ""
	for _, m := range c.q.Candidate.Metrics {
		if m.Name == c.report.Figures.Metric {
			unit = m.Unit
		}
	}
	return config.TimeLike(c.report.Figures.Metric, unit)
}

func (c *check) settle() {
	f := c.report.Figures
	if !f.Holds() {
		c.report.refuse("the gain does not hold: %s", f)
		return
	}
	if before, after := f.Medians(); !c.q.Believed && c.timed() && f.beyondBelief() {
		c.report.refuse("%s before and %s after is beyond belief: look at `atoll diff %s` whether it prints the figure, changes the clock or ends the process; --believe promotes it after that",
			view.FormatValue(before), view.FormatValue(after), c.q.Candidate.ID)
	}
}

func (c *check) noteLoad() {
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if v, ok := loadOf(string(text)); ok {
			c.report.Conditions.Load = append(c.report.Conditions.Load, v)
		}
	}
}
