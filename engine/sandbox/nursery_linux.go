package sandbox

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Bounds of prepared interpreters.
const (
	maxResidents = 64 // of one kind, one for each run at a time
	maxFaults    = 3  // when they are as many as a quarter of the runs that went well: then runs are started
	maxKinds     = 16 // of interpreters at once
	minAsked     = 3  // runs of a kind before one is loaded: to load it costs what a run saves
	loadTime     = time.Minute
)

// nursery keeps prepared interpreters. None is ever in two runs at once.
type nursery struct {
	box    *Box
	mu     sync.Mutex
	closed bool
	kinds  map[string]*kind
	all    map[*resident]bool // true: in no run, or being loaded
	ending sync.WaitGroup
}

// kind is what runs that can share interpreters have in common.
type kind struct {
	mounts  []Mount
	idle    []*resident
	asked   int // by runs that found none
	loading int
	count   int
	well    int // runs that went well
	faults  int
	unfit   error // why there are none, for good
	loaded  chan struct{}
}

// take takes an idle interpreter of a kind. Where there is none one is loaded beside, as far
// as the bounds allow, and unless it is for certain only when so many runs asked for one
// that it pays; wait is closed when that is over.
func (n *nursery) take(key string, s *Spec, certain bool) (r *resident, wait <-chan struct{}, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, nil, ErrClosed
	}
	k := n.kinds[key]
	if k == nil {
		if len(n.kinds) >= maxKinds && !n.forget() {
			return nil, nil, nil
		}
		if n.kinds == nil {
			n.kinds = map[string]*kind{}
		}
		k = &kind{mounts: s.Mounts}
		n.kinds[key] = k
	}
	if k.unfit != nil {
		return nil, nil, k.unfit
	}
	if last := len(k.idle) - 1; last >= 0 {
		r, k.idle = k.idle[last], k.idle[:last]
		n.all[r] = false
		return r, nil, nil
	}
	if k.asked++; !certain && k.asked < minAsked {
		return nil, nil, nil
	}
	if k.loading == 0 {
		if k.count >= maxResidents {
			return nil, nil, nil
		}
		k.loading, k.loaded = 1, make(chan struct{})
		spec := *s
		n.box.running.Go(func() { n.raise(key, k, &spec) })
	}
	return nil, k.loaded, nil
}

// forget lets go of a kind that no run uses; its interpreters end beside. The caller holds
// the lock.
func (n *nursery) forget() bool {
	for key, k := range n.kinds {
		if k.loading > 0 || k.count != len(k.idle) {
			continue
		}
		n.end(key, k)
		return true
	}
	return false
}

// end ends the idle interpreters of a kind; those in runs and one that is being loaded end behind that. The caller
// holds the lock.
func (n *nursery) end(key string, k *kind) {
	delete(n.kinds, key)
	for _, r := range k.idle {
		delete(n.all, r)
		n.ending.Go(r.close)
	}
}

// letGo ends what has a folder mounted.
func (n *nursery) letGo(host string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for key, k := range n.kinds {
		if slices.ContainsFunc(k.mounts, func(m Mount) bool { return m.Host == host }) {
			n.end(key, k)
		}
	}
}

// give gives an interpreter back whose run went well.
func (n *nursery) give(key string, r *resident) {
	n.mu.Lock()
	k := n.kinds[key]
	if k != nil {
		k.well++
	}
	keep := !n.closed && k != nil && k.unfit == nil
	if keep {
		n.all[r] = true
		k.idle = append(k.idle, r)
	}
	n.mu.Unlock()
	if !keep {
		n.retire(key, r, nil)
	}
}

// retire ends an interpreter. An error is what went wrong in its run; where that is the case
// too often there are no more of its kind.
func (n *nursery) retire(key string, r *resident, fault error) {
	n.mu.Lock()
	if k := n.kinds[key]; k != nil {
		k.count--
		if fault != nil {
			if k.faults++; k.faults >= maxFaults && 4*k.faults >= k.well && k.unfit == nil {
				k.unfit = fmt.Errorf("%w: %d runs failed and %d went well, at last: %w", errUnfit, k.faults, k.well, fault)
			}
		}
	}
	delete(n.all, r)
	n.mu.Unlock()
	r.close()
}

// close ends all that are in no run, and lets no more be loaded.
func (n *nursery) close() {
	n.mu.Lock()
	n.closed = true
	var list []*resident
	for r, idle := range n.all {
		if idle {
			list = append(list, r)
		}
	}
	n.mu.Unlock()
	for _, r := range list {
		r.close()
	}
	n.ending.Wait()
}

// raise loads one interpreter of a kind.
func (n *nursery) raise(key string, k *kind, s *Spec) {
	r, err := n.load(s)
	n.mu.Lock()
	k.loading--
	close(k.loaded)
	gone := n.closed || n.kinds[key] != k
	switch {
	case err == nil && !gone:
		k.count++
		k.idle = append(k.idle, r)
	case err == nil:
		delete(n.all, r)
	case k.unfit == nil && !gone:
		k.unfit = err
	}
	n.mu.Unlock()
	if err == nil && gone {
		r.close()
	}
}
