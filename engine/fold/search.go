package fold

import (
	"maps"
	"math"
	"slices"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

// View is what the search may know of the island of a job at this fold position.
func (s *State) View(job record.JobID) search.View {
	v := everywhere(s)
	if k := s.isles.turn(job); k != nil {
		v = s.isles.seen(v, k)
		v.Front = slices.DeleteFunc(v.Front, func(m search.Frontier) bool { // those of others come as guests
			return m.ID != record.Root && s.Candidate(m.ID).island != k.number
		})
	}
	return v
}

// everywhere is the view without regard to islands.
func everywhere(s *State) search.View {
	return search.View{
		Archive: s.arch, Fold: s.folded, Root: record.Root, Selection: s.Config.Search.Selection,
		Inspirations: s.Settings.Inspirations, Operators: search.Weights(s.Settings.Operators),
		Agents: s.agentWeights(s.Settings.Agents), Targets: s.targetWeights(), AgentsFor: s.agentsFor(),
		Fits: s.fits, Stats: &s.yields, Adapt: search.DefaultAdapt, Evolving: evolving(s), Evolve: s.Config.Search.Evolve, Stalled: s.stalled,
		Front: s.front.drawn(), FrontShare: s.Config.Front.Parents,
	}
}

// wayOf is by which way the parent of a make job was drawn, where several take turns.
func wayOf(j *record.Job) string {
	if j.Kind != record.Make {
		return ""
	}
	return string(j.Purpose)
}

// against says how a candidate compares with its parent. On axes that somebody named one
// that is worse and lies in another niche went elsewhere, and is neither better nor worse.
func (c *placement) against(m *Candidate, delta *float64) int {
	if delta == nil || *delta == 0 {
		return 0
	}
	if !c.Learned {
		here, ok1 := c.cellOf(m.ID())
		there, ok2 := c.cellOf(m.Parent())
		if ok1 && ok2 && here != there {
			return 0
		}
	}
	if *delta > 0 {
		return 1
	}
	return -1
}

// NewHistory is what the jobs of an experiment learn from before any of them ended.
func NewHistory(s *State) *agent.History {
	h := agent.NewHistory()
	if s.Config.Search.Evolve > 0 {
		h.Evolve(s.Exp.Seed)
	}
	return h
}

// evolving is the candidate that samples of an evolution strategy are made of now.
// One that a person rejected or froze is none.
func evolving(s *State) record.CandidateID {
	id := s.Lessons.Start()
	if m := s.Candidate(id); m == nil || m.Out() || !m.Scored || s.arch.IsFrozen(id) {
		return record.NoCandidate
	}
	return id
}

func (st *steering) targetWeights() []search.Weighted {
	var out []search.Weighted
	proposed := 0.0
	for _, t := range st.Targets() {
		if t.By != "" {
			proposed += t.Weight
		}
		w := search.Weighted{Name: t.Name, Weight: t.Weight}
		if st.Decided.frozen[t.Name] {
			w.Weight = 0
		}
		if b := st.Decided.boosts[t.Name]; b > 0 {
			w.Boost, w.Until = b, math.MaxInt
		}
		out = append(out, w)
	}
	if len(st.Config.Targets) == 0 && proposed > 0 { // proposals are no fence: half of the jobs stay free
		out = append(out, search.Weighted{Weight: proposed})
	}
	return out
}

// agentsFor names the agents that can carry out an operator. The offline one is
// always there.
func (r *rules) agentsFor() func(record.Operator) []string {
	agents := map[string]config.Agent{"offline": {Name: "offline", Kind: "offline"}}
	for _, a := range r.Config.Agents {
		agents[a.Name] = a
	}
	names := slices.Sorted(maps.Keys(agents))
	return func(op record.Operator) []string {
		return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !agents[n].Carries(string(op)) })
	}
}

// fits says whether an operator makes sense now.
func (o *outcomes) fits(op record.Operator) bool {
	switch op {
	case record.OpManual:
		return false
	case record.OpRepair:
		return len(o.repairs) > 0
	case record.OpSeed:
		return o.Scored < seedJobs
	}
	return true
}

// seedJobs is how many measured candidates end the first population.
const seedJobs = 16

// Odds tells the chances of the next draws as they would be with the weights of
// other settings.
func (s *State) Odds(draft record.Settings) view.Odds {
	if s.arch == nil {
		return view.Odds{}
	}
	v := everywhere(s)
	v.Operators, v.Agents = search.Weights(draft.Operators), s.agentWeights(draft.Agents)
	chances := search.Chances(v)
	if n := len(s.isles.live); n > 0 { // the islands take turns
		chances.Parents = map[record.CandidateID]float64{}
		for i := range n {
			for id, chance := range search.Chances(s.isles.seen(v, &s.isles.live[i])).Parents {
				chances.Parents[id] += chance / float64(n)
			}
		}
	}
	o := view.Odds{Cells: map[int]float64{}, Operators: chances.Operators, Agents: chances.Agents, Targets: chances.Targets}
	for id, chance := range chances.Parents {
		if cell, ok := s.arch.CellOf(id); ok && s.arch.Holds(id) {
			o.Cells[cell] += chance
		} else {
			o.Elsewhere += chance
		}
	}
	return o
}
