package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"atoll/engine/eval"
	"atoll/engine/evidence"
	"atoll/engine/guard"
	"atoll/engine/mutant"
	"atoll/engine/view"
	"atoll/store/record"
)

// Evaluator takes one sample; *eval.Evaluator is one.
type Evaluator interface {
	Run(ctx context.Context, q eval.Request) (eval.Outcome, error)
}

// Prober knows programs; *guard.Guard is one.
type Prober interface {
	Compile(ctx context.Context, root, candidate guard.Tree, changed []string) (guard.Program, error)
	Check(ctx context.Context, root, candidate guard.Tree, changed []string) (guard.Report, error)
	Coverage(ctx context.Context, t guard.Tree) ([]guard.Reached, error)
}

// Options say what is tried.
type Options struct {
	Base     string // checkout of the root
	Root     record.Hash
	Goal     string
	Minimize bool
	Mutants  []mutant.Mutant
	Again    int           // samples of the root against itself; 5
	Workers  int           // mutants at a time; 1
	Explain  int           // missed mutants for which a telling call is looked for; 10
	Look     time.Duration // for all of these together; two minutes
	// Tell is told of each program, and Doing of what begins, one line each; they may be nil.
	Tell, Doing func(line string)
}

// Missed is a broken program that the evaluator let through.
type Missed struct {
	Path     string `json:"path"`
	Function string `json:"function,omitempty"`
	Line     int    `json:"line"`
	Operator string `json:"operator"`
	Change   string `json:"change"`
	// Better: it even measured better than the root beyond noise.
	Better bool `json:"better,omitempty"`
	// Unreached: no test of the tree runs the line.
	Unreached bool `json:"unreached,omitempty"`
	// Telling is a call that the root answers in another way, and the two answers;
	// nothing where none was found.
	Telling *guard.Difference `json:"telling,omitempty"`
	Tried   bool              `json:"tried,omitempty"` // a call was looked for
	Open    bool              `json:"open,omitempty"`  // in functions that take values of any type, of which few are made
}

// Advice says what test would catch it.
func (m Missed) Advice() string {
	switch {
	case m.Telling != nil && m.Telling.Kind == guard.Output:
		return fmt.Sprintf("a test that expects %s to give %s", m.Telling.Input, m.Telling.Root)
	case m.Telling != nil:
		return m.Telling.String() + ": a test that calls it"
	case m.Unreached:
		return "a test that runs this line"
	case m.Tried && m.Open:
		return "no input was found that tells it from the root, but its callers give values of any type, and the comparison makes few of those: a test that checks what this line decides"
	case m.Tried:
		return "no input was found that tells it from the root; it may behave the same"
	}
	return "a test that checks what this line decides"
}

// Report is the grade of an evaluator.
type Report struct {
	Caught   int      `json:"caught"`
	Missed   []Missed `json:"missed"`
	Unbuilt  int      `json:"unbuilt"`  // mutants that do not build; they say nothing
	Same     int      `json:"same"`     // mutants that are the same program; they say nothing
	Coverage float64  `json:"coverage"` // part of the code that the tests run; -1 = not known
	Files    []Part   `json:"files"`
	// The root against itself.
	Samples int     `json:"samples"`
	Mean    float64 `json:"mean"`
	Dev     float64 `json:"dev"`
	// Tree is that of the root.
	Tree     record.Hash `json:"-"`
	Smallest float64     `json:"smallest"` // gain, as part of the root, that as many samples of a candidate are expected to show; 0 = any, -1 = none
}

// Part is the grade of one file.
type Part struct {
	File     string  `json:"file"`
	Caught   int     `json:"caught"`
	Missed   int     `json:"missed"`
	Coverage float64 `json:"coverage"` // -1 = not known
}

// Score is the part of the broken programs that were caught; NaN for none.
func (r *Report) Score() float64 {
	if r.Caught+len(r.Missed) == 0 {
		return math.NaN()
	}
	return float64(r.Caught) / float64(r.Caught+len(r.Missed))
}

// Range is where the score over all broken programs lies by those that were drawn, with
// 95 % (Wilson, JASA 22, 1927); NaN for none.
func (r *Report) Range() (lo, hi float64) {
	const z = 1.96
	n, p := float64(r.Caught+len(r.Missed)), r.Score()
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
}

// Unknown is the grade of an evaluator of which too little is known.
const Unknown = "unknown"

// fewest is how many programs must count before they say anything of the others.
const fewest = 3

