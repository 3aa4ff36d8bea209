package guard

import (
	"cmp"
	"context"
	"slices"

	"atoll/engine/guard/probe"
)

// seen is a difference that was confirmed, by its choices.
type seen struct {
	group           string
	choices         []uint64
	in, root, other string
	ends            bool
	results         bool // the outcomes are what the call gave, alone
}

func (s seen) simpler(o seen) int {
	return cmp.Or(cmp.Compare(len(s.in), len(o.in)), cmp.Compare(len(s.choices), len(o.choices)), slices.Compare(s.choices, o.choices))
}

// shrink makes the input of a difference smaller while it stays one. Where the
// process ends it is left: each try would cost one.
func (c *check) shrink(ctx context.Context, p pair, q probe.Request, best seen) (seen, error) {
	if best.ends {
		return best, nil
	}
	first := best
	for range shrinkingSteps {
		s := q
		s.Mode, s.Omit, s.Cases = probe.Shrink, nil, []probe.Case{{Group: best.group, Choices: best.choices}}
		found, err := c.confirm(ctx, p, s, asked{results: best.results})
		if err != nil {
			return best, err
		}
		found = slices.DeleteFunc(found, func(f seen) bool { return f.ends })
		if len(found) == 0 {
			break
		}
		next := slices.MinFunc(found, seen.simpler)
		if next.simpler(best) >= 0 {
			break
		}
		best = next
	}
	q.Mode, q.Omit, q.Cases = probe.Detail, nil, []probe.Case{{Group: best.group, Choices: best.choices}}
	found, err := c.confirm(ctx, p, q, asked{twice: true})
	if err != nil || len(found) == 0 { // the state of an earlier case was in it
		return first, err
	}
	return slices.MinFunc(found, seen.simpler), nil // recorded calls that stand before it may differ as well
}
