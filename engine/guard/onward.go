package guard

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// The bounds of going on.
const (
	mostOnward    = 12 // times, each with other draws
	mostThorough  = 40 // where a check is thorough
	timesOnward   = 6  // inputs for one of the comparison before
	shareOfOnward = 2  // of the processor time that is left, for all of it
)

// goOn gives what reached the change more inputs than a comparison counts on, with a share of the time that is left and as
// long as nothing differs: each time it looks on for inputs that do something of their own there, beside those that are
// known, and compares what is drawn beside them and beside what tests do, every other time of what changed itself alone.
// Who wants few inputs wants none of these.
func goOn(ctx context.Context, c *check, p pair, groups []string, apart bool) error {
	if c.g.o.Cases < DefaultCases {
		return nil
	}
	near, rounds := p.closest(groups), mostOnward
	direct := slices.DeleteFunc(slices.Clone(near), func(group string) bool { return !p.direct(group) })
	if c.g.o.Thorough {
		rounds = mostThorough
	}
	ctx, budget, done := c.budget.part(ctx, shareOfOnward)
	defer done()
	p.root, p.candidate, p.corpus = p.root.with(budget), p.candidate.with(budget), maps.Clone(p.corpus)
	for p.round = mostAgain + 1; p.round <= mostAgain+rounds && len(near) > 0 && len(c.report.Differences) == 0; p.round++ {
		some := near
		if p.round%2 == 0 && len(direct) > 0 {
			some = direct // what changed itself is a part of a share where much reaches it
		}
		part, own, over := budget.part(ctx, shareOfExploring)
		err := unlessEnough(c.exploreOnce(part, own, &p, some, shareOfSecond, p.corpus))
		over()
		if err == nil {
			_, err = c.surveys(ctx, &p, some, nil, apart)
		}
		if errors.Is(err, errProbe) {
			return nil // what was compared counts
		}
		if err != nil {
			return unlessEnough(err)
		}
	}
	return nil
}

// drawn reports that a comparison goes on: its rounds come behind those of asking again.
func (p pair) drawn() bool { return p.round > mostAgain }
