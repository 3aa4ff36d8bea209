package archive

// rival is a competing entry: what it is ranked by, next to those with whom it
// is compared, and its slot.
type rival struct {
	objective float64
	num       int32
	slot      int32
	samples   uint16
	frozen    bool
}

// precedes is the total order of a cell: frozen, then the higher objective,
// then more samples, then the lower number.
func (r *rival) precedes(o *rival) bool {
	if r.frozen != o.frozen {
		return r.frozen
	}
	return r.better(o)
}

// better is the order without regard to freezes.
func (r *rival) better(o *rival) bool {
	if r.objective != o.objective {
		return r.objective > o.objective
	}
	if r.samples != o.samples {
		return r.samples > o.samples
	}
	return r.num < o.num
}

// niche is a cell: the competing entries as a heap, its holder on top.
type niche struct {
	rivals []rival
	tries  int32
}

func (n *niche) len() int { return len(n.rivals) }

// at returns the entry at a position, which must be below len.
func (n *niche) at(k int) *rival { return &n.rivals[k] }

// add puts an entry behind the others and returns its position.
func (n *niche) add(r rival) int {
	n.rivals = append(n.rivals, r)
	return n.len() - 1
}

// cut takes the last entry away.
func (n *niche) cut() { n.rivals = n.rivals[:n.len()-1] }

// compete puts a slot behind the rivals of its home, in no order.
func (b *board) compete(i int32) {
	s := b.at(i)
	k := b.cells[s.home].add(rival{objective: s.objective, num: s.num, slot: i, samples: s.samples, frozen: s.flags&frozen != 0})
	s.pos = int32(k)
}

// push lets a slot compete in its home.
func (b *board) push(i int32) {
	b.compete(i)
	n := &b.cells[b.at(i).home]
	b.up(n, n.len()-1)
	if b.at(i).pos == 0 {
		b.fresh = false
	}
}

// pull ends the competition of a slot.
func (b *board) pull(i int32) {
	n := &b.cells[b.at(i).home]
	pos := int(b.at(i).pos)
	last := *n.at(n.len() - 1)
	n.cut()
	b.at(i).pos = noSlot
	if pos != n.len() {
		b.put(n, pos, last)
		b.up(n, pos)
		b.down(n, int(b.at(last.slot).pos))
	}
	if pos == 0 {
		b.fresh = false
	}
}

// fix restores the order after the rank of a slot changed.
func (b *board) fix(i int32) {
	n := &b.cells[b.at(i).home]
	b.up(n, int(b.at(i).pos))
	b.down(n, int(b.at(i).pos))
	b.fresh = false
}

// put lays an entry at a position.
func (b *board) put(n *niche, k int, r rival) {
	*n.at(k) = r
	b.at(r.slot).pos = int32(k)
}

func (b *board) up(n *niche, k int) {
	r, from := *n.at(k), k
	for k > 0 {
		parent := n.at((k - 1) / 2)
		if !r.precedes(parent) {
			break
		}
		b.put(n, k, *parent)
		k = (k - 1) / 2
	}
	if k != from {
		b.put(n, k, r)
	}
}

func (b *board) down(n *niche, k int) {
	r, from := *n.at(k), k
	for {
		child := 2*k + 1
		if child >= n.len() {
			break
		}
		if child+1 < n.len() && n.at(child+1).precedes(n.at(child)) {
			child++
		}
		if !n.at(child).precedes(&r) {
			break
		}
		b.put(n, k, *n.at(child))
		k = child
	}
	if k != from {
		b.put(n, k, r)
	}
}

// heapify orders a cell whose entries were added in any order.
func (b *board) heapify(n *niche) {
	for k := n.len()/2 - 1; k >= 0; k-- {
		b.down(n, k)
	}
}

// first calls visit with the entries of a cell in order until it says stop. It
// looks at no more than two entries beyond each that it visits.
func (b *board) first(cell int32, visit func(k int, r *rival) bool) {
	n := &b.cells[cell]
	if n.len() == 0 {
		return
	}
	var few [16]int32
	open := append(few[:0], 0) // positions whose parents were visited, best last
	for len(open) > 0 {
		k := int(open[len(open)-1])
		open = open[:len(open)-1]
		if !visit(k, n.at(k)) {
			return
		}
		for child := 2*k + 1; child <= 2*k+2 && child < n.len(); child++ {
			at := len(open)
			for at > 0 && n.at(int(open[at-1])).precedes(n.at(child)) {
				at--
			}
			open = append(open, 0)
			copy(open[at+1:], open[at:])
			open[at] = int32(child)
		}
	}
}
