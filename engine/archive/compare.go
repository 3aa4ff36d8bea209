package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Equal reports the first difference in words, as an error that wraps
// [ErrDiffers], or nil. Everything that drives the search is compared, bit for
// bit; the order in which it came is not.
func (a *Archive) Equal(other *Archive) error {
	if !a.shape.Same(other.shape) {
		return fmt.Errorf("%w: the grids are %v and %v", ErrDiffers, a.shape.Dims(), other.shape.Dims())
	}
	if a.offset != other.offset {
		return fmt.Errorf("%w: the offsets are %v and %v", ErrDiffers, a.offset, other.offset)
	}
	if a.known != other.known {
		return fmt.Errorf("%w: %d and %d candidates", ErrDiffers, a.known, other.known)
	}
	for c := range a.cells {
		if x, y := a.idOf(a.holder(int32(c)).slot), other.idOf(other.holder(int32(c)).slot); x != y && a.inside(c) {
			return fmt.Errorf("%w: cell %d is held by %s and by %s", ErrDiffers, c, x, y)
		}
		if x, y := a.cells[c].tries, other.cells[c].tries; x != y {
			return fmt.Errorf("%w: cell %d has %d and %d tries", ErrDiffers, c, x, y)
		}
	}
	if err := a.equalEntries(&other.board); err != nil {
		return err
	}
	if !slices.Equal(a.boosts, other.boosts) {
		return fmt.Errorf("%w: the boosts are %v and %v", ErrDiffers, a.boosts, other.boosts)
	}
	if x, y := a.Stats(), other.Stats(); x != y {
		return fmt.Errorf("%w: the statistics are %+v and %+v", ErrDiffers, x, y)
	}
	return nil
}

func (b *board) equalEntries(other *board) error {
	theirs, stop := iter.Pull(other.byNumber())
	defer stop()
	for i := range b.byNumber() {
		j, ok := theirs()
		if !ok {
			return fmt.Errorf("%w: %s is known on one side only", ErrDiffers, b.at(i).id())
		}
		if err := b.equalEntry(other, i, j); err != nil {
			return err
		}
	}
	if j, ok := theirs(); ok {
		return fmt.Errorf("%w: %s is known on one side only", ErrDiffers, other.at(j).id())
	}
	return nil
}

func (b *board) equalEntry(other *board, i, j int32) error {
	s, t := b.at(i), other.at(j)
	if s.id() != t.id() {
		return fmt.Errorf("%w: %s is known on one side only", ErrDiffers, min(s.id(), t.id()))
	}
	if s.flags != t.flags || s.home != t.home {
		return fmt.Errorf("%w: %s lies in cell %d (%s) and in cell %d (%s)",
			ErrDiffers, s.id(), s.home, flagWords(s.flags), t.home, flagWords(t.flags))
	}
	if s.objective != t.objective || s.samples != t.samples {
		return fmt.Errorf("%w: %s has objective %v of %d samples and %v of %d", ErrDiffers, s.id(), s.objective, s.samples, t.objective, t.samples)
	}
	if s.flags&added != 0 && s.home != b.pool() && !slices.Equal(b.point(i), other.point(j)) {
		return fmt.Errorf("%w: %s lies at %v and at %v", ErrDiffers, s.id(), b.point(i), other.point(j))
	}
	return nil
}

func flagWords(f uint8) string {
	w := "not measured"
	if f&added != 0 {
		w = "measured"
	}
	if f&removed != 0 {
		w += ", removed"
	}
	if f&frozen != 0 {
		w += ", frozen"
	}
	return w
}

// byNumber visits the slots that say anything, by candidate.
func (b *board) byNumber() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := range b.index.byNumber() {
			if b.at(i).flags != 0 && !yield(i) {
				return
			}
		}
	}
}

// Digest returns 32 hexadecimal digits that are equal for equal archives and,
// but for chance, only for them.
func (a *Archive) Digest() string {
	h := sha256.New()
	buf := make([]byte, 0, 256)
	put := func(v uint64) { buf = binary.LittleEndian.AppendUint64(buf, v) }
	flush := func() { h.Write(buf); buf = buf[:0] }
	float := func(f float64) { put(math.Float64bits(f + 0)) } // -0 is 0
	for _, ax := range a.shape.Axes {
		put(uint64(ax.bins()))
		put(uint64(len(ax.Edges)))
		if len(ax.Edges) == 0 {
			float(ax.Lo)
			float(ax.Hi)
		}
		for _, e := range ax.Edges {
			float(e)
		}
		flush()
	}
	if r := a.shape.Regions; r != nil {
		put(uint64(r.Columns))
		for _, c := range r.centres {
			for _, x := range c {
				float(x)
			}
			flush()
		}
	}
	float(a.offset)
	for i := range a.byNumber() {
		s := a.at(i)
		put(uint64(s.id()))
		put(uint64(s.flags))
		if s.flags&added != 0 {
			float(s.objective)
			put(uint64(s.samples))
			put(uint64(s.home))
			if s.home != a.pool() {
				for _, p := range a.point(i) {
					float(p)
				}
			}
		}
		flush()
	}
	for c := range a.cells {
		if a.inside(c) && a.cells[c].len() > 0 {
			put(uint64(c))
			put(uint64(a.cells[c].at(0).num))
			flush()
		}
	}
	for _, b := range a.boosts {
		put(uint64(b.anchor))
		float(b.factor)
		put(uint64(b.until))
	}
	flush()
	return hex.EncodeToString(h.Sum(nil)[:16])
}
