// Package column keeps rows that only ever become more, as the fold of a log
// does: a row stays where it was laid, and growing copies nothing.
//
// Its one noun is the [Column]: rows of one width, laid down in blocks. A slice
// that grows by append holds up to twice what it needs, and for a moment both
// the old and the new array; with hundreds of thousands of candidates that is
// most of a program's memory.
//
// Caveats: rows cannot be taken out, and a Column belongs to one goroutine.
package column

import "iter"

// block is how many rows are laid down at a time.
const block = 1 << blockBits

const blockBits = 10

// Column holds rows of Width values each; a Width of 0 is one of 1. The zero
// Column is empty and ready.
type Column[T any] struct {
	Width  int // not changed once there are rows
	blocks [][]T
	rows   int
}

// Len returns the number of rows.
func (c *Column[T]) Len() int { return c.rows }

// Grow lays down rows of zero values until there are n.
func (c *Column[T]) Grow(n int) {
	for c.rows < n {
		if c.rows>>blockBits == len(c.blocks) {
			c.blocks = append(c.blocks, make([]T, block*max(1, c.Width)))
		}
		c.rows = min(n, len(c.blocks)<<blockBits)
	}
}

// Add lays down one row of zero values and returns its number.
func (c *Column[T]) Add() int {
	c.Grow(c.rows + 1)
	return c.rows - 1
}

// At returns the first value of row i, which must be below Len; it stays valid.
func (c *Column[T]) At(i int) *T { return &c.blocks[i>>blockBits][(i&(block-1))*max(1, c.Width)] }

// Row returns the values of row i, which must be below Len; they stay valid.
func (c *Column[T]) Row(i int) []T {
	w := max(1, c.Width)
	from := (i & (block - 1)) * w
	return c.blocks[i>>blockBits][from : from+w : from+w]
}

// All visits the first value of every row in order.
func (c *Column[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range c.rows {
			if !yield(i, c.At(i)) {
				return
			}
		}
	}
}
