package pane

import (
	"atoll/engine/view"
	"atoll/tui/widget"
)

// arranged remembers the rows of a long table as they were filtered and sorted
// last: thousands of rows are not gone through again for every key.
type arranged[K comparable, R any] struct {
	of    arrangement
	ids   []K
	index map[K]R
	made  bool
}

// arrangement is all that the choice and the order of rows depend on.
type arrangement struct {
	answer uint64 // of the reader
	snap   *view.Snapshot
	text   string
	order  widget.Order
}

// rows returns the ids in their order and the row of each, made anew only where
// something changed.
func (a *arranged[K, R]) rows(now arrangement, arrange func() ([]K, map[K]R)) ([]K, map[K]R) {
	if !a.made || a.of != now {
		a.ids, a.index = arrange()
		a.of, a.made = now, true
	}
	return a.ids, a.index
}
