package engine

import (
	"fmt"
	"slices"

	"atoll/engine/agent"
	"atoll/store/record"
)

// ShadowChoice is what a bandit over the agents would do. It looks on and
// decides nothing. Like all of a snapshot it follows from the log alone.
type ShadowChoice struct {
	Agent    string // whom it would ask next, "" where there is no choice
	Why      string
	Agreed   int // results of agents that it would have asked as well
	Compared int // results it looked at, where there was a choice
}

// Text says it in one line.
func (c ShadowChoice) Text() string {
	return fmt.Sprintf("the bandit, which decides nothing, would ask %s next (%s); it agreed with %d of %s", c.Agent, c.Why, c.Agreed, plural(c.Compared, "draw"))
}

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
func (s *State) shadowChoice() ShadowChoice {
	if s.shadow == nil || len(s.weighted()) < 2 {
		return ShadowChoice{}
	}
	next := s.shadow.Suggest()
	out := ShadowChoice{Agent: next.Agent, Why: next.Why}
	out.Agreed, out.Compared = s.shadow.Agreement()
	return out
}
