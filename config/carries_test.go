package config_test

import (
	"fmt"
	"strings"
	"testing"

	"atoll/config"
)

func TestOperatorsThatNobodyCarriesOutAreTold(t *testing.T) {
	chat := "{name: m, kind: chat, model: x, weight: 1}"
	for _, tt := range []struct {
		name, agents, operators string
		want                    string // "" = nothing is told
	}{
		{"tune beside a model alone", chat, "{tune: 1, mutate: 2}", "can carry out tune:"},
		{"tune beside the offline agent, too", chat + ", {kind: offline, weight: 1}", "{tune: 1, mutate: 2}", ""},
		{"tune with an offline agent without weight", chat + ", {kind: offline, weight: 0}", "{tune: 1, mutate: 2}", "can carry out tune:"},
		{"a rewrite by the offline agent", "{kind: offline, weight: 1}", "{rewrite: 1, structural: 1, mutate: 2}", "can carry out rewrite, structural:"},
		{"nothing that anybody can", chat, "{tune: 1}", "every job will be a mutate"},
		{"an operator without weight", chat, "{tune: 0, mutate: 1}", ""},
		{"a replay carries out what was recorded", "{kind: replay, recording: x, weight: 1}", "{tune: 1, mutate: 1, rewrite: 1}", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := mustLoad(t, fmt.Sprintf("agents: [%s]\nsearch: {operators: %s}\nbudget: {jobs: 0}\n", tt.agents, tt.operators), config.LoadOptions{})
			got := strings.Join(l.Advice(), "\n")
			if tt.want == "" && strings.Contains(got, "carry out") || !strings.Contains(got, tt.want) {
				t.Errorf("told %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheDefaultWeightsAreThoseOfTheAgents(t *testing.T) {
	for agents, tune := range map[string]float64{
		"{kind: offline}": 0.4, "{name: m, kind: chat, model: x}": 0, "{name: m, kind: chat, model: x}, {kind: offline}": 0.15,
	} {
		if got := mustLoad(t, "agents: ["+agents+"]\n", config.LoadOptions{}).Search.Operators["tune"]; got != tune {
			t.Errorf("%s: tune has the weight %g, want %g", agents, got, tune)
		}
	}
}

func TestFurtherFieldsOfARequestMayBeAnyJSON(t *testing.T) {
	l := mustLoad(t, "agents:\n- {name: m, kind: chat, model: x, extra_body: {top_p: 0.9, stop: [a, b], provider: {order: [a], deep: {x: true}}, word: low}}\n", config.LoadOptions{})
	got := l.Agents[0].ExtraBody
	for name, want := range map[string]string{"top_p": "0.9", "stop": `["a","b"]`, "provider": `{"deep":{"x":true},"order":["a"]}`, "word": "low"} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	again, err := config.Decode(config.Encode(l.Config))
	if err != nil || fmt.Sprint(again.Agents[0].ExtraBody) != fmt.Sprint(got) {
		t.Errorf("stored and read again: %v, %v", again.Agents, err)
	}
}
