package work

import (
	"context"
	"fmt"
	"sync"

	"atoll/store/record"
)

// touchedPaths are the paths that scored candidates changed before, for the
// review of risky ones. They are gathered when the first is asked for.
type touchedPaths struct {
	mu   sync.Mutex
	seen map[string]bool // nil: nobody asked yet
}

func (t *touchedPaths) add(diffs []record.FileDiff) {
	for _, d := range diffs {
		t.seen[d.Path] = true
	}
}

// touchedBefore returns which paths were touched before: those in which an
// elite differs from the root, and those that were changed since in this run.
func (w *Runner) touchedBefore(ctx context.Context) (func(path string) bool, error) {
	w.touched.mu.Lock()
	defer w.touched.mu.Unlock()
	if w.touched.seen == nil {
		elites, err := w.standing.Elites(ctx)
		if err != nil {
			return nil, err
		}
		w.touched.seen = map[string]bool{}
		for _, elite := range elites {
			diffs, err := w.FromRoot(ctx, elite)
			if err != nil {
				w.touched.seen = nil
				return nil, fmt.Errorf("find the files that elites changed: %w", err)
			}
			w.touched.add(diffs)
		}
	}
	return func(path string) bool {
		w.touched.mu.Lock()
		defer w.touched.mu.Unlock()
		return w.touched.seen[path]
	}, nil
}

// touch remembers what a scored candidate changed, once somebody asked.
func (w *Runner) touch(ctx context.Context, c *record.Candidate) {
	w.touched.mu.Lock()
	defer w.touched.mu.Unlock()
	if w.touched.seen == nil {
		return
	}
	diffs, err := w.diffOf(ctx, c)
	if err != nil {
		w.host.Note("warn", c.Job, fmt.Sprintf("find the files that %s changed: %v", c.ID, err))
		return
	}
	w.touched.add(diffs)
}
