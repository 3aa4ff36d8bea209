package gitops

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

const (
	// maxObjectBytes bounds an object that is read into memory.
	maxObjectBytes = math.MaxInt32
	// mostInflated is how many times as large deflated data can become.
	mostInflated = 1032
	// packHeader is how many bytes come before the first entry of a pack.
	packHeader = 12
	// entryHeader is more than the bytes before the deflated data of an entry:
	// ten of the size and twenty of the name of a base.
	entryHeader = 32
)

// pack is one pack and its index, read from disk piece by piece: whatever the
// number of objects, it takes some 6 kB of memory. It can be read after git
// has removed it, until close.
type pack struct {
	index *packIndex
	file  *os.File
	end   int64 // where the last entry ends
}

// openPack opens the pack that the index at path belongs to.
func openPack(path string) (*pack, error) {
	index, err := openIndex(path)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(strings.TrimSuffix(path, ".idx") + ".pack")
	if err != nil {
		index.close()
		return nil, err
	}
	p := &pack{index: index, file: file}
	if err := p.check(); err != nil {
		p.close()
		return nil, damaged(file.Name(), err)
	}
	return p, nil
}

func (p *pack) close() {
	_ = p.file.Close() // only read from
	p.index.close()
}

// where says for people where an object begins.
func (p *pack) where(at int64) string {
	return fmt.Sprintf("%s, object at byte %d", p.file.Name(), at)
}

// check compares the ends of the pack with its index.
func (p *pack) check() error {
	st, err := p.file.Stat()
	if err != nil {
		return err
	}
	var head [packHeader]byte
	if err := readAt(p.file, head[:], 0); err != nil {
		return err
	}
	version, n := binary.BigEndian.Uint32(head[4:]), int64(binary.BigEndian.Uint32(head[8:]))
	if !bytes.HasPrefix(head[:], []byte("PACK")) || version != 2 && version != 3 {
		return fmt.Errorf("it begins with %x, which is no pack of version 2 or 3", head[:8])
	}
	if n != p.index.objects() {
		return fmt.Errorf("it has %d objects, its index %d", n, p.index.objects())
	}
	p.end = st.Size() - nameBytes
	if p.end < packHeader {
		return fmt.Errorf("it ends at byte %d", st.Size())
	}
	var sum record.Hash
	if err := readAt(p.file, sum[:], p.end); err != nil {
		return err
	}
	if sum != p.index.pack {
		return fmt.Errorf("it ends with the checksum %s, its index was made for %s", sum, p.index.pack)
	}
	return nil
}

// packEntry is what a pack says about an object before its deflated data.
type packEntry struct {
	kind     plumbing.ObjectType
	at       int64       // where it begins
	size     int64       // of the object, or of the delta that makes it
	data     int64       // where the deflated data begin in the pack
	base     int64       // of an offset delta: where the base begins
	baseName record.Hash // of a reference delta
}

// entry reads the header of the entry that begins at the given byte.
func (p *pack) entry(at int64) (packEntry, error) {
	var b [entryHeader]byte
	if at < packHeader || at >= p.end {
		return packEntry{}, damaged(p.file.Name(), fmt.Errorf("its index has an object at byte %d of %d", at, p.end))
	}
	head := b[:min(entryHeader, p.end-at)]
	err := readAt(p.file, head, at)
	var e packEntry
	if err == nil {
		e, err = parseEntry(head, at, p.end)
	}
	if err != nil {
		return packEntry{}, damaged(p.where(at), err)
	}
	return e, nil
}

// parseEntry understands the header of an entry. head holds the bytes from at
// on, all of the entry or entryHeader of them; the entries end at end.
func parseEntry(head []byte, at, end int64) (packEntry, error) {
	errShort := errors.New("the header is cut off")
	if len(head) == 0 {
		return packEntry{}, errShort
	}
	e := packEntry{at: at, kind: plumbing.ObjectType(head[0] >> 4 & 7), size: int64(head[0] & 15)}
	n, shift := 1, 4
	for more := head[0]; more&0x80 != 0; n++ {
		if n == len(head) {
			return packEntry{}, errShort
		}
		more = head[n]
		if shift > 53 {
			return packEntry{}, errors.New("the size has too many digits")
		}
		e.size |= int64(more&0x7f) << shift
		shift += 7
	}
	switch e.kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	case plumbing.OFSDeltaObject:
		back, used := backwards(head[n:])
		if used == 0 {
			return packEntry{}, errShort
		}
		if back <= 0 || back > at-packHeader {
			return packEntry{}, fmt.Errorf("its base would be %d bytes before it", back)
		}
		e.base = at - back
		n += used
	case plumbing.REFDeltaObject:
		if copy(e.baseName[:], head[n:]) < len(e.baseName) {
			return packEntry{}, errShort
		}
		n += len(e.baseName)
	default:
		return packEntry{}, fmt.Errorf("there is no kind of object %d", e.kind)
	}
	e.data = at + int64(n)
	if e.data >= end || e.size/mostInflated > end-e.data {
		return packEntry{}, fmt.Errorf("the %d bytes up to the end of the pack cannot become %d", end-e.data, e.size)
	}
	if e.size > maxObjectBytes {
		return packEntry{}, fmt.Errorf("%w: it has %d bytes, and %d can be read", ErrObject, e.size, maxObjectBytes)
	}
	return e, nil
}

// backwards reads the distance to a base, in digits to the base of 128 of
// which all but the last count from one. used is 0 when b ends too early; a
// distance that is too long is negative.
func backwards(b []byte) (distance int64, used int) {
	for i, digit := range b {
		if distance > math.MaxInt64>>8 {
			return -1, i + 1
		}
		distance = distance<<7 | int64(digit&0x7f)
		if digit&0x80 == 0 {
			return distance, i + 1
		}
		distance++
	}
	return 0, 0
}

// patch makes an object from its base and the delta of an entry.
func (p *pack) patch(in *inflater, e packEntry, base []byte) ([]byte, error) {
	delta, err := p.inflate(in, e)
	if err != nil {
		return nil, err
	}
	data, err := applyDelta(base, delta)
	if err != nil {
		return nil, damaged(p.where(e.at), err)
	}
	return data, nil
}

// inflate returns the data of an entry.
func (p *pack) inflate(in *inflater, e packEntry) ([]byte, error) {
	r, err := in.reader(io.NewSectionReader(p.file, e.data, p.end-e.data))
	var data []byte
	if err == nil {
		data, err = fill(r, e.size)
	}
	if err != nil {
		return nil, damaged(p.where(e.at), err)
	}
	return data, nil
}

// damaged tells where something is that git did not write so. What the system
// says about a file is passed on as it is.
func damaged(where string, err error) error {
	var system *fs.PathError
	if errors.Is(err, ErrObject) || errors.As(err, &system) {
		return fmt.Errorf("%s: %w", where, err)
	}
	return fmt.Errorf("%w: %s: %v; git fsck --full lists what is lost", ErrDamaged, where, err)
}
