package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/fold/foldtest"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// fakeHost writes states and remembers what it was told.
type fakeHost struct {
	db      *store.DB
	exp     record.ExperimentID
	notes   []string
	wentOn  int
	drained bool
}

var _ Host = (*fakeHost)(nil)

func (h *fakeHost) Note(level string, _ record.JobID, text string, _ ...time.Time) {
	h.notes = append(h.notes, level+": "+text)
}

func (h *fakeHost) SetState(ctx context.Context, state record.ExperimentState, reason string) error {
	_, err := h.db.PutState(ctx, h.exp, state, reason)
	return err
}

func (h *fakeHost) Behind(record.Seq) bool { return false }

func (h *fakeHost) Resume(ctx context.Context) error {
	return h.SetState(ctx, record.ExperimentRunning, "")
}
func (h *fakeHost) GoOn(context.Context, record.Seq) error { h.wentOn++; return nil }
func (h *fakeHost) Sync()                                  {}
func (h *fakeHost) Offer(int)                              {}
func (h *fakeHost) Drain()                                 { h.drained = true }

// plan is a story with an owner that schedules it.
type plan struct {
	*foldtest.Story
	t    *testing.T
	o    *Owner
	host *fakeHost
}

type change = func(*record.Experiment, *config.Config, *record.Settings)

func strict(lookahead int) change {
	return func(e *record.Experiment, _ *config.Config, _ *record.Settings) {
		e.Strict, e.Lookahead = true, lookahead
	}
}

func jobs(most int) change {
	return func(_ *record.Experiment, _ *config.Config, s *record.Settings) { s.MaxJobs = most }
}

// begin returns a plan whose root is measured, or waits to be where rootless is true.
func begin(t *testing.T, rootless bool, changes ...change) *plan {
	t.Helper()
	p := &plan{t: t, Story: foldtest.Begin(t, changes...)}
	p.host = &fakeHost{db: p.DB, exp: p.Exp.ID}
	root := record.NewJob(p.Exp.ID, 0, record.Evaluate)
	root.Purpose, root.Candidate, root.Samples = record.PurposeRoot, record.Root, 1
	p.Add(root)
	p.start()
	if !rootless {
		p.Measure(1, 0.05)
		p.follow()
	}
	return p
}

// start begins a run, as an engine does.
func (p *plan) start() {
	p.t.Helper()
	ctx := p.t.Context()
	st, err := fold.OpenState(ctx, p.DB, p.Exp.ID)
	p.ok(err)
	live := work.NewLive(time.Now)
	w := work.New(work.Options{
		Facts: work.Facts{Experiment: st.Exp, Config: st.Config}, DB: p.DB, Live: live, Now: time.Now,
		Settings: func() record.Settings { return st.Settings },
	})
	p.o = New(Options{Experiment: p.Exp.ID, DB: p.DB, Live: live, Host: p.host})
	p.o.Begin(st, st.Config, w)
	p.ok(p.o.Resume(ctx))
	st.Quiet = true
	p.ok(st.CatchUp(ctx, p.DB, func(job record.JobID) error { return p.o.Folded(ctx, job) }))
	st.Quiet = false
	p.ok(p.o.Learn(ctx))
	p.ok(p.o.Act(ctx))
	p.ok(p.o.Fill(ctx))
}

// follow folds what is new and does what follows from it.
func (p *plan) follow() {
	p.t.Helper()
	ctx := p.t.Context()
	p.ok(p.o.st.CatchUp(ctx, p.DB, func(job record.JobID) error { return p.o.Folded(ctx, job) }))
	p.ok(p.o.Act(ctx))
	p.ok(p.o.Fill(ctx))
}

func (p *plan) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *plan) decide(verb record.Verb, fill func(*record.Decision)) {
	p.t.Helper()
	d := record.NewDecision(verb)
	if fill != nil {
		fill(&d)
	}
	d, err := p.o.st.Prepare(d)
	p.ok(err)
	p.Decide(d)
	p.follow()
}

// queued tells which jobs wait, oldest first, as kind and number.
func (p *plan) queued() []record.Job {
	p.t.Helper()
	list, err := p.DB.Jobs(p.t.Context(), p.Exp.ID, store.JobFilter{States: []record.JobState{record.Queued}, Limit: 1000})
	p.ok(err)
	slices.Reverse(list)
	return list
}

func (p *plan) job(id record.JobID) record.Job {
	p.t.Helper()
	j, err := p.DB.Job(p.t.Context(), p.Exp.ID, id)
	p.ok(err)
	return j
}

