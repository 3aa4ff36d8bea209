package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// picture is all that readers see of what decisions change, as JSON: all but the
// times of decisions and the log of them.
func picture(t *testing.T, l *lab, eng *engine.Engine, s *view.Snapshot) string {
	t.Helper()
	type waits struct {
		ID     record.CandidateID
		At     string
		Cell   int
		From   record.CandidateID
		Why    []string
		Status record.Status
	}
	type cell struct {
		Index   int
		Elite   record.CandidateID
		Value   float64
		Frozen  bool
		Boost   float64
		Waiting int
		Edits   [2]int
		Tries   int
		Samples int
		Spread  float64
		Won     [2]int64
		Runners []record.CandidateID
	}
	type ended struct {
		Job   record.JobID
		State record.JobState
		Value *float64
		Cell  int
		From  record.CandidateID
		Best  bool
	}
	type reign struct {
		X  int
		ID record.CandidateID
	}
	var p struct {
		State     record.ExperimentState
		Reason    string
		Settings  record.Settings
		Best      record.CandidateID
		Filled    int
		QD        float64
		Cells     []cell
		Review    []waits
		Counts    view.Counts
		Operators []view.Yield
		Agents    []view.Yield
		Targets   []view.Yield
		Jobs      []string
		Rows      []string
		Notes     []string
		Recent    []ended
		Failures  []view.FailureGroup
		Courses   [][]int
		Standing  string
		Grid      view.Grid
		Curves    view.Curves
		Reigns    []reign
	}
	p.Reason, p.Failures, p.Curves, p.Grid = s.Reason, s.Failures, s.Curves, s.Grid
	p.Standing = fmt.Sprint(s.Best.Objective, s.Best.MAD, s.Best.Samples, s.Best.Claim, s.Best.Percent, s.Best.Cell)
	p.Curves.At, p.Curves.Marks, p.Curves.Reigns, p.Grid.Cells = nil, nil, nil, nil
	for _, r := range s.Curves.Reigns {
		p.Reigns = append(p.Reigns, reign{r.X, r.ID})
	}
	for _, f := range s.Failures {
		p.Courses = append(p.Courses, f.Course)
	}
	for _, e := range s.Recent {
		p.Recent = append(p.Recent, ended{e.Job.ID, e.Job.State, e.Objective, e.Cell, e.From, e.Best})
	}
	p.State, p.Settings, p.Best, p.Filled, p.QD, p.Counts = s.State, s.Settings, s.Best.ID, s.Grid.Filled, s.Grid.QD, s.Jobs
	for _, c := range s.Grid.Cells {
		p.Cells = append(p.Cells, cell{c.Index, c.Elite, c.Objective, c.Frozen, c.Boost, c.Waiting, [2]int{c.Children, c.Improved}, c.Tries, c.Samples, c.MAD, [2]int64{int64(c.Since), int64(c.Fold)}, c.Runners})
	}
	for _, h := range s.Review {
		p.Review = append(p.Review, waits{h.Candidate.ID, h.Before, h.Cell, h.From, h.Findings, h.Candidate.Status})
	}
	p.Operators, p.Agents, p.Targets = s.Operators, s.Agents, s.Targets
	for _, n := range s.Notes {
		p.Notes = append(p.Notes, fmt.Sprint(n.ID, n.Kind, n.Target, n.Text, n.Author, n.At))
	}
	for _, j := range l.jobs() {
		text := fmt.Sprint(j.ID, j.State, j.Priority, j.Class, j.Reason)
		if j.Candidate != record.NoCandidate {
			c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, j.Candidate)
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprint(c.Status, c.Pinned, c.Reason)
		}
		p.Jobs = append(p.Jobs, text)
	}
	slices.Sort(p.Jobs)
	p.Rows = rows(t, eng)
	data, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// rows are the lists of jobs and candidates, and each candidate by itself, without the
