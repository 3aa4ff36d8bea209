package column

import "testing"

func TestRowsStayWhereTheyWereLaid(t *testing.T) {
	c := Column[int]{Width: 3}
	first := c.Row(c.Add())
	first[2] = 7
	for i := 1; i < 5*block; i++ {
		if n := c.Add(); n != i {
			t.Fatalf("row %d is number %d", i, n)
		}
		copy(c.Row(i), []int{i, -i, 0})
	}
	if first[2] != 7 || &first[0] != c.At(0) {
		t.Errorf("the first row moved or lost its value: %v", first)
	}
	for i := 1; i < 5*block; i++ {
		if r := c.Row(i); r[0] != i || r[1] != -i || cap(r) != 3 {
			t.Fatalf("row %d is %v", i, r)
		}
	}
}

func TestGrowLaysDownRowsOfZeroValues(t *testing.T) {
	for _, n := range []int{0, 1, block - 1, block, block + 1, 3*block + 5} {
		var c Column[int64]
		c.Grow(n)
		c.Grow(n / 2) // less than there is
		if c.Len() != n {
			t.Errorf("%d rows are %d", n, c.Len())
		}
		seen := 0
		for i, v := range c.All() {
			if i != seen || *v != 0 {
				t.Fatalf("row %d comes as %d with %d", seen, i, *v)
			}
			seen++
		}
		if seen != n {
			t.Errorf("%d of %d rows were visited", seen, n)
		}
	}
}
