package engine

import (
	"context"
	"fmt"
	"sync"

	"atoll/engine/archive"
	"atoll/engine/fold"
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
func (e *Engine) touchedBefore(ctx context.Context) (func(path string) bool, error) {
	e.touched.mu.Lock()
	defer e.touched.mu.Unlock()
	if e.touched.seen == nil {
		var elites []archive.Holder
		if err := e.ask(ctx, func(s *fold.State) {
			if s.Archive() != nil {
				elites = s.Archive().Holders()
			}
		}); err != nil {
			return nil, err
		}
		e.touched.seen = map[string]bool{}
		for _, elite := range elites {
			diffs, err := e.fromRoot(ctx, elite.ID)
			if err != nil {
				e.touched.seen = nil
				return nil, fmt.Errorf("find the files that elites changed: %w", err)
			}
			e.touched.add(diffs)
		}
	}
	return func(path string) bool {
		e.touched.mu.Lock()
		defer e.touched.mu.Unlock()
		return e.touched.seen[path]
	}, nil
}

// touch remembers what a scored candidate changed, once somebody asked.
func (e *Engine) touch(ctx context.Context, c *record.Candidate) {
	e.touched.mu.Lock()
	defer e.touched.mu.Unlock()
	if e.touched.seen == nil {
		return
	}
	diffs, err := e.diffOf(ctx, c)
	if err != nil {
		e.note("warn", c.Job, fmt.Sprintf("find the files that %s changed: %v", c.ID, err))
		return
	}
	e.touched.add(diffs)
}