// times of what was done again.
func rows(t *testing.T, eng *engine.Engine) []string {
	t.Helper()
	var out []string
	add := func(v any, err error) {
		data, bad := json.Marshal(v)
		if err := errors.Join(err, bad); err != nil {
			t.Fatal(err)
		}
		out = append(out, string(data))
	}
	r := eng.Reader()
	jobs, err := r.Jobs(t.Context(), view.JobQuery{Limit: 1000})
	for _, j := range jobs {
		j.Job.Attempt, j.Job.Started, j.Job.Ended, j.Job.EditMS, j.Job.EvalMS, j.Job.OwnMS = 0, 0, 0, 0, 0, 0
		if j.Job.State != record.Held { // where it was held last is no part of how it stands
			j.Job.HeldAt = ""
		}
		add(j, err)
	}
	list, err := r.Candidates(t.Context(), view.CandidateQuery{Limit: 1000})
	for _, c := range list {
		add(c, err)
		d, err := r.Candidate(t.Context(), c.ID)
		var niche []int
		var point []float64
		asked := engine.Ask(t.Context(), eng, func(s *fold.State) { niche, point = s.Place(c.ID) })
		add([]any{c.ID, niche, point, d.Cell, d.Claim, fmt.Sprint(d.Percent), d.Frozen, d.Boost, d.Depth, d.Children, d.Findings}, errors.Join(err, asked))
		line, err := r.Lineage(t.Context(), c.ID)
		add(line, err)
	}
	return out
}

