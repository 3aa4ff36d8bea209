package column_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/column"
)

// scratch returns pages with a file of their own.
func scratch(tb testing.TB, limit int) *column.Pages {
	tb.Helper()
	return column.NewPages(scratchFile(tb), limit)
}

func scratchFile(tb testing.TB) *os.File {
	tb.Helper()
	f, err := os.Create(filepath.Join(tb.TempDir(), "rows"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

func TestRowsStayWhereTheyWereLaidWhileNothingSettles(t *testing.T) {
	c := column.Column[int]{Width: 3}
	first := c.Row(c.Add())
	first[2] = 7
	for i := 1; i < 5000; i++ {
		if n := c.Add(); n != i {
			t.Fatalf("row %d is number %d", i, n)
		}
		copy(c.Row(i), []int{i, -i, 0})
	}
	if first[2] != 7 || &first[0] != c.At(0) {
		t.Errorf("the first row moved or lost its value: %v", first)
	}
	for i := 1; i < 5000; i++ {
		if r := c.Row(i); r[0] != i || r[1] != -i || cap(r) != 3 {
			t.Fatalf("row %d is %v", i, r)
		}
	}
}

func TestGrowLaysDownRowsOfZeroValues(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 773} {
		var c column.Column[int64]
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

type wide struct {
	a float64
	b int32
	d bool
}

// TestPagesKeepEveryValue changes rows of several columns at random while most
// of them lie in the file, and compares them with slices.
func TestPagesKeepEveryValue(t *testing.T) {
	const limit = 40 << 10
	p := scratch(t, limit)
	rng := rand.New(rand.NewPCG(1, 2))
	small := column.Column[int32]{Pages: p}
	large := column.Column[wide]{Pages: p}
	huge := column.Column[float64]{Pages: p, Width: 300} // wider than a page
	var smalls []int32
	var larges []wide
	var huges []float64
	for step := range 60_000 {
		switch rng.IntN(8) {
		case 0, 1, 2:
			*small.At(small.Add()) = int32(step)
			smalls = append(smalls, int32(step))
			*large.At(large.Add()) = wide{a: float64(step), d: true}
			larges = append(larges, wide{a: float64(step), d: true})
			if step%100 == 0 {
				huge.Row(huge.Add())[299] = float64(step)
				huges = append(huges, float64(step))
			}
		case 3:
			if n := len(smalls); n > 0 && step%1000 < 5 {
				n -= rng.IntN(min(n, 700))
				small.Cut(n)
				smalls = smalls[:n]
			}
		case 4, 5:
			if len(larges) > 0 {
				i := rng.IntN(len(larges))
				large.At(i).b++
				larges[i].b++
			}
		default:
			if len(smalls) > 0 {
				i := rng.IntN(len(smalls))
				if *small.At(i) != smalls[i] {
					t.Fatalf("step %d: row %d is %d, not %d", step, i, *small.At(i), smalls[i])
				}
			}
		}
		if rng.IntN(3) == 0 {
			if p.Settle(); p.Bytes() > limit {
				t.Fatalf("%d bytes are in memory, the limit is %d", p.Bytes(), limit)
			}
		}
	}
	for i, want := range larges {
		if *large.At(i) != want {
			t.Fatalf("row %d is %v, not %v", i, *large.At(i), want)
		}
	}
	for i, want := range huges {
		if r := huge.Row(i); r[299] != want || r[0] != 0 {
			t.Fatalf("wide row %d is %v and %v, not %v", i, r[0], r[299], want)
		}
	}
}

func TestRowsThatGoLeaveTheirPlaceInTheFileToOthers(t *testing.T) {
	f := scratchFile(t)
	p := column.NewPages(f, 1<<14)
	size := func() int64 {
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	var first int64
	for round := range 5 {
		c := column.Column[int64]{Pages: p}
		for i := range 50_000 {
			*c.At(c.Add()) = int64(i * round)
			p.Settle()
		}
		for i, v := range c.All() {
			if *v != int64(i*round) {
				t.Fatalf("round %d: row %d is %d", round, i, *v)
			}
		}
		c.Drop()
		if c.Len() != 0 || p.Bytes() != 0 {
			t.Fatalf("%d rows and %d bytes are left", c.Len(), p.Bytes())
		}
		if round == 0 {
			first = size()
		}
	}
	if first < 300_000 || size() > first+first/2 {
		t.Errorf("the file has %d bytes after the first round, %d after the last", first, size())
	}
}

// fullDisk takes a few pages.
type fullDisk struct {
	*os.File
	left int
}

var errFull = errors.New("no space left on device")

func (d *fullDisk) WriteAt(b []byte, at int64) (int, error) {
	if d.left--; d.left < 0 {
		n, _ := d.File.WriteAt(b[:len(b)/2], at)
		return n, errFull
	}
	return d.File.WriteAt(b, at)
}

func TestAFullDiskLosesNothing(t *testing.T) {
	p := column.NewPages(&fullDisk{scratchFile(t), 20}, 1<<14)
	c := column.Column[int64]{Pages: p}
	for i := range 50_000 {
		*c.At(c.Add()) = int64(i)
		p.Settle()
	}
	if !errors.Is(p.Err(), errFull) {
		t.Errorf("it says %v", p.Err())
	}
	for i, v := range c.All() {
		if *v != int64(i) {
			t.Fatalf("row %d is %d", i, *v)
		}
	}
}

func TestAPageThatCannotBeReadIsNotMistakenForZeros(t *testing.T) {
	f := scratchFile(t)
	p := column.NewPages(f, 1<<14)
	c := column.Column[int64]{Pages: p}
	for i := range 50_000 {
		*c.At(c.Add()) = int64(i)
		p.Settle()
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(error).Error(), "read a page of old rows") {
			t.Errorf("it says %v", r)
		}
	}()
	_ = *c.At(0)
	t.Error("a lost row was read")
}

func TestRowsWithPointersAreRefused(t *testing.T) {
	for name, add := range map[string]func(){
		"a string":            func() { new(column.Column[string]).Add() },
		"a pointer":           func() { new(column.Column[*int]).Add() },
		"a slice in a struct": func() { new(column.Column[struct{ a []int }]).Add() },
		"a map in an array":   func() { new(column.Column[[2]map[int]int]).Add() },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			add()
		})
	}
}

func BenchmarkAt(b *testing.B) {
	for name, limit := range map[string]int{"in memory": 64 << 20, "one page in eight": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			p := scratch(b, limit)
			c := column.Column[[6]int64]{Pages: p}
			for i := range 170_000 { // 8 MB
				c.At(c.Add())[0] = int64(i)
				p.Settle()
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				c.At(rng.IntN(170_000))[1]++
				p.Settle()
			}
		})
	}
}
