package archive

import (
	"atoll/store/record"
)

// held remembers the holder of a cell across a step.
type held struct {
	slot      int32
	objective float64
}

// decide carries out a decision about a candidate and tells what it changed.
func decide(a *Archive, id record.CandidateID, do func(slot int32)) Result {
	i := a.slot(id)
	before := a.holder(a.homeOf(i))
	do(i)
	return a.decided(i, before, a.offset)
}

// freeze sets a slot's flag of being frozen, or takes it away with 0.
func (b *board) freeze(i int32, flag uint8) {
	s := b.at(i)
	s.flags = s.flags&^frozen | flag
	if s.pos >= 0 {
		b.cells[s.home].at(int(s.pos)).frozen = flag != 0
		b.fix(i)
	}
}

// arrived tells what the arrival of slot i changed.
func (b *board) arrived(i int32, before held, left int, offset float64) Result {
	s := b.at(i)
	if s.home == b.pool() {
		return Result{Status: Unplaced, Cell: -1, Before: record.NoCandidate, After: record.NoCandidate, Left: left}
	}
	after := b.holder(s.home)
	r := Result{Cell: int(s.home), Before: b.idOf(before.slot), After: b.idOf(after.slot), Left: left}
	switch {
	case after.slot != i:
		r.Status = Lost
		if after.slot >= 0 {
			r.Delta = s.objective - after.objective
		}
	case before.slot == noSlot:
		r.Status, r.Delta = NewNiche, s.objective-offset
	case before.slot == i:
		r.Status, r.Delta = Same, s.objective-before.objective
	default:
		r.Status, r.Delta = Improved, s.objective-before.objective
	}
	r.Delta = saturate(r.Delta)
	return r
}

// decided tells what a decision about slot i changed in its cell.
func (b *board) decided(i int32, before held, offset float64) Result {
	home := b.homeOf(i)
	if home < 0 || home == b.pool() {
		return Result{Status: Unplaced, Cell: -1, Before: record.NoCandidate, After: record.NoCandidate, Left: -1}
	}
	after := b.holder(home)
	if after.slot == i || before.slot != i {
		r := b.arrived(i, before, -1, offset)
		if after.slot == before.slot {
			r.Status, r.Delta = Same, 0
		}
		return r
	}
	r := Result{Status: Lost, Cell: int(home), Before: b.idOf(i), After: b.idOf(after.slot), Left: -1}
	if after.slot >= 0 {
		r.Delta = saturate(after.objective - before.objective)
	} else {
		r.Delta = saturate(offset - before.objective)
	}
	return r
}