// settled waits until every decision was carried out and its rows are folded, and
// takes the picture.
func settled(t *testing.T, l *lab, eng *engine.Engine) string {
	t.Helper()
	all, err := l.ses.DB.Decisions(t.Context(), l.exp.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	carried := func() bool {
		text, _, err := l.ses.DB.Meta(t.Context(), l.exp.ID, "acted")
		if err != nil {
			t.Fatal(err)
		}
		return len(all) == 0 || text == fmt.Sprint(int64(all[0].Seq))
	}
	s := l.await(eng, "the decision is carried out", func(s *view.Snapshot) bool {
		if !carried() {
			return false
		}
		if s.State != record.ExperimentPaused && s.State != record.ExperimentDone { // what was let go on comes to its end
			return false
		}
		last, err := l.ses.DB.LastSeq(t.Context(), l.exp.ID)
		if err != nil {
			t.Fatal(err)
		}
		return s.Fold >= last
	})
	return picture(t, l, eng, s)
}

// draw draws one step, of one decision or of several; none where it is about nothing.
type draw func(rng *rand.Rand, s *view.Snapshot, jobs []record.Job) []record.Decision

// kindsOfSteps are the decisions that can be taken back: some come alone, some for
// one to five candidates, niches, targets or settings.
var kindsOfSteps = []draw{
	anyWaiting(record.Approve), anyWaiting(record.Approve), anyWaiting(record.Reject),
	anyCandidate(record.Reject), oneCandidate(record.Restore), oneCandidate(record.Restore), anyCandidate(record.Pin), oneCandidate(record.Unpin),
	anyNiche(record.Freeze), anyNiche(record.Release), anyNiche(record.Boost),
	anyTarget(record.Freeze), anyTarget(record.Release), anyTarget(record.Boost),
	someSettings, someSettings, onePriority, aNote, aNote, aNote,
}

// pauseOrResume is about the whole experiment. While something is left to do it
// stays paused: what a resumption has done is not taken back.
func pauseOrResume(_ *rand.Rand, s *view.Snapshot, jobs []record.Job) []record.Decision {
	switch {
	case s.State == record.ExperimentDone:
		return []record.Decision{decision(record.Pause)}
	case slices.ContainsFunc(jobs, func(j record.Job) bool { return !j.State.Ended() && j.State != record.Held }):
		return nil
	}
	return []record.Decision{decision(record.Resume)}
}

// aNote writes a note, changes one or drops one.
func aNote(rng *rand.Rand, s *view.Snapshot, _ []record.Job) []record.Decision {
	n := record.Note{Kind: "long", Text: fmt.Sprintf("lesson %d", rng.IntN(3))}
	if len(s.Notes) > 0 && rng.IntN(3) > 0 {
		n = s.Notes[rng.IntN(len(s.Notes))]
		n.Text += "."
		n.Gone = rng.IntN(2) > 0
	}
	d := decision(record.WriteNote)
	d.Args, _ = json.Marshal(n) // plain data
	return []record.Decision{d}
}

// several draws one to five decisions that are about different things.
func several(rng *rand.Rand, draw func() record.Decision) []record.Decision {
	var step []record.Decision
	for range 1 + rng.IntN(5) {
		d := draw()
		same := func(o record.Decision) bool {
			return o.Candidate == d.Candidate && o.Text == d.Text && string(o.Args) == string(d.Args)
		}
		if !slices.ContainsFunc(step, same) {
			step = append(step, d)
		}
	}
	return step
}

func anyWaiting(verb record.Verb) func(*rand.Rand, *view.Snapshot, []record.Job) []record.Decision {
	return func(rng *rand.Rand, s *view.Snapshot, _ []record.Job) []record.Decision {
		if len(s.Review) == 0 {
			return nil
		}
		return several(rng, func() record.Decision { return about(verb, s.Review[rng.IntN(len(s.Review))].Candidate.ID) })
	}
}

func anyCandidate(verb record.Verb) func(*rand.Rand, *view.Snapshot, []record.Job) []record.Decision {
	return func(rng *rand.Rand, _ *view.Snapshot, _ []record.Job) []record.Decision {
		return several(rng, func() record.Decision { return about(verb, record.CandidateID(1+rng.IntN(40))) })
	}
}

// oneCandidate is for what few candidates allow: of several one would refuse all.
func oneCandidate(verb record.Verb) func(*rand.Rand, *view.Snapshot, []record.Job) []record.Decision {
	return func(rng *rand.Rand, _ *view.Snapshot, _ []record.Job) []record.Decision {
		return []record.Decision{about(verb, record.CandidateID(1+rng.IntN(40)))}
	}
}

func anyNiche(verb record.Verb) func(*rand.Rand, *view.Snapshot, []record.Job) []record.Decision {
	return func(rng *rand.Rand, s *view.Snapshot, _ []record.Job) []record.Decision {
		return several(rng, func() record.Decision {
			return withFactor(rng, about(verb, s.Grid.Cells[rng.IntN(len(s.Grid.Cells))].Elite))
		})
	}
}

func anyTarget(verb record.Verb) func(*rand.Rand, *view.Snapshot, []record.Job) []record.Decision {
	return func(rng *rand.Rand, s *view.Snapshot, _ []record.Job) []record.Decision {
		return several(rng, func() record.Decision {
			d := withFactor(rng, decision(verb))
			d.Text = s.Targets[rng.IntN(len(s.Targets))].Name
			return d
		})
	}
}

func withFactor(rng *rand.Rand, d record.Decision) record.Decision {
	if d.Verb == record.Boost {
		d.Value = float64(2 + rng.IntN(3))
	}
	return d
}

// someSettings is what steering makes so at once: each setting at most once. The
// budget stays below what was made: jobs that it would queue are not taken back.
func someSettings(rng *rand.Rand, _ *view.Snapshot, _ []record.Job) []record.Decision {
	args := []string{
		fmt.Sprintf(`{"key":"budget.jobs","value":"%d"}`, 40+rng.IntN(9)), fmt.Sprintf(`{"key":"workers","value":"%d"}`, 1+rng.IntN(4)),
		fmt.Sprintf(`{"key":"search.inspirations","value":"%d"}`, rng.IntN(5)), fmt.Sprintf(`{"key":"goal","value":"goal %d"}`, rng.IntN(9)),
		fmt.Sprintf(`{"key":"budget.cost_usd","value":"%d"}`, 1+rng.IntN(9)), fmt.Sprintf(`{"key":"search.operators","value":"{\"tune\": 0.%d}"}`, 1+rng.IntN(8)),
		fmt.Sprintf(`{"key":"agents","value":"{\"offline\": 0.%d}"}`, 1+rng.IntN(8)), fmt.Sprintf(`{"key":"review.measure","value":"%s"}`, []string{"off", "risky", "all"}[rng.IntN(3)]),
		fmt.Sprintf(`{"key":"evaluator.challenge","value":"%d"}`, rng.IntN(5)), fmt.Sprintf(`{"key":"evaluator.depth","value":"%d"}`, 2+rng.IntN(9)), fmt.Sprintf(`{"key":"evaluator.remeasure","value":"0.%d"}`, rng.IntN(9)),
		fmt.Sprintf(`{"key":"targets","value":"[{\"name\":\"found\",\"files\":[\"program.txt\"],\"weight\":%d}]"}`, 1+rng.IntN(3)),
	}
	rng.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	var step []record.Decision
	for _, a := range args[:1+rng.IntN(4)] {
		d := decision(record.Set)
		d.Args = []byte(a)
		step = append(step, d)
	}
	return step
}

// onePriority moves a job that waits in the queue.
func onePriority(rng *rand.Rand, _ *view.Snapshot, jobs []record.Job) []record.Decision {
	queued := slices.DeleteFunc(slices.Clone(jobs), func(j record.Job) bool { return j.State != record.Queued && j.State != record.Held })
	if len(queued) == 0 {
		return nil
	}
	j := queued[rng.IntN(len(queued))]
	return []record.Decision{record.NewPriority(j.ID, j.Priority, float64(rng.IntN(5)))}
}

// differs tells the first line in which two pictures differ.
func differs(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %s, not %s", i, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines, not %d", len(x), len(y))
}

