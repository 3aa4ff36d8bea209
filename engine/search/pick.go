package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"atoll/engine/archive"
	"atoll/store/record"
)

// island is the name of the only sub-population where there is one.
const island = "main"

// View is all that a choice depends on besides the job.
type View struct {
	Archive      *archive.Archive
	Fold         int                // scored candidates folded so far; boosts end by it
	Root         record.CandidateID // parent of last resort
	Selection    string
	Inspirations int
	Operators    []Weighted
	Agents       []Weighted
	Targets      []Weighted
	// AgentsFor names the agents that can carry out an operator; nil: all can.
	AgentsFor func(record.Operator) []string
	// Fits says whether an operator makes sense now (a repair without
	// failures does not); nil: all do. Crossover and synergy need two distinct
	// candidates whatever it says.
	Fits func(record.Operator) bool
	// Stats drive Curiosity and Adapt; nil: nothing is known.
	Stats *Stats
	// Adapt is how strongly the yield of an operator bends its weight, 0 to 1;
	// see [Adapted]. 0 leaves the weights alone.
	Adapt float64
	// Evolving is what samples of an evolution strategy are made of, in so many of
	// the jobs in which the offline agent tunes without a target; NoCandidate: none.
	Evolving record.CandidateID
	Evolve   float64
	// Stalled: nothing better was found for long. Larger edits are drawn twice as often,
	// and where ways to draw parents take turns these go elsewhere; see [Stats.Shares].
	Stalled bool
	// Island is the sub-population whose job it is, and Elites are who hold its niches, by
	// cell; "" and nil where there is one.
	Island string
	Elites []archive.Holder
	// Named says of an island that somebody named the axes of the map: a niche there is a part
	// of a solution, and parents are drawn from those of all islands.
	Named bool
	// Axis is the one that the island follows, from 1; 0: none.
	Axis int
	// Leaders are those of the other islands, in the order of the ring.
	Leaders []record.CandidateID
	// Front are who is best in a way of its own, and FrontShare is the share of the jobs whose
	// parent is one of them; none: nothing counts beside the objective.
	Front      []Frontier
	FrontShare float64
}

// elites are who holds the niches of the island, or of all where there is one.
func (v *View) elites() []archive.Holder {
	if v.Island != "" {
		return v.Elites
	}
	return v.Archive.Holders()
}

// operators are the operators with their weights as they are now.
func (v *View) operators() []Weighted {
	ops := Adapted(v.Operators, v.Stats, v.Adapt)
	for i := range ops {
		if v.Stalled && large(record.Operator(ops[i].Name)) {
			ops[i].Weight *= 2
		}
	}
	return ops
}

// large reports whether an operator leaves the neighbourhood of the parent.
func large(op record.Operator) bool {
	switch op {
	case record.OpMutate, record.OpCrossover, record.OpSynergy, record.OpStructural, record.OpRewrite:
		return true
	}
	return false
}

// Fixed is what a person fixed; the rest is drawn. Start from [Free].
type Fixed struct {
	Parent       record.CandidateID // NoCandidate: drawn
	Operator     record.Operator
	Agent        string
	Target       string
	Inspirations []record.CandidateID // nil: drawn; empty: none
}

// Free fixes nothing.
func Free() Fixed { return Fixed{Parent: record.NoCandidate} }

// Choice is what a make job shall do.
type Choice struct {
	Parent       record.CandidateID
	Inspirations []record.CandidateID // the first is the other parent of a crossover
	Operator     record.Operator
	Agent        string
	Target       string // "" = none
	Island       string
	Way          string // by which the parent was drawn where several ways take turns, else ""
	Why          string // one line for people
}

// Pick decides what a job does. The generator must be [Rand] of the job. What a
// person fixed passes as it is: a fixed parent may be frozen, a fixed agent may
// have no weight, and a fixed operator is not asked whether it fits. The rest is
// drawn, as many numbers as if nothing was fixed.
func Pick(v View, rng *rand.Rand, f Fixed) Choice {
	p := newPicker(v, rng)
	c := Choice{Island: cmp.Or(v.Island, island)}
	var why [4]string
	c.Parent, c.Way, why[0] = p.frontier(f, p.parent)
	c.Operator, why[1] = p.operator(f, c.Parent)
	if c.Operator == record.OpSeed && f.Parent == record.NoCandidate {
		c.Parent, c.Way, why[0] = v.Root, "", "the root"
	}
	var who string
	c.Agent, who = p.agent(f, c.Operator)
	c.Target, why[2] = p.target(f)
	if p.sampled(f, c) {
		c.Parent, c.Way, why[0] = v.Evolving, "", fmt.Sprintf("what an evolution strategy began with, with chance %.2g", v.Evolve)
	}
	c.Inspirations, why[3] = p.inspirations(f, c)
	c.Why = fmt.Sprintf("%s is %s; %s", c.Parent, why[0], why[1])
	for _, w := range append([]string{who}, why[2:]...) {
		if w != "" {
			c.Why += "; " + w
		}
	}
	return c
}

