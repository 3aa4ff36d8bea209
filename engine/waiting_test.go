package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

// decide appends a decision as a verb in another terminal does.
func (l *lab) decide(d record.Decision) {
	l.t.Helper()
	d.Who = "tester"
	if _, err := l.ses.DB.AppendDecision(l.t.Context(), l.exp.ID, d); err != nil {
		l.t.Fatal(err)
	}
}

func TestWhatIsInjectedBeforeTheFirstRunIsMeasuredAfterTheRoot(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=3")
	git(t, l.repo, "checkout", "-q", "-b", "own")
	write(t, l.repo+"/program.txt", strings.Replace(program, "3.25", "5.5", 1))
	git(t, l.repo, "commit", "-q", "-a", "-m", "closer to ten")
	commit, _, err := engine.Inject(t.Context(), l.ses, l.exp.ID, engine.Injection{Revision: "own"}, "tester")
	if err != nil {
		t.Fatal(err)
	}
	start := record.NewDecision(record.StartJob)
	start.Args = []byte(`{"parent":-1,"operator":"tune"}`)
	l.decide(start)
	told := 0
	for _, line := range l.run().Log {
		if strings.Contains(line.Text, "inject") && strings.Contains(line.Text, commit.Short()) {
			told++
			if !strings.HasSuffix(line.Text, ": as soon as the root is measured") {
				t.Errorf("it is not said what the injected commit waits for: %s", line.Text)
			}
		}
	}
	if told != 1 {
		t.Errorf("the injection is told %d times", told)
	}
	injected, started := 0, 0
	for _, j := range l.jobs() {
		switch {
		case j.Operator == record.OpManual:
			c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, j.Candidate)
			if err != nil || c.Commit != commit || c.Objective == nil || *c.Objective != 0 {
				t.Errorf("the injected commit became %+v, %v", c, err)
			}
			injected++
		case j.Kind == record.Make && j.Priority == 1:
			started++
		}
	}
	if injected != 1 || started != 1 {
		t.Errorf("%d jobs of the injected commit and %d that was started, one each expected", injected, started)
	}
	before := len(l.jobs())
	l.run() // what waited is not carried out again
	if now := len(l.jobs()); now != before {
		t.Errorf("%d jobs after another run, %d before", now, before)
	}
}

// A run that cannot start, for want of a key, does not know yet what was carried
// out before it.
func TestAfterARunThatFailedAtItsStartNoOldDecisionIsCarriedOutAgain(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=4")
	l.run()
	retry := record.NewDecision(record.Retry)
	retry.Job = l.jobs()[0].ID
	l.decide(retry)
	weights := record.NewDecision(record.Set)
	weights.Args = []byte(`{"agents":{"model":1}}`)
	l.decide(weights)
	l.run()
	before := len(l.jobs())

	live := l.loaded(labYAML)
	live.Agents = append(live.Agents, config.Agent{
		Name: "model", Kind: "chat", BaseURL: "http://127.0.0.1:1/v1", Model: "m", KeyEnv: "NOT_SET_ANYWHERE", Weight: 1,
	})
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Live: &live, KeepState: true, Getenv: func(string) string { return "" }})
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := eng.Run(ctx); err == nil {
		t.Fatal("the run started without its key")
	}
	idle, leave := context.WithCancel(ctx)
	again := make(chan bool, 1)
	go func() { again <- eng.Idle(idle) }()
	l.await(eng, "the past is shown", func(s *view.Snapshot) bool { return s.Jobs.Ended() > 0 })
	note := record.NewDecision(record.WriteNote)
	note.Args = []byte(`{"kind":"direction","text":"be brief"}`)
	l.decide(note) // is folded, and starts nothing
	select {
	case work := <-again:
		t.Fatalf("what was decided before is taken for new: %v", work)
	case <-time.After(500 * time.Millisecond):
	}
	if now := len(l.jobs()); now != before {
		t.Errorf("%d jobs, %d before the run that failed", now, before)
	}
	resume := record.NewDecision(record.Resume)
	l.decide(resume)
	if !<-again {
		t.Error("a person who resumes gets no other try")
	}
	leave()
}
