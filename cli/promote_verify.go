package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/verify"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// errRefused ends `promote --verify` without a branch.
var errRefused = errors.New("refused, nothing was written")

// errNoGain ends `promote best` where the search found nothing: no fault of the command line.
var errNoGain = errors.New("nothing better than the root was found yet, so there is nothing to promote; `atoll run` goes on with the search")

// rootStays is why the root makes no branch.
const rootStays = "the root is what candidates are compared with: it is in your branch already"

// verification is what the flags of `promote --verify` ask for.
type verification struct {
	on, squash bool
	minimise   bool
	believe    bool
	rounds     int
	branch     string
}

// consistent refuses flags that need --verify without it.
func (v *verification) consistent(rounds bool) error {
	if !v.on && (v.squash || v.minimise || v.believe || rounds) {
		return usage("--squash, --minimise, --believe and --rounds go with --verify")
	}
	return nil
}

// verify promotes a candidate whose gain holds on the user's branch as it is now, and
// returns what was found out.
func (a *App) verify(ctx context.Context, o *opened, c *record.Candidate, v verification) (verify.Report, error) {
	switch none := (verify.Report{}); {
	case v.rounds < verify.LeastRounds || v.rounds > verify.MostRounds:
		return none, usage("--rounds %d: between %d and %d", v.rounds, verify.LeastRounds, verify.MostRounds)
	case o.Target.Path == "":
		return none, usage("the repository is not known here: run this inside it, or name it with --repo")
	case o.ReadOnly():
		return none, fmt.Errorf("write the branch: %w", store.ErrReadOnly) // said before it takes its time
	case c.ID == record.Root:
		return none, usage(rootStays)
	}
	if v.branch != "" { // else a free name is found
		if err := o.Repo.CheckBranch(ctx, o.Target, v.branch); err != nil {
			return verify.Report{}, err
		}
	}
	q, err := a.verifying(ctx, o, c, v)
	if err != nil {
		return verify.Report{}, err
	}
	report, err := verify.Run(ctx, q)
	if err == nil && report.Refused == "" {
		err = a.writeVerified(ctx, o, &report, v)
	}
	if err != nil {
		return report, err
	}
	if err := a.printVerified(&report, v); err != nil || report.Refused == "" {
		return report, err
	}
	if err := a.rejectDifferent(ctx, o, c, &report); err != nil {
		return report, err
	}
	why := report.Refused
	if len(report.Conflicts) > 0 {
		why += a.spell(fmt.Sprintf("; `atoll promote %s` makes a branch of it where the search began, to merge by hand, and `atoll run --new` searches from where %s is now", c.ID, view.CleanLine(report.Base)))
	}
	return report, fmt.Errorf("%w: %s", errRefused, why)
}

// rejectDifferent has the guard reject a candidate that was found to behave in another way, as it would in a run:
// what is known of it is no gain. Where other trees were compared than those of the search, or a person knows of the
// difference, it does nothing.
func (a *App) rejectDifferent(ctx context.Context, o *opened, c *record.Candidate, r *verify.Report) error {
	b := r.Behaviour
	if b == nil || b.Same() || r.Accepted || r.Moved || len(r.Left)+len(r.Steps) > 0 || c.Status != record.StatusScored || rejected(o.state, c.ID) {
		return nil
	}
	if err := engine.RejectDifferent(ctx, o.Session, o.state, c, b); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.Err, folded(a.spell(fmt.Sprintf("the guard rejects %s for that, and it leads no longer: `atoll promote best --verify` takes the next, `atoll restore %s` takes the rejection back", c.ID, c.ID)), a.width(a.Err)))
	return err
}

// verifying puts together what a verification needs to know.
func (a *App) verifying(ctx context.Context, o *opened, c *record.Candidate, v verification) (verify.Question, error) {
	cfg := o.state.Config
	if now := a.fileNow(ctx); now != nil {
		cfg = engine.WithLive(cfg, *now)
		if len(now.GuardCommands) > 0 { // nothing was measured with them: they compare the two trees of today
			cfg.GuardCommands = now.GuardCommands
		}
	}
	if dir := cfg.Evaluator.Dir; dir != "" && !filepath.IsAbs(dir) {
		cfg.Evaluator.Dir = filepath.Join(o.Dir, dir)
	}
	snap := o.state.Snapshot()
	if err := engine.FillFacts(ctx, o.DB, snap); err != nil {
		return verify.Question{}, err
	}
	lineage, err := o.lineage(ctx, c)
	if err != nil {
		return verify.Question{}, err
	}
	report, looked, err := engine.GuardReport(ctx, o.Session, o.exp.ID, c)
	if err != nil {
		return verify.Question{}, err
	}
	if o.OwnerPID() != 0 && (o.exp.State == record.ExperimentRunning || snap.Jobs.Running > 0) { // a console that looks on measures nothing
		a.warn(a.spell("an engine runs here and disturbs what is measured; `atoll pause` makes it wait"))
	}
	args := []string{"promote", c.ID.String(), "--verify", "--experiment", fmt.Sprint(int64(o.exp.ID))}
	if v.rounds != verify.DefaultRounds {
		args = append(args, fmt.Sprintf("--rounds %d", v.rounds))
	}
	if v.believe {
		args = append(args, "--believe")
	}
	if v.minimise {
		args = append(args, "--minimise")
	}
	return verify.Question{
		Minimise: v.minimise, Believed: v.believe, Store: o.Repo.Dir(), Target: o.Target, Experiment: o.exp, Config: cfg, Metric: snap.Objective, Candidate: *c, Lineage: lineage,
		Noisy: snap.Noisy, Accepted: looked && !report.Same() && c.Status == record.StatusScored && !rejected(o.state, c.ID),
		Rounds: v.rounds, Command: "atoll " + strings.Join(args, " "), Now: a.Now,
		Tell: func(line string) { fmt.Fprintln(a.Err, view.CleanLine(line)) },
	}, nil
}

