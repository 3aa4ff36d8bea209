package archive

import (
	"slices"

	"atoll/store/record"
)

// Moved says what a new map changed.
type Moved struct {
	Share  float64 // of the competing candidates with a cell before and after, those in another one now
	Far    float64 // of the holders before that have a cell now, those more than one cell away along some axis
	Gained int     // cells that have a holder now and had none
	Lost   int     // cells that had a holder and have none now
	Moves  []Move  // of the holders now, those who held or lay elsewhere, by their new cell
}

// Move is a holder that came from another cell. From is -1 if it had none.
type Move struct {
	ID       record.CandidateID
	From, To int
}

// Remap cuts the archive anew: every candidate gets the coordinates that point
// returns for it, and every cell is decided again among all of them. A nil
// point keeps the coordinates that the archive knows. Coordinates that the
// shape cannot take, nil among them, put a candidate into the pool. Boosts move
// with the candidate that they were given for. Remap panics on a shape that
// [Shape.Validate] refuses.
func (a *Archive) Remap(shape Shape, point func(record.CandidateID) []float64) Moved {
	if err := shape.Validate(); err != nil {
		panic(err)
	}
	old := *a
	a.shape = shape
	a.cells = make([]niche, shape.Cells()+1)
	a.points = make([]float64, len(a.slots)*len(shape.Axes))
	a.fresh = false
	homes := make([]int32, len(a.slots))
	for i := range homes {
		s := a.at(int32(i))
		homes[i], s.pos = s.home, noSlot
		if s.flags&added != 0 {
			s.home = a.lie(int32(i), old.coordinates(int32(i), homes[i], point))
			a.cells[s.home].tries++
			if s.flags&removed == 0 {
				a.compete(int32(i))
			}
		}
	}
	for c := range a.cells {
		a.heapify(&a.cells[c])
	}
	return a.moved(&old.board, homes)
}

// coordinates returns where an entry lies in the new map; a is the old archive.
func (b *board) coordinates(i, home int32, point func(record.CandidateID) []float64) []float64 {
	if point != nil {
		return point(b.at(i).id())
	}
	if home == b.pool() {
		return nil
	}
	return b.point(i)
}

// lie stores coordinates and returns their cell, or the pool.
func (b *board) lie(i int32, p []float64) int32 {
	if p == nil {
		return b.pool()
	}
	cell, err := b.shape.Cell(p)
	if err != nil {
		return b.pool()
	}
	copy(b.point(i), p)
	return int32(cell)
}

// far is the share of the holders of the archive before that lie more than one cell
// away now. Cells of grids of other sizes are not compared: all are far then.
func (b *board) far(old *board) float64 {
	same := slices.Equal(old.shape.Dims(), b.shape.Dims())
	held, away := 0, 0
	for c := range old.cells[:len(old.cells)-1] {
		if old.cells[c].len() == 0 {
			continue
		}
		s := b.at(old.cells[c].at(0).slot)
		if s.flags&removed != 0 || s.home == b.pool() {
			continue
		}
		held++
		if !same || b.shape.Distance(c, int(s.home)) > 1 {
			away++
		}
	}
	if held == 0 {
		return 0
	}
	return float64(away) / float64(held)
}

// moved compares with the archive before; homes are the old ones. A flat cell
// number of another number of axes is compared as it is.
func (b *board) moved(old *board, homes []int32) Moved {
	var m Moved
	both, other := 0, 0
	for i := range homes {
		s := b.at(int32(i))
		if s.flags&(added|removed) != added || homes[i] == old.pool() || s.home == b.pool() {
			continue
		}
		both++
		if homes[i] != s.home {
			other++
		}
	}
	if both > 0 {
		m.Share = float64(other) / float64(both)
	}
	m.Far = b.far(old)
	for c := range max(len(old.cells), len(b.cells)) - 1 {
		had := old.inside(c) && old.cells[c].len() > 0
		has := b.inside(c) && b.cells[c].len() > 0
		switch {
		case has && !had:
			m.Gained++
		case had && !has:
			m.Lost++
		}
		if !has {
			continue
		}
		r := b.cells[c].at(0)
		from := int(homes[r.slot])
		if homes[r.slot] == old.pool() {
			from = -1
		}
		if from != c {
			m.Moves = append(m.Moves, Move{ID: r.id(), From: from, To: c})
		}
	}
	return m
}
