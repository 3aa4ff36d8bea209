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
	mostThorough  = 40 // where a check is thorough, and where changed lines are left that no input ran
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
	ctx, budget, done := c.budget.part(ctx, shareOfOnward)
	defer done()
	p.root, p.candidate, p.corpus = p.root.with(budget), p.candidate.with(budget), maps.Clone(p.corpus)
	for p.round = mostAgain + 1; len(groups) > 0 && len(c.report.Differences) == 0; p.round++ {
		if times := p.round - mostAgain; times > mostThorough || times > mostOnward && !c.g.o.Thorough && p.candidate.settled() {
			return nil
		}
		some := p.closest(groups) // a round may be the first that reaches what changed
		if direct := slices.DeleteFunc(slices.Clone(some), func(group string) bool { return !p.direct(group) }); p.round%2 == 0 && len(direct) > 0 {
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
