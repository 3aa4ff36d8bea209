package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"atoll/store/fault"
)

// The bounds of a group, and when the write-ahead log is cut back: after a
// quiet second, if it grew beyond the limit.
const (
	groupOps   = 200
	groupTime  = 5 * time.Millisecond
	quietTime  = time.Second
	walPages   = 4096 // 16 MiB
	queueDepth = 256
)

// op is one write on its way to the writer. Exactly one of run and outside is
// set; outside runs between transactions.
type op struct {
	run     func(*tx) error
	outside func(*conn) error
	taken   atomic.Bool // by the writer, or by a caller that gave up
	err     error
	panic   any
	done    chan struct{}
}

// writer owns the writing connection. Its goroutine is started by startWriter
// and waited for by close.
type writer struct {
	conn  *conn
	path  string
	seals atomic.Bool // when it is closed
	whole atomic.Bool // the file was what its seal says when this process compared them
	now   func() time.Time
	queue chan *op
	ended chan struct{}

	latency latencies // of groups

	mu     sync.RWMutex // held for reading while an op is put in the queue
	closed bool
}

func startWriter(c *conn, path string, now func() time.Time) *writer {
	w := &writer{conn: c, path: path, now: now, queue: make(chan *op, queueDepth), ended: make(chan struct{})}
	go w.loop()
	return w
}

// do hands an op to the writer and waits for its commit. When ctx ends before
// the writer has begun with it, it is not run.
func (w *writer) do(ctx context.Context, o *op) error {
	o.done = make(chan struct{})
	if err := w.put(ctx, o); err != nil {
		return err
	}
	select {
	case <-o.done:
	case <-ctx.Done():
		if o.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		<-o.done
	}
	if o.panic != nil {
		panic(o.panic)
	}
	return o.err
}

func (w *writer) put(ctx context.Context, o *op) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return ErrClosed
	}
	select {
	case w.queue <- o:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close runs what is queued, then ends the goroutine and the connection. It
// gathers no statistics for SQLite's planner: every statement has one good plan,
// named in it where there is a choice.
func (w *writer) close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.queue)
	w.mu.Unlock()
	<-w.ended
	if w.seals.Load() {
		w.seal()
	}
	return w.conn.close()
}

func (w *writer) loop() {
	defer close(w.ended)
	quiet := time.NewTimer(quietTime)
	quiet.Stop()
	for {
		select {
		case o, ok := <-w.queue:
			if !ok {
				return
			}
			for o != nil {
				o = w.serve(o)
			}
			quiet.Reset(quietTime)
		case <-quiet.C:
			w.cutBack()
		}
	}
}

// serve runs the op and what follows it in the queue as one group. It returns
// an op that it received but cannot run inside a transaction.
func (w *writer) serve(first *op) (next *op) {
	if !first.taken.CompareAndSwap(false, true) {
		return nil
	}
	if first.outside != nil {
		first.err = first.outside(w.conn)
		close(first.done)
		return nil
	}
	group, next := w.group(first)
	for _, o := range group {
		close(o.done)
	}
	return next
}

// group runs ops in one transaction, and again one by one when the transaction
// as a whole failed: then each gets its own answer.
func (w *writer) group(first *op) (group []*op, next *op) {
	began := time.Now()
	defer func() { w.latency.add(time.Since(began)) }()
	t, err := w.begin()
	if err != nil {
		first.err = err
		return []*op{first}, nil
	}
	o := first
	for {
		group = append(group, o)
		if !t.run(o) {
			break
		}
		if o, next = w.more(len(group), began); o == nil {
			break
		}
	}
	fault.At(fault.Group)
	if err := t.commit(); err != nil {
		if len(group) == 1 {
			if first.err == nil {
				first.err = err
			}
			return group, next
		}
		for _, o := range group {
			w.alone(o)
		}
	}
	fault.At(fault.Acknowledge)
	return group, next
}

// begin opens a transaction; the file is not what its seal says any more.
func (w *writer) begin() (*tx, error) {
	t, err := begin(w.conn, w.now)
	if err != nil {
		return nil, err
	}
	if err := w.breakSeal(); err != nil {
		return nil, errors.Join(err, w.conn.do("ROLLBACK"))
	}
	return t, nil
}

// breakSeal takes the seal away before a write. The file is compared with it once.
func (w *writer) breakSeal() error {
	var was bool
	var err error
	if w.whole.Load() {
		was, err = unseal(w.path)
	} else {
		was, err = breakSeal(context.Background(), w.path)
		w.whole.Store(err == nil)
	}
	if was {
		w.seals.Store(true)
		fault.At(fault.Unseal)
	}
	return err
}

// more takes the next op of the group from the queue, without waiting.
func (w *writer) more(n int, began time.Time) (o, next *op) {
	for n < groupOps && time.Since(began) < groupTime {
		select {
		case o, ok := <-w.queue:
			switch {
			case !ok:
				return nil, nil
			case o.outside != nil:
				return nil, o
			case o.taken.CompareAndSwap(false, true):
				return o, nil
			}
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// alone runs one op of a failed group again in its own transaction. Ops set
// all they return from scratch, so a second run is safe.
func (w *writer) alone(o *op) {
	o.err, o.panic = nil, nil
	t, err := w.begin()
	if err != nil {
		o.err = err
		return
	}
	t.run(o)
	if err := t.commit(); err != nil && o.err == nil {
		o.err = err
	}
}

// cutBack moves the write-ahead log into the file and, when it grew long,
// truncates it. A reader in the way is no harm: the next quiet moment will do.
func (w *writer) cutBack() {
	var pages, moved int64
	err := w.conn.query(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)", nil, func(r *row) error {
		r.int()
		pages, moved = r.int(), r.int()
		return nil
	})
	if err != nil || pages < walPages || moved < pages {
		return
	}
	for _, text := range []string{"PRAGMA busy_timeout = 0", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA busy_timeout = 5000"} {
		_ = w.conn.do(text)
	}
}
