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

// evidence is a bandit that saw runs of three agents with these rewards and costs.
func evidence(rng *rand.Rand, runs int, reward [3]float64, cost [3]float64) *agent.Shadow {
	s := agent.NewShadow([]string{"a", "b", "c"})
	for range runs {
		for i, name := range []string{"a", "b", "c"} {
			won := 0.0
			if rng.Float64() < reward[i] {
				won = 1
			}
			var c *float64
			if cost[i] > 0 {
				v := cost[i] * (0.5 + rng.Float64())
				c = &v
			}
			s.Observe(name, won, c)
		}
	}
	return s
}

func TestWeightsFollowOnlyWhatIsShown(t *testing.T) {
	cases := []struct {
		name   string
		runs   int
		reward [3]float64
		cost   [3]float64
		want   [3]float64 // of 2, 1, 0
	}{
		{"nothing after a few runs", 4, [3]float64{0.1, 0.9, 0.5}, [3]float64{}, [3]float64{2, 1, 0}},
		{"one that takes fewer niches keeps a fifth", 200, [3]float64{0.1, 0.5, 0.5}, [3]float64{}, [3]float64{0.4, 1, 0}},
		{"one that takes more and costs much more keeps a fifth", 300, [3]float64{0.6, 0.3, 0.3}, [3]float64{1, 0.1, 0.1}, [3]float64{0.4, 1, 0}},
		{"the same where one cost is not known is told by niches alone", 300, [3]float64{0.6, 0.3, 0.3}, [3]float64{1, 0.1, 0}, [3]float64{2, 0.2, 0}},
		{"who has no weight leads nobody astray", 300, [3]float64{0.3, 0.3, 0.9}, [3]float64{}, [3]float64{2, 1, 0}},
		{"agents alike keep their weights", 300, [3]float64{0.3, 0.3, 0.3}, [3]float64{0.2, 0.2, 0.2}, [3]float64{2, 1, 0}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s := evidence(rand.New(rand.NewPCG(3, 4)), tc.runs, tc.reward, tc.cost)
			given := map[string]float64{"a": 2, "b": 1, "c": 0}
			got, behind := s.Earned(given)
			for i, name := range []string{"a", "b", "c"} {
				if math.Abs(got[name]-tc.want[i]) > 1e-12 {
					t.Errorf("%s has weight %v, not %v (%v)", name, got[name], tc.want[i], behind)
				}
			}
			if given["a"] != 2 || given["b"] != 1 {
				t.Errorf("the given weights changed: %v", given)
			}
		})
	}
}

func TestAgentsAlikeAreSeldomCalledBehind(t *testing.T) {
	wrong := 0
	for seed := range uint64(200) {
		s := evidence(rand.New(rand.NewPCG(seed, 1)), 100, [3]float64{0.3, 0.3, 0.3}, [3]float64{0.1, 0.1, 0.1})
		if _, behind := s.Earned(map[string]float64{"a": 1, "b": 1, "c": 1}); len(behind) > 0 {
			wrong++
		}
	}
	if wrong > 2 {
		t.Errorf("of 200 triples of like agents one was called behind in %d", wrong)
	}
}

// A search of a given number of dollars takes more niches by what agents brought, where one is
// really better, and about as many where none is.
func TestByYieldMoneyTakesMoreNiches(t *testing.T) {
	spend := func(seed uint64, earned bool, reward, cost [2]float64) float64 {
		rng, s := rand.New(rand.NewPCG(seed, 9)), agent.NewShadow([]string{"a", "b"})
		niches := 0.0
		for left := 100.0; left > 0; {
			w := map[string]float64{"a": 1, "b": 1}
			if earned {
				w, _ = s.Earned(w)
			}
			i, name := 0, "a"
			if rng.Float64()*(w["a"]+w["b"]) > w["a"] {
				i, name = 1, "b"
			}
			won, c := 0.0, cost[i]*(0.5+rng.Float64())
			if rng.Float64() < reward[i] {
				won = 1
			}
			s.Observe(name, won, &c)
			niches += won
			left -= c
		}
		return niches
	}
	mean := func(earned bool, reward, cost [2]float64) (sum float64) {
		for seed := range uint64(40) {
			sum += spend(seed, earned, reward, cost) / 40
		}
		return sum
	}
	for _, tc := range []struct {
		name         string
		reward, cost [2]float64
		least        float64
	}{
		{"a dear agent beside a cheap one", [2]float64{0.4, 0.3}, [2]float64{0.5, 0.05}, 1.5},
		{"agents alike", [2]float64{0.3, 0.3}, [2]float64{0.1, 0.1}, 0.97},
	} {
		t.Run(tc.name, func(t *testing.T) {
			with, without := mean(true, tc.reward, tc.cost), mean(false, tc.reward, tc.cost)
			t.Logf("niches for 100 $: %.1f by weights, %.1f by yield", without, with)
			if with < tc.least*without {
				t.Errorf("%.1f niches by weights, %.1f by yield", without, with)
			}
		})
	}
}
