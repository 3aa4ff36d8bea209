package gitops

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"atoll/store/record"
)

// Where things are in an index of version 2, for n objects: a header, 256
// counts, n names in order, n checksums, n offsets of 4 bytes, as many of 8
// bytes as did not fit there, the checksum of the pack and that of the index.
const (
	indexMagic   = "\xfftOc\x00\x00\x00\x02"
	indexCounts  = int64(len(indexMagic))
	indexNames   = indexCounts + 256*4
	nameBytes    = int64(len(record.Hash{}))
	indexPerName = nameBytes + 4 + 4
	indexTrailer = 2 * nameBytes
)

// pageNames is how many names of an index are looked at in one go: about the
// 4 KiB that a disk reads anyway.
const pageNames = 204

// packIndex finds objects in one pack. It holds the number of names for every
// first byte; the names and offsets stay on disk.
type packIndex struct {
	file  *os.File
	upTo  [256]uint32 // how many names begin with this byte or a smaller one
	large int64       // number of offsets of 8 bytes
	pack  record.Hash // checksum of the pack it is for
	page  [pageNames * nameBytes]byte
}

// openIndex opens an index and checks that its parts fit together.
func openIndex(path string) (*packIndex, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	x := &packIndex{file: file}
	if err := x.check(); err != nil {
		_ = file.Close() // only read from
		return nil, damaged(path, err)
	}
	return x, nil
}

func (x *packIndex) close() { _ = x.file.Close() } // only read from

// check reads what is kept in memory.
func (x *packIndex) check() error {
	st, err := x.file.Stat()
	if err != nil {
		return err
	}
	head := x.page[:indexNames]
	if err := readAt(x.file, head, 0); err != nil {
		return err
	}
	if !bytes.HasPrefix(head, []byte(indexMagic)) {
		return fmt.Errorf("it begins with %x, which is no index of version 2", head[:indexCounts])
	}
	var last uint32
	for i := range x.upTo {
		x.upTo[i] = binary.BigEndian.Uint32(head[indexCounts+4*int64(i):])
		if x.upTo[i] < last {
			return fmt.Errorf("the counts go down from %d to %d at byte %d", last, x.upTo[i], indexCounts+4*int64(i))
		}
		last = x.upTo[i]
	}
	over := st.Size() - (indexNames + x.objects()*indexPerName + indexTrailer)
	if over < 0 || over%8 != 0 || over/8 > x.objects() {
		return fmt.Errorf("%d bytes do not fit its %d objects", st.Size(), x.objects())
	}
	x.large = over / 8
	return readAt(x.file, x.pack[:], st.Size()-indexTrailer)
}

// objects returns how many there are.
func (x *packIndex) objects() int64 { return int64(x.upTo[255]) }

// find returns where the entry of an object begins in the pack. The caller
// makes sure that nobody else uses the index meanwhile.
func (x *packIndex) find(h record.Hash) (at int64, ok bool, err error) {
	i, ok, err := x.search(h)
	if err == nil && ok {
		at, err = x.offset(i)
	}
	if err != nil {
		return 0, false, damaged(x.file.Name(), err)
	}
	return at, ok, nil
}

// search returns which of the names h is. As names are evenly spread, the
// first page looked at has nearly always the answer; after that the range is
// halved.
func (x *packIndex) search(h record.Hash) (int64, bool, error) {
	lo, hi := int64(0), int64(x.upTo[h[0]])
	if h[0] > 0 {
		lo = int64(x.upTo[h[0]-1])
	}
	middle := lo + (hi-lo)*int64(binary.BigEndian.Uint16(h[1:]))>>16
	for lo < hi {
		n := min(hi-lo, pageNames)
		first := min(max(middle-pageNames/2, lo), hi-n)
		page := x.page[:n*nameBytes]
		if err := readAt(x.file, page, indexNames+first*nameBytes); err != nil {
			return 0, false, err
		}
		i, found := searchPage(page, h)
		switch {
		case found:
			return first + i, true, nil
		case i == 0:
			hi = first
		case i == n:
			lo = first + n
		default:
			return 0, false, nil
		}
		middle = (lo + hi) / 2
	}
	return 0, false, nil
}

// searchPage returns where h is, or belongs, among the names of a page.
func searchPage(page []byte, h record.Hash) (int64, bool) {
	lo, hi := int64(0), int64(len(page))/nameBytes
	for lo < hi {
		middle := (lo + hi) / 2
		switch bytes.Compare(page[middle*nameBytes:(middle+1)*nameBytes], h[:]) {
		case 0:
			return middle, true
		case -1:
			lo = middle + 1
		default:
			hi = middle
		}
	}
	return lo, false
}

// offset returns where the entry of the i-th name begins.
func (x *packIndex) offset(i int64) (int64, error) {
	const isLarge = 1 << 31
	number := x.page[:8]
	offsets := indexNames + x.objects()*(nameBytes+4)
	if err := readAt(x.file, number[:4], offsets+4*i); err != nil {
		return 0, err
	}
	short := binary.BigEndian.Uint32(number)
	if short < isLarge {
		return int64(short), nil
	}
	k := int64(short - isLarge)
	if k >= x.large {
		return 0, fmt.Errorf("object %d has large offset %d of %d", i, k, x.large)
	}
	if err := readAt(x.file, number, offsets+4*x.objects()+8*k); err != nil {
		return 0, err
	}
	at := binary.BigEndian.Uint64(number)
	if at > math.MaxInt64 {
		return 0, fmt.Errorf("object %d has the offset %d", i, at)
	}
	return int64(at), nil
}

// readAt fills b from the given place of a file.
func readAt(file *os.File, b []byte, at int64) error {
	_, err := file.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("it ends before byte %d", at+int64(len(b)))
	}
	return err
}
