package archive

import (
	"fmt"
	"math"
	"slices"

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

// Archive holds the niches of one island. The zero value is useless; use New.
type Archive struct {
	shape  Shape
	offset float64
	index  index
	slots  []slot
	points []float64 // len(shape.Axes) for each slot
	cells  []niche   // the last one is the pool
	known  int       // slots that are added
	boosts []boost   // by anchor
	stats  Stats
	fresh  bool // stats are up to date
}

// New returns an empty archive. The offset is subtracted from every elite in
// the QD score. New panics on a shape that [Shape.Validate] refuses.
func New(shape Shape, offset float64) *Archive {
	if err := shape.Validate(); err != nil {
		panic(err)
	}
	return &Archive{shape: shape, offset: offset, cells: make([]niche, shape.Cells()+1)}
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
	return a.result(i, before, left), nil
}

func (a *Archive) check(e Entry) (home int32, err error) {
	if e.ID < 0 || e.ID > math.MaxInt32 {
		return 0, ErrCandidate
	}
	if !finite(e.Objective) {
		return 0, fmt.Errorf("%w: %v", ErrObjective, e.Objective)
	}
	if e.Point == nil {
		return a.pool(), nil
	}
	cell, err := a.shape.Cell(e.Point)
	return int32(cell), err
}

// Remove takes a candidate out of the competition; the next in line takes its
// niche. Status is Lost when it held one, else Same. A candidate that was not
// added yet is remembered as removed.
func (a *Archive) Remove(id record.CandidateID) Result {
	i := a.slot(id)
	s := a.at(i)
	before := a.holder(a.homeOf(i))
	if s.flags&removed == 0 {
		s.flags |= removed
		if s.pos >= 0 {
			a.pull(i)
		}
	}
	return a.change(i, before)
}

// Restore takes a removal back.
func (a *Archive) Restore(id record.CandidateID) Result {
	i := a.slot(id)
	s := a.at(i)
	before := a.holder(a.homeOf(i))
	if s.flags&removed != 0 {
		s.flags &^= removed
		if s.flags&added != 0 {
			a.push(i)
		}
	}
	return a.change(i, before)
}

// Freeze lets a candidate hold its cell against all that are not frozen, in
// this map and the next ones. One that was not added yet is remembered.
func (a *Archive) Freeze(id record.CandidateID) Result { return a.flag(id, frozen, true) }

// Release ends a freeze.
func (a *Archive) Release(id record.CandidateID) Result { return a.flag(id, frozen, false) }

func (a *Archive) flag(id record.CandidateID, f uint8, on bool) Result {
	i := a.slot(id)
	s := a.at(i)
	before := a.holder(a.homeOf(i))
	if on {
		s.flags |= f
	} else {
		s.flags &^= f
	}
	if s.pos >= 0 {
		a.cells[s.home].at(int(s.pos)).frozen = s.flags&frozen != 0
		a.fix(i)
	}
	return a.change(i, before)
}

// Frozen lists the frozen candidates by number, those that are removed, not
// added, or without their niche because another frozen one has it included.
func (a *Archive) Frozen() []record.CandidateID { return a.flagged(frozen) }

// Removed lists the removed candidates by number.
func (a *Archive) Removed() []record.CandidateID { return a.flagged(removed) }

func (a *Archive) flagged(f uint8) []record.CandidateID {
	var ids []record.CandidateID
	for i := range a.slots {
		if s := &a.slots[i]; s.flags&f != 0 {
			ids = append(ids, s.id())
		}
	}
	slices.Sort(ids)
	return ids
}

// IsFrozen reports whether the candidate is frozen.
func (a *Archive) IsFrozen(id record.CandidateID) bool { return a.has(id, frozen) }

// IsRemoved reports whether the candidate is removed.
func (a *Archive) IsRemoved(id record.CandidateID) bool { return a.has(id, removed) }

func (a *Archive) has(id record.CandidateID, f uint8) bool {
	i, ok := a.index.get(id)
	return ok && a.at(i).flags&f != 0
}

// slot returns the row of a candidate and makes one if there is none.
func (a *Archive) slot(id record.CandidateID) int32 {
	if i, ok := a.index.get(id); ok {
		return i
	}
	i := int32(len(a.slots))
	a.slots = append(a.slots, slot{num: int32(id), home: noSlot, pos: noSlot})
	for range a.shape.Axes {
		a.points = append(a.points, 0)
	}
	a.index.put(id, i)
	return i
}

func (a *Archive) pool() int32 { return int32(len(a.cells) - 1) }

func (s *slot) id() record.CandidateID { return record.CandidateID(s.num) }

// at returns a slot, valid until the next one is made.
func (a *Archive) at(i int32) *slot { return &a.slots[i] }

// point returns the coordinates of a slot where they lie.
func (a *Archive) point(i int32) []float64 {
	n := len(a.shape.Axes)
	return a.points[int(i)*n : (int(i)+1)*n : (int(i)+1)*n]
}

// leave takes an added entry out of its home.
func (a *Archive) leave(i int32) {
	a.cells[a.at(i).home].tries--
	if a.at(i).pos >= 0 {
		a.pull(i)
	}
}

func (a *Archive) homeOf(i int32) int32 {
	if a.at(i).flags&added == 0 {
		return noSlot
	}
	return a.at(i).home
}

// held remembers the holder of a cell across a step.
type held struct {
	slot      int32
	objective float64
}

func (a *Archive) holder(home int32) held {
	if home < 0 || a.cells[home].len() == 0 {
		return held{slot: noSlot}
	}
	r := a.cells[home].at(0)
	return held{r.slot, r.objective}
}

func (a *Archive) idOf(i int32) record.CandidateID {
	if i < 0 {
		return record.NoCandidate
	}
	return a.at(i).id()
}

// result tells what the arrival of slot i changed.
func (a *Archive) result(i int32, before held, left int) Result {
	s := a.at(i)
	if s.home == a.pool() {
		return Result{Status: Unplaced, Cell: -1, Before: record.NoCandidate, After: record.NoCandidate, Left: left}
	}
	after := a.holder(s.home)
	r := Result{Cell: int(s.home), Before: a.idOf(before.slot), After: a.idOf(after.slot), Left: left}
	switch {
	case after.slot != i:
		r.Status = Lost
		if after.slot >= 0 {
			r.Delta = s.objective - after.objective
		}
	case before.slot == noSlot:
		r.Status, r.Delta = NewNiche, s.objective-a.offset
	case before.slot == i:
		r.Status, r.Delta = Same, s.objective-before.objective
	default:
		r.Status, r.Delta = Improved, s.objective-before.objective
	}
	r.Delta = saturate(r.Delta)
	return r
}

// change tells what a decision about slot i changed in its cell.
func (a *Archive) change(i int32, before held) Result {
	home := a.homeOf(i)
	if home < 0 || home == a.pool() {
		return Result{Status: Unplaced, Cell: -1, Before: record.NoCandidate, After: record.NoCandidate, Left: -1}
	}
	after := a.holder(home)
	if after.slot == i || before.slot != i {
		r := a.result(i, before, -1)
		if after.slot == before.slot {
			r.Status, r.Delta = Same, 0
		}
		return r
	}
	r := Result{Status: Lost, Cell: int(home), Before: a.idOf(i), After: a.idOf(after.slot), Left: -1}
	if after.slot >= 0 {
		r.Delta = saturate(after.objective - before.objective)
	} else {
		r.Delta = saturate(a.offset - before.objective)
	}
	return r
}
