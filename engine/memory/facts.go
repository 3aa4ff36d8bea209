package memory

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"atoll/store/record"
)

// EpochFacts is what a stretch of jobs showed. Objectives and deltas are in
// the evaluator's own direction; Direction says which way is better.
type EpochFacts struct {
	Number       int     // of the epoch, from 1
	From, To     int     // first and last job or fold position, as the engine counts epochs
	Direction    string  // maximize or minimize
	Metric       string  // name of the objective
	Noise        float64 // least difference that counts as one
	Root         float64 // objective of the root
	BestBefore   float64 // at the beginning of the epoch
	Best         float64 // at its end
	BestID       record.CandidateID
	Stale        int // epochs in a row, this one included, that did not move the best
	Filled       int // niches at the end
	FilledBefore int
	Jobs         int // make jobs that ended
	Scored       int // with a value, those that took a niche included
	Placed       int
	Duplicates   int
	Operators    []Tally // in the order of their names, as Targets and Agents
	Targets      []Tally
	Agents       []Tally
	Improvements []Improvement // best first
	Failures     []Failure     // most frequent first
	Ever         []Improvement // best gains of the whole run, best first
	// BestTold is what may be told of the best, nil where repeats agree and every value
	// is what it is. Improvements and Ever then hold what may be told as a gain.
	BestTold *Told
	Pool     []Improvement // of the whole run, those that may come to be told
}

// Told is a candidate's value with its evidence, by samples that did not decide.
type Told struct {
	Value string // "81.2 [80.1, 82.3] n 16", "81.2 unconfirmed"
	Gain  string // on the root: "+12.3 % [9.8, 14.8] confirmed", "within noise"
	Holds bool   // the gain is a fact
}

// Tally counts what one operator, target or agent did in an epoch.
type Tally struct {
	Name   string
	Jobs   int
	Better int // better than their parent
	Placed int
	Failed int
}

// Improvement is a candidate that is better than its parent.
type Improvement struct {
	Candidate record.CandidateID
	Parent    record.CandidateID
	Operator  string
	Target    string
	Intent    string
	Objective float64
	Delta     float64 // against its parent, in the evaluator's own direction
	Files     []string
	Told      Told // set where Epoch.Tell is
}

// Failure is a way of failing, with how often it was met.
type Failure struct {
	Class  record.Class
	Reason string
	Target string
	Count  int
	Sample string // tail of one output; may be empty
	Job    record.JobID
}

// Outcome is one ended make job, as [Gather] reads it.
type Outcome struct {
	Job       record.JobID
	Candidate record.CandidateID // NoCandidate = none
	Parent    record.CandidateID
	Operator  string
	Agent     string
	Target    string
	Intent    string
	State     record.JobState
	Class     record.Class
	Reason    string
	Sample    string   // tail of its output, where it failed
	Objective *float64 // nil = not measured
	Base      *float64 // objective of its parent; nil = not measured
	Files     []string
}

// Standing is where the search stands.
type Standing struct {
	Best   float64
	BestID record.CandidateID
	Filled int
}

// Epoch names the stretch that facts are gathered for.
type Epoch struct {
	Number, From, To int
	Direction        string
	Metric           string
	Root             float64
	Before, After    Standing
	Stale            int           // epochs in a row before this one that did not move the best
	Ever             []Improvement // the facts' Pool of the epoch before
	Noise            float64       // least difference that is more than noise; 0: every one counts
	// Tell says what may be told of a candidate; nil where repeats agree.
	Tell func(record.CandidateID) Told
}

// The bounds of what facts hold.
const (
	keepImprovements = 12
	keepFailures     = 12
	keepEver         = 8
	keepPool         = 64 // where values vary: luck comes first among them
)

