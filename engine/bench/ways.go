package bench

import (
	"maps"
	"math/rand/v2"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/search"
	"atoll/store/record"
)

// Way is how a search goes on.
type Way struct {
	Name string
	Text string // one line
	// Configure changes the configuration of the example; nil: as it is.
	Configure func(*config.Config)
	// Fix fixes parts of the next choice; nil: none.
	Fix func(*fold.State, *rand.Rand) search.Fixed
}

// Ways returns atoll as it is, atoll with each single way to draw parents, and
// the baselines.
func Ways() []Way {
	return []Way{
		{Name: "atoll", Text: "the default way to draw parents", Configure: selecting(config.Defaults().Search.Selection)},
		{Name: "rank", Text: "parents by 1/rank^2", Configure: selecting(search.Rank)},
		{Name: "uniform", Text: "every elite alike", Configure: selecting(search.Uniform)},
		{Name: "curiosity", Text: "parents whose children took niches", Configure: selecting(search.Curiosity)},
		{Name: "novelty", Text: "parents in niches that few fell into", Configure: selecting(search.Novelty)},
		{Name: "ucb", Text: "parents by the upper bound of how often their children take niches", Configure: selecting(search.UCB)},
		{Name: "lonely", Text: "the default way, without crossover", Configure: func(c *config.Config) {
			selecting(config.Defaults().Search.Selection)(c)
			alone(c)
		}},
		{Name: "isles", Text: "the default way on 3 islands", Configure: func(c *config.Config) {
			selecting(config.Defaults().Search.Selection)(c)
			c.Search.Islands = 3
		}},
		{Name: "single", Text: "without samples of an evolution strategy", Configure: evolving(0)},
		{Name: "evolve", Text: "9 of 10 jobs that tune are samples of an evolution strategy", Configure: evolving(0.9)},
		{Name: "random", Text: "every candidate is an edit of the root", Configure: alone, Fix: func(*fold.State, *rand.Rand) search.Fixed {
			return search.Fixed{Parent: record.Root, Inspirations: []record.CandidateID{}}
		}},
		{Name: "climb", Text: "(1+1): every candidate is an edit of the best", Configure: alone, Fix: func(st *fold.State, _ *rand.Rand) search.Fixed {
			return search.Fixed{Parent: st.Best, Inspirations: []record.CandidateID{}}
		}},
		{Name: "flat", Text: "one archive of the best 64, without niches", Fix: fromBest},
	}
}

func evolving(share float64) func(*config.Config) {
	return func(c *config.Config) { c.Search.Evolve = share }
}

func selecting(how string) func(*config.Config) {
	return func(c *config.Config) { c.Search.Selection = how }
}

// alone takes away the operators that need a second candidate.
func alone(c *config.Config) {
	c.Search.Operators = maps.Clone(c.Search.Operators)
	delete(c.Search.Operators, string(record.OpCrossover))
	delete(c.Search.Operators, string(record.OpSynergy))
}

// flatSize is how many candidates the archive without niches has.
const flatSize = 64

// fromBest draws parent and inspirations from the best of all, each alike.
func fromBest(st *fold.State, rng *rand.Rand) search.Fixed {
	best := st.Archive().Best(flatSize)
	order := rng.Perm(len(best))
	f := search.Free()
	f.Inspirations = []record.CandidateID{}
	for i, k := range order[:min(len(order), 1+st.Settings.Inspirations)] {
		if i == 0 {
			f.Parent = best[k].ID
		} else {
			f.Inspirations = append(f.Inspirations, best[k].ID)
		}
	}
	return f
}
