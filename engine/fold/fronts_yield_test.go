package fold

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine/front"
	"atoll/engine/search"
	"atoll/store/record"
)

// climbed is what a search of 1,500 candidates over ten numbers came to, which a child takes
// from its parent but for a few: the area that its front covers of the unit square, and the best
// objective, for which all but the first number must be 0. What counts beside it wants the first
// number small, too (ZDT1: Zitzler, Deb and Thiele 2000). The map has niches along the first
// number, or along one that says nothing of either.
func climbed(t *testing.T, seed uint64, parents float64, along int) (area, best float64) {
	const n, jobs = 10, 1500
	genes := map[record.CandidateID][n]float64{}
	value := func(x [n]float64) (objective, beside float64) {
		g := 0.0
		for _, v := range x[1:] {
			g += v
		}
		g = 1 + 9*g/(n-1)
		return 1 - x[0], 10 * (1 - g*(1-math.Sqrt(x[0]/g))) // both to be large
	}
	s := begin(t, fronted, func(exp *record.Experiment, cfg *config.Config) {
		exp.Seed, cfg.Front.Parents, cfg.Front.Cases = seed, parents, nil
		cfg.Front.Objectives[0].Direction = "maximize"
		cfg.Search.Evolve = 0
	})
	s.st.front.metrics = func(id record.CandidateID) ([]record.Metric, error) {
		_, beside := value(genes[id])
		return []record.Metric{{Name: "mb", Value: beside}}, nil
	}
	tell := func(id record.CandidateID, x [n]float64) {
		genes[id] = x
		objective, _ := value(x)
		s.measured(int(id), objective, x[along])
	}
	root := [n]float64{}
	for i := range root {
		root[i] = 0.5
	}
	tell(0, root)
	for job := record.JobID(1); job <= jobs; job++ {
		rng := search.Rand(seed, job)
		x := genes[search.Pick(s.st.View(job), rng, search.Free()).Parent]
		for range 1 + rng.IntN(2) {
			i := rng.IntN(n)
			x[i] = min(1, max(0, x[i]+0.2*rng.NormFloat64()))
		}
		tell(record.CandidateID(job), x)
	}
	var on []front.Entry
	for _, m := range FrontOf(s.st).Members {
		on = append(on, front.Entry{ID: m.ID, Values: []float64{m.Objective, m.Values[0] / 10}})
		best = max(best, m.Objective)
	}
	return areaOf(on, [2]float64{0, 0}), best
}

func TestDrawingFromTheFrontWidensIt(t *testing.T) {
	seeds := suitetest.Pick(2, 20, 20)
	middle := func(along int, parents float64) (area, best float64) {
		var areas, bests []float64
		for seed := range seeds {
			a, b := climbed(t, uint64(seed+1), parents, along)
			areas, bests = append(areas, a), append(bests, b)
		}
		slices.SortFunc(areas, cmp.Compare)
		slices.SortFunc(bests, cmp.Compare)
		t.Logf("niches along number %d, front.parents %.2f: area %.3f (%.3f to %.3f), best %.3f", along, parents, areas[seeds/2], areas[0], areas[seeds-1], bests[seeds/2])
		return areas[seeds/2], bests[seeds/2]
	}
	for along := range suitetest.Pick(1, 2, 2) {
		without, _ := middle(along, 0)
		with, _ := middle(along, 0.25)
		half, _ := middle(along, 0.5)
		if with <= without || half <= without {
			t.Errorf("the front covers %.3f with a quarter of the parents from it, %.3f with half, %.3f without", with, half, without)
		}
	}
}

// areaOf is what the members of a front over two objectives dominate of the plane, from a
// reference point that all of it is measured against: larger is better. Who is behind
// the point in either value adds nothing (Zitzler and Thiele 1998, where it is called the hypervolume).
func areaOf(members []front.Entry, ref [2]float64) float64 {
	list := slices.DeleteFunc(slices.Clone(members), func(e front.Entry) bool {
		return len(e.Values) != 2 || !(e.Values[0] > ref[0]) || !(e.Values[1] > ref[1])
	})
	slices.SortFunc(list, func(a, b front.Entry) int { return cmp.Compare(b.Values[0], a.Values[0]) })
	sum, high := 0.0, ref[1]
	for _, e := range list {
		if e.Values[1] > high {
			sum += (e.Values[0] - ref[0]) * (e.Values[1] - high)
			high = e.Values[1]
		}
	}
	return sum
}
