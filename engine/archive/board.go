package archive

import (
	"fmt"
	"math"
	"slices"

	"atoll/store/record"
)

const (
	added   uint8 = 1 << iota // measured; else only decisions name it
	removed                   // rejected by a person
	frozen                    // stands before all that are not
)

const noSlot int32 = -1

// slot is an entry at rest. Coordinates are kept apart, one row a slot.
type slot struct {
	objective float64
	num       int32 // of the candidate
	samples   uint16
	home      int32 // cell, or len(cells)-1 for the pool
	pos       int32 // among the rivals of its home; -1 when it does not compete
	flags     uint8
}

func (s *slot) id() record.CandidateID { return record.CandidateID(s.num) }

// board says which entry lies in which cell and who is first there. It knows
// nothing of boosts and of what a niche is worth.
type board struct {
	shape  Shape
	index  index
	slots  []slot
	points []float64 // len(shape.Axes) for each slot
	cells  []niche   // the last one is the pool
	known  int       // slots that are added
	fresh  bool      // no holder changed since statistics were taken
}

func (b *board) check(e Entry) (home int32, err error) {
	if e.ID < 0 || e.ID > math.MaxInt32 {
		return 0, ErrCandidate
	}
	if !finite(e.Objective) {
		return 0, fmt.Errorf("%w: %v", ErrObjective, e.Objective)
	}
	if e.Point == nil {
		return b.pool(), nil
	}
	cell, err := b.shape.Cell(e.Point)
	return int32(cell), err
}

func (b *board) flagged(f uint8) []record.CandidateID {
	var ids []record.CandidateID
	for i := range b.slots {
		if s := &b.slots[i]; s.flags&f != 0 {
			ids = append(ids, s.id())
		}
	}
	slices.Sort(ids)
	return ids
}

func (b *board) has(id record.CandidateID, f uint8) bool {
	i, ok := b.index.get(id)
	return ok && b.at(i).flags&f != 0
}

// slot returns the row of a candidate and makes one if there is none.
func (b *board) slot(id record.CandidateID) int32 {
	if i, ok := b.index.get(id); ok {
		return i
	}
	i := int32(len(b.slots))
	b.slots = append(b.slots, slot{num: int32(id), home: noSlot, pos: noSlot})
	for range b.shape.Axes {
		b.points = append(b.points, 0)
	}
	b.index.put(id, i)
	return i
}

func (b *board) pool() int32 { return int32(len(b.cells) - 1) }

// at returns a slot, valid until the next one is made.
func (b *board) at(i int32) *slot { return &b.slots[i] }

// point returns the coordinates of a slot where they lie.
func (b *board) point(i int32) []float64 {
	n := len(b.shape.Axes)
	return b.points[int(i)*n : (int(i)+1)*n : (int(i)+1)*n]
}

// leave takes an added entry out of its home.
func (b *board) leave(i int32) {
	b.cells[b.at(i).home].tries--
	if b.at(i).pos >= 0 {
		b.pull(i)
	}
}

func (b *board) homeOf(i int32) int32 {
	if b.at(i).flags&added == 0 {
		return noSlot
	}
	return b.at(i).home
}

func (b *board) holder(home int32) held {
	if home < 0 || b.cells[home].len() == 0 {
		return held{slot: noSlot}
	}
	r := b.cells[home].at(0)
	return held{r.slot, r.objective}
}

func (b *board) idOf(i int32) record.CandidateID {
	if i < 0 {
		return record.NoCandidate
	}
	return b.at(i).id()
}
