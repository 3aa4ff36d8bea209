package archive

import (
	"cmp"
	"container/heap"
	"slices"

	"atoll/store/record"
)

// Stats describe the holders of the present map. With no holder Best and Mean
// are 0 and BestID is NoCandidate.
type Stats struct {
	Filled, Total int
	Coverage      float64 // Filled/Total, 0 to 1
	QD            float64 // sum over the holders of objective - offset
	QDNorm        float64 // QD/Total
	Best, Mean    float64 // of the holders' objectives
	BestID        record.CandidateID
}

// Stats returns the statistics. They are kept until a holder changes.
func (a *Archive) Stats() Stats {
	if a.fresh {
		return a.stats
	}
	st := Stats{Total: len(a.cells) - 1, BestID: record.NoCandidate}
	var best *rival
	sum := 0.0
	for c := range a.cells[:st.Total] {
		if a.cells[c].len() == 0 {
			continue
		}
		r := a.cells[c].at(0)
		st.Filled++
		st.QD += r.objective - a.offset
		sum += r.objective
		if best == nil || r.better(best) {
			best = r
		}
	}
	if st.Filled > 0 {
		st.Best, st.BestID = best.objective, best.id()
		st.Mean = saturate(sum) / float64(st.Filled)
	}
	st.QD = saturate(st.QD)
	st.Coverage = float64(st.Filled) / float64(st.Total)
	st.QDNorm = st.QD / float64(st.Total)
	a.stats, a.fresh = st, true
	return st
}

// entry copies a slot out.
func (b *board) entry(i int32) Entry {
	s := b.at(i)
	e := Entry{ID: s.id(), Objective: s.objective, Samples: int(s.samples)}
	if s.home != b.pool() {
		e.Point = slices.Clone(b.point(i))
	}
	return e
}

// Entry returns a candidate as it was added last, removed ones included.
func (a *Archive) Entry(id record.CandidateID) (Entry, bool) {
	i, ok := a.index.get(id)
	if !ok || a.at(i).flags&added == 0 {
		return Entry{}, false
	}
	return a.entry(i), true
}

// Elite returns the holder of a cell. A cell out of range is empty.
func (a *Archive) Elite(cell int) (Entry, bool) {
	if !a.inside(cell) || a.cells[cell].len() == 0 {
		return Entry{}, false
	}
	return a.entry(a.cells[cell].at(0).slot), true
}

// Elites returns the holders by cell. Use [Archive.CellOf] for their cells, or
// [Archive.Filled] for the cells in the same order.
func (a *Archive) Elites() []Entry {
	var out []Entry
	for c := range a.cells[:len(a.cells)-1] {
		if n := &a.cells[c]; n.len() > 0 {
			out = append(out, a.entry(n.at(0).slot))
		}
	}
	return out
}

// Filled returns the cells that have a holder, ascending.
func (a *Archive) Filled() []int {
	var out []int
	for c := range a.cells[:len(a.cells)-1] {
		if a.cells[c].len() > 0 {
			out = append(out, c)
		}
	}
	return out
}

// Tried returns the cells in which a candidate ever landed under the present
// map, ascending.
func (a *Archive) Tried() []int {
	var out []int
	for c := range a.cells[:len(a.cells)-1] {
		if a.cells[c].tries > 0 {
			out = append(out, c)
		}
	}
	return out
}

// CellOf returns the cell where a candidate's coordinates lie, whether it
// holds it or not; false when it has none.
func (a *Archive) CellOf(id record.CandidateID) (int, bool) {
	i, ok := a.index.get(id)
	if !ok || a.at(i).flags&added == 0 || a.at(i).home == a.pool() {
		return -1, false
	}
	return int(a.at(i).home), true
}

// Holds reports whether the candidate holds a niche now.
func (a *Archive) Holds(id record.CandidateID) bool {
	i, ok := a.index.get(id)
	return ok && a.at(i).pos == 0 && a.at(i).home != a.pool()
}

// Runners returns the next n in line behind the holder of a cell, best first;
// all of them when n is negative. A frozen one that lost to another frozen one
// comes first.
func (a *Archive) Runners(cell, n int) []Entry {
	if !a.inside(cell) || n == 0 {
		return nil
	}
	var out []Entry
	a.first(int32(cell), func(k int, r *rival) bool {
		if k > 0 {
			out = append(out, a.entry(r.slot))
		}
		return n < 0 || len(out) < n
	})
	return out
}

// AppendRunners appends to ids the candidates of [Archive.Runners] and returns
// the extended slice. It copies no coordinates.
func (a *Archive) AppendRunners(ids []record.CandidateID, cell, n int) []record.CandidateID {
	if !a.inside(cell) || n <= 0 || a.cells[cell].len() < 2 {
		return ids
	}
	left := n
	a.first(int32(cell), func(k int, r *rival) bool {
		if k > 0 {
			ids = append(ids, r.id())
			left--
		}
		return left > 0
	})
	return ids
}

