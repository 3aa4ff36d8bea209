package archive

// precedes is the total order of a cell: frozen, then the higher objective,
// then more samples, then the lower number.
func (a *Archive) precedes(i, j int32) bool {
	s, t := a.at(i), a.at(j)
	if f, g := s.flags&frozen, t.flags&frozen; f != g {
		return f != 0
	}
	if s.objective != t.objective {
		return s.objective > t.objective
	}
	if s.samples != t.samples {
		return s.samples > t.samples
	}
	return s.id() < t.id()
}

// push lets a slot compete in its home.
func (a *Archive) push(i int32) {
	n := &a.cells[a.at(i).home]
	n.heap = append(n.heap, i)
	a.up(n.heap, len(n.heap)-1)
	if a.at(i).pos == 0 {
		a.fresh = false
	}
}

// pull ends the competition of a slot.
func (a *Archive) pull(i int32) {
	n := &a.cells[a.at(i).home]
	pos := int(a.at(i).pos)
	last := len(n.heap) - 1
	moved := n.heap[last]
	n.heap = n.heap[:last]
	a.at(i).pos = noSlot
	if pos != last {
		n.heap[pos] = moved
		a.at(moved).pos = int32(pos)
		a.up(n.heap, pos)
		a.down(n.heap, int(a.at(moved).pos))
	}
	if pos == 0 {
		a.fresh = false
	}
}

// fix restores the order after the rank of a slot changed.
func (a *Archive) fix(i int32) {
	h := a.cells[a.at(i).home].heap
	a.up(h, int(a.at(i).pos))
	a.down(h, int(a.at(i).pos))
	a.fresh = false
}

func (a *Archive) up(h []int32, k int) {
	i := h[k]
	for k > 0 {
		parent := (k - 1) / 2
		if !a.precedes(i, h[parent]) {
			break
		}
		h[k] = h[parent]
		a.at(h[k]).pos = int32(k)
		k = parent
	}
	h[k] = i
	a.at(i).pos = int32(k)
}

func (a *Archive) down(h []int32, k int) {
	i := h[k]
	for {
		child := 2*k + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && a.precedes(h[child+1], h[child]) {
			child++
		}
		if !a.precedes(h[child], i) {
			break
		}
		h[k] = h[child]
		a.at(h[k]).pos = int32(k)
		k = child
	}
	h[k] = i
	a.at(i).pos = int32(k)
}

// heapify orders a cell whose entries were appended in any order.
func (a *Archive) heapify(h []int32) {
	for k, i := range h {
		a.at(i).pos = int32(k)
	}
	for k := len(h)/2 - 1; k >= 0; k-- {
		a.down(h, k)
	}
}

// first calls visit with the slots of a cell in order until it says stop. It
// looks at no more than two slots beyond each that it visits.
func (a *Archive) first(cell int32, visit func(slot int32) bool) {
	h := a.cells[cell].heap
	if len(h) == 0 {
		return
	}
	var few [16]int32
	open := append(few[:0], 0) // positions whose parents were visited, best last
	for len(open) > 0 {
		k := int(open[len(open)-1])
		open = open[:len(open)-1]
		if !visit(h[k]) {
			return
		}
		for child := 2*k + 1; child <= 2*k+2 && child < len(h); child++ {
			at := len(open)
			for at > 0 && a.precedes(h[open[at-1]], h[child]) {
				at--
			}
			open = append(open, 0)
			copy(open[at+1:], open[at:])
			open[at] = int32(child)
		}
	}
}