// Grade is the score in a word: good from 75 %, fair from 50 %, weak above 10 %, and
// blind; unknown where too few programs count.
func (r *Report) Grade() string {
	switch s := r.Score(); {
	case r.Caught+len(r.Missed) < fewest:
		return Unknown
	case s >= 0.75:
		return "good"
	case s >= 0.5:
		return "fair"
	case s > 0.1:
		return "weak"
	}
	return "blind"
}

// Verdict is the grade with the programs that it is drawn from.
func (r *Report) Verdict() string { return inWords(r.Grade(), r.Caught, r.Caught+len(r.Missed)) }

// inWords tells a grade, and where it is drawn from too few programs only that.
func inWords(grade string, caught, tried int) string {
	switch {
	case tried == 0:
		return Unknown + ": no broken program counts"
	case tried < fewest:
		return fmt.Sprintf("%s: caught %d of %d broken programs, too few to grade", Unknown, caught, tried)
	}
	return fmt.Sprintf("%s: caught %d of %d broken programs", grade, caught, tried)
}

// ErrRoot: the evaluator fails on the root itself.
var ErrRoot = errors.New("the evaluator fails on the root")

// verdict is what became of one mutant.
type verdict int

const (
	missed verdict = iota
	better
	caught
	unbuilt
	same
	untried
)

