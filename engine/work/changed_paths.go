package work

import (
	"context"
	"fmt"
	"sync"

	"atoll/store/record"
)

// changedPaths are the paths that scored candidates changed before, for the
// review of risky ones. They are gathered when the first is asked for.
type changedPaths struct {
	*candidates
	mu   sync.Mutex
	seen map[string]bool // nil: nobody asked yet
}

func (t *changedPaths) add(diffs []record.FileDiff) {
	for _, d := range diffs {
		t.seen[d.Path] = true
	}
}

// before returns which paths were touched before: those in which an
// elite differs from the root, and those that were changed since in this run.
func (t *changedPaths) before(ctx context.Context) (func(path string) bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		elites, err := t.standing.Elites(ctx)
		if err != nil {
			return nil, err
		}
		t.seen = map[string]bool{}
		for _, elite := range elites {
			diffs, err := t.fromRoot(ctx, elite)
			if err != nil {
				t.seen = nil
				return nil, fmt.Errorf("find the files that elites changed: %w", err)
			}
			t.add(diffs)
		}
	}
	return func(path string) bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.seen[path]
	}, nil
}

// keep remembers what a scored candidate changed, once somebody asked.
func (t *changedPaths) keep(ctx context.Context, c *record.Candidate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		return
	}
	diffs, err := t.diffOf(ctx, c)
	if err != nil {
		t.host.Note("warn", c.Job, fmt.Sprintf("find the files that %s changed: %v", c.ID, err))
		return
	}
	t.add(diffs)
}
