package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"atoll/config"
	"atoll/store/record"
)

// Problem is an example to search on. Close ends what it started.
type Problem struct {
	Name   string
	Config config.Config
	Root   map[string]string // text by path
	// Measure returns the metrics of a candidate, or why it has none.
	Measure func(ctx context.Context, files map[string]string) (map[string]float64, error)
	Close   func()
}

// Result is how one seed of one way went on.
type Result struct {
	Problem     string    `json:"problem"`
	Way         string    `json:"way"`
	Seed        uint64    `json:"seed"`
	Evaluations int       `json:"evaluations"` // candidates that were measured, those that failed too
	Jobs        int       `json:"jobs"`        // those and duplicates, which are not measured
	Duplicates  int       `json:"duplicates"`
	Failed      int       `json:"failed"`
	Points      []Point   `json:"points"` // as it stood after some numbers of evaluations
	Root        float64   `json:"root"`
	Seconds     float64   `json:"seconds"`
	Maps        []float64 `json:"maps,omitempty"` // of each learned map: the share of candidates that changed their niche
	Far         []float64 `json:"far,omitempty"`  // of each learned map: the share of the elites before it that lie more than one cell away

	// Metrics of the best at the end, by name; not all examples have the same.
	Best map[string]float64 `json:"best"`
	// Depth is how many edits lie between the root and the best.
	Depth int `json:"depth"`
}

// Point is how a run stood after a number of evaluations.
type Point struct {
	Evaluations int     `json:"evaluations"`
	Best        float64 `json:"best"`
	QD          float64 `json:"qd_score"`
	Niches      int     `json:"niches"`
}

// Run searches with one seed and looks at the numbers of evaluations, the last
// of which ends it.
func Run(ctx context.Context, p Problem, w Way, seed uint64, at []int, now func() time.Time) (Result, error) {
	began := now()
	l, err := newLab(ctx, p, w, seed)
	if err != nil {
		return Result{}, err
	}
	look := func(n int) {
		st := l.st.Archive().Stats()
		l.result.Points = append(l.result.Points, Point{Evaluations: n, Best: l.st.Candidate(l.st.Best).Objective, QD: st.QD, Niches: st.Filled})
	}
	l.result.Root = l.st.Candidate(record.Root).Objective
	err = l.run(ctx, slices.Max(at), func(n int) {
		if slices.Contains(at, n) {
			look(n)
		}
	})
	if err != nil {
		return l.result, fmt.Errorf("%s by %s, seed %d: %w", p.Name, w.Name, seed, err)
	}
	if n := len(l.result.Points); n == 0 || l.result.Points[n-1].Evaluations < slices.Max(at) {
		look(l.result.Evaluations) // it ran out of jobs that are new
	}
	if l.result.Best, err = p.Measure(ctx, l.trees[l.st.Best].files); err != nil {
		return l.result, fmt.Errorf("%s by %s, seed %d: measure the best again: %w", p.Name, w.Name, seed, err)
	}
	for id := l.st.Best; id != record.Root; id = l.trees[id].from {
		l.result.Depth++
	}
	l.result.Seconds = now().Sub(began).Seconds()
	return l.result, nil
}

// Spread is the middle and the range of some values.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// SpreadOf returns the spread of values; of none it is not a number.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return Spread{(v[(n-1)/2] + v[n/2]) / 2, v[0], v[n-1]}
}
