package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"atoll/store/record"
)

// tx is one transaction of the writer. What it keeps in memory (the last
// sequence number, changes of the totals) follows the savepoints of its ops.
type tx struct {
	conn *conn
	now  record.Millis

	seq, seqSaved int64 // last number given; 0 = not read yet
	seqStored     int64
	ledgers       map[record.ExperimentID]*ledger
	saved         map[record.ExperimentID]ledger // before the present op
	dead          bool                           // SQLite has rolled everything back
}

func begin(c *conn, now func() time.Time) (*tx, error) {
	if err := c.do("BEGIN IMMEDIATE"); err != nil {
		return nil, err
	}
	return &tx{conn: c, now: record.Millis(now().UnixMilli())}, nil
}

// run runs one op inside a savepoint. It reports false when the whole
// transaction is gone (disk full, I/O error).
func (t *tx) run(o *op) bool {
	if err := t.conn.do("SAVEPOINT op"); err != nil {
		o.err = err
		return t.alive()
	}
	t.seqSaved = t.seq
	t.saved = nil
	o.panic, o.err = t.call(o.run)
	if o.err == nil && o.panic == nil {
		if o.err = t.conn.do("RELEASE op"); o.err == nil {
			return true
		}
	}
	if !t.alive() {
		return false
	}
	t.seq = t.seqSaved
	for exp, l := range t.saved {
		*t.ledgers[exp] = l
	}
	if err := t.conn.do("ROLLBACK TO op"); err != nil {
		t.dead = true
	} else if err := t.conn.do("RELEASE op"); err != nil {
		t.dead = true
	}
	return t.alive()
}

func (t *tx) call(fn func(*tx) error) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, fn(t)
}

func (t *tx) alive() bool {
	t.dead = t.dead || t.conn.raw.AutoCommit()
	return !t.dead
}

// commit writes what was kept in memory and ends the transaction, by rollback
// when it fails.
func (t *tx) commit() error {
	err := t.flush()
	if err == nil {
		err = t.conn.do("COMMIT")
	}
	if err != nil && !t.conn.raw.AutoCommit() {
		if rerr := t.conn.do("ROLLBACK"); rerr != nil {
			err = fmt.Errorf("%w, and rolling back failed: %v", err, rerr)
		}
	}
	return err
}

func (t *tx) flush() error {
	if t.dead {
		return fmt.Errorf("the transaction was rolled back: %w", ErrIO)
	}
	if t.seq != t.seqStored {
		if _, err := t.conn.exec(sqlSequenceSet, t.seq); err != nil {
			return err
		}
	}
	for exp, l := range t.ledgers {
		if err := l.store(t.conn, exp); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a write of this transaction.
func (t *tx) exec(q statement, args ...any) (int64, error) { return t.conn.exec(q, args...) }

// must runs a write that changes a row, or else returns refusal.
func (t *tx) must(refusal error, q statement, args ...any) error {
	n, err := t.conn.exec(q, args...)
	if err == nil && n == 0 {
		return refusal
	}
	return err
}

// one reads the first row.
func (t *tx) one(q statement, args []any, fn func(*row)) (bool, error) {
	return t.conn.one(context.Background(), q, args, fn)
}

// nextSeq gives the next number of the log. Numbers follow the order of
// commits, because a transaction holds the file's only write lock from its
// beginning.
func (t *tx) nextSeq() (record.Seq, error) {
	if t.seq == 0 {
		ok, err := t.one(sqlSequenceGet, nil, func(r *row) { t.seq = r.int() })
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, ErrDamaged
		}
		t.seqStored, t.seqSaved = t.seq, t.seq
	}
	t.seq++
	return record.Seq(t.seq), nil
}

// log appends a row. Data is JSON or nil.
func (t *tx) log(exp record.ExperimentID, kind record.LogKind, job record.JobID, cand record.CandidateID, data []byte) (record.Seq, error) {
	seq, err := t.nextSeq()
	if err != nil {
		return 0, err
	}
	return seq, t.logAt(seq, exp, kind, job, cand, data)
}

// logAt appends the row of a number that nextSeq gave, with the values that its
// candidate has by then.
func (t *tx) logAt(seq record.Seq, exp record.ExperimentID, kind record.LogKind, job record.JobID, cand record.CandidateID, data []byte) error {
	args := []any{exp, seq, t.now, kind, folded(kind), job, cand, data}
	if valued(kind) {
		value, err := t.valueNow(exp, cand)
		if err != nil {
			return err
		}
		if value != nil {
			_, err := t.conn.exec(sqlLogInsertValue, append(args, value)...)
			return err
		}
	}
	_, err := t.conn.exec(sqlLogInsert, args...)
	return err
}

// logHeld appends the row of a job that waits for a person; number is one that nextSeq
// gave, 0 = the next.
func (t *tx) logHeld(number record.Seq, exp record.ExperimentID, job record.JobID, cand record.CandidateID, reason string) error {
	data, err := encode("why it waits", record.HeldData{Reason: reason})
	if err == nil && number == 0 {
		number, err = t.nextSeq()
	}
	if err != nil {
		return err
	}
	return t.logAt(number, exp, record.LogHeld, job, cand, data)
}

// folded reports the kinds that the fold reads; the others tell how a job got
// on, and there are more of them.
func folded(kind record.LogKind) bool {
	switch kind {
	case record.LogJob, record.LogLease, record.LogStage:
		return false
	}
	return true
}

// encode makes the JSON of a log row. A number that is not finite is the one
// thing that can go wrong with the types of package record.
func encode(what string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (%v)", what, ErrNotFinite, err)
	}
	return b, nil
}
