package offline

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// The numbers that an evolution strategy moves: not fewer, or a single step does as
// well, and not more, or it learns nothing in time.
const (
	leastEvolved = 4
	mostEvolved  = 256
	// logUnit is the unit of a positive number that stands alone, in its logarithm:
	// such a number may have to change by orders of magnitude.
	logUnit = 8
)

// evolve draws a sample of the run of an evolution strategy that the history tells
// of, where the parent is what that run began with. The distribution follows from
// seed and samples alone.
func (e *editing) evolve() bool {
	ev := e.job.History.Evolving()
	if ev == nil || ev.Start != e.job.Parent.ID || len(e.job.Frozen) > 0 || e.job.Target.Symbol != "" || len(e.job.Target.Files) > 0 {
		return false
	}
	n := e.evolved()
	if n == nil {
		return false
	}
	s := newStrategy(n, ev)
	x := s.sample(e.job.Number)
	var edits []textEdit
	var shown []string
	for i, lit := range n.lits {
		v := s.space.value(i, x[i])
		text, ok := lit.format.write(v, s.sigma*math.Sqrt(s.spread[i])*s.space.slope(i))
		old := string(n.src.Data[lit.start:lit.end])
		if ok && strings.HasPrefix(text, "-") && !strings.HasPrefix(old, "-") {
			text, ok = n.negated(lit, text)
		}
		if !ok || text == old {
			continue
		}
		edits = append(edits, textEdit{lit.start, lit.end, text})
		if len(shown) < 3 {
			shown = append(shown, fmt.Sprintf("%s -> %s", old, text))
		}
	}
	data := applyEdits(n.src.Data, edits)
	if len(edits) == 0 || !e.valid(n.src, data) {
		return false
	}
	e.put(n.src.Path(), data, fmt.Sprintf("evolve %d literals of generation %d, step %.2g, in %s: %s, ...", len(n.lits), s.generation, s.sigma, n.src.Path(), strings.Join(shown, ", ")))
	return true
}

// evolved is the file with most numbers that look like parameters, and those
// numbers; nil where no file has enough. It depends on the parent alone.
func (e *editing) evolved() *numbers {
	files := e.base.Files()
	if len(files) > 4*probes {
		return nil
	}
	var picks []pick
	for _, f := range files {
		if p, ok := e.consider(f); ok && !language.IsTest(f.Path) {
			picks = append(picks, p)
		}
	}
	slices.SortStableFunc(picks, func(a, b pick) int { return cmp.Compare(b.weight, a.weight) })
	var best *numbers
	for _, p := range picks[:min(len(picks), maxLoads)] {
		s, ok := e.load(p)
		if !ok {
			continue
		}
		n := e.numbers(s)
		if n == nil {
			continue
		}
		n.lits = slices.DeleteFunc(n.lits, func(lit literal) bool { return lit.format.integer || lit.weight < 0.5 })
		if len(n.lits) >= leastEvolved && len(n.lits) <= mostEvolved && (best == nil || len(n.lits) > len(best.lits)) {
			best = n
		}
	}
	return best
}

// numberSpace maps coordinates to the numbers of a file; all coordinates of the
// numbers as they are written are 0.
type numberSpace struct {
	base, unit []float64
	log        []bool
	negative   bool
}

func (s *numberSpace) value(i int, x float64) float64 {
	if s.log[i] {
		return s.base[i] * math.Exp(s.unit[i]*x)
	}
	return s.base[i] + s.unit[i]*x
}

// slope is how much the number changes with its coordinate, near the start.
func (s *numberSpace) slope(i int) float64 {
	if s.log[i] {
		return math.Abs(s.base[i]) * s.unit[i] / 10
	}
	return s.unit[i]
}

// inside reflects a coordinate where its number would become negative and none is.
func (s *numberSpace) inside(i int, x float64) float64 {
	if s.negative || s.log[i] || s.value(i, x) >= 0 {
		return x
	}
	return -x - 2*s.base[i]/s.unit[i]
}

func spaceOf(n *numbers) *numberSpace {
	s := &numberSpace{base: make([]float64, len(n.lits)), unit: make([]float64, len(n.lits)), log: make([]bool, len(n.lits))}
	for i, lit := range n.lits {
		s.base[i], s.unit[i] = lit.value, n.scale(i, lit.table)
		s.negative = s.negative || lit.value < 0
		if !lit.table && lit.value > 0 {
			s.log[i], s.unit[i] = true, logUnit
		}
	}
	return s
}

// flatShare is how much of a generation is alike when its steps are too small to tell: the
// spread grows then (Hansen 2016, "The CMA evolution strategy: a tutorial", B.3, flat fitness).
// Where all of it is, the spread grows e-fold: nothing is lost by a step too large.
const flatShare = 0.7