// evolver is the agent that makes samples of an evolution strategy.
const evolver = "offline"

// sampled draws whether a job is a sample of the evolution strategy.
func (p *picker) sampled(f Fixed, c Choice) bool {
	if p.view.Evolving == record.NoCandidate || !(p.view.Evolve > 0) {
		return false
	}
	x := p.rng.Float64()
	return f.Parent == record.NoCandidate && c.Operator == record.OpTune && c.Agent == evolver && c.Target == "" && x < p.view.Evolve
}

// picker is one choice.
type picker struct {
	view    View
	rng     *rand.Rand
	home    []archive.Holder // those of the island
	holders []archive.Holder // who is drawn from
}

func newPicker(v View, rng *rand.Rand) picker {
	p := picker{view: v, rng: rng, home: v.elites()}
	if p.holders = p.home; v.Named {
		p.holders = v.Archive.Holders()
	}
	return p
}

// operator draws among those that fit and that some agent can carry out.
func (p *picker) operator(f Fixed, parent record.CandidateID) (record.Operator, string) {
	ops := p.view.operators()
	weights := make([]float64, len(ops))
	sum := 0.0
	for i, w := range ops {
		if p.possible(record.Operator(w.Name), f, parent) {
			weights[i] = w.at(p.view.Fold)
			sum += weights[i]
		}
	}
	i := draw(p.rng, weights)
	switch {
	case f.Operator != "":
		return f.Operator, string(f.Operator) + " given by hand"
	case i < 0:
		return record.OpMutate, "mutate, as no operator with a weight fits"
	}
	return record.Operator(ops[i].Name), fmt.Sprintf("%s with chance %.2f", ops[i].Name, weights[i]/sum)
}

func (p *picker) possible(op record.Operator, f Fixed, parent record.CandidateID) bool {
	if p.view.Fits != nil && !p.view.Fits(op) {
		return false
	}
	if mates(op) > 0 && len(f.Inspirations) == 0 && (f.Inspirations != nil || !p.hasMate(parent)) {
		return false
	}
	if f.Agent != "" {
		return p.view.AgentsFor == nil || slices.Contains(p.view.AgentsFor(op), f.Agent)
	}
	for _, w := range p.agents(op) {
		if w > 0 {
			return true
		}
	}
	return len(p.view.Agents) == 0
}

// mates is how many candidates besides the parent an operator cannot do without.
func mates(op record.Operator) int {
	if op == record.OpCrossover || op == record.OpSynergy {
		return 1
	}
	return 0
}

func (p *picker) hasMate(parent record.CandidateID) bool {
	for _, h := range p.holders {
		if h.ID != parent {
			return true
		}
	}
	for _, e := range p.view.Archive.Pool(2) {
		if e.ID != parent {
			return true
		}
	}
	return false
}

// agents returns the weights of the agents for an operator.
func (p *picker) agents(op record.Operator) []float64 {
	w := make([]float64, len(p.view.Agents))
	var able []string
	if p.view.AgentsFor != nil {
		able = p.view.AgentsFor(op)
	}
	for i, a := range p.view.Agents {
		if p.view.AgentsFor == nil || slices.Contains(able, a.Name) {
			w[i] = a.at(p.view.Fold)
		}
	}
	return w
}

// agent draws who edits. When nobody with a weight can, it is the first who
// could, so that an operator given by hand still finds its agent.
func (p *picker) agent(f Fixed, op record.Operator) (name, why string) {
	weights := p.agents(op)
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	i := draw(p.rng, weights)
	switch {
	case f.Agent != "":
		return f.Agent, "agent " + f.Agent + " given by hand"
	case i >= 0:
		return p.view.Agents[i].Name, fmt.Sprintf("agent %s with chance %.2f", p.view.Agents[i].Name, weights[i]/sum)
	case p.view.AgentsFor != nil && len(p.view.AgentsFor(op)) > 0:
		name = p.view.AgentsFor(op)[0]
	case len(p.view.Agents) > 0:
		name = p.view.Agents[0].Name
	default:
		return "", ""
	}
	return name, "agent " + name + ", as no agent with a weight can do it"
}

func (p *picker) target(f Fixed) (string, string) {
	weights := make([]float64, len(p.view.Targets))
	for i, t := range p.view.Targets {
		weights[i] = t.at(p.view.Fold)
	}
	i := draw(p.rng, weights)
	switch {
	case f.Target != "":
		return f.Target, "target " + f.Target + " given by hand"
	case i >= 0:
		if p.view.Targets[i].Name == "" {
			return "", "no target, this job is free"
		}
		return p.view.Targets[i].Name, "target " + p.view.Targets[i].Name
	case len(p.view.Targets) > 0:
		return "", "no target, all are frozen or without weight"
	}
	return "", ""
}
