package search

import (
	"atoll/store/record"
)

// Odds are the chances of the next draw, each list adding up to 1 where
// something can be drawn.
type Odds struct {
	Parents   map[record.CandidateID]float64
	Operators map[string]float64
	Agents    map[string]float64
	Targets   map[string]float64 // "" = none
}

// Chances returns the odds of the next [Pick] under a view. Agents are told over
// all operators. An operator that needs a second parent counts as possible once
// there are two candidates, whoever the parent is.
func Chances(v View) Odds {
	p := newPicker(v, nil)
	o := Odds{Parents: p.frontOdds(p.parentOdds()), Operators: map[string]float64{}, Agents: map[string]float64{}, Targets: map[string]float64{}}
	ops := v.operators()
	sum := 0.0
	for _, w := range ops {
		if p.possible(record.Operator(w.Name), Free(), record.NoCandidate) {
			o.Operators[w.Name] = w.at(v.Fold)
			sum += o.Operators[w.Name]
		}
	}
	for name := range o.Operators {
		if sum > 0 {
			o.Operators[name] /= sum
		}
		share(o.Agents, p.agents(record.Operator(name)), func(i int) string { return v.Agents[i].Name }, o.Operators[name])
	}
	targets := make([]float64, len(v.Targets))
	for i, t := range v.Targets {
		targets[i] = t.at(v.Fold)
	}
	share(o.Targets, targets, func(i int) string { return v.Targets[i].Name }, 1)
	p.sampleOdds(&o)
	return o
}

// share adds to each name its part of a chance, in proportion to the weights.
func share(to map[string]float64, weights []float64, name func(i int) string, chance float64) {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for i, w := range weights {
		if sum > 0 {
			to[name(i)] += chance * w / sum
		}
	}
}

// sampleOdds counts the jobs that are samples of an evolution strategy to what it
// began with.
func (p *picker) sampleOdds(o *Odds) {
	v := p.view
	if v.Evolving == record.NoCandidate || !(v.Evolve > 0) {
		return
	}
	able := map[string]float64{}
	share(able, p.agents(record.OpTune), func(i int) string { return v.Agents[i].Name }, 1)
	free := o.Targets[""]
	if len(v.Targets) == 0 {
		free = 1
	}
	x := o.Operators[string(record.OpTune)] * able[evolver] * free * v.Evolve
	for id := range o.Parents {
		o.Parents[id] *= 1 - x
	}
	if x > 0 {
		o.Parents[v.Evolving] += x
	}
}
