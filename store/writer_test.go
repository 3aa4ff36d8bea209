package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"atoll/store"
	"atoll/store/record"
)

// hold keeps the writer busy until the returned function is called, so that
// what is written meanwhile becomes one group.
func (w *world) hold() (release func()) {
	w.t.Helper()
	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		left <- w.db.Write(func() error {
			select {
			case <-entered: // a second run of the same op
			default:
				close(entered)
			}
			<-leave
			return errRefused
		})
	}()
	<-entered
	return func() {
		w.t.Helper()
		close(leave)
		wants(w.t, <-left, errRefused)
	}
}

var errRefused = errors.New("refused on purpose")

// together starts writes while the writer is held, in the order given, and
// returns their errors.
func (w *world) together(writes ...func() error) []error {
	w.t.Helper()
	release := w.hold()
	errs := make([]error, len(writes))
	var wg sync.WaitGroup
	for i, write := range writes {
		wg.Add(1)
		queued := w.db.Queued()
		go func() {
			defer wg.Done()
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("panic: %v", p)
				}
			}()
			errs[i] = write()
		}()
		for w.db.Queued() == queued {
			time.Sleep(50 * time.Microsecond) // until it is in the queue
		}
	}
	release()
	wg.Wait()
	return errs
}

func TestAFailedOperationLeavesItsNeighboursAlone(t *testing.T) {
	w := open(t, record.Settings{MaxWallMS: 1 << 40})
	good := func() error { return w.db.Write(func() error { return nil }) }
	bad := func() error { return w.db.Write(func() error { return errRefused }) }
	panics := func() error { return w.db.Write(func() error { panic("on purpose") }) }
	before, err := w.db.LastSeq(w.ctx, w.exp)
	w.ok(err)
	errs := w.together(good, bad, good, panics, good)
	for i, want := range []string{"", "refused on purpose", "", "panic: on purpose", ""} {
		if got := fmt.Sprint(errs[i]); want == "" && errs[i] != nil || !strings.Contains(got, want) {
			t.Errorf("operation %d: got %v, want %q", i, errs[i], want)
		}
	}
	after, err := w.db.LastSeq(w.ctx, w.exp)
	w.ok(err)
	if after != before+3 || w.counters().WallMS != 3000 {
		t.Errorf("rows %d to %d and %d ms, want 3 rows without a gap and 3000 ms", before, after, w.counters().WallMS)
	}
	w.ok(w.db.AddWall(w.ctx, w.exp, -3000))
}

func TestAWriteThatHasNotBegunIsDroppedWithItsContext(t *testing.T) {
	w := open(t, record.Settings{})
	ctx, cancel := context.WithCancel(w.ctx)
	release := w.hold()
	told := make(chan error)
	go func() { told <- w.db.PutMeta(ctx, w.exp, "dropped", "1") }()
	for w.db.Queued() == 0 {
		time.Sleep(50 * time.Microsecond) // until it is in the queue
	}
	cancel()
	wants(t, <-told, context.Canceled) // while the writer is still held
	release()
	w.ok(w.db.PutMeta(w.ctx, w.exp, "kept", "1"))
	_, ok, err := w.db.Meta(w.ctx, w.exp, "dropped")
	w.ok(err)
	if ok {
		t.Error("it was written all the same")
	}
	wants(t, w.db.PutMeta(ctx, w.exp, "late", "1"), context.Canceled)
}

func TestAClosedStoreSaysSo(t *testing.T) {
	w := open(t, record.Settings{})
	w.ok(w.db.Close())
	w.ok(w.db.Close())
	wants(t, w.db.PutMeta(w.ctx, w.exp, "k", "v"), store.ErrClosed)
	_, err := w.db.Experiments(w.ctx)
	wants(t, err, store.ErrClosed)
	_, err = w.db.Changed(w.ctx)
	wants(t, err, store.ErrClosed)
}

func TestNoTransactionIsOpenWhileNothingWaits(t *testing.T) {
	w := open(t, record.Settings{})
	other := mustOpen(t, w.path, store.Options{})
	least := time.Hour // a busy machine makes some of them wait, an open transaction all
	for i := range 20 {
		w.ok(w.db.PutMeta(w.ctx, w.exp, "k", fmt.Sprint(i)))
		began := time.Now()
		w.ok(other.PutMeta(w.ctx, w.exp, "k", fmt.Sprint(i)))
		least = min(least, time.Since(began))
	}
	if least > 2*time.Second {
		t.Errorf("the other writer waits %s", least)
	}
}