// labThatWaits is an experiment with filled niches and candidates that wait before
// theirs.
func labThatWaits(t *testing.T) *lab {
	t.Helper()
	l := newLab(t)
	cfg := l.loaded(labYAML, "review.niche=all", "budget.jobs=30")
	cfg.Targets = []config.Target{{Name: "program", Files: []string{"program.txt"}, Weight: 1}, {Name: "rest", Files: []string{"program.txt"}, Weight: 1}}
	l.begin(cfg)
	l.run()
	l.settings(func(s *record.Settings) { s.ReviewNiche, s.MaxJobs = "off", 60 })
	l.run()
	return l
}

// unwinding decides, takes everything back and does it again, and looks at the
// picture after each step.
type unwinding struct {
	*lab
	eng      *engine.Engine
	stop     func()
	pictures []string
	kinds    map[string]int // decisions of each kind
	together map[string]int // steps of several
}

func (w *unwinding) start() {
	w.t.Helper()
	w.eng, w.stop = w.startWith(engine.Options{KeepState: true})
	w.await(w.eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
}

// decideAnything makes steps of every kind that is drawn from, the first ones about the
// whole experiment. Now and then it draws a kind that was not made yet, and it goes on
// until all were.
func (w *unwinding) decideAnything(rng *rand.Rand, from []draw, first int) {
	w.t.Helper()
	w.kinds, w.together = map[string]int{}, map[string]int{}
	missing := make([]int, len(from))
	for i := range missing {
		missing[i] = i
	}
	for made, tried := 0, 0; made < suitetest.Pick(60, 200, 200) || len(missing) > 0; tried++ {
		if tried > 5000 {
			w.t.Fatalf("after %d decisions there is nothing to decide of %d kinds", made, len(missing))
		}
		at := rng.IntN(len(from))
		if len(missing) > 0 && rng.IntN(3) == 0 {
			at = missing[rng.IntN(len(missing))]
		}
		draw := from[at]
		if made < first { // later something is left to do
			draw, at = pauseOrResume, -1
		}
		step := draw(rng, w.eng.Feed().Latest(), w.jobs())
		if len(step) == 0 || slices.ContainsFunc(missing, func(i int) bool { return i != at }) && usesUp(step, w.eng.Feed().Latest()) {
			continue
		}
		if _, err := w.eng.Decide(w.t.Context(), step...); errors.Is(err, fold.ErrDecision) {
			continue
		} else if err != nil {
			w.t.Fatal(err)
		}
		made += len(step)
		missing = slices.DeleteFunc(missing, func(i int) bool { return i == at })
		kind := string(step[0].Verb)
		if step[0].Text != "" {
			kind += " a target"
		}
		w.kinds[kind] += len(step)
		if len(step) > 1 {
			w.together[kind]++
		}
		w.pictures = append(w.pictures, settled(w.t, w.lab, w.eng))
	}
}

// usesUp reports whether nothing waits any more after a step: then some kinds have
// nothing to be about.
func usesUp(step []record.Decision, s *view.Snapshot) bool {
	left := len(s.Review)
	for _, d := range step {
		if slices.ContainsFunc(s.Review, func(h view.Held) bool { return h.Candidate.ID == d.Candidate }) && (d.Verb == record.Approve || d.Verb == record.Reject) {
			left--
		}
	}
	return left <= 0 && len(s.Review) > 0
}

func (w *unwinding) check(what string, at int) {
	w.t.Helper()
	if got := settled(w.t, w.lab, w.eng); got != w.pictures[at] {
		w.t.Fatalf("%s does not restore state %d of %d: %s", what, at, len(w.pictures)-1, differs(got, w.pictures[at]))
	}
}

// backAndForth takes back all steps and does them again; a restart in between
// changes nothing.
func (w *unwinding) backAndForth() {
	w.t.Helper()
	for at := len(w.pictures) - 2; at >= 0; at-- {
		said, err := w.eng.Undo(w.t.Context(), 0)
		if err != nil {
			w.t.Fatal(err)
		}
		w.check("undo ("+said.Said+")", at)
		if at == len(w.pictures)/2 {
			w.stop()
			w.start()
			w.check("a restart", at)
		}
	}
	for at := 1; at < len(w.pictures); at++ {
		said, err := w.eng.Redo(w.t.Context(), 0)
		if err != nil {
			w.t.Fatal(err)
		}
		w.check("redo ("+said.Said+")", at)
	}
	w.stop()
	if err := w.state().CheckArchive(); err != nil {
		w.t.Errorf("the archive is not the fold: %v", err)
	}
}

func TestAnyDecisionsAreTakenBackAndDoneAgainKeyByKey(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "hundreds of drawn decisions; TestDecisionsChangeTheSearchAndUndoTakesThemBack stands for it")
	for _, tt := range []struct {
		name  string
		pause bool
		seed  uint64
		drawn []draw
	}{
		{"while it is paused and nothing goes on", true, 9, kindsOfSteps},
		{"while every approval is carried out to its end", false, 5, slices.Concat(kindsOfSteps, kindsOfSteps[:3], kindsOfSteps[:3])},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := unwinding{lab: labThatWaits(t)}
			w.start()
			defer func() { w.stop() }()
			first := 0
			if tt.pause {
				first = 2
				if _, err := w.eng.Decide(t.Context(), decision(record.Pause)); err != nil {
					t.Fatal(err)
				}
				w.await(w.eng, "it is paused", func(s *view.Snapshot) bool { return s.State == record.ExperimentPaused })
			}
			w.pictures = []string{settled(t, w.lab, w.eng)}
			if base := w.eng.Feed().Latest(); len(base.Review) < 4 || base.Grid.Filled < 4 {
				t.Fatalf("%d wait, %d niches are filled: too little to decide about", len(base.Review), base.Grid.Filled)
			}
			w.decideAnything(rand.New(rand.NewPCG(3, tt.seed)), tt.drawn, first)
			if len(w.kinds) < 14 || len(w.together) < suitetest.Pick(4, 8, 8) {
				t.Errorf("%d steps: too few kinds %v, or of several decisions %v", len(w.pictures)-1, w.kinds, w.together)
			}
			w.backAndForth()
		})
	}
}

