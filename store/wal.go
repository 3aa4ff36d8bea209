package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The write-ahead log, as https://sqlite.org/fileformat2.html#the_write_ahead_log has
// it. SQLite stops at the first frame that is not whole and goes on with what lies
// before, without a word: a byte that changes on the disk takes every later commit
// with it.

const (
	walHeader   = 32
	frameHeader = 24
	walMagic    = 0x377f0682 // its lowest bit says in which order sums are made
)

// WAL says how a write-ahead log stands.
type WAL struct {
	Frames  int  // whole ones
	Commits int  // transactions that are whole
	Beyond  int  // frames behind the first that is not whole, of the same log
	Last    bool // the frame that is not whole ended a transaction
	Foreign bool // it is no log, or not that of the store, which was closed in good order
	Journal bool // a rollback journal lies there as well, and the log was not read
}

// CheckWAL reads the write-ahead log of the store at path, which nobody may write to
// meanwhile. It returns [ErrDamaged] where transactions were committed that SQLite
// will not find, or may have been, and where the log is another store's; a write that a
// kill broke off is none. A store without a log has an empty one.
func CheckWAL(path string) (WAL, error) {
	if err := foreignJournal(path); err != nil {
		return WAL{Journal: true}, err
	}
	w, err := checkWAL(path + "-wal")
	if err == nil {
		err = foreignLog(path)
		w.Foreign = err != nil
	}
	return w, doing("check the write-ahead log of "+path, err)
}

// foreignLog refuses a log with content beside a store that has a seal. A seal is made
// when the log is empty and goes before anything is written to it, so such a log was
// copied there, or another program wrote it. SQLite would lay its pages over the file.
func foreignLog(path string) error {
	before, err := os.Stat(sealOf(path))
	if err != nil {
		return nil // no seal says anything
	}
	wal, err := os.Stat(path + "-wal")
	if err != nil || wal.Size() == 0 {
		return nil
	}
	after, err := os.Stat(sealOf(path)) // a store may be opened and closed meanwhile
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		return nil
	}
	return fmt.Errorf("%s is not its write-ahead log: the store was closed in good order, and no atoll has written since: %w", path+"-wal", ErrDamaged)
}

// foreignJournal refuses a rollback journal beside a store, which has a write-ahead log
// instead: SQLite would lay its pages over the file as well. One that is just being made
// has such a journal for a moment.
func foreignJournal(path string) error {
	journal, err := os.Lstat(path + "-journal")
	if err != nil || journal.Mode().IsRegular() && journal.Size() == 0 {
		return nil
	}
	f, release, err := handles.lend(path)
	if err != nil {
		return nil // which is told elsewhere
	}
	defer release()
	const largestPage, versions, logged = 65536, 18, 2 // https://sqlite.org/fileformat2.html#file_format_version_numbers
	info, err := f.Stat()
	if err != nil || info.Size() <= largestPage {
		return nil
	}
	var format [2]byte
	if _, err := f.ReadAt(format[:], versions); err != nil || format[0] != logged {
		return nil
	}
	return fmt.Errorf("%s is not its journal: a store has a write-ahead log, and SQLite would lay this over it: %w", path+"-journal", ErrDamaged)
}

func checkWAL(path string) (w WAL, err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // SQLite follows no symlink here
		w.Foreign = true
		return w, fmt.Errorf("%s is no file: %w", path, ErrDamaged)
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err != nil {
		return w, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	head := make([]byte, walHeader)
	switch n, err := io.ReadFull(r, head); {
	case n == 0:
		return w, nil
	case err != nil:
		return w, fmt.Errorf("its header has %d bytes: %w", n, ErrDamaged)
	}
	be := binary.BigEndian
	sum := walSum{order: binary.LittleEndian}
	if be.Uint32(head)&1 == 1 {
		sum.order = be
	}
	size := be.Uint32(head[8:])
	sum.add(head[:24])
	if be.Uint32(head)&^1 != walMagic || !sum.is(head[24:]) || size < 512 || size > 65536 {
		return w, fmt.Errorf("its header is not what was written, and all in it is passed over: %w", ErrDamaged)
	}
	frame := make([]byte, frameHeader+int(size))
	broken := false
	for {
		if _, err := io.ReadFull(r, frame); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return w, w.verdict(broken)
			}
			return w, err
		}
		ours := string(frame[8:16]) == string(head[16:24])
		if broken {
			if ours {
				w.Beyond++
			}
			continue
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		if broken = !ours || !sum.is(frame[16:]); broken {
			w.Last = ours && be.Uint32(frame[4:]) > 0
			continue
		}
		w.Frames++
		if be.Uint32(frame[4:]) > 0 {
			w.Commits++
		}
	}
}

// verdict is the error for what was found behind the last whole frame.
func (w *WAL) verdict(broken bool) error {
	switch {
	case broken && w.Beyond > 0:
		return fmt.Errorf("frame %d is not what was written, and %d behind it are passed over: %w", w.Frames+1, w.Beyond, ErrDamaged)
	case broken && w.Last:
		return fmt.Errorf("its last frame, %d, is not what was written: %w", w.Frames+1, ErrDamaged)
	}
	return nil
}

// walSum is the running sum of a write-ahead log.
type walSum struct {
	order  binary.ByteOrder
	s1, s2 uint32
}

func (s *walSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.s1 += s.order.Uint32(b) + s.s2
		s.s2 += s.order.Uint32(b[4:]) + s.s1
	}
}

func (s *walSum) is(b []byte) bool {
	return binary.BigEndian.Uint32(b) == s.s1 && binary.BigEndian.Uint32(b[4:]) == s.s2
}
