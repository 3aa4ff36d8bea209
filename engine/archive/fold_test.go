package archive_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"atoll/engine/archive"
	"atoll/store/record"
)

// world is the plain truth that an archive must agree with: what was added
// last of each candidate, and what was decided about it.
type world struct {
	entries         map[record.CandidateID]archive.Entry
	removed, frozen map[record.CandidateID]bool
}

func newWorld() *world {
	return &world{map[record.CandidateID]archive.Entry{}, map[record.CandidateID]bool{}, map[record.CandidateID]bool{}}
}

// order returns the competitors of each cell, by sorting all of them.
func (w *world) order(s archive.Shape) map[int][]record.CandidateID {
	cells := map[int][]record.CandidateID{}
	for id, e := range w.entries {
		if c, err := s.Cell(e.Point); err == nil && !w.removed[id] {
			cells[c] = append(cells[c], id)
		}
	}
	for _, ids := range cells {
		sort.Slice(ids, func(i, j int) bool {
			a, b := w.entries[ids[i]], w.entries[ids[j]]
			if w.frozen[a.ID] != w.frozen[b.ID] {
				return w.frozen[a.ID]
			}
			if a.Objective != b.Objective {
				return a.Objective > b.Objective
			}
			if a.Samples != b.Samples {
				return a.Samples > b.Samples
			}
			return a.ID < b.ID
		})
	}
	return cells
}

// fold builds an archive from the truth at once, in a random order.
func (w *world) fold(s archive.Shape, offset float64, rng *rand.Rand) *archive.Archive {
	a := archive.New(s, offset)
	var steps []func()
	ids := make([]record.CandidateID, 0, len(w.entries))
	for id := range w.entries {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		steps = append(steps, func() {
			if _, err := a.Add(w.entries[id]); err != nil {
				panic(err)
			}
		})
	}
	for id := range record.CandidateID(400) {
		if w.removed[id] {
			steps = append(steps, func() { a.Remove(id) })
		}
		if w.frozen[id] {
			steps = append(steps, func() { a.Freeze(id) })
		}
	}
	rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for _, step := range steps {
		step()
	}
	return a
}

func (w *world) check(a *archive.Archive) error {
	cells := w.order(a.Shape())
	for c := range a.Shape().Cells() {
		e, ok := a.Elite(c)
		ids := cells[c]
		if ok != (len(ids) > 0) {
			return fmt.Errorf("cell %d: holder %v, but %d compete", c, ok, len(ids))
		}
		if !ok {
			continue
		}
		got := []record.CandidateID{e.ID}
		for _, r := range a.Runners(c, -1) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, ids) {
			return fmt.Errorf("cell %d: in line %v, want %v", c, got, ids)
		}
	}
	return nil
}

// step does one random thing to both.
func (w *world) step(a *archive.Archive, rng *rand.Rand, point func(record.CandidateID) []float64, next *record.CandidateID) error {
	pick := func() record.CandidateID { return record.CandidateID(rng.IntN(int(*next) + 3)) }
	switch rng.IntN(10) {
	default:
		id := *next
		*next++
		return w.add(a, archive.Entry{ID: id, Objective: float64(rng.IntN(20)), Samples: rng.IntN(3), Point: point(id)})
	case 6:
		id := pick()
		if e, ok := w.entries[id]; ok { // measured again
			e.Objective, e.Samples = float64(rng.IntN(20)), e.Samples+1
			return w.add(a, e)
		}
	case 7:
		id := pick()
		a.Remove(id)
		w.removed[id] = true
	case 8:
		id := pick()
		a.Restore(id)
		delete(w.removed, id)
	case 9:
		id := pick()
		if rng.IntN(2) == 0 {
			a.Freeze(id)
			w.frozen[id] = true
		} else {
			a.Release(id)
			delete(w.frozen, id)
		}
	}
	return nil
}

func (w *world) add(a *archive.Archive, e archive.Entry) error {
	w.entries[e.ID] = e
	r, err := a.Add(e)
	if err != nil {
		return err
	}
	if cell, ok := a.CellOf(e.ID); ok && (r.Cell != cell || a.Holds(e.ID) != (r.After == e.ID)) {
		return fmt.Errorf("%+v, but it lies in %d and holds: %v", r, cell, a.Holds(e.ID))
	}
	return nil
}

func TestStepByStepEqualsFoldedInAnyOrder(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := newWorld()
		shape := archive.Uniform([]int{3, 3})
		a := archive.New(shape, 0.5)
		maps := 0
		point := func(id record.CandidateID) []float64 {
			r := rand.New(rand.NewPCG(uint64(id), uint64(maps)))
			if maps%3 == 1 && id%5 == 0 {
				return nil
			}
			p := make([]float64, len(shape.Axes))
			for i := range p {
				p[i] = r.Float64()*1.2 - 0.1
			}
			return p
		}
		next := record.CandidateID(0)
		for n := range 300 {
			if err := w.step(a, rng, point, &next); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, n, err)
			}
			if rng.IntN(60) == 0 {
				maps++
				shape = archive.Uniform([]int{1 + rng.IntN(5), 1 + rng.IntN(5)}[:1+maps%2])
				a.Remap(shape, point)
				for id, e := range w.entries {
					e.Point = point(id)
					w.entries[id] = e
				}
			}
			if n%50 == 49 {
				if err := w.check(a); err != nil {
					t.Fatalf("seed %d, step %d: %v", seed, n, err)
				}
			}
		}
		b := w.fold(shape, 0.5, rng)
		if err := a.Equal(b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if a.Digest() != b.Digest() {
			t.Fatalf("seed %d: equal archives with two digests", seed)
		}
		if a.Stats() != b.Stats() {
			t.Fatalf("seed %d: %+v and %+v", seed, a.Stats(), b.Stats())
		}
	}
}

func TestADifferenceIsFoundAndNamed(t *testing.T) {
	build := func(change func(a *archive.Archive)) *archive.Archive {
		a := archive.New(line(4), 0)
		for id := range record.CandidateID(6) {
			mustAdd(t, a, id, float64(id), 1, float64(id)/6)
		}
		change(a)
		return a
	}
	same := build(func(*archive.Archive) {})
	for name, change := range map[string]func(a *archive.Archive){
		"an objective":       func(a *archive.Archive) { mustAdd(t, a, 0, 0.5, 1, 0) },
		"a count of samples": func(a *archive.Archive) { mustAdd(t, a, 0, 0, 2, 0) },
		"a place in a cell":  func(a *archive.Archive) { mustAdd(t, a, 0, 0, 1, 0.01) },
		"one more":           func(a *archive.Archive) { mustAdd(t, a, 9, -1, 1, 0) },
		"a removal":          func(a *archive.Archive) { a.Remove(0) },
		"a freeze":           func(a *archive.Archive) { a.Freeze(5) },
		"a boost":            func(a *archive.Archive) { a.Boost(0, 2, 9) },
		"an offset":          func(a *archive.Archive) { a.SetOffset(1) },
		"a grid":             func(a *archive.Archive) { a.Remap(line(5), nil) },
		"a decision ahead":   func(a *archive.Archive) { a.Freeze(77) },
	} {
		t.Run(name, func(t *testing.T) {
			other := build(change)
			if err := same.Equal(other); !errors.Is(err, archive.ErrDiffers) {
				t.Errorf("got %v", err)
			}
			if same.Digest() == other.Digest() {
				t.Error("the digests are equal")
			}
		})
	}
}