// Run tries the evaluator on the root, again and again, and on each mutant. It
// returns ErrRoot with the reason where the root does not pass. Where it ends early the
// report counts what was tried by then.
func Run(ctx context.Context, ev Evaluator, p Prober, o Options) (Report, error) {
	if o.Again == 0 {
		o.Again = 5
	}
	if o.Explain == 0 {
		o.Explain = 10
	}
	if o.Look == 0 {
		o.Look = 2 * time.Minute
	}
	t := &trial{ev: ev, p: p, o: o, root: guard.Tree{Base: o.Base, ID: o.Root.String()}}
	if err := t.itself(ctx); err != nil {
		return t.report, err
	}
	t.doing("running the tests once, to see which lines they run")
	reached, err := p.Coverage(ctx, t.root)
	if err != nil {
		return t.report, err
	}
	t.doing("trying %d broken programs, %d at a time", len(o.Mutants), max(1, o.Workers))
	verdicts := slices.Repeat([]verdict{untried}, len(o.Mutants))
	var mu sync.Mutex
	done := 0
	g, each := errgroup.WithContext(ctx)
	g.SetLimit(max(1, o.Workers))
	for i, m := range o.Mutants {
		g.Go(func() error {
			v, err := t.try(each, i, m)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				return err
			}
			done++
			verdicts[i] = v
			t.tell("%d of %d: %s:%d %s", done, len(o.Mutants), m.Path, m.Line, v)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.count(verdicts, reached)
		return t.report, err
	}
	t.count(verdicts, reached)
	t.told()
	return t.report, t.explain(ctx)
}

func (v verdict) String() string {
	return [...]string{"got through", "got through, and measured better", "caught", "does not build", "is the same program"}[v]
}

// trial is one trial under way.
type trial struct {
	ev     Evaluator
	p      Prober
	o      Options
	root   guard.Tree
	aa     evidence.Summary
	report Report
}

func (t *trial) tell(format string, args ...any) {
	if t.o.Tell != nil {
		t.o.Tell(fmt.Sprintf(format, args...))
	}
}

func (t *trial) doing(format string, args ...any) {
	if t.o.Doing != nil {
		t.o.Doing(fmt.Sprintf(format, args...))
	}
}

func (t *trial) request(repeat int) eval.Request {
	return eval.Request{Base: t.o.Base, Trusted: t.o.Base, Experiment: "doctor", BaseCommit: t.o.Root, Commit: t.o.Root, Goal: t.o.Goal, Repeat: repeat}
}

// itself measures the root against itself.
func (t *trial) itself(ctx context.Context) error {
	var values []float64
	t.doing("measuring the root, %d times", t.o.Again)
	for i := range t.o.Again {
		q := t.request(i)
		q.Root = true
		out, err := t.ev.Run(ctx, q)
		if err != nil {
			return err
		}
		if out.Failed() {
			return fmt.Errorf("%w: %s", ErrRoot, out.Reason)
		}
		values = append(values, out.Objective)
		t.tell("the root, %d of %d: %s", i+1, t.o.Again, view.FormatValue(out.Objective))
	}
	var err error
	if t.aa, err = evidence.Of(values...); err != nil {
		return fmt.Errorf("%w: %w", ErrRoot, err)
	}
	r := &t.report
	r.Samples, r.Mean, r.Dev, r.Smallest = t.aa.N, t.aa.Mean, t.aa.Dev, 0
	if t.aa.Dev > 0 {
		gain := evidence.Resolution(t.aa.Dev, t.aa.N, 0.95) / math.Abs(t.aa.Mean)
		if math.IsInf(gain, 0) || math.IsNaN(gain) {
			gain = -1
		}
		r.Smallest = gain
	}
	return nil
}

// change is a mutant as a change of the root.
func change(m mutant.Mutant) []record.Change {
	return []record.Change{{Path: m.Path, Mode: record.Regular, Data: m.Data}}
}

// try decides about one mutant.
func (t *trial) try(ctx context.Context, i int, m mutant.Mutant) (verdict, error) {
	program, err := t.p.Compile(ctx, t.root, guard.Tree{Base: t.o.Base, Delta: change(m)}, []string{m.Path})
	if err != nil {
		return missed, err
	}
	switch program {
	case guard.Broken:
		return unbuilt, nil
	case guard.Identical:
		return same, nil
	}
	q := t.request(0)
	q.Delta, q.Candidate = change(m), record.CandidateID(i+1)
	out, err := t.ev.Run(ctx, q)
	switch {
	case err != nil:
		return missed, err
	case out.Class == record.ClassBuild && program == guard.Unknown:
		return unbuilt, nil
	case out.Failed():
		return caught, nil
	}
	gain := out.Objective - t.aa.Mean
	if t.o.Minimize {
		gain = -gain
	}
	// Three deviations, and a millionth for values that only print alike.
	noise := max(3*t.aa.Dev, 1e-6*math.Abs(t.aa.Mean))
	switch {
	case gain < -noise:
		return caught, nil
	case gain > noise:
		return better, nil
	}
	return missed, nil
}

// count makes the report of the verdicts.
func (t *trial) count(verdicts []verdict, reached []guard.Reached) {
	r := &t.report
	byFile := map[string]*guard.Reached{}
	for i := range reached {
		byFile[reached[i].File] = &reached[i]
	}
	parts := map[string]*Part{}
	for i, m := range t.o.Mutants {
		p := parts[m.Path]
		if p == nil {
			p = &Part{File: m.Path, Coverage: -1}
			if f := byFile[m.Path]; f != nil && f.Statements > 0 {
				p.Coverage = float64(f.Ran) / float64(f.Statements)
			}
			parts[m.Path] = p
		}
		switch verdicts[i] {
		case untried:
		case unbuilt:
			r.Unbuilt++
		case same:
			r.Same++
		case caught:
			r.Caught++
			p.Caught++
		default:
			p.Missed++
			gone := Missed{Path: m.Path, Function: m.Function, Line: m.Line, Operator: m.Operator, Change: m.Change, Better: verdicts[i] == better}
			if f := byFile[m.Path]; f != nil {
				ran, known := f.Runs(m.Line)
				gone.Unreached = known && !ran
			}
			r.Missed = append(r.Missed, gone)
		}
	}
	all, ran := 0, 0
	for name, p := range parts {
		r.Files = append(r.Files, *p)
		if f := byFile[name]; f != nil {
			all, ran = all+f.Statements, ran+f.Ran
		}
	}
	slices.SortFunc(r.Files, func(a, b Part) int { return strings.Compare(a.File, b.File) })
	if r.Coverage = -1; all > 0 {
		r.Coverage = float64(ran) / float64(all)
	}
}

// told says the grade as soon as all verdicts are known.
func (t *trial) told() {
	if r := &t.report; r.Caught+len(r.Missed) > 0 {
		t.tell("%s", r.Verdict())
	}
}

// explain looks for calls that tell missed mutants from the root, where calls can be made
// up, until its time is over or it is interrupted: the grade does not depend on it.
func (t *trial) explain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, t.o.Look)
	defer cancel()
	tried := 0
	for i := range t.report.Missed {
		gone := &t.report.Missed[i]
		if path.Ext(gone.Path) != ".go" {
			continue
		}
		if tried >= t.o.Explain || ctx.Err() != nil {
			break
		}
		at := slices.IndexFunc(t.o.Mutants, func(m mutant.Mutant) bool {
			return m.Path == gone.Path && m.Line == gone.Line && m.Change == gone.Change
		})
		tried++
		t.doing("looking for a call that tells %s:%d from the root", gone.Path, gone.Line)
		found, err := t.p.Check(ctx, t.root, guard.Tree{Base: t.o.Base, Delta: change(t.o.Mutants[at])}, []string{gone.Path})
		switch {
		case err != nil && ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		gone.Tried, gone.Open = found.Cases > 0, found.Open
		if len(found.Differences) > 0 {
			gone.Telling = &found.Differences[0]
		}
	}
	return nil
}
