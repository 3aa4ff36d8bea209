package fold

// blockRows is how many rows lie next to each other.
const blockRows = 512

// rows is a list that only grows, in blocks that never move: a pointer to a
// row stays valid, and nothing is copied when there are more.
type rows[T any] struct {
	blocks []*[blockRows]T
	n      int
}

func (r *rows[T]) len() int { return r.n }

// at returns row i, which must be below len.
func (r *rows[T]) at(i int) *T { return &r.blocks[i/blockRows][i%blockRows] }

// add lays down one row of zero values and returns its number.
func (r *rows[T]) add() int {
	if r.n == len(r.blocks)*blockRows {
		r.blocks = append(r.blocks, new([blockRows]T))
	}
	r.n++
	return r.n - 1
}
