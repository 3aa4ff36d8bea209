package archive

import (
	"fmt"
	"math"

	"atoll/store/record"
)

// Entry is a measured candidate. Objective is adjusted: higher is better. A
// nil Point is a candidate without coordinates: it waits in the pool.
type Entry struct {
	ID        record.CandidateID
	Objective float64
	Samples   int
	Point     []float64
}

// Status says what became of an entry.
type Status string

// NewNiche took an empty niche, Improved took one from another, Same held its niche
// before and after, Lost holds none, Unplaced has no coordinates yet.
const (
	NewNiche Status = "new"
	Improved Status = "improved"
	Same     Status = "same"
	Lost     Status = "lost"
	Unplaced Status = "unplaced"
)

// Result is what one step changed in the cell of the candidate concerned.
type Result struct {
	Status Status
	Cell   int                // -1: unplaced or unknown
	Before record.CandidateID // holder of Cell before the step, or NoCandidate
	After  record.CandidateID // holder of Cell after the step, or NoCandidate
	// Left is the cell that the candidate moved out of because its new samples
	// gave it other coordinates; -1 if it stayed or was not there.
	Left int
	// Delta is what the holder's objective gained on the one before; for NewNiche
	// the gain of the QD score, for Lost how far the entry is behind the
	// holder (or, when a removal emptied the cell, what the QD score lost).
	Delta float64
}

// Archive holds the niches of one island. The zero value is useless; use New.
type Archive struct {
	board
	offset float64
	boosts []boost // by anchor
	stats  Stats   // while fresh
}

// New returns an empty archive. The offset is subtracted from every elite in
// the QD score. New panics on a shape that [Shape.Validate] refuses.
func New(shape Shape, offset float64) *Archive {
	if err := shape.Validate(); err != nil {
		panic(err)
	}
	return &Archive{offset: offset, board: board{shape: shape, cells: make([]niche, shape.Cells()+1)}}
}

// Shape returns the present grid.
func (a *Archive) Shape() Shape { return a.shape }

// Offset returns what the QD score subtracts per elite.
func (a *Archive) Offset() float64 { return a.offset }

// SetOffset changes what the QD score subtracts per elite.
func (a *Archive) SetOffset(offset float64) { a.offset, a.fresh = offset, false }

// Add enters a candidate, or gives the one of the same number new samples and
// coordinates and decides its cells again. Errors wrap [ErrCandidate],
// [ErrObjective] or [ErrPoint]; nothing has changed then. A removed candidate
// stays removed, a frozen one frozen.
func (a *Archive) Add(e Entry) (Result, error) {
	home, err := a.check(e)
	if err != nil {
		return Result{}, fmt.Errorf("add %s to the archive: %w", e.ID, err)
	}
	i := a.slot(e.ID)
	s := a.at(i)
	before := a.holder(home)
	left := -1
	if s.flags&added != 0 {
		if s.home != home && s.home != a.pool() {
			left = int(s.home)
		}
		a.leave(i)
	} else {
		s.flags |= added
		a.known++
	}
	s.objective = e.Objective
	s.samples = uint16(max(0, min(e.Samples, math.MaxUint16)))
	if e.Point != nil {
		copy(a.point(i), e.Point)
	}
	s.home = home
	a.cells[home].tries++
	if s.flags&removed == 0 {
		a.push(i)
	}
	return a.arrived(i, before, left, a.offset), nil
}

// Remove takes a candidate out of the competition; the next in line takes its
// niche. Status is Lost when it held one, else Same. A candidate that was not
// added yet is remembered as removed.
func (a *Archive) Remove(id record.CandidateID) Result {
	return decide(a, id, func(i int32) {
		s := a.at(i)
		if s.flags&removed != 0 {
			return
		}
		s.flags |= removed
		if s.pos >= 0 {
			a.pull(i)
		}
	})
}

// Restore takes a removal back.
func (a *Archive) Restore(id record.CandidateID) Result {
	return decide(a, id, func(i int32) {
		s := a.at(i)
		if s.flags&removed == 0 {
			return
		}
		s.flags &^= removed
		if s.flags&added != 0 {
			a.push(i)
		}
	})
}

// Freeze lets a candidate hold its cell against all that are not frozen, in
// this map and the next ones. One that was not added yet is remembered.
func (a *Archive) Freeze(id record.CandidateID) Result {
	return decide(a, id, func(i int32) { a.freeze(i, frozen) })
}

// Release ends a freeze.
func (a *Archive) Release(id record.CandidateID) Result {
	return decide(a, id, func(i int32) { a.freeze(i, 0) })
}

// Frozen lists the frozen candidates by number, those that are removed, not
// added, or without their niche because another frozen one has it included.
func (a *Archive) Frozen() []record.CandidateID { return a.flagged(frozen) }

// Removed lists the removed candidates by number.
func (a *Archive) Removed() []record.CandidateID { return a.flagged(removed) }

// IsFrozen reports whether the candidate is frozen.
func (a *Archive) IsFrozen(id record.CandidateID) bool { return a.has(id, frozen) }

// IsRemoved reports whether the candidate is removed.
func (a *Archive) IsRemoved(id record.CandidateID) bool { return a.has(id, removed) }
