package guard

import (
	"context"
	"slices"
)

// The bounds of asking once more.
const (
	mostAgain    = 8  // times, each with other draws
	shareOfAgain = 10 // one part in so many of the processor time of a check is used up when it ends
)

// again asks what is close to the change with other draws, as long as nine tenths of the time are left and nothing differs: where
// calls are quick, all that a check asks takes a small part of its time. These inputs are not counted: some are those
// that were compared before.
func (c *check) again(ctx context.Context, p pair, groups []string, apart bool) error {
	near := p.closest(groups)
	for p.round = 1; p.round <= mostAgain && len(near) > 0; p.round++ {
		if len(c.report.Differences) > 0 || c.budget.rest() < c.g.o.Work-c.g.o.Work/shareOfAgain {
			return nil
		}
		if p.watched {
			var err error
			if p.corpus, err = c.explore(ctx, &p, near); err != nil {
				return err
			}
		}
		cases := c.report.Cases
		_, err := c.surveys(ctx, &p, near, nil, apart)
		if c.report.Cases = cases; err != nil {
			return err
		}
	}
	return nil
}

// closest are the groups that changed or reached the change, or all of them where none did so far.
func (p pair) closest(groups []string) []string {
	near := slices.DeleteFunc(slices.Clone(groups), func(group string) bool { return !p.direct(group) && !p.reaching[group] })
	if len(near) == 0 {
		return groups
	}
	return near
}

// seed is what the draws of a pair begin with.
func (p pair) seed(of uint64) uint64 { return of + uint64(p.round)<<32 }
