package guard

import (
	"context"
	"errors"
	"slices"
	"strings"

	"atoll/engine/guard/probe"
	"atoll/store/record"
)

// shareOfScenarios is the part of the budget that is left which tests have that are played.
const shareOfScenarios = 3

// play compares what tests look at that run what changed, with other values for their literals: nobody knows
// what they should expect, and both trees must give the same. Where something differs already, it is not done.
func (c *check) play(ctx context.Context, p pair) error {
	if c.differs() {
		return nil
	}
	err := playing(ctx, c, p, func(ctx context.Context, p pair) error {
		for _, p.few = range []int{shareOfFew, 0} { // what is cut in the midst tells nothing
			if err := c.search(ctx, p, p.tests, false); err != nil || c.differs() {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errProbe) {
		c.report.note("not all tests were played: %s", err)
		return nil
	}
	return err
}

// playing compares tests of two trees by a part of the budget, and counts those that were.
func playing(ctx context.Context, c *check, p pair, compare func(context.Context, pair) error) error {
	part, budget, done := c.budget.part(ctx, shareOfScenarios)
	defer done()
	whole := c.budget
	c.budget, p.root, p.candidate = budget, p.root.with(budget), p.candidate.with(budget)
	p.played, p.direct = map[string]bool{}, func(string) bool { return true }
	err := compare(part, p)
	c.budget = whole
	c.report.Tests += len(p.played)
	return unlessEnough(err)
}

// differs reports that something is known to differ that a probe asked.
func (c *check) differs() bool {
	return slices.ContainsFunc(c.report.Differences, func(d Difference) bool { return d.group != "" })
}

// step is the first of the things that a scenario told in which two outcomes differ; outcomes of one thing are
// given back.
func step(in, root, candidate string) (string, string) {
	a, b := strings.Split(root, probe.StepMark), strings.Split(candidate, probe.StepMark)
	for i := range min(len(a), len(b)) {
		if !same(in, a[i], b[i]) {
			return a[i], b[i]
		}
	}
	switch {
	case len(a) > len(b):
		return a[len(b)], "nothing"
	case len(b) > len(a):
		return "nothing", b[len(a)]
	}
	return root, candidate
}

// someOf names a group, and counts the others; tests that are played are counted alone.
func (p pair) someOf(groups []string) string {
	if p.played != nil {
		return record.Plural(len(groups), "test") + " with other values"
	}
	text := p.where(groups[0])
	if n := len(groups) - 1; n > 0 {
		text += " and " + record.Plural(n, "more function")
	}
	return text
}
