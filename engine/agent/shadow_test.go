package agent_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"atoll/engine/agent"
)

// playShadow lets the bandit choose among arms with a true reward and cost.
func playShadow(s *agent.Shadow, rounds int, reward map[string]float64, cost map[string]float64) map[string]int {
	rng := rand.New(rand.NewPCG(1, 1))
	chosen := map[string]int{}
	for range rounds {
		name := s.Suggest().Agent
		chosen[name]++
		won := 0.0
		if rng.Float64() < reward[name] {
			won = 1
		}
		var c *float64
		if v, ok := cost[name]; ok {
			c = &v
		}
		s.Observe(name, won, c)
	}
	return chosen
}

func TestShadowLearnsWhoBringsMostForTheMoney(t *testing.T) {
	reward := map[string]float64{"big": 0.6, "small": 0.3}
	cases := []struct {
		name string
		cost map[string]float64
		want string
	}{
		{"without costs the best one", nil, "big"},
		{"with one unknown cost the best one", map[string]float64{"big": 0.1}, "big"},
		{"the cheap one, when it brings more for a dollar", map[string]float64{"big": 0.5, "small": 0.05}, "small"},
		{"the best one, when costs are alike", map[string]float64{"big": 0.05, "small": 0.05}, "big"},
		{"the best one, when nothing costs anything", map[string]float64{"big": 0, "small": 0}, "big"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			chosen := playShadow(agent.NewShadow([]string{"big", "small"}), 2000, reward, tc.cost)
			if chosen[tc.want] < 1400 {
				t.Errorf("chosen %v", chosen)
			}
		})
	}
}

func TestShadowSaysHowOftenItAgrees(t *testing.T) {
	s := agent.NewShadow([]string{"a", "b"})
	if got := s.Compare("b"); got.Agent != "a" || got.Why != "never tried" {
		t.Errorf("suggestion %+v", got)
	}
	s.Observe("a", 1, nil)
	s.Observe("b", 0, nil)
	s.Observe("b", math.NaN(), nil)
	if got := s.Compare("a"); got.Agent != "a" {
		t.Errorf("suggestion %+v", got)
	}
	if agreed, compared := s.Agreement(); agreed != 1 || compared != 2 {
		t.Errorf("agreement %d of %d", agreed, compared)
	}
}
