package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"atoll/engine/fleet/wire"
	"atoll/store/whole"
)

// blobs are what workers may fetch, by the SHA-256 of the content. A name is all
// that they can say: no path.
type blobs struct {
	dir string
	mu  sync.Mutex
	all map[string]*blob
}

// blob is one content, in memory or in a file of ours.
type blob struct {
	data []byte
	file *os.File
	size int64
	uses int
}

func newBlobs(dir string) *blobs { return &blobs{dir: dir, all: map[string]*blob{}} }

// offer lets workers fetch data until drop was called as often.
func (b *blobs) offer(data []byte) (hash string) {
	sum := sha256.Sum256(data)
	hash = hex.EncodeToString(sum[:])
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all[hash] == nil {
		b.all[hash] = &blob{data: data, size: int64(len(data))}
	}
	b.all[hash].uses++
	return hash
}

// offerFile is offer for the content of a file that is kept under a name in the
// folder of the blobs, and made by write when it is not there.
func (b *blobs) offerFile(name string, write func(io.Writer) error) (hash string, err error) {
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of what the fleet fetches: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		if err := whole.Write(path, whole.Options{}, write); err != nil {
			return "", fmt.Errorf("write what the fleet fetches: %w", err)
		}
		if f, err = os.Open(path); err != nil {
			return "", err
		}
	}
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		_ = f.Close()
		return "", fmt.Errorf("read what the fleet fetches: %w", err)
	}
	hash = hex.EncodeToString(sum.Sum(nil))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all[hash] != nil {
		_ = f.Close()
	} else {
		b.all[hash] = &blob{file: f, size: size}
	}
	b.all[hash].uses++
	return hash, nil
}

// drop takes back one offer.
func (b *blobs) drop(hash string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.all[hash]
	if one == nil {
		return
	}
	if one.uses--; one.uses > 0 {
		return
	}
	if one.file != nil {
		_ = one.file.Close() // only read from
	}
	delete(b.all, hash)
}

// answer gives a part of a blob.
func (b *blobs) answer(q wire.Chunk) wire.Answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.all[q.Hash]
	if one == nil || q.At < 0 || q.At > one.size {
		return wire.Answer{Fenced: true, Why: "nothing of that name is offered now"}
	}
	part := make([]byte, min(wire.ChunkBytes, one.size-q.At))
	var from io.ReaderAt = bytes.NewReader(one.data)
	if one.file != nil {
		from = one.file
	}
	if _, err := from.ReadAt(part, q.At); err != nil && err != io.EOF {
		return wire.Answer{Why: "it cannot be read now"}
	}
	return wire.Answer{OK: true, Size: one.size, Data: part}
}
