package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestWhatAnAgentMayBeToldReachesItsProvider(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	dir := plot(t, "budget: {jobs: 2}", "search: {operators: {tune: 1, mutate: 3}}", strings.Replace(m.agentsYAML(), "max_tokens: 500",
		`max_tokens: 500, temperature: 0.25, effort: low, cache: true, extra_body: {top_p: 0.9, seed: 7, provider: {order: [a, b]}, verbosity: low}`, 1))
	c := keyed(t, dir, cliKey, "run", "--headless", "--yes")
	if c.code != 0 {
		t.Fatalf("run: exit %d\n%s%s", c.code, c.out, c.err)
	}
	if !strings.Contains(c.err, "No agent with a weight can carry out tune") {
		t.Errorf("the operator that nobody carries out is not told:\n%s", c.err)
	}
	var body map[string]any
	m.mu.Lock()
	err := json.Unmarshal([]byte(m.asked[0]), &body)
	m.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"temperature": "0.25", "reasoning_effort": "low", "top_p": "0.9", "seed": "7", "verbosity": "low", "provider": "map[order:[a b]]", "max_tokens": "500",
	} {
		if got := fmt.Sprint(body[name]); got != want {
			t.Errorf("%s: the provider was sent %s, want %s", name, got, want)
		}
	}
	if text := fmt.Sprint(body["messages"]); !strings.Contains(text, "cache_control:map[type:ephemeral]") {
		t.Errorf("the prompt is not marked for the cache:\n%.300s", text)
	}

	var s struct {
		Agents []struct {
			Name           string   `json:"name"`
			Tries          int      `json:"tries"`
			Improved       int      `json:"improved"`
			Yield          *float64 `json:"yield"`
			Cost           *float64 `json:"cost_usd"`
			PerImprovement *float64 `json:"cost_usd_per_improvement"`
		} `json:"agents"`
	}
	if err := json.Unmarshal([]byte(keyed(t, dir, cliKey, "status", "--json").out), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Agents) != 1 || s.Agents[0].Name != "writer" || s.Agents[0].Tries != 2 || s.Agents[0].Improved == 0 {
		t.Fatalf("status tells %+v of the agents, want two tries of the writer that led somewhere", s.Agents)
	}
	a := s.Agents[0]
	if a.Yield == nil || *a.Yield != float64(a.Improved)/2 || a.Cost == nil || *a.Cost <= 0 || a.PerImprovement == nil || *a.PerImprovement != *a.Cost/float64(a.Improved) {
		t.Errorf("status tells %+v, want yield and cost for each improvement", a)
	}
	if out := keyed(t, dir, cliKey, "status").out; !strings.Contains(out, "agent writer: 2 jobs, ") || !strings.Contains(out, "for each of these") {
		t.Errorf("status:\n%s", out)
	}
}

func TestAFieldThatCannotBeBoundedIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	dir := plot(t, strings.Replace(m.agentsYAML(), "max_tokens: 500", "max_tokens: 500, extra_body: {n: 4}", 1))
	c := keyed(t, dir, cliKey, "run", "--headless", "--yes")
	if c.code != 2 || !strings.Contains(c.out+c.err, "extra_body") || m.requests() != 0 {
		t.Errorf("run: exit %d after %d requests\n%s%s", c.code, m.requests(), c.out, c.err)
	}
}
