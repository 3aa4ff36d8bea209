package cli

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"atoll/engine/bench"
)

func TestSeedsRunAtOnceAndAreToldInTheirOrder(t *testing.T) {
	first := make(chan struct{})
	var at atomic.Int32
	var told []uint64
	runs, err := allSeeds(4, 2, func(seed uint64) (bench.Result, error) {
		if seed == 1 {
			<-first // the others end before it
		} else if at.Add(1) == 3 {
			close(first)
		}
		return bench.Result{Seed: seed}, nil
	}, func(r bench.Result) { told = append(told, r.Seed) })
	if err != nil || !slices.Equal(told, []uint64{1, 2, 3, 4}) || len(runs) != 4 || runs[2].Seed != 3 {
		t.Errorf("told %v, runs %v, %v", told, runs, err)
	}
	broken := errors.New("broken")
	if _, err := allSeeds(2, 1, func(seed uint64) (bench.Result, error) { return bench.Result{}, broken }, func(bench.Result) { t.Error("a run without a result is told") }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