// Pool returns the best n candidates that wait for coordinates, best first;
// all of them when n is negative.
func (a *Archive) Pool(n int) []Entry {
	if n == 0 {
		return nil
	}
	var out []Entry
	a.first(a.pool(), func(_ int, r *rival) bool {
		out = append(out, a.entry(r.slot))
		return n < 0 || len(out) < n
	})
	return out
}

// Unplaced returns how many candidates wait for coordinates, removed ones not
// counted.
func (a *Archive) Unplaced() int { return a.cells[a.pool()].len() }

// Waits reports whether a candidate waits for coordinates and competes.
func (a *Archive) Waits(id record.CandidateID) bool {
	i, ok := a.index.get(id)
	return ok && a.at(i).pos >= 0 && a.at(i).home == a.pool()
}

// Tries returns how many candidates landed in a cell under the present map,
// removed ones included.
func (a *Archive) Tries(cell int) int {
	if !a.inside(cell) {
		return 0
	}
	return int(a.cells[cell].tries)
}

// Entries returns how many candidates were added, removed and unplaced ones
// included.
func (a *Archive) Entries() int { return a.known }

func (b *board) inside(cell int) bool { return cell >= 0 && cell < len(b.cells)-1 }

// Holder is what the search needs of an elite. It is read without its
// coordinates.
type Holder struct {
	ID        record.CandidateID
	Cell      int // -1: it waits in the pool
	Objective float64
	Samples   int
	Frozen    bool
}

func (r *rival) holder(cell int) Holder {
	return Holder{ID: r.id(), Cell: cell, Objective: r.objective, Samples: int(r.samples), Frozen: r.frozen}
}

func (r *rival) id() record.CandidateID { return record.CandidateID(r.num) }

// Holders returns the elites by cell.
func (a *Archive) Holders() []Holder {
	out := make([]Holder, 0, a.Stats().Filled)
	for c := range a.cells[:len(a.cells)-1] {
		if h, ok := a.Holder(c); ok {
			out = append(out, h)
		}
	}
	return out
}

// Holder returns the elite of a cell. A cell out of range is empty.
func (a *Archive) Holder(cell int) (Holder, bool) {
	if !a.inside(cell) || a.cells[cell].len() == 0 {
		return Holder{}, false
	}
	return a.cells[cell].at(0).holder(cell), true
}

// Ranked visits those who compete, one cell after another and the pool last, in
// the order of each. Visit says whether it wants the next of the cell.
func (a *Archive) Ranked(visit func(Holder) bool) {
	for c := range a.cells {
		cell := c
		if !a.inside(c) {
			cell = -1
		}
		a.first(int32(c), func(_ int, r *rival) bool { return visit(r.holder(cell)) })
	}
}

// Best lists the best n of all who compete, those in the pool included, without
// regard to niches and freezes.
func (a *Archive) Best(n int) []Holder {
	var line front
	join := func(c, k int) { // an entry, and who stands behind it though it is better
		for open := []int{k}; len(open) > 0; {
			k, open = open[len(open)-1], open[:len(open)-1]
			if k < a.cells[c].len() {
				r := *a.cells[c].at(k)
				heap.Push(&line, contender{r, c, k})
				if r.frozen {
					open = append(open, 2*k+1, 2*k+2)
				}
			}
		}
	}
	for c := range a.cells {
		join(c, 0)
	}
	var out []Holder
	for len(line) > 0 && len(out) < n {
		b := heap.Pop(&line).(contender)
		cell := b.cell
		if !a.inside(cell) {
			cell = -1
		}
		out = append(out, b.holder(cell))
		if !b.frozen {
			join(b.cell, 2*b.pos+1)
			join(b.cell, 2*b.pos+2)
		}
	}
	return out
}

// contender is an entry of the heap of a cell that may be the next best of all.
type contender struct {
	rival
	cell, pos int
}

// front is a heap of contenders, the best on top.
type front []contender

func (f front) Len() int           { return len(f) }
func (f front) Less(i, j int) bool { return f[i].better(&f[j].rival) }
func (f front) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *front) Push(x any)        { *f = append(*f, x.(contender)) }
func (f *front) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// Succession lists those who compete in a cell and were better than all that
// were there when they came, oldest first.
func (a *Archive) Succession(cell int) []Holder {
	if !a.inside(cell) {
		return nil
	}
	n := &a.cells[cell]
	rivals := make([]rival, n.len())
	for k := range rivals {
		rivals[k] = *n.at(k)
	}
	slices.SortFunc(rivals, func(x, y rival) int { return cmp.Compare(x.slot, y.slot) })
	var out []Holder
	var best *rival
	for k := range rivals {
		if r := &rivals[k]; best == nil || r.better(best) {
			best = r
			out = append(out, r.holder(cell))
		}
	}
	return out
}
