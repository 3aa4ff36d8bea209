package guard

import (
	"context"
	"slices"
	"sync"
)

// The bounds of what is kept of the calls that tests make.
const (
	mostRecordings = 4         // trees
	mostRecorded   = 128 << 20 // bytes of all of them
)

// recordings are the calls that the tests of Python trees make, so that those of a root are
// recorded once, whatever number of candidates is compared with it. They are held in memory
// alone: code under test reads copies. The zero value is empty; it is safe for concurrent use.
type recordings struct {
	mu   sync.Mutex
	list []*recording // the one that was asked for last stands last
}

// recording is that of one tree.
type recording struct {
	tree string
	turn chan struct{} // holds one value, which who makes or reads the recording takes
	data []byte        // nil: not made yet
}

// of returns the recording of a tree, which is made where there is none. Who asks while it is
// being made waits. An error is not kept: who asks next tries again.
func (r *recordings) of(ctx context.Context, tree string, record func() ([]byte, error)) ([]byte, error) {
	own := r.entry(tree)
	select {
	case <-own.turn:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { own.turn <- struct{}{} }()
	if own.data != nil {
		return own.data, nil
	}
	data, err := record()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	own.data = data
	r.trim(own)
	return data, nil
}

// has reports whether the recording of a tree is made.
func (r *recordings) has(tree string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.list, func(e *recording) bool { return e.tree == tree && e.data != nil })
}

// entry is the place of a tree's recording.
func (r *recordings) entry(tree string) *recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.list, func(e *recording) bool { return e.tree == tree })
	if at < 0 {
		e := &recording{tree: tree, turn: make(chan struct{}, 1)}
		e.turn <- struct{}{}
		r.list = append(r.list, e)
		return e
	}
	e := r.list[at]
	r.list = append(slices.Delete(r.list, at, at+1), e)
	return e
}

// trim forgets those that were asked for longest ago, but never newest.
func (r *recordings) trim(newest *recording) {
	trees, size := 0, 0
	for _, e := range r.list {
		if e.data != nil {
			trees, size = trees+1, size+len(e.data)
		}
	}
	r.list = slices.DeleteFunc(r.list, func(e *recording) bool {
		if e == newest || e.data == nil || trees <= mostRecordings && size <= mostRecorded {
			return false
		}
		trees, size = trees-1, size-len(e.data)
		return true
	})
}
