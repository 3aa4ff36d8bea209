package gitops

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// inflater keeps the tables of one decompression for the next one.
type inflater struct {
	in  bufio.Reader
	out io.ReadCloser // nil until the first time
}

// reader returns what r inflates to, until the next call.
func (i *inflater) reader(r io.Reader) (io.Reader, error) {
	i.in.Reset(r)
	if z, ok := i.out.(zlib.Resetter); ok {
		return i.out, z.Reset(&i.in, nil)
	}
	z, err := zlib.NewReader(&i.in)
	if err != nil {
		return nil, err
	}
	i.out = z
	return z, nil
}

// firstRoom bounds the memory that is made ready because of a size that a file
// claims; what is larger grows with the data.
const firstRoom = 1 << 20

// fill reads size bytes, after which r must end.
func fill(r io.Reader, size int64) ([]byte, error) {
	data := make([]byte, 0, min(size, firstRoom))
	for {
		n, err := io.ReadFull(r, data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("it ends after %d of %d bytes", len(data), size)
		}
		if err != nil {
			return nil, err
		}
		if int64(len(data)) == size {
			break
		}
		data = append(make([]byte, 0, min(size, 2*int64(cap(data)))), data...)
	}
	more := make([]byte, 1)
	n, err := io.ReadFull(r, more)
	if n > 0 {
		return nil, fmt.Errorf("it goes on after %d bytes", size)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}

// applyDelta makes an object from its base and the difference.
func applyDelta(base, delta []byte) ([]byte, error) {
	_, n := binary.Uvarint(delta)
	if n <= 0 {
		return nil, packfile.ErrInvalidDelta
	}
	size, n := binary.Uvarint(delta[n:])
	if n <= 0 {
		return nil, packfile.ErrInvalidDelta
	}
	if size > maxObjectBytes {
		return nil, fmt.Errorf("%w: it would make %d bytes, and %d can be read", ErrObject, size, maxObjectBytes)
	}
	return packfile.PatchDelta(base, delta)
}
