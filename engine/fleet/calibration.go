package fleet

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"atoll/engine/fleet/wire"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store/record"
)

// DefaultAgree is how far a machine's value of the root may lie from the run's, as a
// share of it.
const DefaultAgree = 0.25

// DefaultRecheck is how often a machine measures the root again.
const DefaultRecheck = 10 * time.Minute

const (
	calibrations = 3    // values of the root from which one is said to disagree
	exactly      = 1e-9 // share by which values of an exact objective may differ
)

// reference is what the root is worth where the values of the run come from.
type reference struct {
	known  bool
	values []float64 // known with none: the root has no value to compare with
	need   int       // samples that make it known
}

// take notes a sample of the root.
func (r *reference) take(value float64, failed bool) {
	if r.known {
		return
	}
	if failed {
		r.known, r.values = true, nil
		return
	}
	r.values = append(r.values, value)
	r.known = len(r.values) >= r.need
}

// compare says what a machine's values of the root are as a ratio to the run's, and
// whether they agree within a share of it. Where all samples of the run are equal the
// objective is exact, and so must the machine be.
func (r *reference) compare(values []float64, share float64) (ratio float64, agrees bool) {
	want, got := middle(r.values), middle(values)
	ratio = 1
	if got != want {
		ratio = got / want // of 0: not finite, and told as unknown
	}
	apart, spread := math.Abs(got-want), slices.Max(r.values)-slices.Min(r.values)
	if len(r.values) > 1 && spread == 0 {
		return ratio, apart <= exactly*math.Max(math.Abs(want), math.Abs(got))
	}
	return ratio, apart <= math.Max(share*math.Abs(want), 3*spread)
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// calibration is how the values of a machine's session compare with the run's.
type calibration struct {
	held   bool      // it gets nothing until it measured the root
	task   string    // the sample of the root that it gets when it asks next, "" = none
	values []float64 // of the calibration under way
	ratio  float64   // of its root to the run's, 0 = unknown
	at     time.Time // when it was last found to agree
}

// calibrate has machines measure the root that have not yet, or not for long. The
// caller holds the lock.
func (c *Coordinator) calibrate(now time.Time) {
	if c.opt.Agree <= 0 {
		return
	}
	if !c.ref.known {
		c.elect()
		return
	}
	for _, m := range c.machines {
		k := c.table.tasks[m.check.task]
		switch {
		case len(c.ref.values) == 0:
			m.check.held = false
		case !m.serves():
			if k != nil {
				c.table.end(k, ended{err: errCancelled})
			}
		case k != nil, c.run == nil: // it is under way, or there is nothing to measure with
		case m.check.held, len(m.check.values) > 0, now.Sub(m.check.at) >= c.opt.Recheck && m.done > 0:
			if k, err := c.run.rootTask(len(m.check.values)); err == nil {
				k.only, k.then = m.name, func(how ended) { c.calibrated(m, how) }
				m.check.task = k.id
				c.table.list(k, now)
			}
		}
	}
}

// elect has one machine alone measure the root, which is what the others are compared
// with.
func (c *Coordinator) elect() {
	first := c.machines[c.first]
	if first == nil || !first.serves() {
		for _, m := range c.machines {
			if m.serves() && (first == nil || !first.serves() || m.name < first.name) {
				first = m
			}
		}
	}
	for _, m := range c.machines {
		m.check.held = m != first
	}
	if first != nil {
		c.first = first.name
	}
}

// rootTask is a sample of the root that one machine is told to take.
func (s *session) rootTask(repeat int) (*task, error) {
	t := s.form
	m := work.Measurement{Candidate: record.Root, Commit: s.job.Bench.RootCommit, Tree: s.job.Bench.RootTree, Repeat: repeat}
	t.ID, t.Candidate, t.Commit, t.Tree, t.Repeat, t.Root = wire.NewID(), m.Candidate, m.Commit, m.Tree, m.Repeat, true
	t.Evaluator.Objective, t.Evaluator.RootFault = s.learned()
	return newTask(t, m, s.stages)
}

// calibrated takes what a machine's measurement of the root gave. The caller holds the
// lock.
func (c *Coordinator) calibrated(m *machine, how ended) {
	m.check.task = ""
	if how.err != nil { // of the machine; it is asked again
		return
	}
	if r := how.result; r.Class != record.ClassNone {
		c.disagrees(m, fmt.Sprintf("the root fails there (%s), and does not elsewhere", clean(cmp.Or(r.Reason, string(r.Class)))))
		return
	}
	m.check.values = append(m.check.values, how.result.Objective)
	ratio, agrees := c.ref.compare(m.check.values, c.opt.Agree)
	if m.check.ratio = ratio; math.IsInf(ratio, 0) || math.IsNaN(ratio) {
		m.check.ratio = 0
	}
	switch {
	case agrees:
		if m.check.held {
			c.say("info", fmt.Sprintf("%s measures the root as the run does: %s", m.name, view.FormatValue(middle(m.check.values))))
		}
		m.check.held, m.check.values, m.check.at = false, nil, c.opt.Now()
		c.count(c.machines)
	case len(m.check.values) >= calibrations:
		why := fmt.Sprintf("it measures the root as %s, the run as %s", view.FormatValue(middle(m.check.values)), view.FormatValue(middle(c.ref.values)))
		if !m.check.at.IsZero() {
			why = "it drifts: " + why + "; it agreed before"
		}
		c.disagrees(m, why)
	}
}

// disagrees sets a machine aside whose values do not compare, unless nobody else is
// there to measure.
func (c *Coordinator) disagrees(m *machine, why string) {
	m.check.values, m.check.at = nil, c.opt.Now()
	advice := "values would not compare; evaluator.paired has ratios to the root compared, --fleet-agree sets how far apart they may lie"
	if c.run != nil && c.run.job.Config.Evaluator.Paired {
		advice = "its ratios would not compare"
	}
	for _, o := range c.machines {
		if o != m && o.serves() && !o.check.held {
			c.setAside(m, why+": "+advice)
			return
		}
	}
	m.check.held = false
	c.say("warn", m.name+" measures alone, although "+why+": "+advice)
}
