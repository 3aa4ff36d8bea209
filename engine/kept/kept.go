// Package kept saves readers of a large experiment the fold of its log. The engine that
// runs it writes its state, now and then and at its end, to a file of the state
// directory, and names the file in the database; a reader starts from there and folds
// what came since.
//
// Its nouns are the kept fold, which is an image of a [fold.State], and the note in the
// database that says which one counts. A kept fold is a help and never the truth:
// without it, or with one of another program, of other rows, torn or damaged, the
// log is folded from its first row, and the experiment's own engine always does that.
package kept

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
	"atoll/store/whole"
)

// Folder is where kept folds lie in a state directory.
const Folder = "folds"

// worth is from how many rows of the log on a kept fold pays. A hundredth of the log
// may be folded again, and so many rows always.
const worth = 5000

// metaKept is the note of the newest kept fold in the database.
const metaKept = "kept-fold"

// nameSize is how many bytes of a file are its name; the image follows.
const nameSize = 32

// note names a kept fold.
type note struct {
	ID      string     // also at the beginning of the file
	Seq     record.Seq // position of the log
	Program string     // that wrote it, as [program] tells
}

// Writer writes the kept folds of one run. It belongs to the goroutine that owns the
// state.
type Writer struct {
	Dir string // the state directory
	DB  *store.DB
	// Worth is from how many rows on one is written; 0: [worth].
	Worth record.Seq
	last  record.Seq
}

// Due reports whether so much was folded since the last kept fold that it pays to
// write another.
func (w *Writer) Due(at record.Seq) bool {
	return at-w.last >= max(w.least(), at/100)
}

// DueAtEnd is Due where nothing will be folded for a while.
func (w *Writer) DueAtEnd(at record.Seq) bool { return at >= w.least() && at > w.last }

func (w *Writer) least() record.Seq { return cmp.Or(w.Worth, worth) }

// Keep writes a state, with the newest lines of the run's log. The database names it
// only once it is whole.
func (w *Writer) Keep(ctx context.Context, st *fold.State, lines []view.LogLine) error {
	n := note{ID: rand.Text(), Seq: st.Seq, Program: program()}
	path := pathOf(w.Dir, st.Exp.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep the fold: %w", err)
	}
	// Its checksum tells what a loss of power left of it, and one process writes it.
	err := whole.Write(path, whole.Options{Pattern: filepath.Base(path) + ".part"}, func(to io.Writer) error {
		var name [nameSize]byte
		copy(name[:], n.ID)
		if _, err := to.Write(name[:]); err != nil {
			return err
		}
		return st.WriteImage(to, lines)
	})
	if err != nil {
		return fmt.Errorf("keep the fold: %w", err)
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	w.last = st.Seq
	return w.DB.PutMeta(ctx, st.Exp.ID, metaKept, string(text))
}

// mapped returns the bytes of a file. They may be changed, which the file does not see,
// and stay until the process ends: whoever has a state may have parts of them.
func mapped(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err == nil {
		resting.Lock()
		resting.all = append(resting.all, data)
		resting.Unlock()
	}
	return data, err
}

// resting has all kept folds that this process mapped.
var resting struct {
	sync.Mutex
	all [][]byte
}

// Rest gives the memory of kept folds back to the machine. Who still has a state of
// one may go on with it: what is asked for is read from the file again.
func Rest() {
	resting.Lock()
	defer resting.Unlock()
	for _, data := range resting.all {
		pageOut(data)
	}
}

// Name is the file of an experiment's kept fold, below the state directory.
func Name(exp record.ExperimentID) string {
	return filepath.Join(Folder, strconv.FormatInt(int64(exp), 10))
}

func pathOf(dir string, exp record.ExperimentID) string { return filepath.Join(dir, Name(exp)) }

// Load returns the state of an experiment at the end of its log: from the kept fold
// where one counts, else folded from the first row. log must stay open while the state
// is used.
func Load(ctx context.Context, dir string, db *store.DB, id record.ExperimentID) (*fold.State, error) {
	st, _, err := Open(ctx, dir, db, id)
	if err == nil && st != nil {
		err = st.Follow(ctx, db)
	}
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil || st == nil {
		return fold.LoadState(ctx, db, id)
	}
	return st, nil
}

// Open returns the kept fold of an experiment as it was written, with the lines of the
// log that were the newest then; nil without an error where none counts. An error says
// that there should be one.
func Open(ctx context.Context, dir string, db *store.DB, id record.ExperimentID) (st *fold.State, lines []view.LogLine, err error) {
	text, ok, err := db.Meta(ctx, id, metaKept)
	if err != nil || !ok {
		return nil, nil, err
	}
	var n note
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return nil, nil, fmt.Errorf("read which fold is kept: %w", err)
	}
	if n.Program == "" || n.Program != program() {
		return nil, nil, nil
	}
	f, err := os.Open(pathOf(dir, id))
	if errors.Is(err, fs.ErrNotExist) { // a copy of the database alone
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the kept fold: %w", err)
	}
	defer f.Close()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { // a disk that cannot read a page
		if fault := recover(); fault != nil {
			st, lines, err = nil, nil, fmt.Errorf("read the kept fold: %v", fault)
		}
	}()
	data, err := mapped(f)
	if err != nil {
		return nil, nil, fmt.Errorf("open the kept fold: %w", err)
	}
	if len(data) < nameSize || string(bytes.TrimRight(data[:nameSize], "\x00")) != n.ID {
		return nil, nil, nil // a kill or a loss of power between the file and its note
	}
	st, lines, err = fold.ReadImage(ctx, data[nameSize:], db, id)
	if err != nil {
		return nil, nil, fmt.Errorf("read the kept fold: %w", err)
	}
	if last, err := db.LastSeq(ctx, id); err != nil || st.Seq != n.Seq || st.Seq > last {
		return nil, nil, errors.Join(err, fmt.Errorf("the kept fold is of row %d: %w", st.Seq, fold.ErrDiverged))
	}
	return st, lines, nil
}
