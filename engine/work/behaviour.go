package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/guard"
	"atoll/engine/view"
	"atoll/store/record"
)

// EvidenceGuard is the kind of the evidence that holds a guard.Report, as JSON.
const EvidenceGuard = "guard"

// The guard compares the behaviour of a candidate with the root's as soon as it
// would lead by more than its error, and at the latest before it is confirmed. One
// that behaves in another way waits for a person, with the difference as the reason:
// approved, it takes its place. One that came to lead later is rejected, which a
// person can undo.

// behaviour says in what a candidate that would lead differs from the root, or
// nothing. What the guard cannot do is a note and no reason.
func (w *measurer) behaviour(ctx context.Context, r *attempt, c *record.Candidate, vector []float32) (string, error) {
	if r.lease.Job.Approved || !Guards(w.facts.Config, w.eval.Objective(), c.Metrics) {
		return "", nil
	}
	leads, err := w.leads(ctx, c, vector)
	if err != nil || !leads {
		return "", err
	}
	if err := r.keepSamples(ctx); err != nil { // a comparison takes its time
		return "", err
	}
	report, done, err := w.guard(ctx, r, c)
	if err != nil || !done {
		return "", err
	}
	r.evidence = append(r.evidence, record.Evidence{Kind: EvidenceGuard, Text: report.text})
	return report.why, nil
}

// behaviourLate is behaviour for a candidate that leads or is confirmed and was not
// compared before, for nobody looked or the time was over; it returns whether the
// candidate was rejected.
func (w *measurer) behaviourLate(ctx context.Context, r *attempt, c *record.Candidate) (bool, error) {
	if c.ID == record.Root || w.facts.Experiment.Strict || !Guards(w.facts.Config, w.eval.Objective(), c.Metrics) {
		return false, nil
	}
	least, due, err := w.comparisonDue(ctx, r, c)
	if err != nil || !due {
		return false, err
	}
	report, done, err := w.guard(ctx, r, c)
	if err != nil || !done || report.why == "" && report.inputs < least {
		return false, err
	}
	if err := w.db.PutEvidence(ctx, w.exp(), []record.Evidence{{Job: c.Job, Attempt: r.lease.Attempt, Kind: EvidenceGuard, Text: report.text}}); err != nil {
		return false, err
	}
	if report.why == "" {
		return false, nil
	}
	_, err = w.host.Decide(ctx, Rejection(c.ID, report.why))
	return true, err
}

// Rejection is the decision of the guard about a candidate that behaves in another way, for a reason.
func Rejection(id record.CandidateID, why string) record.Decision {
	d := record.NewDecision(record.Reject)
	d.Who, d.Candidate, d.Text = "guard", id, why
	return d
}

// comparisonDue reports whether a candidate that is measured again is to be compared: one
// that leads or is confirmed, if that was never done, or the time for it was over; and how many inputs
// were compared before.
func (w *measurer) comparisonDue(ctx context.Context, r *attempt, c *record.Candidate) (inputs int, due bool, err error) {
	best, err := w.standing.Best(ctx)
	confirms := r.lease.Job.Purpose == record.PurposeConfirm
	if err != nil || c.ID != best && !confirms {
		return 0, false, err
	}
	w.mu.Lock()
	times := w.compared[c.ID]
	w.mu.Unlock()
	return w.toCompare(ctx, c, times, confirms && !w.ends.IsZero())
}

// toCompare is [stillToCompare] of the evidence that is kept of a candidate.
func (w *measurer) toCompare(ctx context.Context, c *record.Candidate, times int, confirm bool) (inputs int, due bool, err error) {
	list, err := w.db.EvidenceOf(ctx, w.exp(), c.Job)
	if err != nil {
		return 0, false, err
	}
	inputs, due, err = stillToCompare(list, times, confirm)
	if err != nil {
		return 0, false, fmt.Errorf("read what the guard found of %s: %w", c.ID, err)
	}
	return inputs, due, nil
}

