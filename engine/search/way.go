package search

import (
	"cmp"
	"math"
	"slices"

	"atoll/engine/archive"
)

// The ways to draw a parent from the elites. Anything else is Uniform. With the rank r
// of an elite from 0 by objective, its children t that ended, those of them s that took a niche,
// and the candidates n that fell into its niche, the weight of an elite is
//
//	uniform    1
//	rank       1/(1+r)^2: six in ten draws go to the best, a quarter to the next two
//	exploit    four draws in five to the best, the rest to all alike
//	curiosity  (1+s)/(2+t) (Cully and Demiris 2018, "Quality and Diversity Optimization")
//	novelty    1/sqrt(1+n) (Ecoffet et al. 2021, "First return, then explore")
//	ucb        1/(1+u)^2, u being its rank from 0 by (1+s)/(2+t) + sqrt(ln(1+T)/(1+t))/2, T
//	           the sum of all t (Auer, Cesa-Bianchi and Fischer 2002)
//
// Mixed draws one of these first, all but exploit, each as often as it yields, and lets parents rest;
// see [Stats.Shares] and [Stats.Rested].
const (
	Uniform   = "uniform"
	Rank      = "rank"
	Exploit   = "exploit"
	Curiosity = "curiosity"
	Novelty   = "novelty"
	UCB       = "ucb"
	Mixed     = "mixed"
)

// mixed are the ways that take turns, and least what each is drawn, whatever it yields.
var (
	mixed = [...]string{Rank, Uniform, Curiosity, Novelty, UCB}
	least = [...]float64{0.4, 0.06, 0.06, 0.06, 0.06}
)

// selection names a way in a sentence.
func selection(way string) string {
	switch way {
	case Rank, Exploit, Curiosity, Novelty, UCB, Along:
		return "by " + way
	}
	return Uniform
}

// shares are how often each way is drawn.
func (p *picker) shares() []Share {
	if p.view.Selection == Mixed {
		return p.view.along(p.view.Stats.Shares(p.view.Stalled))
	}
	return []Share{{p.view.Selection, 1}}
}

// chances returns the weight of each elite by one way, boosts included.
func (p *picker) chances(way string, hs []archive.Holder) []float64 {
	w := make([]float64, len(hs))
	switch way {
	case Rank:
		byRank(w, func(i, j int) int {
			return cmp.Or(cmp.Compare(hs[j].Objective, hs[i].Objective), cmp.Compare(hs[i].ID, hs[j].ID))
		})
		if p.view.Stalled && p.view.Selection == Mixed && len(w) > 1 {
			w[slices.Index(w, 1)] = 0 // the best had its time
		}
	case Exploit:
		best := 0
		for i, h := range hs {
			w[i] = 1
			if h.Objective > hs[best].Objective {
				best = i
			}
		}
		w[best] = max(1, 4*float64(len(hs)-1))
	case Curiosity:
		for i, h := range hs {
			tries, improved := p.view.Stats.Parent(h.ID)
			w[i] = float64(1+improved) / float64(2+tries)
		}
	case Novelty:
		for i, h := range hs {
			w[i] = 1 / math.Sqrt(float64(1+p.view.Archive.Tries(h.Cell)))
		}
	case UCB:
		p.upper(w, hs)
	case Along:
		byRank(w, p.view.ahead(hs))
	default:
		for i := range w {
			w[i] = 1
		}
	}
	if p.view.Selection == Mixed {
		for i, h := range hs {
			w[i] *= p.view.Stats.Rested(h.ID)
		}
	}
	if len(p.view.Archive.Boosts(p.view.Fold)) > 0 {
		for i, h := range hs {
			w[i] *= p.view.Archive.BoostOf(h.Cell, p.view.Fold)
		}
	}
	return w
}

// upper weighs elites by the upper bound of how often their children take a niche.
func (p *picker) upper(w []float64, hs []archive.Holder) {
	all := 0
	for _, h := range hs {
		tries, _ := p.view.Stats.Parent(h.ID)
		all += tries
	}
	bound := make([]float64, len(hs))
	for i, h := range hs {
		tries, improved := p.view.Stats.Parent(h.ID)
		bound[i] = float64(1+improved)/float64(2+tries) + math.Sqrt(math.Log(float64(1+all))/float64(1+tries))/2
	}
	byRank(w, func(i, j int) int {
		return cmp.Or(cmp.Compare(bound[j], bound[i]), cmp.Compare(hs[i].ID, hs[j].ID))
	})
}

// byRank weighs by 1 over the square of the place in an order.
func byRank(w []float64, order func(i, j int) int) {
	places := make([]int, len(w))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, order)
	for rank, i := range places {
		w[i] = 1 / float64((1+rank)*(1+rank))
	}
}

// Share is how often something is drawn, from 0 to 1.
type Share struct {
	Name  string
	Share float64
}

// draws is the share that a number from [0,1) falls on.
func draws(shares []Share, x float64) Share {
	w := make([]float64, len(shares))
	for i, s := range shares {
		w[i] = s.Share
	}
	return shares[at(w, x)]
}

// How shares follow yields.
const (
	// wayMemory is how many jobs it takes until an old result counts 1/e; niches are
	// taken often, a new best is rare.
	wayMemory = 1000
	// wayPrior is how many jobs at the mean yield each way starts with.
	wayPrior = 30
)

// Shares are how often each way is drawn where several take turns. With the jobs t of a way
// of late, those n of them that took a niche and those b that became the best, both drawn
// to the mean of all ways by 30 jobs, its share is
//
//	0.06 (rank 0.4) + 0.36 (n/t / sum of n/t + b/t / sum of b/t) / 2
//
// the sums being over all ways: half of what is free goes to those that fill and improve niches, half to those that
// find a better best. While a search stands all of it goes to those that take niches.
func (s *Stats) Shares(stalled bool) []Share {
	var late [len(mixed)][3]float64
	var sum [3]float64
	for i, name := range mixed {
		late[i] = s.lately(name)
		for k, x := range late[i] {
			sum[k] += x
		}
	}
	var rate [len(mixed)][2]float64
	var total [2]float64
	for i := range mixed {
		for k := range 2 {
			mean := (sum[1+k] + 1) / (sum[0] + 2)
			rate[i][k] = (late[i][1+k] + wayPrior*mean) / (late[i][0] + wayPrior)
			total[k] += rate[i][k]
		}
	}
	out := make([]Share, len(mixed))
	free := 1.0
	for _, x := range least {
		free -= x
	}
	for i, name := range mixed {
		score := (rate[i][0]/total[0] + rate[i][1]/total[1]) / 2
		if stalled {
			score = rate[i][0] / total[0]
		}
		out[i] = Share{name, least[i] + free*score}
	}
	return out
}

// lately are the jobs of a way, those that took a niche and those that became the best,
// faded by their age.
func (s *Stats) lately(way string) (out [3]float64) {
	if s == nil {
		return out
	}
	t := s.ways[way]
	if t == nil {
		return out
	}
	fade := math.Exp(-float64(s.events-t.at) / wayMemory)
	return [3]float64{t.tries * fade, t.improved * fade, t.best * fade}
}
