package pane

import (
	"math"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// latelyBins is how many stretches the last jobs are told in.
const latelyBins = 10

// lately tells in a sparkline how often something was so among the jobs that
// ended last, oldest first: of those that count, the share that is a hit.
func (d *Shared) lately(counts, hit func(e *view.Ended) bool) string {
	shares := d.shares(counts, hit)
	if shares == nil {
		return ""
	}
	return plot.Heights(shares, latelyBins, d.Glyphs)
}

// shares are the figures of lately, NaN where nothing counted; nil before the
// first end.
func (d *Shared) shares(counts, hit func(e *view.Ended) bool) []float64 {
	var bins [latelyBins][2]float64
	recent := d.Snap.Recent
	n := len(recent)
	if n == 0 {
		return nil
	}
	for i := range recent {
		e := &recent[i]
		if e.Job.Kind != record.Make || !counts(e) {
			continue
		}
		at := &bins[latelyBins-1-i*latelyBins/n]
		at[0]++
		if hit(e) {
			at[1]++
		}
	}
	shares := make([]float64, latelyBins)
	for i, b := range bins {
		shares[i] = math.NaN()
		if b[0] > 0 {
			shares[i] = b[1] / b[0]
		}
	}
	return shares
}

func everyJob(*view.Ended) bool { return true }

func placed(e *view.Ended) bool { return e.Job.State == record.Placed }
