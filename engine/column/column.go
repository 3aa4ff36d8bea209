// Package column keeps rows that only ever become more, as the fold of a log
// does, in memory that does not: the rows that were used last are at hand, the
// others lie in a file.
//
// Its nouns are the [Column], rows of one width that lie next to each other in
// pages; the page, what is read and written at once; and [Pages], those of many
// columns, which says which of them stay in memory. Rows have no
// pointers, so that they can be written as they lie, and so that the garbage
// collector has nothing to look through.
//
// Caveats: a pointer to a row is valid until [Pages.Settle] is called or the rows
// are dropped, never longer. Pages and their columns belong to one goroutine. The
// file is the process's own and is worth nothing to the next one.
package column

import (
	"fmt"
	"iter"
	"reflect"
	"unsafe"
)

// Column holds rows of Width values each; a Width of 0 is one of 1. The zero
// Column is empty and ready, and keeps all of its rows in memory; one whose
// Pages are set lies there. A copy of a column that has rows is the same rows. The
// values must have no pointers: the first row panics otherwise.
type Column[T any] struct {
	Width int    // not changed once there are rows
	Pages *Pages // not changed once there are rows
	body  *body
	rows  int
}

// Len returns the number of rows.
func (c *Column[T]) Len() int { return c.rows }

// Grow lays down rows of zero values until there are n.
func (c *Column[T]) Grow(n int) {
	if c.body == nil && n > 0 {
		c.lay()
	}
	for c.rows < n {
		if c.rows == len(c.body.table)*c.body.per {
			c.body.add()
		}
		c.rows = min(n, len(c.body.table)*c.body.per)
	}
}

func (c *Column[T]) lay() {
	t := reflect.TypeFor[T]()
	if pointed(t) {
		panic(fmt.Sprintf("column: rows of %s have pointers", t))
	}
	c.body = newBody(c.Pages, int(t.Size())*max(1, c.Width))
}

// Add lays down one row of zero values and returns its number.
func (c *Column[T]) Add() int {
	c.Grow(c.rows + 1)
	return c.rows - 1
}

// Cut takes the rows from n on away. What is laid in their place has any values.
func (c *Column[T]) Cut(n int) { c.rows = min(c.rows, n) }

// Drop takes all rows away and gives back what they lay in.
func (c *Column[T]) Drop() {
	if c.body != nil {
		c.body.drop()
	}
	c.body, c.rows = nil, 0
}

// At returns the first value of row i, which must be below Len; it stays valid
// until the pages settle.
func (c *Column[T]) At(i int) *T {
	if uint(i) >= uint(c.rows) {
		panic(fmt.Sprintf("column: row %d of %d", i, c.rows))
	}
	return (*T)(c.body.at(i))
}

// Row returns the values of row i, which must be below Len; they stay valid
// until the pages settle.
func (c *Column[T]) Row(i int) []T { return unsafe.Slice(c.At(i), max(1, c.Width)) }

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

// pointed reports whether values of a type have pointers.
func pointed(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return pointed(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if pointed(t.Field(i).Type) {
				return true
			}
		}
		return false
	default:
		return k < reflect.Bool || k > reflect.Complex128 || k == reflect.Uintptr
	}
}

// body is where the rows of one column lie: in pages that are in memory or in
// the file.
type body struct {
	pages   *Pages
	row     int     // bytes of a row
	per     int     // rows of a page
	size    int     // bytes of a page
	table   []int32 // by page: 1 + its frame, or 0 while it lies in the file
	extents []int64 // where runs of extentPages pages lie in the file
}

func newBody(p *Pages, row int) *body {
	if p == nil {
		p = NewPages(nil, 0)
	}
	b := &body{pages: p, row: row, per: max(1, pageBytes/max(1, row))}
	b.size = max(pageBytes, (row+7)&^7)
	return b
}

// at returns where a row begins and has its page stay for a while.
func (b *body) at(i int) unsafe.Pointer {
	n := b.table[i/b.per]
	if n == 0 {
		n = b.load(i / b.per)
	}
	f := &b.pages.frames[n-1]
	f.used = true
	return unsafe.Add(f.mem, i%b.per*b.row)
}

// add lays down a page of zero values.
func (b *body) add() {
	n := b.pages.frame(b.size)
	f := &b.pages.frames[n-1]
	clear(f.bytes())
	f.body, f.page, f.fresh, f.used = b, len(b.table), true, true
	b.table = append(b.table, n)
}

// load brings a page from the file.
func (b *body) load(page int) int32 {
	n := b.pages.frame(b.size)
	f := &b.pages.frames[n-1]
	b.pages.read(f.bytes(), b.place(page))
	f.body, f.page, f.fresh, f.used = b, page, false, true
	f.sum = f.hash()
	b.table[page] = n
	return n
}

// place is where a page lies in the file.
func (b *body) place(page int) int64 {
	for len(b.extents) <= page/extentPages {
		b.extents = append(b.extents, b.pages.extent(b.size))
	}
	return b.extents[page/extentPages] + int64(page%extentPages*b.size)
}

func (b *body) drop() {
	for _, n := range b.table {
		if n > 0 {
			b.pages.release(n)
		}
	}
	b.pages.free[b.size] = append(b.pages.free[b.size], b.extents...)
	b.table, b.extents = nil, nil
}
