package work

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"atoll/engine/eval/output"
	"atoll/engine/evidence"
	"atoll/store/record"
)

// summarise fills in the objective, its spread and the metrics from the samples.
// Deciding samples give the objective and the metrics, held-out ones the claimed
// value; the two never mix (design rule 8).
func (f *Facts) summarise(c *record.Candidate, samples []record.Sample) error {
	var deciding, heldOut []float64
	var taken []record.Sample // that decide
	for _, s := range samples {
		if s.Version != f.Experiment.Objective {
			continue
		}
		if s.HeldOut {
			heldOut = append(heldOut, s.Objective)
			continue
		}
		deciding, taken = append(deciding, s.Objective), append(taken, s)
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
	c.Metrics = middle(taken)
	if err := f.measuresOf(c); err != nil {
		c.Objective = nil
		return err
	}
	return nil
}

// middle are the metrics of the sample whose objective is the median of all; of an
// even number the means over the two around it. Medians of each metric by itself
// would come from different samples, and could contradict each other: a time that
// fell beside a rate that fell. A metric that those samples lack is the median of
// the others.
func middle(samples []record.Sample) []record.Metric {
	samples = slices.Clone(samples)
	slices.SortStableFunc(samples, func(a, b record.Sample) int { return cmp.Compare(a.Objective, b.Objective) })
	values, around := map[string][]float64{}, map[string][]float64{}
	var out []record.Metric
	for i, s := range samples {
		for _, m := range s.Metrics {
			if values[m.Name] == nil {
				out = append(out, m)
			}
			values[m.Name] = append(values[m.Name], m.Value)
			if i == (len(samples)-1)/2 || i == len(samples)/2 {
				around[m.Name] = append(around[m.Name], m.Value)
			}
		}
	}
	for i, m := range out {
		if list := around[m.Name]; len(list) > 0 {
			values[m.Name] = list
		}
		out[i].Value = output.Median(values[m.Name]) // of one or two: itself, or the mean
	}
	return out
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
	if c.ID == record.Root {
		return f.frontOf(c)
	}
	return nil
}

// frontOf refuses a root that lacks what counts beside the objective: nothing could be
// compared with it.
func (f *Facts) frontOf(c *record.Candidate) error {
	has := make([]string, len(c.Metrics))
	for i, m := range c.Metrics {
		has[i] = m.Name
	}
	for _, o := range f.Config.Front.Objectives {
		if !slices.Contains(has, o.Metric) {
			return fmt.Errorf("the evaluator reported no metric %q, which front.objectives names; it reported %s", o.Metric, strings.Join(has, ", "))
		}
	}
	if globs := f.Config.Front.Cases; len(globs) > 0 && !slices.ContainsFunc(has, f.Config.Front.CaseOf) {
		return fmt.Errorf("the evaluator reported no metric that front.cases (%s) names; it reported %s", strings.Join(globs, ", "), strings.Join(has, ", "))
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
