package engine_test

import (
	"testing"
	"time"

	"atoll/engine/retention"
	"atoll/store"
	"atoll/store/record"
)

// texts counts what is kept with the jobs of each candidate.
func (l *lab) texts() map[record.CandidateID]int {
	l.t.Helper()
	n := map[record.CandidateID]int{}
	if err := l.ses.DB.EachText(l.t.Context(), l.exp.ID, func(t store.KeptText) error {
		n[t.Candidate]++
		return nil
	}); err != nil {
		l.t.Fatal(err)
	}
	return n
}

func TestOnlyTheTextsOfOldLosersGo(t *testing.T) {
	l := newLab(t, "budget.jobs=40")
	l.run()
	st, want := l.state(), l.candidates()
	keep, err := retention.Protected(t.Context(), l.ses.DB, st)
	if err != nil {
		t.Fatal(err)
	}
	was, pinned := l.texts(), record.NoCandidate
	for id := range was {
		if id != record.NoCandidate && !keep[id] {
			pinned = max(pinned, id)
		}
	}
	if pinned == record.NoCandidate {
		t.Fatalf("of %d candidates all are protected", len(was))
	}
	d := record.NewDecision(record.Pin)
	d.Who, d.Candidate = "ann", pinned
	if d, err = st.Prepare(d); err != nil {
		t.Fatal(err)
	}
	if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, d); err != nil {
		t.Fatal(err)
	}
	if keep, err = retention.Protected(t.Context(), l.ses.DB, l.state()); err != nil { // what it descends from as well
		t.Fatal(err)
	}
	loser := record.NoCandidate
	for id := range was {
		if id != record.NoCandidate && !keep[id] {
			loser = id
		}
	}
	if loser == record.NoCandidate || !keep[pinned] {
		t.Fatalf("of %d candidates %d are protected, the pinned one: %v", len(was), len(keep), keep[pinned])
	}
	collect := func(p retention.Policy) retention.Report {
		t.Helper()
		p.Now = time.Now()
		r, err := retention.Collect(t.Context(), retention.Source{Dir: l.ses.Dir, DB: l.ses.DB, Repo: l.ses.Repo, Exp: l.exp.ID}, p)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := collect(retention.Policy{Evidence: time.Hour, Alone: true}); r.Texts != 0 {
		t.Errorf("%d texts of the last hour went", r.Texts)
	}
	if r := collect(retention.Policy{DryRun: true}); r.Texts == 0 || len(l.texts()) != len(was) {
		t.Errorf("a dry run says %+v and leaves the texts of %d of %d candidates", r, len(l.texts()), len(was))
	}
	r := collect(retention.Policy{Alone: true})
	now := l.texts()
	if r.Texts == 0 || now[loser] != 0 || now[pinned] != was[pinned] {
		t.Errorf("%+v: the loser has %d texts, the pinned one %d of %d", r, now[loser], now[pinned], was[pinned])
	}
	for id := range keep {
		if now[id] != was[id] {
			t.Errorf("%s is protected and has %d texts of %d", id, now[id], was[id])
		}
	}
	if diff := same(l.candidates(), want); diff != "" {
		t.Error(diff)
	}
	l.reopen()
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	if bad := check(t.Context(), l.ses.Dir); len(bad) > 0 {
		t.Errorf("the deep check finds %+v", bad)
	}
}
