package pane

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"atoll/engine/view"
	"atoll/store/record"
)

// family is a tree of candidates in the order in which it is drawn: a line of
// descent keeps its column, what branches off stands to the right of it, before
// the line goes on.
type family struct {
	nodes  map[record.CandidateID]*view.LineageNode
	kids   map[record.CandidateID][]record.CandidateID // the one that carries the line on last
	top    record.CandidateID
	path   map[record.CandidateID]bool // the line of the focus, up to the root
	folded map[record.CandidateID]bool // what comes of it is not drawn
	better func(a, b float64) bool
	rows   []familyRow
}

// familyRow is one candidate as it is drawn.
type familyRow struct {
	node   *view.LineageNode
	lead   string    // the columns to its left, with its branch
	arcs   string    // crossovers with other rows, to its right
	hidden int       // candidates folded away below it
	below  []float64 // the best of what is folded away, step by step
}

// newFamily plants the tree of a lineage around the line of one candidate, or of
// the best in it where that one is not there.
func newFamily(l *view.Lineage, focus record.CandidateID, better func(a, b float64) bool) *family {
	f := &family{nodes: map[record.CandidateID]*view.LineageNode{}, kids: map[record.CandidateID][]record.CandidateID{}, path: map[record.CandidateID]bool{}, folded: map[record.CandidateID]bool{}, better: better, top: record.NoCandidate}
	for _, list := range [][]view.LineageNode{l.Ancestors, l.Descendants} {
		for i := range list {
			n := &list[i]
			if f.nodes[n.ID] != nil {
				continue
			}
			f.nodes[n.ID] = n
			if f.top == record.NoCandidate {
				f.top = n.ID
			}
			if p := parentOf(n); p >= 0 && f.nodes[p] != nil {
				f.kids[p] = append(f.kids[p], n.ID)
			}
		}
	}
	if f.nodes[focus] == nil {
		focus = f.best()
	}
	for id := focus; f.nodes[id] != nil && !f.path[id]; id = parentOf(f.nodes[id]) {
		f.path[id] = true
	}
	f.order()
	return f
}

// best is the candidate with the best value, the lowest number of such.
func (f *family) best() record.CandidateID {
	best := f.top
	for id, n := range f.nodes {
		o := f.nodes[best].Objective
		if n.Objective != nil && (o == nil || f.better(*n.Objective, *o) || *n.Objective == *o && id < best) {
			best = id
		}
	}
	return best
}

func parentOf(n *view.LineageNode) record.CandidateID {
	for _, r := range n.Parents {
		if r.Role == record.RoleParent {
			return r.ID
		}
	}
	return record.NoCandidate
}

// order puts the child that carries a line on last: the one on the way to the
// focus, else the one that led to the best value.
func (f *family) order() {
	best := map[record.CandidateID]float64{}
	ids := make([]record.CandidateID, 0, len(f.nodes))
	for id := range f.nodes {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b record.CandidateID) int { return cmp.Compare(b, a) }) // children before parents
	for _, id := range ids {
		v := math.NaN()
		if o := f.nodes[id].Objective; o != nil {
			v = *o
		}
		for _, k := range f.kids[id] {
			if b := best[k]; math.IsNaN(v) || f.better(b, v) {
				v = b
			}
		}
		best[id] = v
		slices.SortStableFunc(f.kids[id], func(a, b record.CandidateID) int {
			switch {
			case f.path[a] != f.path[b]:
				return map[bool]int{true: 1, false: -1}[f.path[a]]
			case math.IsNaN(best[a]) != math.IsNaN(best[b]): // nothing was measured there
				return map[bool]int{true: -1, false: 1}[math.IsNaN(best[a])]
			case f.better(best[a], best[b]):
				return 1
			case f.better(best[b], best[a]):
				return -1
			}
			return cmp.Compare(a, b)
		})
	}
}

// lay makes the rows, with at most deep columns; what branches off further to
// the right than that stays in the last one.
func (f *family) lay(deep int) {
	f.rows = f.rows[:0]
	type line struct {
		id   record.CandidateID
		cols string // lanes to the left that go on
		lead string // of its first row
	}
	stack := []line{{f.top, "", ""}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		row := familyRow{node: f.nodes[at.id], lead: at.lead}
		kids := f.kids[at.id]
		if f.folded[at.id] {
			row.hidden, row.below = f.count(at.id)
			kids = nil
		}
		f.rows = append(f.rows, row)
		if n := len(kids); n > 0 { // pushed last to first: branches are drawn before the line goes on
			stack = append(stack, line{kids[n-1], at.cols, at.cols})
			for i := n - 2; i >= 0; i-- {
				cols := at.cols + "│ "
				if len([]rune(cols)) > 2*deep {
					cols = at.cols
				}
				stack = append(stack, line{kids[i], cols, at.cols + "├─"})
			}
		}
	}
	f.layArcs()
}

// flat makes a row of each candidate, without branches and arcs.
func (f *family) flat() {
	f.rows = f.rows[:0]
	for _, id := range slices.Sorted(maps.Keys(f.nodes)) {
		f.rows = append(f.rows, familyRow{node: f.nodes[id]})
	}
}

// count is what comes of a candidate: how many, and the best of each step.
func (f *family) count(id record.CandidateID) (n int, best []float64) {
	level := f.kids[id]
	for len(level) > 0 {
		var next []record.CandidateID
		top := math.NaN()
		for _, k := range level {
			n++
			if o := f.nodes[k].Objective; o != nil && (math.IsNaN(top) || f.better(*o, top)) {
				top = *o
			}
			next = append(next, f.kids[k]...)
		}
		best = append(best, top)
		level = next
	}
	return n, best
}

// arcLanes is how many crossovers can pass a row side by side.
const arcLanes = 3

// layArcs draws a crossover as an arc between its two rows, the short ones
// first; one that finds no free lane is told in words alone.
func (f *family) layArcs() {
	at := make(map[record.CandidateID]int, len(f.rows))
	for i := range f.rows {
		at[f.rows[i].node.ID] = i
	}
	type arc struct{ from, to int }
	var arcs []arc
	for i := range f.rows {
		for _, r := range f.rows[i].node.Parents {
			if j, ok := at[r.ID]; ok && r.Role == record.RoleCrossover {
				arcs = append(arcs, arc{min(i, j), max(i, j)})
			}
		}
	}
	slices.SortStableFunc(arcs, func(a, b arc) int { return cmp.Compare(a.to-a.from, b.to-b.from) })
	gutter := make([][arcLanes]rune, len(f.rows))
	for _, a := range arcs {
		for lane := range arcLanes {
			if !slices.ContainsFunc(gutter[a.from:a.to+1], func(g [arcLanes]rune) bool { return g[lane] != 0 }) {
				gutter[a.from][lane], gutter[a.to][lane] = '╮', '╯'
				for i := a.from + 1; i < a.to; i++ {
					gutter[i][lane] = '│'
				}
				break
			}
		}
	}
	for i := range f.rows {
		f.rows[i].arcs = arcText(gutter[i])
	}
}

// arcText writes the lanes of one row; an end reaches to the left up to the row.
func arcText(g [arcLanes]rune) string {
	last := -1
	for lane, r := range g {
		if r == '╮' || r == '╯' {
			last = lane
		}
	}
	var b strings.Builder
	for lane, r := range g {
		switch {
		case r == 0 && lane < last:
			b.WriteRune('─')
		case r == 0:
			b.WriteRune(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mates are the other parents of a candidate.
func mates(n *view.LineageNode) (ids []record.CandidateID) {
	for _, r := range n.Parents {
		if r.Role == record.RoleCrossover {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
