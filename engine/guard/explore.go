package guard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"atoll/engine/guard/probe"
)

// explore looks in both trees for inputs that do something of their own in the
// changed code, first a little for all groups and then for those that reached what changed,
// from the inputs of both. A way that only one tree has is what matters most. It may use a part of what
// is left of the check's budget; then what was found until then is used.
func (c *check) explore(ctx context.Context, p *pair, names []string) (map[string][][]uint64, error) {
	corpus := map[string][][]uint64{}
	p.reaching = map[string]bool{}
	part, budget, done := c.budget.part(ctx, shareOfExploring)
	defer done()
	err := c.exploreOnce(part, budget, p, names, shareOfFirst, corpus)
	if err != nil {
		return corpus, unlessEnough(err)
	}
	near := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !p.reaching[name] })
	if len(near) == 0 {
		near = names
	}
	return corpus, unlessEnough(c.exploreOnce(part, budget, p, near, shareOfSecond, corpus))
}

func unlessEnough(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// One input is explored for so many that are compared.
const (
	shareOfFirst  = 6
	shareOfSecond = 2
	shareOfFew    = 8  // of a first look
	shareOfGlance = 96 // of one before it, so that something is compared soon

	shareOfExploring = 3 // of the budget that is left
	shareOfSearch    = 2 // of what is left then, to compare what was found
)

func (c *check) exploreOnce(ctx context.Context, budget *budget, p *pair, names []string, share int, corpus map[string][][]uint64) error {
	q := probe.Request{Mode: probe.Explore, Seed: p.seed(c.g.o.Seed), Groups: names, Literals: p.literals, Known: c.report.known(*p), Marks: p.marks, Corpus: maps.Clone(corpus), Drawn: p.drawn()}
	c.spread(*p, &q)
	c.doing("looking for inputs of %s", p.someOf(names))
	q.Count = (q.Count + share - 1) / share
	q.GroupMS = purse(budget.rest(), asksOfExploring, &q)
	for _, s := range []*subject{p.root, p.candidate} {
		r, err := p.tamed(ctx, s.impatient(budget), s == p.root, &q)
		if r == nil {
			return fmt.Errorf("look for inputs: %w", err)
		}
		for _, name := range names {
			for _, choices := range r.kept[name] {
				if !slices.ContainsFunc(corpus[name], func(o []uint64) bool { return slices.Equal(o, choices) }) {
					corpus[name] = append(corpus[name], choices)
				}
			}
			if r.reaching[name] {
				p.reaching[name] = true
			}
		}
		if err != nil {
			return fmt.Errorf("look for inputs: %w", err)
		}
	}
	return nil
}

// search gives groups inputs that do something of their own in the changed code, and others beside those. Behind what was
// compared in any event it may use a part of what is left, and what it compares until then counts.
func (c *check) search(ctx context.Context, p pair, groups []string, apart bool) error {
	groups = c.unknownOf(p, groups)
	if len(groups) == 0 {
		return nil
	}
	slices.SortStableFunc(groups, func(a, b string) int { return -compareBool(p.direct(a), p.direct(b)) })
	var err error
	if p.corpus, err = c.explore(ctx, &p, groups); err != nil {
		return err
	}
	further, all := p, slices.Clone(groups)
	c.later(func(ctx context.Context) error { return goOn(ctx, c, further, all, apart) })
	part, budget, done := c.budget.part(ctx, shareOfSearch)
	defer done()
	p.around, p.root, p.candidate = 1, p.root.with(budget), p.candidate.with(budget)
	groups = slices.DeleteFunc(groups, func(group string) bool { return len(p.corpus[group]) == 0 })
	if len(groups) > 0 {
		_, err = c.surveys(part, &p, groups, nil, apart)
	}
	return unlessEnough(err)
}

// tamed asks a tree, and again with small numbers for the groups that end its process too often: first for those, and
// for all where others do then. What was learnt holds for the pair, also what did not come back on the way.
func (p *pair) tamed(ctx context.Context, s *subject, learn bool, q *probe.Request) (*reply, error) {
	for range mostTamings {
		q.Habits = p.habits
		if !learn || !s.tames {
			return s.ask(ctx, *q)
		}
		r, err := s.learning().ask(ctx, *q)
		if err != nil {
			return r, err
		}
		q.Habits, p.habits = r.habits, r.habits
		if !r.cut && len(r.given) == 0 {
			return r, nil
		}
		before := len(p.habits.Tame)
		wild := r.given
		if r.cut || before > 0 {
			wild = q.Groups
		}
		p.habits.Tame = slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.habits.Tame, wild))))
		if len(p.habits.Tame) == before {
			return r, nil
		}
	}
	q.Habits = p.habits
	return s.ask(ctx, *q)
}

// mostTamings is how often a request is made again with smaller numbers.
const mostTamings = 3

// spread says how many cases each group of a request gets: more where it is
// close to the change, which is where it was seen to run what changed.
func (c *check) spread(p pair, q *probe.Request) {
	for _, name := range q.Groups {
		if p.reaching[name] || len(p.reaching) == 0 && p.direct(name) || len(q.Groups) <= fewGroups {
			q.Close = append(q.Close, name)
		}
	}
	times := 1
	if p.drawn() {
		times = timesOnward
	}
	q.Count = min(times*c.g.o.Cases, max(fewestCases, times*mostCases/max(1, sharesOf(q))), max(1, mostAnswered/max(1, bytesOf(q))))
	asks := asksOfSurvey
	switch {
	case p.few == shareOfGlance:
		q.Count = max(1, q.Count/shareOfGlance)
	case p.few > 0:
		q.Count = min(q.Count, max(fewestCases, q.Count/p.few))
		asks = asksOfFew
	}
	left := c.budget
	if own, ok := p.root.box.(*budget); ok && p.drawn() {
		left = own // going on has a share of its own
	}
	q.GroupMS = purse(left.rest(), asks, q)
}

// sharesOf is how many shares the groups of a request have: one each, and more where they are close to the change.
func sharesOf(q *probe.Request) int { return len(q.Groups) + (probe.CloseFactor-1)*len(q.Close) }

// bytesOf is what the answers about one case of each share take at most: a result is cut off where it is too long.
func bytesOf(q *probe.Request) int {
	of := func(groups []string) (n int) {
		for _, name := range groups {
			n += bytesOfCase + len(name)
		}
		return n
	}
	return of(q.Groups) + (probe.CloseFactor-1)*of(q.Close)
}

const (
	bytesOfCase  = 170
	mostAnswered = 6 << 20 // bytes, of 8 MiB that a result may have: edges come beside
)

// Into so many requests of the same size the time that is left is parted.
const (
	asksOfFew       = 8 // much is to come behind it
	asksOfSurvey    = 4 // the root, the candidate, and what looks again
	asksOfExploring = 3
	leastPurse      = 100 // milliseconds
)

// purse is the processor time that one share of a request may take, in milliseconds: what is dear is asked less.
func purse(left time.Duration, asks int, q *probe.Request) int64 {
	return max(leastPurse, left.Milliseconds()/int64(asks*max(1, sharesOf(q))))
}
