package archive_test

import (
	"reflect"
	"testing"

	"atoll/engine/archive"
	"atoll/store/record"
)

func TestTheFirstMapPlacesThePool(t *testing.T) {
	a := archive.New(line(4), 0)
	for id := range record.CandidateID(4) {
		if r := mustAdd(t, a, id, float64(id), 1); r.Status != archive.Unplaced {
			t.Fatalf("%+v", r)
		}
	}
	a.Remove(3)
	if pool := a.Pool(-1); a.Unplaced() != 3 || len(pool) != 3 || pool[0].ID != 2 || pool[0].Point != nil {
		t.Fatalf("the pool is %+v", pool)
	}
	m := a.Remap(line(4), func(id record.CandidateID) []float64 { return []float64{float64(id%2) * 0.9} })
	want := archive.Moved{Gained: 2, Moves: []archive.Move{{ID: 2, From: -1, To: 0}, {ID: 1, From: -1, To: 3}}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v, want %+v", m, want)
	}
	if a.Unplaced() != 0 {
		t.Errorf("%d still wait", a.Unplaced())
	}
	if r := a.Restore(3); r.Cell != 3 || r.Status != archive.Improved {
		t.Errorf("the removed one was not placed with the others: %+v", r)
	}
}

func TestAMapSaysWhatItChanged(t *testing.T) {
	a := archive.New(line(4), 0)
	at := map[record.CandidateID]float64{0: 0.1, 1: 0.1, 2: 0.4, 3: 0.6}
	for id := range record.CandidateID(4) {
		mustAdd(t, a, id, float64(id), 1, at[id])
	}
	at[1], at[3] = 0.9, 0.4 // c1 finds a cell of its own, c3 takes that of c2
	m := a.Remap(line(4), func(id record.CandidateID) []float64 { return []float64{at[id]} })
	want := archive.Moved{Share: 0.5, Far: 1.0 / 3, Gained: 1, Lost: 1, Moves: []archive.Move{{ID: 3, From: 2, To: 1}, {ID: 1, From: 0, To: 3}}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v, want %+v", m, want)
	}
	if e, _ := a.Elite(0); e.ID != 0 {
		t.Errorf("%s holds the cell that c1 left", e.ID)
	}
	if m := a.Remap(line(4), nil); m.Share != 0 || m.Gained != 0 || m.Lost != 0 || m.Moves != nil {
		t.Errorf("the same map again changed %+v", m)
	}
}

func TestABoostMovesWithItsCandidate(t *testing.T) {
	a := archive.New(line(4), 0)
	mustAdd(t, a, 1, 1, 1, 0.1)
	mustAdd(t, a, 2, 1, 1, 0.6)
	a.Boost(1, 4, 10)
	for _, tt := range []struct {
		cell, now int
		want      float64
	}{{0, 0, 4}, {0, 9, 4}, {0, 10, 1}, {2, 0, 1}} {
		if got := a.BoostOf(tt.cell, tt.now); got != tt.want {
			t.Errorf("cell %d at %d: %v, want %v", tt.cell, tt.now, got, tt.want)
		}
	}
	mustAdd(t, a, 3, 5, 1, 0.1) // the niche has another holder now: it stays boosted
	if got := a.BoostOf(0, 0); got != 4 {
		t.Errorf("a new holder ended the boost: %v", got)
	}
	a.Remap(line(4), func(id record.CandidateID) []float64 { return []float64{0.9 - float64(id)/10} })
	if got := a.BoostOf(3, 0); got != 4 {
		t.Errorf("after the remap: %v, boosts %+v", got, a.Boosts(0))
	}
	mustAdd(t, a, 4, 1, 1, 0.9)
	a.Boost(4, 2, 10) // of the same niche: instead of the boost that it had
	if got := a.Boosts(0); len(got) != 1 || got[0].Anchor != 4 {
		t.Errorf("boosted once more: %+v", got)
	}
	a.Boost(4, 1, 10)
	if len(a.Boosts(0)) != 0 {
		t.Errorf("factor 1 left %+v", a.Boosts(0))
	}
	a.BoostOn(2, 3, 5)
	a.BoostOn(1, 2, 50)
	a.Expire(5)
	if got := a.Boosts(0); len(got) != 1 || got[0].Anchor != 1 {
		t.Errorf("after expiry: %+v", got)
	}
}