// Gather counts the outcomes of an epoch. The result does not depend on their
// order.
func Gather(e Epoch, outcomes []Outcome) EpochFacts {
	f := EpochFacts{
		Number: e.Number, From: e.From, To: e.To, Direction: e.Direction, Metric: e.Metric, Root: e.Root, Noise: e.Noise,
		BestBefore: e.Before.Best, Best: e.After.Best, BestID: e.After.BestID, Filled: e.After.Filled, FilledBefore: e.Before.Filled,
	}
	if !f.better(f.Best, f.BestBefore) {
		f.Stale = e.Stale + 1
	}
	outcomes = append([]Outcome(nil), outcomes...)
	sort.SliceStable(outcomes, func(i, j int) bool { return outcomes[i].Job < outcomes[j].Job })
	operators, targets, agents := map[string]*Tally{}, map[string]*Tally{}, map[string]*Tally{}
	failures := map[string]*Failure{}
	for i := range outcomes {
		o := &outcomes[i]
		f.count(o)
		for _, t := range []*Tally{tally(operators, o.Operator), tally(targets, o.Target), tally(agents, o.Agent)} {
			f.add(t, o)
		}
		f.fail(failures, o)
	}
	f.Operators, f.Targets, f.Agents = tallies(operators), tallies(targets), tallies(agents)
	f.Failures = worst(failures)
	f.Pool = best(append(append([]Improvement(nil), e.Ever...), f.Improvements...), keepPool)
	f.Ever = f.Pool
	if e.Tell != nil {
		told := e.Tell(f.BestID)
		f.BestTold = &told
		f.Ever, f.Improvements = facts(f.Ever, e.Tell), facts(f.Improvements, e.Tell)
	}
	f.Ever = best(f.Ever, keepEver)
	f.Improvements = best(f.Improvements, keepImprovements)
	return f
}

// facts are those improvements whose gain holds.
func facts(all []Improvement, tell func(record.CandidateID) Told) (out []Improvement) {
	for _, i := range all {
		if i.Told = tell(i.Candidate); i.Told.Holds {
			out = append(out, i)
		}
	}
	return out
}

// bestNow is the best at the end of the epoch.
func (f *EpochFacts) bestNow() string {
	switch {
	case f.BestTold == nil:
		return fmt.Sprintf("%s (%s)", number(f.Best), f.BestID)
	case f.BestID == record.Root:
		return f.BestTold.Value + " (the root)"
	}
	text := fmt.Sprintf("%s (%s", f.BestTold.Value, f.BestID)
	if !strings.HasSuffix(f.BestTold.Value, f.BestTold.Gain) {
		text += ", " + f.BestTold.Gain
	}
	return text + ")"
}

// better reports whether a beats b by more than noise.
func (f *EpochFacts) better(a, b float64) bool {
	if f.Direction == "minimize" {
		a, b = b, a
	}
	return a > b && a-b >= f.Noise
}

// improved reports whether an outcome beats its parent.
func (f *EpochFacts) improved(o *Outcome) bool {
	return o.Objective != nil && o.Base != nil && f.better(*o.Objective, *o.Base)
}

func (f *EpochFacts) count(o *Outcome) {
	f.Jobs++
	if o.Objective != nil {
		f.Scored++
	}
	switch o.State {
	case record.Placed:
		f.Placed++
	case record.Duplicate:
		f.Duplicates++
	}
	if f.improved(o) {
		f.Improvements = append(f.Improvements, Improvement{
			Candidate: o.Candidate, Parent: o.Parent, Operator: o.Operator, Target: o.Target, Intent: o.Intent,
			Objective: *o.Objective, Delta: *o.Objective - *o.Base, Files: o.Files,
		})
	}
}

func tally(all map[string]*Tally, name string) *Tally {
	t := all[name]
	if t == nil {
		t = &Tally{Name: name}
		all[name] = t
	}
	return t
}

func (f *EpochFacts) add(t *Tally, o *Outcome) {
	t.Jobs++
	if f.improved(o) {
		t.Better++
	}
	switch o.State {
	case record.Placed:
		t.Placed++
	case record.Failed, record.Rejected:
		t.Failed++
	}
}

