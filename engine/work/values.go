package work

import (
	"errors"
	"fmt"
	"math"

	"atoll/engine/eval/output"
	"atoll/engine/evidence"
	"atoll/store/record"
)

// summarise fills in the objective, its spread and the medians of all metrics
// from the samples. Deciding samples give the objective, held-out ones the
// claimed value; the two never mix (design rule 8).
func (f *Facts) summarise(c *record.Candidate, samples []record.Sample) error {
	var deciding, heldOut []float64
	values := map[string][]float64{}
	var order []record.Metric
	for _, s := range samples {
		if s.Version != f.Experiment.Objective {
			continue
		}
		if s.HeldOut {
			heldOut = append(heldOut, s.Objective)
			continue
		}
		deciding = append(deciding, s.Objective)
		for _, m := range s.Metrics {
			if _, ok := values[m.Name]; !ok {
				order = append(order, m)
			}
			values[m.Name] = append(values[m.Name], m.Value)
		}
	}
	c.Objective = nil
	if len(deciding) == 0 {
		return errors.New("nothing was measured")
	}
	mid := output.Median(deciding)
	if f.Config.Evaluator.Paired && c.ID == record.Root {
		mid = 1 // the root beside itself: what its samples say is the noise
	}
	c.Version = f.Experiment.Objective
	known, err := evidence.Of(deciding...)
	if err != nil {
		return err
	}
	c.Objective, c.Samples, c.MAD, c.Dev = &mid, len(deciding), spread(deciding, mid), known.Dev
	c.Claimed, c.ClaimedSamples, c.ClaimedDev = nil, 0, 0
	if len(heldOut) > 0 {
		if known, err = evidence.Of(heldOut...); err != nil {
			return err
		}
		c.Claimed, c.ClaimedSamples, c.ClaimedDev = &known.Mean, known.N, known.Dev
	}
	c.Metrics = c.Metrics[:0]
	for _, m := range order {
		m.Value = output.Median(values[m.Name])
		c.Metrics = append(c.Metrics, m)
	}
	if err := f.measuresOf(c); err != nil {
		c.Objective = nil
		return err
	}
	return nil
}

// measuresOf fills in the coordinates on named axes.
func (f *Facts) measuresOf(c *record.Candidate) error {
	c.Measures = nil
	for _, a := range f.Config.Map.Axes {
		found := false
		for _, m := range c.Metrics {
			if m.Name == a.Metric {
				c.Measures = append(c.Measures, m.Value)
				found = true
			}
		}
		if !found {
			return fmt.Errorf("the evaluator reported no metric %q, which is an axis of the map", a.Metric)
		}
	}
	return nil
}

// spread returns the median absolute deviation from mid; when more than half of
// the values agree, where that is 0 whatever the others are, the mean absolute
// deviation. It is 0 if and only if all values are equal, which is how the fold
// sees noise.
func spread(values []float64, mid float64) float64 {
	d := make([]float64, len(values))
	for i, v := range values {
		d[i] = math.Abs(v - mid)
	}
	if m := output.Median(d); m > 0 {
		return m
	}
	sum := 0.0
	for _, v := range d {
		sum += v / float64(len(d))
	}
	return sum
}
