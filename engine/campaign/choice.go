package campaign

import (
	"cmp"
	"math"
	"slices"
)

// choice is what there is to choose from: the ready tasks, and what is known of each by
// its number.
type choice struct {
	s        *State
	tasks    []*Item         // as the formula orders them
	expected map[int]float64 // gain in percent per job, by the ranker; empty without an opinion
	costs    map[int]float64 // jobs that it is likely to take
}

// choice looks at the ready tasks.
func (s *State) choice() choice {
	c := choice{s: s, tasks: s.ready(), expected: map[int]float64{}}
	slices.SortFunc(c.tasks, byWSJF)
	c.costs = s.costs(c.tasks)
	if s.Ranker.Knows() {
		weights := s.Ranker.weights()
		for _, it := range c.tasks {
			c.expected[it.ID] = expect(weights, features(&it.Task))
		}
	}
	return c
}

// better lists the tasks that the ranker may choose, the best forecast first. Those
// that the formula comes to before the budget ends cost nothing to choose:
// they are done sooner, as far as they pass over none that may be better. For any other task some at the end of the formula's order
// are not done any more. The ranker may put them at stake only after three choices
// in a row that gained more than the formula's, and only where the forecast of the one
// exceeds that of the others by half of the error of its last forecasts. (Conservative bandits
// bound what is at stake by what is known of the baseline: Wu et al. 2016.) Without a
// budget, the formula is taken to end when as much was done again.
func (c *choice) better() []*Item {
	s := c.s
	if len(c.expected) == 0 || s.authority() == 0 {
		return nil
	}
	left := float64(s.Spent.Jobs)
	if s.Settings.Jobs > 0 {
		left = float64(s.Settings.Jobs - s.Spent.Jobs)
	}
	var out, beyond []*Item // what the formula comes to, and what not
	for _, it := range c.tasks {
		switch {
		case s.fits(&it.Task) != "":
		case c.costs[it.ID] <= left:
			left -= c.costs[it.ID]
			out = append(out, it)
		default:
			beyond = append(beyond, it)
		}
	}
	comes := out
	out, known := c.known(comes)
	if s.Ranker.wins >= provenBy {
		for _, it := range beyond {
			if c.expected[it.ID] >= known && c.outdoes(it, comes, left) {
				out = append(out, it)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *Item) int { return cmp.Compare(c.expected[b.ID], c.expected[a.ID]) })
	return out
}

// known keeps of the tasks that the formula comes to those that pass over none that may be
// better: the ranker knows nothing of a task like which none has ended, and such a one is
// begun when the formula says so. best is what a task has to exceed to pass over all.
func (c *choice) known(comes []*Item) (out []*Item, best float64) {
	ahead := c.s.Ranker.ahead()
	best = math.Inf(-1)
	for _, it := range comes {
		if c.expected[it.ID] >= best {
			out = append(out, it)
		}
		best = max(best, c.expected[it.ID]+ahead(features(&it.Task)))
	}
	return out, best
}

// outdoes reports whether a task is worth those at the end of comes that must go for it,
// when so many jobs are free.
func (c *choice) outdoes(it *Item, comes []*Item, free float64) bool {
	cost := c.costs[it.ID]
	net, square := c.expected[it.ID]*cost, cost*cost
	for i := len(comes) - 1; i >= 0 && free < cost; i-- {
		less := c.costs[comes[i].ID]
		net -= max(0, c.expected[comes[i].ID]) * less
		square += less * less
		free += less
	}
	return free >= cost && net > byErrors*c.s.Ranker.missing()*math.Sqrt(square)
}