// ComparisonDue reports whether the behaviour of the best is to be compared by a job of its own: this run did not try to,
// and none before it did, or had the time. It is called on the goroutine that owns the state, with the candidate that leads.
func (w *Runner) ComparisonDue(ctx context.Context, best record.CandidateID) (bool, error) {
	m := w.maker.measurer
	m.mu.Lock()
	tried := m.compared[best] > 0
	m.mu.Unlock()
	if tried || w.eval == nil || best == w.settled {
		return false, nil
	}
	c, err := w.db.Candidate(ctx, w.exp(), best)
	if err != nil {
		return false, err
	}
	due := Guards(w.facts.Config, w.eval.Objective(), c.Metrics)
	if due {
		if _, due, err = m.toCompare(ctx, &c, 0, false); err != nil {
			return false, err
		}
	}
	if !due {
		w.settled = best
	}
	return due, nil
}

// stillToCompare reports whether a candidate of which some evidence is kept is to be compared, and how many inputs
// were before. times is how often this run did so: once what was not compared at all for want of time, as what is
// left of it is less than it was, and twice what the share of a run's time ended, where it is to be confirmed: what
// was made ready for the first comparison is there.
func stillToCompare(kept []record.Evidence, times int, confirm bool) (inputs int, due bool, err error) {
	for _, e := range slices.Backward(kept) {
		if e.Kind == EvidenceGuard {
			report := new(guard.Report)
			if err := json.Unmarshal(e.Text, report); err != nil {
				return 0, false, err
			}
			again := confirm && report.Cases > 0 && report.Same() && report.Cut == guard.CutTime && times < 2
			return report.Cases, again || report.Overdue() && times == 0, nil
		}
	}
	return 0, true, nil
}

// guarded is what the guard found.
type guarded struct {
	text   []byte // a guard.Report, as JSON
	why    string // "" where both behave alike
	inputs int    // that were compared
}

// guard compares a candidate with the root. What it cannot do is a note, and done
// is false.
func (w *measurer) guard(ctx context.Context, r *attempt, c *record.Candidate) (found guarded, done bool, err error) {
	base, err := w.bench.Checkout(ctx)
	if err != nil {
		return found, false, err
	}
	delta, err := w.repo.Changes(ctx, w.facts.Experiment.RootTree, c.Tree)
	if err != nil {
		return found, false, err
	}
	changed := make([]string, len(delta))
	for i, d := range delta {
		changed[i] = d.Path
	}
	g, err := w.guardian()
	if err != nil {
		return found, false, err
	}
	w.live.stage(r.lease.Job.ID, record.Evaluating, "comparing behaviour")
	w.mu.Lock()
	w.compared[c.ID]++
	w.mu.Unlock()
	began := w.now()
	ctx, stop := r.untilEnded(ctx)
	defer stop()
	report, err := w.check(ctx, g.Telling(r.compares), guard.Tree{Base: base, ID: w.facts.Experiment.RootTree.String()}, guard.Tree{Base: base, Delta: delta}, changed)
	r.aside += w.now().Sub(began)
	if cause := context.Cause(ctx); errors.Is(cause, ErrDrained) {
		return found, false, w.ended(r, "its behaviour is compared", "compares it")
	} else if cause != nil {
		return found, false, cause
	}
	if err != nil {
		w.host.Note("warn", r.lease.Job.ID, "behaviour was not compared: "+err.Error())
		return found, false, nil
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return found, false, fmt.Errorf("keep what the guard found: %w", err)
	}
	found.text, found.inputs = text, report.Cases
	if !report.Compared() {
		w.host.Note("warn", r.lease.Job.ID, c.ID.String()+": "+view.CleanLine(report.Summary()))
	}
	if !report.Same() {
		found.why = view.CleanLine(report.Summary())
	}
	return found, true, nil
}

// untilEnded returns a context that ends with [ErrDrained] when a person ends the run: the samples of the candidate are
// kept, and the next run compares it. A run whose time is over gives it the share that it began with.
func (r *attempt) untilEnded(ctx context.Context) (context.Context, func()) {
	return r.untilDrained(ctx, r.inTime)
}

// inTime reports whether the time of the run, if that is bounded, is not over: a run that ends in it is ended by a person.
func (r *attempt) inTime() bool { return r.ends.IsZero() || r.now().Before(r.ends) }