// lineage is the way from the first edit to a candidate.
func (o *opened) lineage(ctx context.Context, c *record.Candidate) ([]verify.Step, error) {
	var steps []verify.Step
	for at := *c; at.ID != record.Root; {
		id := at.Parent()
		if id == record.NoCandidate || id >= at.ID { // a parent is older
			steps = append(steps, verify.StepOf(&at, &record.Candidate{}))
			break
		}
		parent, err := o.DB.Candidate(ctx, o.exp.ID, id)
		if err != nil {
			return nil, fmt.Errorf("read candidate %s: %w", id, err)
		}
		steps = append(steps, verify.StepOf(&at, &parent))
		at = parent
	}
	slices.Reverse(steps)
	return steps, nil
}

// writeVerified makes the commit and its branch: on top of the user's, and with the history of
// what is promoted beside it unless that is squashed.
func (a *App) writeVerified(ctx context.Context, o *opened, r *verify.Report, v verification) error {
	made, err := o.DB.Candidate(ctx, o.exp.ID, r.Made())
	if err != nil {
		return fmt.Errorf("read candidate %s: %w", r.Made(), err)
	}
	if r.Branch = v.branch; r.Branch == "" {
		if r.Branch, err = engine.FreeBranch(ctx, o.Session, o.exp, made.ID); err != nil {
			return err
		}
	}
	parents := []record.Hash{r.Onto}
	if !v.squash {
		parents = append(parents, made.Commit)
	}
	commit, err := o.Repo.WriteCommit(ctx, gitops.CommitSpec{Tree: r.Tree(), Parents: parents, Message: r.Message(), Time: a.Now()})
	if err != nil {
		return err
	}
	p := record.Promotion{Base: r.Base, Onto: r.Onto.String(), Gain: r.Figures.String()}
	if p.Left = len(r.Steps); p.Left > 0 {
		p.From = r.Candidate
	}
	d := record.NewPromotion(made.ID, r.Branch, p)
	d.Who, r.Commit = a.who(), commit.String()
	return engine.PromoteCommit(ctx, o.Session, o.exp.ID, commit, d)
}

func (a *App) printVerified(r *verify.Report, v verification) error {
	if a.flags.json {
		return writeJSON(a.Out, r)
	}
	w := a.Out
	moved := map[bool]string{true: ", which moved since the experiment began"}[r.Moved]
	fmt.Fprintf(w, "%-10s %s on top of %s (%s)%s\n", "change", r.Named(), view.CleanLine(r.Base), r.Onto.Short(), moved)
	if left := r.LeftOut(); left != "" {
		fmt.Fprintf(w, "%-10s %s: brings nothing\n", "left out", view.CleanLine(left))
	} else if v.minimise && r.Branch != "" {
		fmt.Fprintf(w, "%-10s nothing: without any part some of the gain is lost\n", "left out")
	}
	if r.Behaviour != nil {
		fmt.Fprintf(w, "%-10s %s\n", "behaviour", behaviourText(r.Behaviour))
		if err := a.printTold(*r.Behaviour); err != nil {
			return err
		}
	}
	if f := r.Figures; f != nil && f.N() > 0 {
		before, after := f.Medians()
		fmt.Fprintf(w, "%-10s %s before, %s after; %s\n", view.CleanLine(f.Metric), view.FormatValue(before), view.FormatValue(after), f)
		printParts(w, f)
		fmt.Fprintf(w, "%-10s %s\n", "measured", &r.Conditions)
	}
	for _, m := range r.Missing {
		fmt.Fprintf(w, "%-10s %s\n", "missing", view.CleanLine(m))
	}
	if r.Branch == "" {
		return nil
	}
	if n := len(r.Lineage); n > 1 && !v.minimise {
		fmt.Fprintf(w, "%-10s %s made it, and some may bring nothing: `%s` leaves those out\n", "smaller", view.Plural(n, "edit"), a.says("promote "+r.Candidate.String()+" --verify --minimise"))
	}
	if r.Behaviour != nil && !r.Behaviour.Compared() {
		fmt.Fprintf(w, "%-10s nothing but the evaluator looked whether it still does the same: read `git diff %s...%s`, or name command lines in guard_commands of %s and promote it again\n",
			"take care", r.Base, r.Branch, config.FileName)
	}
	_, err := fmt.Fprintf(w, "branch %s is %s (%s); look at it with `git diff %s...%s`\n", r.Branch, r.Named(), r.Commit[:7], r.Base, r.Branch)
	return err
}

// printParts tells how the benchmarks moved that a metric is a mean of, all that got worse
// by name.
func printParts(w io.Writer, f *verify.Figures) {
	line := f.PartsLine()
	if line == "" {
		return
	}
	fmt.Fprintf(w, "%-10s %s\n", "each alone", line)
	for _, p := range f.Worse() {
		fmt.Fprintf(w, "%-10s %s\n", "worse", &p)
	}
}