func TestJobsAreKeptAheadOfTheFold(t *testing.T) {
	for _, c := range []struct {
		name string
		with []change
		last record.JobID // after the root and two more were folded
	}{
		{"twice as many as workers where results come as they do", nil, 4},
		{"with three workers more", []change{func(_ *record.Experiment, _ *config.Config, s *record.Settings) { s.Workers = 3 }}, 8},
		{"the lookahead in strict order", []change{strict(5)}, 7},
		{"no more than the budget allows", []change{strict(5), jobs(3)}, 3},
		{"none where candidates are injected alone", []change{func(_ *record.Experiment, c *config.Config, _ *record.Settings) { c.Search.OnlyInjected = true }}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, false, c.with...)
			if c.last > 0 {
				p.Measure(2, 0.55)
				p.follow()
				p.Measure(3, 0.95)
				p.follow()
			}
			next, err := p.DB.NextJobID(t.Context(), p.Exp.ID)
			p.ok(err)
			if next-1 != c.last {
				t.Errorf("the last job is %s, want #%d", next-1, c.last)
			}
		})
	}
}

func TestNothingIsMadeBeforeTheRootIsMeasured(t *testing.T) {
	p := begin(t, true)
	p.follow()
	if got := p.queued(); len(got) != 1 || got[0].Kind != record.Evaluate {
		t.Fatalf("queued: %+v", got)
	}
	p.decide(record.StartJob, func(d *record.Decision) { d.Args = []byte(`{"parent":-1,"goal":"be quick"}`) })
	if got := p.queued(); len(got) != 1 {
		t.Fatalf("a job was started without a root: %+v", got)
	}
	p.Measure(1, 0.05)
	p.follow()
	if !slices.ContainsFunc(p.queued(), func(j record.Job) bool { return j.Goal == "be quick" && j.Priority == 1 }) {
		t.Errorf("what waited for the root was forgotten: %+v", p.queued())
	}
}

func TestAChoiceDependsOnTheFoldPositionAndTheSeedAlone(t *testing.T) {
	evolving := func(_ *record.Experiment, c *config.Config, s *record.Settings) {
		s.Operators, c.Search.Evolve, c.Search.Epoch = map[string]float64{"tune": 1}, 0.75, 1000
	}
	const folded = 50 // an evolution strategy begins on the way
	told := func(begins func(i int) bool, behind int) string {
		p := begin(t, false, strict(4), evolving)
		unseen := 0
		for i := range folded {
			p.Measure(float64(1+i%5), float64(i%10)/10+0.05)
			switch unseen++; {
			case begins(i):
				p.start()
			case unseen <= behind && i < folded-1:
				continue
			}
			p.follow()
			unseen = 0
		}
		var out []string
		for id := record.JobID(1); id <= folded+4; id++ {
			j := p.job(id)
			out = append(out, fmt.Sprint(j.ID, j.Parent, j.Inspirations, j.Operator, j.Agent, j.Purpose, j.Why))
		}
		return strings.Join(out, "\n")
	}
	want := told(func(int) bool { return false }, 0)
	if !strings.Contains(want, "evolution strategy") {
		t.Fatalf("no sample was asked for:\n%s", want)
	}
	for name, begins := range map[string]func(i int) bool{
		"with restarts": func(i int) bool { return i%5 == 3 },
		"with kills that come between rows and the jobs that belong to them": func(i int) bool { return i%3 == 2 },
	} {
		behind := 0
		if strings.Contains(name, "kills") {
			behind = 3
		}
		if got := told(begins, behind); got != want {
			t.Errorf("%s\n%s\nwithout\n%s", name, got, want)
		}
	}
}

func TestTheSearchEndsWhenTheLastJobOfTheBudgetIsFolded(t *testing.T) {
	p := begin(t, false, jobs(3))
	for range 3 {
		if _, done := p.o.Finished(); done {
			t.Fatal("finished too early")
		}
		p.Fail(record.ClassNoChange, "the agent changed nothing")
		p.follow()
	}
	if why, done := p.o.Finished(); !done || why != "3 jobs done" {
		t.Errorf("finished: %v, %q", done, why)
	}
	p.decide(record.Set, func(d *record.Decision) { d.Args = []byte(`{"key":"budget.jobs","value":"4"}`) })
	if _, done := p.o.Finished(); done || p.host.wentOn == 0 || len(p.queued()) != 1 {
		t.Errorf("a larger budget did not go on: %+v", p.queued())
	}
}