// ended puts a job back that the end of the run interrupts while something is done, and says what the next run does.
func (w *measurer) ended(r *attempt, while, next string) error {
	w.host.Note("info", r.lease.Job.ID, fmt.Sprintf("%s is put back while %s: its samples are kept, and the next run %s", r.lease.Job.ID, while, next))
	return fmt.Errorf("%w: %w", errPutBack, ErrDrained)
}

// compares tells what the comparison of the job does.
func (r *attempt) compares(d guard.Doing) {
	text := d.What
	if d.Cases > 0 {
		text += fmt.Sprintf(", %s so far", view.Plural(d.Cases, "input"))
	}
	if d.Used > 0 {
		text += fmt.Sprintf(", %s of up to %s of processor time", d.Used.Round(time.Second), guard.DefaultWork)
	}
	r.live.line(r.lease.Job.ID, text)
}

// check compares two trees in the time that there is for it. What the tests of the root do is recorded first, once
// in a run: where that were cut, no comparison of the run would come to its inputs.
func (w *measurer) check(ctx context.Context, g *guard.Guard, root, candidate guard.Tree, changed []string) (guard.Report, error) {
	prepare, cancel := w.share(ctx, shareOfRecording)
	defer cancel()
	if err := g.Prepare(prepare, root, changed); err != nil && prepare.Err() == nil {
		return guard.Report{}, err
	}
	within, cancel := w.share(ctx, shareOfComparing)
	defer cancel()
	return g.Check(within, root, candidate, changed)
}

// A comparison of behaviour may take a quarter of the time that a run has left, as what waits behind
// it is also to be done, and what is recorded before the first one half of it; a minute, if that is no more than
// half of it: less is often over before anything was compared.
const (
	shareOfComparing = 4
	shareOfRecording = 2
	leastComparing   = time.Minute
)

// share bounds what is done for a comparison in a run that is bounded in time, by a part of what is left. When the
// time of the run is over, what it began has as long as a run waits for those who work.
func (w *measurer) share(ctx context.Context, part time.Duration) (context.Context, context.CancelFunc) {
	if w.ends.IsZero() {
		return context.WithCancel(ctx)
	}
	left := w.ends.Sub(w.now())
	return context.WithTimeoutCause(ctx, max(left/part, min(left/2, leastComparing), w.silence), guard.ErrShare)
}

// guardian is the guard of the run.
func (w *measurer) guardian() (*guard.Guard, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept == nil {
		g, err := guard.New(w.box, GuardOptions(w.facts.Config))
		if err != nil {
			return nil, err
		}
		w.kept = g
	}
	return w.kept, nil
}

// leads reports whether a candidate would lead. In strict order, where nothing
// may depend on who is first, it is one that is better than the root.
func (w *measurer) leads(ctx context.Context, c *record.Candidate, vector []float32) (bool, error) {
	if !w.facts.Experiment.Strict {
		_, best, err := w.standing.WouldTake(ctx, c, vector)
		return best, err
	}
	root, err := w.db.Candidate(ctx, w.exp(), record.Root)
	if err != nil || root.Objective == nil || c.Objective == nil {
		return false, err
	}
	if w.facts.Config.Evaluator.Direction == "minimize" {
		return *c.Objective < *root.Objective, nil
	}
	return *c.Objective > *root.Objective, nil
}

// GuardOptions are those of the guard of an experiment.
func GuardOptions(cfg config.Config) guard.Options {
	o := guard.Options{Seed: cfg.Seed, Memory: cfg.Limits.Memory, LookupEnv: os.LookupEnv, Accept: cfg.GuardAccept}
	for _, folder := range cfg.Evaluator.Caches {
		if filepath.IsAbs(folder) && filepath.Base(folder) == "node_modules" {
			o.Modules = folder
		}
	}
	for _, c := range cfg.GuardCommands {
		args := c.Command
		if len(args) == 1 && strings.ContainsAny(args[0], " \t|<>") {
			args = []string{"sh", "-c", args[0]}
		}
		o.Commands = append(o.Commands, guard.Invocation{Args: args, Stdin: c.Stdin})
	}
	commands := append(stageCommands(cfg.Evaluator.Stages), cfg.Evaluator.Command)
	for _, command := range commands { // what runs the tests of Python also compares
		if interpreter, words := pythonTests(command); words != nil {
			o.Python, o.PythonTests = interpreter, words
			break
		}
	}
	for _, command := range commands {
		if words := javaScriptTests(command); words != nil {
			o.JavaScriptTests = words
			break
		}
	}
	for _, command := range commands {
		if words := pythonScript(command); words != nil {
			o.PythonScripts = append(o.PythonScripts, words)
		}
	}
	return o
}

