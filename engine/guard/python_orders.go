package guard

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"atoll/engine/guard/probe"
)

// The bounds of asking which orders hang on the hashes of a process.
const (
	mostHashes = 6  // times in one check
	mostNested = 3  // lists and tables within each other
	mostHashed = 12 // groups that are asked each time
)

// withoutOrder asks the root again, in processes with two seeds of hashes, where it does not agree with itself: a list or a table whose items
// are the same in both and come in two orders has none. It reports whether there is one that was not known; from then on both trees tell
// it without an order.
func withoutOrder(ctx context.Context, c *check, p *pair, t count, q probe.Request) (bool, error) {
	if len(t.shaky) == 0 || !p.root.hashes || c.hashed >= mostHashes {
		return false, nil
	}
	c.hashed++
	q.Mode, q.Orders, q.Omit, q.Cases = probe.Detail, true, nil, nil
	groups := slices.Sorted(maps.Keys(t.shaky))
	for _, group := range groups[:min(len(groups), mostHashed)] {
		q.Cases = append(q.Cases, t.worthALook(group, t.shaky[group])...)
	}
	was := len(p.habits.Unordered)
	for range mostNested { // what holds something without an order may have none itself
		found, err := p.orderless(ctx, q)
		if err != nil || len(found) == 0 {
			return len(p.habits.Unordered) > was, err
		}
		p.habits.Unordered = slices.Concat(p.habits.Unordered, found)
		q.Habits = p.habits
	}
	return true, nil
}

// orderless are the holders of which the same items come in two orders in cases of the root.
func (p *pair) orderless(ctx context.Context, q probe.Request) ([]string, error) {
	first, err := p.root.ask(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("the root: %w", err)
	}
	q.Backwards = true
	second, err := p.root.ask(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("the root: %w", err)
	}
	var out []string
	for at, a := range first.cases {
		for holder, order := range a.Orders {
			other, ok := second.cases[at].Orders[holder]
			if ok && order[1] == other[1] && order[0] != other[0] && !slices.Contains(q.Unordered, holder) {
				out = append(out, holder)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