// tallies sorts by name and leaves out what has none.
func tallies(all map[string]*Tally) []Tally {
	var out []Tally
	for name, t := range all {
		if name != "" {
			out = append(out, *t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// fail groups a failure with those that differ from it in figures only.
func (f *EpochFacts) fail(all map[string]*Failure, o *Outcome) {
	if o.State != record.Failed && o.State != record.Rejected {
		return
	}
	key := string(o.Class) + "\x00" + o.Target + "\x00" + wordsOf(o.Reason)
	x := all[key]
	if x == nil {
		x = &Failure{Class: o.Class, Reason: o.Reason, Target: o.Target, Job: o.Job}
		all[key] = x
	}
	x.Count++
	if x.Sample == "" {
		x.Sample = o.Sample
	}
}

func worst(all map[string]*Failure) []Failure {
	var out []Failure
	for _, f := range all {
		out = append(out, *f)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Count != out[j].Count {
			return out[i].Count > out[j].Count
		}
		return out[i].Job < out[j].Job
	})
	return out[:min(len(out), keepFailures)]
}

// best sorts improvements by their gain and keeps each candidate once.
func best(all []Improvement, n int) []Improvement {
	gain := func(i Improvement) float64 { return max(i.Delta, -i.Delta) }
	sort.SliceStable(all, func(i, j int) bool {
		if a, b := gain(all[i]), gain(all[j]); a != b {
			return a > b
		}
		return all[i].Candidate < all[j].Candidate
	})
	var out []Improvement
	seen := map[record.CandidateID]bool{}
	for _, i := range all {
		if len(out) < n && !seen[i.Candidate] {
			seen[i.Candidate] = true
			out = append(out, i)
		}
	}
	return out
}

// Text writes the facts for the reflector.
func Text(f EpochFacts) string {
	var b strings.Builder
	fmt.Fprintf(&b, "epoch %d, jobs %d to %d: %d make jobs ended, %d measured, %d took a niche, %d duplicates\n", f.Number, f.From, f.To, f.Jobs, f.Scored, f.Placed, f.Duplicates)
	before := ""
	if f.BestTold == nil {
		before = "best before " + number(f.BestBefore) + ", "
	}
	fmt.Fprintf(&b, "%s: root %s, %sbest now %s; niches filled %d, before %d\n", f.metric(), number(f.Root), before, f.bestNow(), f.Filled, f.FilledBefore)
	if f.BestTold != nil {
		b.WriteString("values vary: what is counted as better below is by the samples that decided, and may be luck; gains are those that others confirmed\n")
	}
	if f.Stale > 0 {
		fmt.Fprintf(&b, "the best has not moved for %s\n", record.Plural(f.Stale, "epoch"))
	}
	for _, group := range []struct {
		name string
		list []Tally
	}{{"operator", f.Operators}, {"target", f.Targets}, {"agent", f.Agents}} {
		for _, t := range group.list {
			fmt.Fprintf(&b, "%s %s: %d jobs, %d better than their parent, %d took a niche, %d failed\n", group.name, t.Name, t.Jobs, t.Better, t.Placed, t.Failed)
		}
	}
	section(&b, "gains of this epoch, best first", f.Improvements, gainLine)
	section(&b, "best gains of the whole run", f.Ever, gainLine)
	section(&b, "failures, most frequent first", f.Failures, func(x Failure) string {
		line := fmt.Sprintf("%d times %s%s: %s", x.Count, x.Class, in(x.Target), clip(x.Reason, 200))
		if s := lastLines(x.Sample, 3); s != "" {
			line += " | " + clip(s, 240)
		}
		return line
	})
	return b.String()
}

func section[T any](b *strings.Builder, title string, list []T, line func(T) string) {
	if len(list) == 0 {
		return
	}
	b.WriteString(title + ":\n")
	for _, x := range list {
		b.WriteString("- " + line(x) + "\n")
	}
}

// gainLine is one improvement in one line; what is gained is + also where less is better.
func gainLine(i Improvement) string {
	line := fmt.Sprintf("%s %s by %s%s to %s", i.Candidate, "+"+number(max(i.Delta, -i.Delta)), i.Operator, in(i.Target), number(i.Objective))
	if i.Told.Holds {
		line = fmt.Sprintf("%s %s on the root, by %s%s, to %s", i.Candidate, i.Told.Gain, i.Operator, in(i.Target), i.Told.Value)
	}
	if s := clip(i.Intent, 160); s != "" {
		line += ": " + s
	}
	if len(i.Files) > 0 {
		line += " [" + clip(strings.Join(i.Files, ", "), 120) + "]"
	}
	return line
}

func in(target string) string {
	if target == "" {
		return ""
	}
	return " in " + clip(target, 60)
}

func (f *EpochFacts) metric() string {
	way := "higher is better"
	if f.Direction == "minimize" {
		way = "lower is better"
	}
	if f.Metric == "" {
		return "objective (" + way + ")"
	}
	return f.Metric + " (" + way + ")"
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