func stageCommands(stages []config.Stage) [][]string {
	out := make([][]string, len(stages))
	for i, st := range stages {
		out[i] = st.Command
	}
	return out
}

// testModule are names of modules that run tests.
var testModule = regexp.MustCompile(`test|^nose`)

// pythonTests returns the interpreter of a command that runs the tests of Python, by a module whose name tells of tests
// or by the pytest of an environment, and the words behind it; nil for any other, among them a pytest of the PATH, whose
// interpreter nobody knows: the guard finds tests by itself.
func pythonTests(command []string) (string, []string) {
	command = wordsOf(command)
	if len(command) == 0 {
		return "", nil
	}
	folder, name := filepath.Split(command[0])
	switch {
	case len(command) > 2 && command[1] == "-m" && strings.HasPrefix(name, "python") && testModule.MatchString(command[2]):
		return command[0], command[1:]
	case name == "pytest" && folder != "":
		return folder + "python", append([]string{"-m", name}, command[1:]...)
	}
	return "", nil
}

// javaScriptTests returns the words of a command that runs the tests of JavaScript: a script of package.json, node with a file
// or an option whose name tells of tests, or a runner of a folder of programs; nil for any other, among them `npm test`: the
// guard finds those tests by itself, without what npm does before them.
func javaScriptTests(command []string) []string {
	command = wordsOf(command)
	if len(command) < 2 {
		return nil
	}
	if last := command[len(command)-1]; last == "test" || last == "t" {
		return nil
	}
	tells := slices.ContainsFunc(command[1:], func(word string) bool { return testWord.MatchString(word) })
	switch filepath.Base(command[0]) {
	case "npm", "pnpm", "yarn", "npx", "node":
		if tells {
			return command
		}
	case "mocha", "tape", "ava", "uvu", "tap", "jasmine":
		return command
	}
	return nil
}

// testWord are words of a command of node that say that it runs tests.
var testWord = regexp.MustCompile(`(^|[^a-z])(tests?|spec|mocha|tape|ava|uvu|tap|jasmine)([^a-z]|$)`)

// wordsOf splits a command that is written as one text, where no shell is needed to know its words.
func wordsOf(command []string) []string {
	if len(command) == 1 && !strings.ContainsAny(command[0], "|<>&;$`\"'*") {
		return strings.Fields(command[0])
	}
	return command
}

// pythonScript returns script and arguments of a command that runs a Python file of the tree;
// nil for any other.
func pythonScript(command []string) []string {
	command = wordsOf(command)
	if len(command) < 2 || !strings.HasPrefix(filepath.Base(command[0]), "python") || !strings.HasSuffix(command[1], ".py") ||
		!filepath.IsLocal(command[1]) || strings.Contains(command[1], "{") {
		return nil
	}
	return command[1:]
}

// spacious are words of metrics that say how much room a program takes.
var spacious = regexp.MustCompile(`(?i)(^|[^a-z])(allocs?|allocations|bytes|b|[kmg]i?b|memory|mem|rss)([^a-z]|$)`)

// Guards reports whether the guard is on. By itself it is where the objective is
// what the program takes: where it is a score of what the program answers, other
// answers are what is looked for.
func Guards(cfg config.Config, objective string, metrics []record.Metric) bool {
	switch cfg.Guard {
	case "off":
		return false
	case "on":
		return true
	}
	if cfg.Evaluator.Adapter == "gobench" || cfg.Evaluator.Adapter == "hyperfine" {
		return true
	}
	unit := ""
	for _, m := range metrics {
		if m.Name == objective {
			unit = m.Unit
		}
	}
	return config.TimeLike(objective, unit) || spacious.MatchString(strings.ReplaceAll(objective, "_", " ")+" "+unit)
}