func TestAnApprovalIsTakenBackAfterTheCandidateTookItsNiche(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run for each gate and order; TestAnUndoTakesBackWhatItsPersonSawOrNothing stands for it")
	for _, gate := range []string{"review.niche=all", "review.measure=all"} {
		for _, order := range orders() {
			t.Run(gate+" "+order, func(t *testing.T) {
				l := newLab(t, gate, "budget.jobs=6", "order="+order, "seed=2")
				l.run()
				var step []record.Decision
				for _, j := range l.jobs(record.Held) {
					d, err := l.state().Prepare(about(record.Approve, j.Candidate))
					if err != nil {
						t.Fatal(err)
					}
					step = append(step, d)
				}
				if _, err := l.ses.DB.AppendDecisions(t.Context(), l.exp.ID, step...); err != nil {
					t.Fatal(err)
				}
				was := l.run()
				if was.Jobs.Held != 0 || was.Grid.Filled < 2 {
					t.Fatalf("after the approval: %+v, %d niches", was.Jobs, was.Grid.Filled)
				}
				eng, stop := l.startWith(engine.Options{KeepState: true})
				defer func() { stop() }()
				l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
				before := settled(t, l, eng)
				said, err := eng.Undo(t.Context(), 0)
				if err != nil || !strings.HasSuffix(said.Said, "wait again") {
					t.Fatalf("undo says %+v, %v", said, err)
				}
				held := settled(t, l, eng)
				s := eng.Feed().Latest()
				if s.Jobs.Held != len(step) || len(s.Review) != len(step) || s.Grid.Filled != 1 || s.Best.ID != record.Root {
					t.Errorf("%d held, %d in review of %d; %d niches, best %s", s.Jobs.Held, len(s.Review), len(step), s.Grid.Filled, s.Best.ID)
				}
				stop()
				if err := l.state().CheckArchive(); err != nil {
					t.Errorf("the archive is not the fold: %v", err)
				}
				eng, stop = l.startWith(engine.Options{KeepState: true})
				l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
				if got := settled(t, l, eng); got != held {
					t.Errorf("a restart changes it: %s", differs(got, held))
				}
				if _, err := eng.Redo(t.Context(), 0); err != nil {
					t.Fatal(err)
				}
				if got := settled(t, l, eng); got != before {
					t.Errorf("redo does not bring it back: %s", differs(got, before))
				}
			})
		}
	}
}

