package fold

import (
	"slices"

	"atoll/engine/agent"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

// weighted names the agents that may be drawn, in order.
func (r *rules) weighted() []string {
	var names []string
	for name, w := range r.Settings.Agents {
		if w > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// noteShadow tells the bandit what an agent brought, after asking whom it would
// have asked in its place.
func (o *outcomes) noteShadow(name string, state record.JobState, cost *float64) {
	names := o.weighted()
	if name == "" || state == record.Cancelled || len(names) < 2 && o.shadow == nil {
		return
	}
	if o.shadow == nil {
		o.shadow = agent.NewShadow(names)
	}
	if len(names) > 1 && slices.Contains(names, name) {
		o.shadow.Compare(name)
	}
	reward := 0.0
	if state == record.Placed {
		reward = 1
	}
	o.shadow.Observe(name, reward, cost)
}

// ShadowChoice is what the bandit would do now.
func (o *outcomes) ShadowChoice() view.ShadowChoice {
	if o.shadow == nil || len(o.weighted()) < 2 {
		return view.ShadowChoice{}
	}
	next := o.shadow.Suggest()
	out := view.ShadowChoice{Agent: next.Agent, Why: next.Why}
	out.Agreed, out.Compared = o.shadow.Agreement()
	_, behind := o.shadow.Earned(o.Settings.Agents)
	for i, l := range behind {
		if i > 0 {
			out.Behind += "; "
		}
		out.Behind += l.String()
	}
	out.Decides = o.Config.Search.DrawAgents == drawByYield
	return out
}

// drawByYield is the way to draw agents in which the bandit's evidence counts.
const drawByYield = "yield"

// agentWeights are weights of agents as they count now: those given, or bent by what the
// agents brought.
func (o *outcomes) agentWeights(given map[string]float64) []search.Weighted {
	if o.shadow != nil && o.Config.Search.DrawAgents == drawByYield {
		given, _ = o.shadow.Earned(given)
	}
	return search.Weights(given)
}
