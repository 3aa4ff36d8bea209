package engine_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"atoll/config"
	"atoll/engine"
	"atoll/store/record"
)

func TestARepairBeginsFromAFailedCandidateAndIsToldWhy(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	var n atomic.Int32
	m.reply = func(string) string {
		if n.Add(1)%3 == 0 {
			return "INTENT: spoil it\nprogram.txt\n```\na = 1\nb = 2\nspoiled = " + strings.Repeat("x", int(n.Load())) + "\n```\n"
		}
		return ""
	}
	l := newLab(t)
	write(t, filepath.Join(l.repo, "measure.sh"), "#!/bin/sh\nif grep -q spoiled program.txt; then echo 'line 3: cannot read spoiled' >&2; exit 3; fi\n"+strings.TrimPrefix(measure, "#!/bin/sh\n"))
	git(t, l.repo, "commit", "-q", "-am", "refuse what is spoiled")
	l.createWith(func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Search.Operators = map[string]float64{"mutate": 0.5, "repair": 0.5}
		c.Evaluator.Private = []string{"second"}
		c.Map.Axes = c.Map.Axes[:1]
	}, "budget.jobs=40")
	if _, err := l.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	repairs := 0
	for _, j := range l.jobs() {
		if j.Operator != record.OpRepair {
			continue
		}
		repairs++
		failed, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, j.Parent)
		if err != nil {
			t.Fatal(err)
		}
		if failed.Status != record.StatusFailed {
			t.Errorf("%s repairs %s, which is %s", j.ID, failed.ID, failed.Status)
		}
		if len(j.Inspirations) == 0 || j.Inspirations[0] != failed.Parent() {
			t.Errorf("%s repairs %s beside %v, want its parent %s first", j.ID, failed.ID, j.Inspirations, failed.Parent())
		}
	}
	if repairs < 3 {
		t.Fatalf("only %d repairs in 40 jobs", repairs)
	}
	why, worked, feedback := 0, 0, 0
	for _, p := range m.asked() {
		if strings.Contains(p, "second = ") || strings.Contains(p, "second=") {
			t.Fatalf("a prompt tells a private metric:\n%s", p)
		}
		if strings.Contains(p, "cannot read spoiled") {
			why++
		}
		if strings.Contains(p, "last version that worked") {
			worked++
		}
		if strings.Contains(p, "first = ") {
			feedback++
		}
	}
	if why < repairs || worked == 0 || feedback == 0 {
		t.Errorf("of %d prompts %d tell why, %d show what worked, %d show other metrics; %d repairs", len(m.asked()), why, worked, feedback, repairs)
	}
}

func TestNotesOfAnEpochAreWrittenOnceHoweverOftenTheEngineStarts(t *testing.T) {
	t.Parallel()
	l := newLab(t, "search.epoch=5", "budget.jobs=12")
	l.run()
	count := func() (n int) {
		notes, err := l.ses.DB.Notes(t.Context(), l.exp.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range notes {
			if x.Kind == "short" {
				n++
			}
		}
		return n
	}
	first := count()
	if first < 2 {
		t.Fatalf("%d short notes after 12 jobs in epochs of 5", first)
	}
	l.run()
	if again := count(); again != first {
		t.Errorf("%d short notes after another start, before it %d", again, first)
	}
}

func TestTheNotesOfASnapshotAreThoseThatPromptsCarry(t *testing.T) {
	t.Parallel()
	l := newLab(t, "search.epoch=2", "budget.jobs=30")
	s := l.run()
	if len(s.Notes) < 5 {
		t.Fatalf("15 epochs left %d notes", len(s.Notes))
	}
	rows, err := l.ses.DB.Notes(t.Context(), l.exp.ID)
	if err != nil {
		t.Fatal(err)
	}
	live := slices.DeleteFunc(slices.Clone(rows), func(n record.Note) bool { return n.Gone })
	if !slices.Equal(s.Notes, live) {
		t.Errorf("the snapshot has\n%v\nthe store\n%v", s.Notes, live)
	}
	if gone := len(rows) - len(live); gone > 4 {
		t.Errorf("%d notes that nobody needs are kept, more than an epoch leaves", gone)
	}
	if again := l.state().Snapshot().Notes; !slices.Equal(again, live) {
		t.Errorf("folded anew\n%v\nthe store has\n%v", again, live)
	}
}

func TestADecisionOnANoteThatIsGoneByThenStopsNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=4")
	l.run()
	for _, args := range []string{
		`{"id":999,"kind":"short","text":"turn it into a lesson","author":"digest"}`, `{"id":998,"kind":"short","text":"drop it","author":"digest","gone":true}`,
	} {
		d := decision(record.WriteNote)
		d.Args = []byte(args)
		p, err := l.state().Prepare(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, p); err != nil {
			t.Fatal(err)
		}
	}
	l.raise(6)
	s := l.run()
	if s.Jobs.Ended() != 6 {
		t.Errorf("the run stopped: %+v", s.Jobs)
	}
	if !slices.ContainsFunc(s.Notes, func(n record.Note) bool { return n.Text == "turn it into a lesson" && n.ID < 998 }) {
		t.Errorf("the changed note is not among %+v", s.Notes)
	}
	if slices.ContainsFunc(s.Notes, func(n record.Note) bool { return n.Text == "drop it" }) {
		t.Error("the dropped one is back")
	}
}
