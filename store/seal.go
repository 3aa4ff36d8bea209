package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"atoll/store/fault"
)

// A seal is a file beside the store with a sum of each of its pages. SQLite keeps
// none, so that a byte of a row that changes on the disk would be read as if it had
// been written. The seal is there while nothing is written: a writer that closes in
// good order leaves one, and the first write after it, of any process, compares it and
// takes it away before it changes anything.

// sealMagic begins a seal; its last byte is the version.
const sealMagic = "atoll page sums\x01"

// sealOf is the name of the seal of a store.
func sealOf(path string) string { return path + ".sums" }

// KeepSealed has the store sealed when it is closed, also where it was not when it
// was opened. Who runs an experiment asks for it.
func (db *DB) KeepSealed() {
	if db.writer != nil {
		db.writer.seals.Store(true)
	}
}

// CheckSeal compares the file with its seal and returns [ErrDamaged] with the first
// page that differs. Without a seal, after a kill or while somebody writes, it
// returns false.
func (db *DB) CheckSeal(ctx context.Context) (sealed bool, err error) {
	sealed, err = checkSeal(ctx, db.path)
	if db.writer != nil && err == nil {
		db.writer.whole.Store(true)
	}
	return sealed, doing("compare "+db.path+" with its sums", err)
}

func checkSeal(ctx context.Context, path string) (bool, error) {
	if info, err := os.Stat(sealOf(path)); err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	text, err := os.ReadFile(sealOf(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return false, nil // somebody has written since
	}
	now, err := pageSums(ctx, path)
	if err != nil {
		return false, err
	}
	was, ok := bytes.CutPrefix(text, []byte(sealMagic))
	if !ok || len(was) < 8 || crc32.Checksum(was[4:], castagnoli) != binary.BigEndian.Uint32(was) {
		return false, nil // torn by a power cut, or damaged itself
	}
	if was = was[4:]; bytes.Equal(was, now) {
		return true, nil
	}
	if _, err := os.Stat(sealOf(path)); errors.Is(err, fs.ErrNotExist) {
		return false, nil // a write began meanwhile
	}
	return true, differ(was, now)
}

// differ names the first page in which two lists of sums are not the same.
func differ(was, now []byte) error {
	if a, b := binary.BigEndian.Uint32(was), binary.BigEndian.Uint32(now); a != b || len(was) != len(now) {
		return fmt.Errorf("it has %d pages of %d bytes and had %d of %d: %w", len(now)/4-1, b, len(was)/4-1, a, ErrDamaged)
	}
	pages, first := 0, 0
	for i := 4; i < len(was); i += 4 {
		if !bytes.Equal(was[i:i+4], now[i:i+4]) {
			if pages++; pages == 1 {
				first = i / 4
			}
		}
	}
	return fmt.Errorf("page %d is not what was written (%d in all): %w", first, pages, ErrDamaged)
}

// castagnoli is the polynomial that processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// pageSums returns the page size of a file and a sum of each page, four bytes each.
func pageSums(ctx context.Context, path string) ([]byte, error) {
	f, release, err := handles.lend(path)
	if err != nil {
		return nil, err
	}
	defer release()
	head := make([]byte, 18)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%w: its header: %w", ErrDamaged, err)
	}
	size := int(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 65536
	}
	if size < 512 || size&(size-1) != 0 {
		return nil, fmt.Errorf("%w: its pages have %d bytes", ErrDamaged, size)
	}
	sums := binary.BigEndian.AppendUint32(nil, uint32(size))
	chunk := make([]byte, max(size, 1<<20))
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := f.ReadAt(chunk, at)
		for i := 0; i < n; i += size {
			sums = binary.BigEndian.AppendUint32(sums, crc32.Checksum(chunk[i:min(i+size, n)], castagnoli))
		}
		if at += int64(n); err != nil || n == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return sums, err
		}
	}
}

// seal writes the sums of the file, once the write-ahead log is in it. Where a reader
// is in the way, or the disk is full, there is none: it is a help and no more. One that
// is there stays, for nobody has written since, and what it says may be that the file
// is damaged.
func (w *writer) seal() {
	if _, err := os.Lstat(sealOf(w.path)); err == nil {
		return
	}
	for _, text := range []string{"PRAGMA busy_timeout = 0", "PRAGMA wal_checkpoint(TRUNCATE)", "BEGIN IMMEDIATE"} {
		if w.conn.do(text) != nil {
			return
		}
	}
	defer func() { _ = w.conn.do("ROLLBACK") }() // which has changed nothing
	if info, err := os.Stat(w.path + "-wal"); err == nil && info.Size() > 0 {
		return
	}
	sums, err := pageSums(context.Background(), w.path)
	if err != nil {
		return
	}
	text := binary.BigEndian.AppendUint32([]byte(sealMagic), crc32.Checksum(sums, castagnoli))
	part := sealOf(w.path) + ".part"
	if err := os.WriteFile(part, append(text, sums...), 0o600); err == nil {
		fault.At(fault.Seal)
		err = os.Rename(part, sealOf(w.path))
		if err == nil {
			return
		}
	}
	_ = os.Remove(part)
}

// breakSeal takes the seal away before a write, see [unseal]. A file that is not what its
// seal says is not to be written to, and the error is [ErrDamaged]: without the seal nobody
// would learn of it again.
func breakSeal(ctx context.Context, path string) (was bool, err error) {
	if _, err := checkSeal(ctx, path); err != nil {
		return false, err
	}
	return unseal(path)
}

// unseal takes the seal away, for good also where the power fails: a store that was
// written to must not look damaged. The caller holds the file's write lock.
func unseal(path string) (was bool, err error) {
	if _, err := os.Lstat(sealOf(path)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := os.RemoveAll(sealOf(path)); err != nil { // whatever somebody put there
		return false, err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return true, err
	}
	return true, errors.Join(dir.Sync(), dir.Close())
}
