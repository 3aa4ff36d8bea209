package search_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"atoll/engine/archive"
	"atoll/engine/search"
	"atoll/store/record"
)

// arm is a planar arm of 8 joints, a usual test domain of quality diversity:
// the measures are where its tip is, the objective is how even its angles are.
func arm(angles []float64) (objective float64, tip []float64) {
	x, y, sum, mean := 0.0, 0.0, 0.0, 0.0
	for _, a := range angles {
		sum += a
		x, y = x+math.Cos(sum), y+math.Sin(sum)
		mean += a / float64(len(angles))
	}
	for _, a := range angles {
		objective -= (a - mean) * (a - mean) / float64(len(angles))
	}
	n := float64(len(angles))
	return objective, []float64{(x/n + 1) / 2, (y/n + 1) / 2}
}

// runArm searches for some jobs and returns the archive. Without a search each
// job edits the root afresh.
func runArm(t *testing.T, seed uint64, jobs int, selection string, searching bool) *archive.Archive {
	t.Helper()
	a := archive.New(square(16), -4)
	known := map[record.CandidateID][]float64{}
	add := func(id record.CandidateID, angles []float64) archive.Result {
		known[id] = angles
		f, tip := arm(angles)
		r, err := a.Add(archive.Entry{ID: id, Objective: f, Samples: 1, Point: tip})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	add(record.Root, make([]float64, 8))
	stats := &search.Stats{}
	for job := record.JobID(1); job <= record.JobID(jobs); job++ {
		rng := search.Rand(seed, job)
		v := search.View{
			Archive: a, Fold: int(job), Selection: selection, Inspirations: 1, Stats: stats, Adapt: search.DefaultAdapt,
			Operators: []search.Weighted{{Name: "crossover", Weight: 1}, {Name: "mutate", Weight: 1}},
		}
		c := search.Pick(v, rng, search.Free())
		if !searching {
			c.Parent, c.Operator = record.Root, record.OpMutate
		}
		r := add(record.CandidateID(job), child(known, c, rng))
		e := search.Event{Operator: c.Operator, Parent: c.Parent, State: record.Scored}
		if r.Status == archive.NewNiche || r.Status == archive.Improved {
			e.State = record.Placed
		}
		stats.Add(e)
	}
	return a
}

// child edits by iso+line variation (Vassiliades and Mouret 2018).
func child(known map[record.CandidateID][]float64, c search.Choice, rng *rand.Rand) []float64 {
	out := make([]float64, 8)
	along := 0.5 * rng.NormFloat64()
	for i, x := range known[c.Parent] {
		out[i] = x + 0.3*rng.NormFloat64()
		if c.Operator == record.OpCrossover {
			out[i] = x + 0.05*rng.NormFloat64() + along*(known[c.Inspirations[0]][i]-x)
		}
	}
	return out
}

func TestASearchIsReproducibleAndBeatsRestarts(t *testing.T) {
	// Rank goes for the best ones: it fills fewer cells than the others, and
	// still more than restarts do.
	for selection, least := range map[string]struct{ cells, qd float64 }{
		search.Uniform: {1.5, 1.3}, search.Curiosity: {1.5, 1.3}, search.Rank: {1.1, 1.1}, search.Mixed: {1.5, 1.3},
	} {
		t.Run(selection, func(t *testing.T) {
			for seed := range uint64(2) {
				const jobs = 1000
				a := runArm(t, seed, jobs, selection, true)
				if err := a.Equal(runArm(t, seed, jobs, selection, true)); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if runArm(t, seed, 50, selection, true).Digest() == runArm(t, seed+100, 50, selection, true).Digest() {
					t.Errorf("seed %d: another seed gives the same", seed)
				}
				got, blind := a.Stats(), runArm(t, seed, jobs, selection, false).Stats()
				if float64(got.Filled) < float64(blind.Filled)*least.cells || got.QD < blind.QD*least.qd {
					t.Errorf("seed %d: %d cells and QD %.0f, restarts get %d and %.0f", seed, got.Filled, got.QD, blind.Filled, blind.QD)
				}
			}
		})
	}
}

func BenchmarkPick(b *testing.B) {
	a := archive.New(square(16), 0)
	rng := search.Rand(1, 1)
	for id := range record.CandidateID(5000) {
		if _, err := a.Add(archive.Entry{ID: id, Objective: rng.Float64(), Point: []float64{rng.Float64(), rng.Float64()}}); err != nil {
			b.Fatal(err)
		}
	}
	v := search.View{Archive: a, Inspirations: 3, Operators: []search.Weighted{{Name: "crossover", Weight: 1}}}
	for b.Loop() {
		search.Pick(v, rng, search.Free())
	}
}