func TestWhatCanBeTakenBackWhereAKilledRunLeftTheExperimentAsRunningIs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	k := l.lookOn()
	last := record.Seq(0)
	for _, verb := range []record.Verb{record.Resume, record.Pause} { // behind an undo of the last one nothing runs either
		var err error
		if last, err = k.eng.Decide(t.Context(), record.NewDecision(verb)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.ses.DB.PutState(t.Context(), l.exp.ID, record.ExperimentRunning, ""); err != nil { // and its engine was killed
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		at   func(*view.Snapshot) record.Seq
		do   func(record.Seq) (view.Unwound, error)
	}{
		{"undo", func(s *view.Snapshot) record.Seq {
			if s.State != record.ExperimentRunning {
				return 0
			}
			return s.Undo
		}, func(of record.Seq) (view.Unwound, error) { return k.eng.Undo(t.Context(), of) }},
		{"redo", func(s *view.Snapshot) record.Seq { return s.Redo }, func(of record.Seq) (view.Unwound, error) { return k.eng.Redo(t.Context(), of) }},
	} {
		s := l.await(k.eng, "there is something to "+step.name, func(s *view.Snapshot) bool { return !s.Loading && step.at(s) == last })
		if done, err := step.do(step.at(s)); err != nil || done.Said == "" {
			t.Errorf("%s of what the screen shows: %q, %v", step.name, done.Said, err)
		}
	}
}