func TestAFullDiskIsToldAndEndsWithTheSpace(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 3)
	w.ok(w.db.Do("PRAGMA max_page_count = 1")) // no page beyond those in use
	big := record.Evidence{Kind: "x", Text: incompressible(1 << 20)}
	err := w.db.PutEvidence(w.ctx, w.exp, []record.Evidence{big})
	wants(t, err, store.ErrFull)
	if !strings.Contains(err.Error(), "free some space") {
		t.Errorf("no next step: %v", err)
	}
	// In a group, the ones that fit are kept.
	l := w.lease()
	errs := w.together(
		func() error { return w.db.Heartbeat(w.ctx, l, time.Hour) },
		func() error { return w.db.PutEvidence(w.ctx, w.exp, []record.Evidence{big}) },
		func() error { return w.db.SetPriority(w.ctx, w.exp, 2, 4) },
	)
	w.ok(errs[0])
	wants(t, errs[1], store.ErrFull)
	w.ok(errs[2])
	if w.job(2).Priority != 4 || w.job(1).LeaseUntil != record.Millis(0)+w.job(1).LeaseUntil || w.job(1).LeaseUntil <= l.Until {
		t.Errorf("got %+v and %+v", w.job(1), w.job(2))
	}
	w.ok(w.db.Do("PRAGMA max_page_count = 1000000"))
	w.ok(w.db.PutEvidence(w.ctx, w.exp, []record.Evidence{big}))
}

func incompressible(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func TestErrorsOfSQLiteBecomePlainWords(t *testing.T) {
	for _, c := range []struct {
		err  error
		want error
	}{
		{sqlite3.Error{Code: sqlite3.ErrFull}, store.ErrFull},
		{sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.ENOSPC}, store.ErrFull},
		{sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EIO}, store.ErrIO},
		{sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: syscall.EMFILE}, store.ErrIO},
		{sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: syscall.EACCES}, store.ErrReadOnly},
		{sqlite3.Error{Code: sqlite3.ErrReadonly}, store.ErrReadOnly},
		{sqlite3.Error{Code: sqlite3.ErrBusy}, store.ErrBusy},
		{sqlite3.Error{Code: sqlite3.ErrCorrupt}, store.ErrDamaged},
		{sqlite3.Error{Code: sqlite3.ErrNotADB}, store.ErrNotADatabase},
		{fmt.Errorf("wrapped: %w", syscall.EROFS), store.ErrReadOnly},
		{store.ErrLost, store.ErrLost},
		{context.Canceled, context.Canceled},
	} {
		got := store.Explain(c.err)
		if !errors.Is(got, c.want) || !errors.Is(got, c.err) {
			t.Errorf("%v becomes %v, want %v", c.err, got, c.want)
		}
	}
	if store.Explain(nil) != nil {
		t.Error("nil became an error")
	}
}

func TestAQuietMomentCutsTheWriteAheadLogBack(t *testing.T) {
	w := open(t, record.Settings{})
	w.ok(w.db.Do("PRAGMA wal_autocheckpoint = 0"))
	// In one transaction, since a pause between several would be a quiet moment, too.
	// If there is one behind it already, it is written again.
	long := slices.Repeat([]record.Evidence{{Kind: "x", Text: incompressible(1 << 20)}}, 20)
	deadline := time.Now().Add(3 * time.Minute)
	for pages := int64(0); pages < 4096; {
		if time.Now().After(deadline) {
			t.Fatalf("only %d pages, the test says nothing", pages)
		}
		w.ok(w.db.PutEvidence(w.ctx, w.exp, long))
		var err error
		pages, err = w.db.WALPages()
		w.ok(err)
	}
	for w.walSize() > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("the log still has %d bytes", w.walSize())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestDurabilityCanBeChangedWhileItRuns(t *testing.T) {
	w := open(t, record.Settings{})
	for _, full := range []bool{true, false} {
		w.ok(w.db.SetSync(full))
		want := int64(1)
		if full {
			want = 2
		}
		if got, err := w.db.Pragma("synchronous"); got != want || err != nil {
			t.Errorf("full %v: got %d, %v", full, got, err)
		}
	}
	strict := mustOpen(t, w.path, store.Options{Sync: "full"})
	if got, err := strict.Pragma("synchronous"); got != 2 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	_, err := store.Open(w.ctx, w.path, store.Options{Sync: "sometimes"})
	wants(t, err, store.ErrInvalid)
}

func TestManyGoroutinesAtOnce(t *testing.T) {
	w := open(t, record.Settings{})
	const workers, each = 8, 15
	w.addMakes(1, workers*each)
	var wg sync.WaitGroup
	ctx, stop := context.WithCancel(w.ctx)
	for range 3 { // readers
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				last := record.Seq(0)
				err := w.db.FoldLog(w.ctx, w.exp, 0, func(r record.FoldRow) error {
					if r.Seq <= last {
						return fmt.Errorf("row %d after %d", r.Seq, last)
					}
					last = r.Seq
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := w.db.Jobs(w.ctx, w.exp, store.JobFilter{States: []record.JobState{record.Scored, record.Editing}}); err != nil {
					t.Error(err)
				}
				if _, err := w.db.Changed(w.ctx); err != nil {
					t.Error(err)
				}
				if _, err := w.db.Counters(w.ctx, w.exp); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	var work sync.WaitGroup
	for range workers {
		work.Add(1)
		go func() {
			defer work.Done()
			for range each {
				if err := w.cycle(); err != nil {
					t.Error(err)
				}
				if _, err := w.db.AppendDecision(w.ctx, w.exp, record.Decision{Verb: record.Pin}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	work.Wait()
	stop()
	wg.Wait()
	if got := w.counters().Jobs(record.Make, record.Scored); got != workers*each {
		t.Errorf("%d scored, want %d", got, workers*each)
	}
}