// strategy is the separable CMA-ES (Ros and Hansen 2008, "A simple modification in
// CMA-ES achieving linear time and space complexity") as it stands after the samples
// of a run. Samples come back late and out of order: a generation is the next so
// many that came back, whatever they were drawn from.
type strategy struct {
	space      *numberSpace
	seed       uint64
	run        int
	generation int
	weights    []float64
	eff        float64 // effective number of parents
	sigma      float64
	mean       []float64
	spread     []float64 // variances by coordinate
	pathC      []float64
	pathS      []float64
}

// newStrategy replays a run.
func newStrategy(n *numbers, ev *agent.Evolution) *strategy {
	dims := len(n.lits)
	s := &strategy{
		space: spaceOf(n), seed: ev.Seed, run: ev.Run, sigma: ev.Step,
		mean: make([]float64, dims), spread: make([]float64, dims), pathC: make([]float64, dims), pathS: make([]float64, dims),
	}
	for i := range s.spread {
		s.spread[i] = 1
	}
	sum, squares := 0.0, 0.0
	for i := range ev.Size / 2 {
		w := math.Log(float64(ev.Size)/2+0.5) - math.Log(float64(i+1))
		s.weights = append(s.weights, w)
		sum += w
	}
	for i := range s.weights {
		s.weights[i] /= sum
		squares += s.weights[i] * s.weights[i]
	}
	s.eff = 1 / squares
	drawn := map[record.JobID][]float64{}
	byGeneration := map[int][]record.JobID{}
	for _, p := range ev.Samples {
		byGeneration[p.Generation] = append(byGeneration[p.Generation], p.Job)
	}
	for begin := 0; begin+ev.Size <= len(ev.Samples); begin += ev.Size {
		for _, job := range byGeneration[s.generation] {
			drawn[job] = s.sample(job)
		}
		s.learn(slices.Clone(ev.Samples[begin:begin+ev.Size]), drawn)
	}
	return s
}

// sample draws the coordinates of one job.
func (s *strategy) sample(job record.JobID) []float64 {
	rng := rand.New(rand.NewPCG(s.seed^0xa0761d6478bd642f, uint64(job)<<16^uint64(s.run)))
	x := make([]float64, len(s.mean))
	for i := range x {
		x[i] = s.space.inside(i, s.mean[i]+s.sigma*math.Sqrt(s.spread[i])*rng.NormFloat64())
	}
	return x
}

// flatGrowth is what the logarithm of the spread grows by where a generation, the best first,
// is worth the same as its best, all of it or flatShare; rate is that of the spread's own change.
func flatGrowth(samples []agent.Sample, rate float64) float64 {
	best, last := samples[0].Value, samples[len(samples)-1].Value
	switch {
	case math.IsInf(best, -1):
		return 0
	case best == last:
		return 1
	case best == samples[int(math.Ceil(flatShare*float64(len(samples))))-1].Value:
		return 0.2 + rate
	}
	return 0
}

// learn makes the next generation.
func (s *strategy) learn(samples []agent.Sample, drawn map[record.JobID][]float64) {
	slices.SortStableFunc(samples, func(a, b agent.Sample) int { return cmp.Compare(b.Value, a.Value) })
	n := float64(len(s.mean))
	cs, cc := (s.eff+2)/(n+s.eff+5), (4+s.eff/n)/(n+4+2*s.eff/n)
	faster := (n + 2) / 3 // than with a full matrix
	c1 := min(1, faster*2/((n+1.3)*(n+1.3)+s.eff))
	cmu := min(1-c1, faster*2*(s.eff-2+1/s.eff)/((n+2)*(n+2)+s.eff))
	damping := 1 + cs + 2*max(0, math.Sqrt((s.eff-1)/(n+1))-1)
	expected := math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))
	s.generation++
	length, steps := 0.0, make([]float64, len(s.mean))
	for i := range s.mean {
		for k, w := range s.weights {
			steps[i] += w * (drawn[samples[k].Job][i] - s.mean[i]) / s.sigma
		}
		s.pathS[i] = (1-cs)*s.pathS[i] + math.Sqrt(cs*(2-cs)*s.eff)*steps[i]/math.Sqrt(s.spread[i])
		length += s.pathS[i] * s.pathS[i]
	}
	length = math.Sqrt(length)
	steady := 0.0
	if length/math.Sqrt(1-math.Pow(1-cs, 2*float64(s.generation))) < (1.4+2/(n+1))*expected {
		steady = 1
	}
	for i := range s.mean {
		s.pathC[i] = (1-cc)*s.pathC[i] + steady*math.Sqrt(cc*(2-cc)*s.eff)*steps[i]
		rank := 0.0
		for k, w := range s.weights {
			d := (drawn[samples[k].Job][i] - s.mean[i]) / s.sigma
			rank += w * d * d
		}
		s.spread[i] = max(1e-12, (1-c1-cmu)*s.spread[i]+c1*s.pathC[i]*s.pathC[i]+cmu*rank)
	}
	for i := range s.mean {
		s.mean[i] += s.sigma * steps[i]
	}
	grow := min(1, cs/damping*(length/expected-1)) + flatGrowth(samples, cs/damping)
	s.sigma = min(1, max(1e-9, s.sigma*math.Exp(grow)))
}
