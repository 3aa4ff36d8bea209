package column

import (
	"fmt"
	"hash/maphash"
	"io"
	"unsafe"
)

const (
	// pageBytes is the size of a page, but for rows that are wider.
	pageBytes = 2048
	// extentPages is how many pages of a column lie next to each other in the
	// file.
	extentPages = 64
	// spare is how many frames stay empty for the pages that come next.
	spare = 32
)

// File is where pages lie that are not in memory. What was written is read
// again; nothing else is asked of it.
type File interface {
	io.ReaderAt
	io.WriterAt
}

// Pages holds the pages of columns: of those that were used last as many as its
// limit allows in memory, the others in its file. Which go is decided by the
// clock rule: one that was used since the hand came by last stays for a turn
// (Corbató 1968, "A Paging Experiment with the Multics System").
type Pages struct {
	file   File
	limit  int // bytes of the frames in use; 0 = all stay
	err    error
	seed   maphash.Seed
	frames []frame
	empty  []int32         // frames without a page, with or without memory
	bytes  int             // of the frames that hold a page
	hand   int             // of the clock
	end    int64           // of the file
	free   map[int][]int64 // extents that nobody has, by the size of their pages
}

// frame is the memory of one page.
type frame struct {
	mem   unsafe.Pointer // to size bytes; nil without memory
	size  int
	body  *body // nil without a page
	page  int
	sum   uint64 // of the page as it lies in the file
	fresh bool   // it does not lie there yet
	used  bool   // since the hand came by
}

// NewPages returns no pages yet, of which about limit bytes will stay in memory.
// Without a file, or with a limit of 0, all of them stay there. The caller closes
// the file when no column lies there any more.
func NewPages(file File, limit int) *Pages {
	if file == nil {
		limit = 0
	}
	return &Pages{file: file, limit: limit, seed: maphash.MakeSeed(), free: map[int][]int64{}}
}

// Bytes returns how many bytes of pages are in memory.
func (p *Pages) Bytes() int { return p.bytes }

// Limit changes how many bytes of rows stay in memory from the next settling on.
// Where all stay they go on to do so.
func (p *Pages) Limit(bytes int) {
	if p.limit > 0 {
		p.limit = bytes
	}
}

// Err returns why all pages stay in memory although there is a file, nil where
// they do not. No value was lost.
func (p *Pages) Err() error { return p.err }

// Settle writes pages to the file until those in memory are within the limit
// again. All pointers to rows are invalid then. When the file takes no more, all
// pages stay in memory from then on; see [Pages.Err].
func (p *Pages) Settle() {
	if p.limit <= 0 {
		return
	}
	for p.bytes > p.limit {
		p.hand = (p.hand + 1) % len(p.frames)
		f := &p.frames[p.hand]
		switch {
		case f.body == nil:
		case f.used:
			f.used = false
		default:
			if err := p.evict(int32(p.hand + 1)); err != nil {
				p.limit, p.err = 0, err
				return
			}
		}
	}
}

// evict gives up the memory of a page that is safe in the file.
func (p *Pages) evict(n int32) error {
	f := &p.frames[n-1]
	if f.fresh || f.hash() != f.sum {
		if _, err := p.file.WriteAt(f.bytes(), f.body.place(f.page)); err != nil {
			return fmt.Errorf("write a page of old rows: %w", err)
		}
	}
	f.body.table[f.page] = 0
	p.release(n)
	return nil
}

// hash tells whether a page was changed; frames hold what lies in the file
// before the first change.
func (f *frame) hash() uint64 { return maphash.Bytes(f.body.pages.seed, f.bytes()) }

func (f *frame) bytes() []byte { return unsafe.Slice((*byte)(f.mem), f.size) }

// frame returns the number of a frame with memory for a page of a size, counted
// from 1. Its memory holds any values.
func (p *Pages) frame(size int) int32 {
	p.bytes += size
	if k := len(p.empty) - 1; k >= 0 {
		n := p.empty[k]
		p.empty = p.empty[:k]
		if f := &p.frames[n-1]; f.size != size || f.mem == nil {
			f.mem, f.size = memory(size), size
		}
		return n
	}
	p.frames = append(p.frames, frame{mem: memory(size), size: size})
	return int32(len(p.frames))
}

// memory returns size bytes, a multiple of 8, that begin where any value may.
func memory(size int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8))) }

// release empties a frame; a few keep their memory for the next page.
func (p *Pages) release(n int32) {
	f := &p.frames[n-1]
	p.bytes -= f.size
	f.body = nil
	if len(p.empty) >= spare {
		f.mem = nil
	}
	p.empty = append(p.empty, n)
}

// extent returns where the next extentPages pages of a size lie in the file.
func (p *Pages) extent(size int) int64 {
	if list := p.free[size]; len(list) > 0 {
		p.free[size] = list[:len(list)-1]
		return list[len(list)-1]
	}
	at := p.end
	p.end += extentPages * int64(size)
	return at
}

// read brings a page from the file. A page that was written and cannot be read
// is memory that was lost: nothing can go on.
func (p *Pages) read(to []byte, at int64) {
	if _, err := p.file.ReadAt(to, at); err != nil {
		panic(fmt.Errorf("column: read a page of old rows: %w", err))
	}
}
