package evo

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// plan returns the items of the present generation, at most as many as the budget
// leaves. The same state and seed give the same plan.
//
// A target gets its share of the population by its temperature, at least one item;
// of that the mutation rate is mutated, at least one, and the rest crossed over.
// Every so many generations each pair of targets gets one item that combines their
// best.
func (r *Run) plan(seed uint64) []Item {
	var active []*Target
	sum := 0.0
	for i := range r.Targets {
		if t := &r.Targets[i]; !t.Frozen {
			active = append(active, t)
			sum += t.Temperature
		}
	}
	if sum == 0 {
		sum = float64(len(active))
	}
	var items []Item
	for _, t := range active {
		n := max(1, round(float64(r.Setup.PopSize)*t.Temperature/sum))
		mutations := min(n, max(1, round(float64(n)*r.Setup.MutationRate)))
		for k := range n - mutations {
			items = append(items, r.newItem(opCrossover, t.ID, k, r.pair(t, chance(seed, r.Generation, t.ID, k))))
		}
		for k := range mutations {
			items = append(items, r.newItem(opMutate, t.ID, k, []string{bestOr(t, Seed)}))
		}
	}
	if every := r.Setup.Synergy; every > 0 && r.Generation > 0 && r.Generation%every == 0 {
		for i, a := range active {
			for _, b := range active[i+1:] {
				items = append(items, r.newItem(opSynergy, a.ID+"+"+b.ID, 0, r.both(a, b)))
			}
		}
	}
	return items[:min(len(items), max(0, r.left()))]
}

// round rounds half to even.
func round(v float64) int { return int(math.RoundToEven(v)) }

func (r *Run) newItem(op, target string, k int, parents []string) Item {
	dir := target
	if op == opSynergy {
		dir = opSynergy
		op = target
	}
	it := Item{Branch: fmt.Sprintf("gen-%d/%s/%s-%d", r.Generation, dir, op, k), Operation: op, Target: target, Parents: parents}
	if dir == opSynergy {
		it.Operation = opSynergy
	}
	return it
}

func bestOr(t *Target, otherwise string) string {
	if t.BestBranch != "" {
		return t.BestBranch
	}
	return otherwise
}

// both are the best branches of two targets, the seed where neither has one.
func (r *Run) both(a, b *Target) []string {
	var parents []string
	for _, t := range []*Target{a, b} {
		if t.BestBranch != "" && !slices.Contains(parents, t.BestBranch) {
			parents = append(parents, t.BestBranch)
		}
	}
	if len(parents) == 0 {
		return []string{Seed}
	}
	return parents
}

// pairTries is how often a pair of parents is drawn, and equalPair the chance that
// two of equal fitness will do.
const (
	pairTries = 100
	equalPair = 0.2
)

// pair draws two different parents, the better one first; where there are no two,
// the target's best or the seed is the only one.
func (r *Run) pair(t *Target, rng *rand.Rand) []string {
	if len(t.Active) > 1 {
		for range pairTries {
			i := rng.IntN(len(t.Active))
			j := rng.IntN(len(t.Active) - 1)
			if j >= i {
				j++
			}
			a, b := t.Active[i], t.Active[j]
			if a.Fitness == b.Fitness && rng.Float64() >= equalPair {
				continue
			}
			if r.better(b.Fitness, a.Fitness) {
				a, b = b, a
			}
			return []string{a.Branch, b.Branch}
		}
	}
	return []string{bestOr(t, Seed)}
}

// chance is the source of randomness of one item.
func chance(seed uint64, generation int, target string, k int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", generation, target, k)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
