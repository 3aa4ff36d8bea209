package agent_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"atoll/engine/agent"
	"atoll/store/record"
)

type named string

func (n named) Edit(context.Context, agent.Job, agent.Tree) (agent.Result, error) {
	return agent.Result{Intent: string(n)}, nil
}

func TestEnsembleDrawsByWeightAndTheJobsOwnRandomness(t *testing.T) {
	e, err := agent.NewEnsemble([]agent.Member{{"a", 3, named("a")}, {"never", 0, named("never")}, {"b", 1, named("b")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(n int) string {
		res, err := e.Edit(t.Context(), agent.Job{Number: record.JobID(n), Rand: rand.New(rand.NewPCG(4, uint64(n)))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return res.Intent
	}
	count := map[string]int{}
	for n := range 4000 {
		first := draw(n)
		count[first]++
		if n < 50 && draw(n) != first {
			t.Errorf("job %d draws differently the second time", n)
		}
	}
	if share := float64(count["a"]) / 4000; math.Abs(share-0.75) > 0.03 || count["never"] != 0 {
		t.Errorf("drawn %v", count)
	}
	if e.Pick(0.999999999999).Name != "b" || e.Pick(0).Name != "a" {
		t.Error("the ends of the range fall on the wrong members")
	}
	for _, bad := range [][]agent.Member{nil, {{"a", 0, named("a")}}, {{"a", -1, named("a")}}, {{"a", 1, nil}}, {{"a", math.NaN(), named("a")}}} {
		if _, err := agent.NewEnsemble(bad, nil); err == nil {
			t.Errorf("members %v are taken", bad)
		}
	}
}

// world is where arms have a true reward and a true cost.
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
	if d := s.Disagreement(); len(d) != 1 || d[[2]string{"b", "a"}] != 1 {
		t.Errorf("disagreement %v", d)
	}
}
