package guard

import (
	"context"
	"maps"
	"slices"
)

// The bounds of going on.
const (
	mostOnward    = 3 // times, each with other draws
	timesOnward   = 6 // inputs for one of the comparison before
	shareOfOnward = 2 // it goes on while one part in so many of the processor time is left
)

// goOn gives what reached the change more inputs than a comparison counts on, as long as half of its time is left and nothing
// differs: each time it looks on for inputs that do something of their own there, beside those that are known, and
// compares what is drawn beside them and beside what tests do. Who wants few inputs wants none of these.
func goOn(ctx context.Context, c *check, p pair, groups []string, apart bool) error {
	if c.g.o.Cases < DefaultCases {
		return nil
	}
	near := slices.DeleteFunc(slices.Clone(groups), func(group string) bool { return !p.direct(group) && !p.reaching[group] })
	corpus := maps.Clone(p.corpus)
	for p.round = mostAgain + 1; p.round <= mostAgain+mostOnward && len(near) > 0; p.round++ {
		if len(c.report.Differences) > 0 || c.budget.rest() < c.g.o.Work/shareOfOnward {
			return nil
		}
		part, budget, done := c.budget.part(ctx, shareOfExploring)
		err := unlessEnough(c.exploreOnce(part, budget, &p, near, shareOfSecond, corpus))
		done()
		if err != nil {
			return err
		}
		p.corpus = corpus
		if _, err := c.surveys(ctx, &p, near, nil, apart); err != nil {
			return err
		}
	}
	return nil
}

// drawn reports that a comparison goes on: its rounds come behind those of asking again.
func (p pair) drawn() bool { return p.round > mostAgain }
