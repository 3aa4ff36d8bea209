package engine

import (
	"context"

	"atoll/engine/fold"
	"atoll/engine/kept"
	"atoll/engine/view"
)

// recall returns the state that the last run kept, with what was folded since, and shows it
// to readers that have seen nothing yet: folding the log of a million takes seconds. It is
// nil where none was kept.
func (l *loop) recall(ctx context.Context) *fold.State {
	if !l.feed.Latest().Loading {
		return nil
	}
	st, lines, err := kept.Open(ctx, l.ses.Dir, l.db, l.exp)
	if err == nil && st != nil {
		err = st.Follow(ctx, l.db)
	}
	if err != nil {
		l.log.Debug(err.Error() + "; the log is folded instead")
		return nil
	}
	if st == nil {
		return nil
	}
	l.lines.restore(lines)
	l.wall.start()
	l.publisher.publish(present{st: st, wallFrom: l.wall.from})
	if !l.opt.Look {
		kept.Rest() // a second state grows beside it
	}
	return st
}

// foldWriter writes the state now and then for readers to start from. It is a help: a run
// goes on without. It belongs to the loop.
type foldWriter struct {
	kept.Writer
	*journal
}

// keep writes a state.
func (k *foldWriter) keep(ctx context.Context, st *fold.State) {
	if err := k.Keep(ctx, st, k.lines.tail()); err != nil {
		k.log.Warn(err.Error())
	}
}

// whenDue returns what keeps the state while a run goes on, where much was folded since
// the last time.
func (k *foldWriter) whenDue(ctx context.Context) func(*fold.State) {
	return func(st *fold.State) {
		if k.Due(st.Seq) {
			k.keep(ctx, st)
		}
	}
}

// restore begins an empty log with lines of an earlier run.
func (r *logRing) restore(lines []view.LogLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n > 0 || len(lines) == 0 {
		return
	}
	r.lines, r.n = lines, lines[len(lines)-1].N
}