func TestDecisionsAboutJobsAreCarriedOut(t *testing.T) {
	on := func(id record.JobID) func(*record.Decision) { return func(d *record.Decision) { d.Job = id } }
	for _, c := range []struct {
		name  string
		do    func(p *plan)
		holds func(p *plan) bool
	}{
		{"a queued job is cancelled", func(p *plan) { p.decide(record.Cancel, on(1)) }, func(p *plan) bool {
			return p.job(1).State == record.Cancelled && p.job(1).Reason == "cancelled by ada"
		}},
		{"a priority is set", func(p *plan) {
			p.decide(record.Prioritise, func(d *record.Decision) { *d = record.NewPriority(2, 0, 7) })
		}, func(p *plan) bool {
			return p.job(2).Priority == 7 && p.Lease().Job.ID == 2
		}},
		{"a failed job is tried again as it was, and sooner", func(p *plan) {
			p.Fail(record.ClassAgent, "no answer")
			p.follow()
			p.decide(record.Retry, on(1))
		}, func(p *plan) bool {
			list := p.queued()
			i := slices.IndexFunc(list, func(j record.Job) bool { return j.RetryOf == 1 })
			return i >= 0 && list[i].Priority == 1 && list[i].Operator == p.job(1).Operator && list[i].Parent == p.job(1).Parent
		}},
		{"a candidate is measured again", func(p *plan) {
			p.Measure(2, 0.55)
			p.follow()
			p.decide(record.Measure, func(d *record.Decision) { d.Candidate = 1 })
		}, func(p *plan) bool {
			return slices.ContainsFunc(p.queued(), func(j record.Job) bool {
				return j.Kind == record.Evaluate && j.Candidate == 1 && j.Purpose == record.PurposeVerify && j.Repeat == 1
			})
		}},
		{"a held candidate that is rejected ends its job", func(p *plan) {
			l := p.Lease()
			p.Commit(l)
			p.ok(p.DB.Hold(p.t.Context(), l, record.Gated, "look at it", store.Outcome{}))
			p.follow()
			p.decide(record.Reject, func(d *record.Decision) { d.Candidate, d.Text = 1, "out of scope" })
		}, func(p *plan) bool { return p.job(1).State == record.Rejected && p.job(1).Reason == "out of scope" }},
		{"a held candidate that is approved goes on", func(p *plan) {
			l := p.Lease()
			p.Commit(l)
			p.ok(p.DB.Hold(p.t.Context(), l, record.Gated, "look at it", store.Outcome{}))
			p.follow()
			p.decide(record.Approve, func(d *record.Decision) { d.Candidate = 1 })
		}, func(p *plan) bool { return p.job(1).State == record.Queued && p.job(1).Approved }},
		{"a stop drains", func(p *plan) { p.decide(record.Stop, nil) }, func(p *plan) bool { return p.host.drained }},
		{"a pin is kept", func(p *plan) { p.decide(record.Pin, func(d *record.Decision) { d.Candidate = 0 }) }, func(p *plan) bool {
			root, err := p.DB.Candidate(p.t.Context(), p.Exp.ID, record.Root)
			p.ok(err)
			return root.Pinned
		}},
		{"what cannot be done is a note", func(p *plan) { p.decide(record.Retry, on(77)) }, func(p *plan) bool {
			return slices.ContainsFunc(p.host.notes, func(n string) bool { return strings.HasPrefix(n, "error: retry #77") })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, false)
			c.do(p)
			if !c.holds(p) {
				t.Errorf("it is not so; jobs %+v, notes %q", p.queued(), p.host.notes)
			}
		})
	}
}

func TestADecisionIsCarriedOutOnceAlsoAcrossRuns(t *testing.T) {
	p := begin(t, false)
	p.Fail(record.ClassAgent, "no answer")
	p.follow()
	p.decide(record.Retry, func(d *record.Decision) { d.Job = 1 })
	p.start()
	p.follow()
	n := 0
	for _, j := range p.queued() {
		if j.RetryOf == 1 {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the retry was queued %d times", n)
	}
}

func TestOneThatLooksBetterIsMeasuredAgainBeforeMoreAreMade(t *testing.T) {
	for _, c := range []struct {
		name    string
		repeats []float64 // of the root, beside its value
		want    record.JobKind
	}{
		{"where the root's repeats differ", []float64{1.1, 0.9}, record.Evaluate},
		{"but not where they are the same", []float64{1, 1}, record.Make},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, true)
			p.Measure(1, 0.05, c.repeats...)
			p.follow()
			p.Measure(9, 0.55)
			p.follow()
			list := p.queued()
			if got := list[len(list)-1]; got.Kind != c.want || c.want == record.Evaluate && got.Candidate != 1 {
				t.Errorf("the newest job is %s of %s", got.Kind, got.Candidate)
			}
		})
	}
}
