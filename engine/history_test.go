package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/history"
	"atoll/engine/view"
	"atoll/store/record"
)

// cells tells holders, freezes and boosts of a snapshot.
func cells(s *view.Snapshot) (out []view.Cell) {
	for _, c := range s.Grid.Cells {
		out = append(out, view.Cell{Index: c.Index, Elite: c.Elite, Objective: c.Objective, Frozen: c.Frozen, Boost: c.Boost, Waiting: c.Waiting})
	}
	return out
}

func samePast(a, b *view.Snapshot) bool {
	return a.Fold == b.Fold && slices.EqualFunc(cells(a), cells(b), func(x, y view.Cell) bool {
		return x.Index == y.Index && x.Elite == y.Elite && x.Frozen == y.Frozen && x.Boost == y.Boost && x.Waiting == y.Waiting
	}) && a.Best.ID == b.Best.ID && a.Jobs == b.Jobs && slices.Equal(a.Curves.Best, b.Curves.Best) && len(a.Review) == len(b.Review)
}

func TestThePastIsToldMomentByMoment(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	end := l.run()
	elite := end.Best.ID
	eng, stop := l.start()
	for _, v := range []record.Verb{record.Freeze, record.Reject} {
		d := decision(v)
		d.Candidate, d.Who = elite, "tester"
		if _, err := eng.Decide(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	l.await(eng, "the best is another", func(s *view.Snapshot) bool { return s.Best.ID != elite })
	stop()
	now := eng.Feed().Latest()

	book := history.NewBook(l.ses.DB, l.exp.ID)
	at := func(i int) view.Past {
		t.Helper()
		p, err := book.At(t.Context(), i, 0)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	last := at(-1)
	if last.At != last.Moments-1 || !slices.Equal(last.Snap.Curves.Best, now.Curves.Best) || last.Snap.Best.ID != now.Best.ID || last.Snap.Grid.Filled != now.Grid.Filled || last.Snap.Jobs.Ended() != now.Jobs.Ended() {
		t.Errorf("the newest moment is not the present: %d of %d, best %s, %+v and %+v", last.At, last.Moments, last.Snap.Best.ID, last.Snap.Jobs, now.Jobs)
	}
	var forth []view.Past
	for i := range last.Moments {
		forth = append(forth, at(i))
	}
	other := history.NewBook(l.ses.DB, l.exp.ID) // backwards, without what was kept
	for i := last.Moments - 1; i >= 0; i-- {
		p, err := other.At(t.Context(), i, 0)
		if err != nil || !samePast(p.Snap, forth[i].Snap) || p.Seq != forth[i].Seq || !slices.Equal(p.Changed, forth[i].Changed) {
			t.Fatalf("moment %d is another when one comes from behind: %v", i, err)
		}
	}
	if forth[0].Snap.Grid.Filled > 1 || forth[0].Snap.Jobs.Ended() > 0 {
		t.Errorf("at first %d niches are filled and %d jobs ended", forth[0].Snap.Grid.Filled, forth[0].Snap.Jobs.Ended())
	}
	froze := slices.IndexFunc(forth, func(p view.Past) bool { return p.Decided })
	if froze < 0 || !strings.Contains(strings.Join(forth[froze].Changed, "; "), "is frozen") || forth[froze].After <= froze || forth[froze].Before != -1 {
		t.Fatalf("the freeze is told as %+v", forth[froze].Changed)
	}
	reject := forth[forth[froze].After]
	if said := strings.Join(reject.Changed, "; "); !strings.Contains(said, "was "+elite.String()) || !strings.HasPrefix(said, "best ") || reject.Before != froze {
		t.Errorf("the rejection changed %q", said)
	}
	if _, err := history.NewBook(l.ses.DB, l.exp.ID+1).At(t.Context(), 0, 0); err == nil {
		t.Error("another experiment has a past")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := history.NewBook(l.ses.DB, l.exp.ID).At(ctx, -1, 0); err == nil {
		t.Error("a cancelled question is answered")
	}
}

func TestTheEndIsToldInThePastAsItsHeaderCounts(t *testing.T) {
	t.Parallel()
	l := newLab(t, "review.niche=all", "budget.jobs=6")
	l.run()
	p, err := history.NewBook(l.ses.DB, l.exp.ID).At(t.Context(), -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := "the experiment is " + view.StateText(p.Snap.State, p.Snap.Reason)
	if p.Snap.Jobs.Held == 0 || !strings.Contains(want, view.JobsDone(p.Snap.Jobs.Ended())) || !slices.Contains(p.Said, want) {
		t.Errorf("%q is said of %+v, not %q", p.Said, p.Snap.Jobs, want)
	}
}

func TestADecisionIsTheMomentAtWhichItsEffectIsSeen(t *testing.T) {
	t.Parallel()
	l := newLab(t, "review.niche=all", "budget.jobs=6")
	was := l.run()
	eng, stop := l.startWith(engine.Options{KeepState: true})
	defer func() { stop() }()
	l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
	weights := decision(record.Set)
	weights.Args = []byte(`{"key":"search.operators","value":"{\"tune\": 0.5}"}`)
	note := decision(record.WriteNote)
	note.Args = []byte(`{"kind":"long","text":"a lesson"}`)
	waits := was.Review[0].Candidate.ID
	undo := func() {
		if _, err := eng.Undo(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	decide := func(d record.Decision) func() {
		return func() {
			if _, err := eng.Decide(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps := []struct {
		name    string
		step    func()
		changes string
	}{
		{"weights are set", decide(weights), "weight of tune 0.5, was "},
		{"and set back", undo, ", was 0.5"},
		{"an approval", decide(about(record.Approve, waits)), " waiting, was "},
		{"taken back", undo, " waiting, was "},
		{"done again", func() {
			if _, err := eng.Redo(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}, " waiting, was "},
		{"a rejection of another", decide(about(record.Reject, was.Review[1].Candidate.ID)), " waiting, was "},
		{"taken back too", undo, " waiting, was "},
		{"a note", decide(note), ""},
	}
	for _, s := range steps {
		s.step()
		settled(t, l, eng)
	}
	stop()
	book := history.NewBook(l.ses.DB, l.exp.ID)
	var told []view.Past
	for i := 0; ; i++ {
		p, err := book.At(t.Context(), i, 0)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Join(p.Changed, "; ")
		if i > 0 && len(p.Said) == 0 || !p.Decided && strings.Contains(changed, "weight of") {
			t.Errorf("moment %d says %q and changed %q", i, p.Said, changed)
		}
		if p.Decided {
			told = append(told, p)
		}
		if i == p.Moments-1 {
			if now := eng.Feed().Latest(); p.Snap.Jobs.Held != now.Jobs.Held || p.Snap.Jobs.Ended() != now.Jobs.Ended() || len(p.Snap.Review) != len(now.Review) {
				t.Errorf("at the end %+v, not %+v", p.Snap.Jobs, now.Jobs)
			}
			break
		}
	}
	if len(told) != len(steps) {
		t.Fatalf("%d moments at which a person decided, of %d decisions", len(told), len(steps))
	}
	for i, s := range steps {
		if changed := strings.Join(told[i].Changed, "; "); !strings.Contains(changed, s.changes) {
			t.Errorf("%s changed %q, not %q", s.name, changed, s.changes)
		}
	}
}

// A slider must not wait for the log, however long it is: the figures are those
// of a person who jumps to the middle and steps back from there.
func TestALongPastIsToldQuickly(t *testing.T) {
	suitetest.Full(t, "thousands of rows; TestThePastIsToldMomentByMoment has a few")
	l := newScaleLab(t, scaleYAML, many())
	past{lab: l, n: many(), elites: 200}.write()
	book := history.NewBook(l.ses.DB, l.exp.ID)
	ask := func(i int) view.Past {
		t.Helper()
		p, err := book.At(t.Context(), i, 0)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	began := time.Now()
	last := ask(-1)
	t.Logf("the newest of %d moments: %s", last.Moments, time.Since(began))
	if last.Moments < many() {
		t.Fatalf("%d moments", last.Moments)
	}
	for _, c := range []struct {
		name string
		to   int
	}{{"back to the middle", last.Moments / 2}, {"one step back", last.Moments/2 - 1}, {"far back", last.Moments / 4}, {"and on again", last.Moments / 3}, {"to the first", 0}, {"to the end", -1}} {
		began := time.Now()
		p := ask(c.to)
		t.Logf("%s: %s", c.name, time.Since(began))
		if c.to > 0 && p.Snap.Jobs.Ended() < c.to-10 {
			t.Errorf("%s: %d jobs ended at moment %d", c.name, p.Snap.Jobs.Ended(), c.to)
		}
	}
}
