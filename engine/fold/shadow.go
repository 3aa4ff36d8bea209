package fold

import (
	"slices"

	"atoll/engine/agent"
	"atoll/engine/view"
	"atoll/store/record"
)

// weighted names the agents that may be drawn, in order.
func (s *State) weighted() []string {
	var names []string
	for name, w := range s.Settings.Agents {
		if w > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// noteShadow tells the bandit what an agent brought, after asking whom it would
// have asked in its place.
func (s *State) noteShadow(name string, state record.JobState, cost *float64) {
	names := s.weighted()
	if name == "" || state == record.Cancelled || len(names) < 2 && s.shadow == nil {
		return
	}
	if s.shadow == nil {
		s.shadow = agent.NewShadow(names)
	}
	if len(names) > 1 && slices.Contains(names, name) {
		s.shadow.Compare(name)
	}
	reward := 0.0
	if state == record.Placed {
		reward = 1
	}
	s.shadow.Observe(name, reward, cost)
}

// shadowChoice is what the bandit would do now.
func (s *State) ShadowChoice() view.ShadowChoice {
	if s.shadow == nil || len(s.weighted()) < 2 {
		return view.ShadowChoice{}
	}
	next := s.shadow.Suggest()
	out := view.ShadowChoice{Agent: next.Agent, Why: next.Why}
	out.Agreed, out.Compared = s.shadow.Agreement()
	return out
}
