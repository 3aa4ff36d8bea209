package roster_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/engine/roster"
)

// chat is an agent that takes its key from a variable.
func chat(name, key string) config.Agent {
	return config.Agent{Name: name, Kind: "chat", Weight: 1, BaseURL: "https://host/v1", Model: "m", KeyEnv: key}
}

func TestWhatCannotWorkIsRefusedAtTheStart(t *testing.T) {
	price := []config.Price{{Model: "m", Input: 1, Output: 2}}
	for _, tt := range []struct {
		name string
		cfg  config.Config
		want []string // keys of the problems, in their order
	}{
		{"nothing is wrong with a key that is there", config.Config{Agents: []config.Agent{chat("a", "KEY")}}, nil},
		{"a key that is empty", config.Config{Agents: []config.Agent{chat("a", "EMPTY")}}, []string{"agents[0].key_env"}},
		{"an agent that nobody asks needs no key", config.Config{Agents: []config.Agent{{Name: "a", Kind: "chat", KeyEnv: "EMPTY"}}}, nil},
		{
			"a role asks an agent without a weight",
			config.Config{Agents: []config.Agent{{Name: "a", Kind: "chat", BaseURL: "https://host/v1", KeyEnv: "EMPTY"}}, Roles: config.Roles{Planner: "a"}},
			[]string{"agents[0].key_env"},
		},
		{"no address", config.Config{Agents: []config.Agent{{Name: "a", Kind: "chat", Weight: 1}}}, []string{"agents[0].base_url"}},
		{
			"keys that the evaluator's environment would show, each by its name",
			config.Config{
				Agents:    []config.Agent{chat("a", "KEY"), chat("b", "ANOTHER"), chat("c", "THIRD")},
				Evaluator: config.Evaluator{Env: []string{"THIRD", "KEY=x", "HARMLESS", "ANOTHER"}},
			},
			[]string{"evaluator.env ANOTHER", "evaluator.env KEY", "evaluator.env THIRD"},
		},
		{
			"a key that another agent's sandbox would show",
			config.Config{Agents: []config.Agent{chat("a", "KEY"), {Name: "b", Kind: "command", Weight: 1, Env: []string{"KEY"}}}},
			[]string{"agents[1].env KEY"},
		},
		{"money is kept where the price is known", config.Config{Agents: []config.Agent{chat("a", "KEY")}, Prices: price, Budget: config.Budget{CostUSD: 1}}, nil},
		{"money cannot be kept where it is not", config.Config{Agents: []config.Agent{chat("a", "KEY")}, Budget: config.Budget{CostUSD: 1}}, []string{"prices"}},
		{
			"nor where a client pays with its own login",
			config.Config{Agents: []config.Agent{{Name: "a", Kind: "command", Weight: 1, OwnCredentials: true}}, Budget: config.Budget{CostUSD: 1}},
			[]string{"agents[0].own_credentials"},
		},
		{
			"a command reviews nothing",
			config.Config{Agents: []config.Agent{{Name: "a", Kind: "command"}}, Roles: config.Roles{Reviewer: "a"}},
			[]string{"roles.reviewer"},
		},
		{
			"the built-in agent maps, and plans nothing",
			config.Config{Agents: []config.Agent{{Name: "a", Kind: "offline"}}, Roles: config.Roles{Mapper: "a", Planner: "a"}},
			[]string{"roles.planner"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			getenv := func(name string) string { return strings.TrimPrefix(name, "EMPTY") }
			for range 20 { // in the same order every time
				err := roster.CheckAgents(tt.cfg, getenv)
				var problems config.Problems
				if (err != nil) != errors.As(err, &problems) {
					t.Fatalf("%v is no list of problems", err)
				}
				var got []string
				for i, p := range problems {
					key := p.Key
					if i < len(tt.want) && strings.Contains(tt.want[i], " ") {
						key += " " + strings.Fields(p.Text)[0]
					}
					got = append(got, key)
				}
				if !slices.Equal(got, tt.want) {
					t.Fatalf("problems with %q, want %q: %v", got, tt.want, err)
				}
			}
		})
	}
}

func TestAgentsThatMayCostAreNamed(t *testing.T) {
	free := []config.Price{{Model: "local"}, {Model: "m", Input: 1}}
	for _, tt := range []struct {
		name  string
		agent config.Agent
		want  bool
	}{
		{"a model whose price is not known", config.Agent{Kind: "chat", Model: "other", Weight: 1}, true},
		{"a model with a price", config.Agent{Kind: "chat", Model: "m", Weight: 1}, true},
		{"a model that is priced at nothing", config.Agent{Kind: "chat", Model: "local", Weight: 1}, false},
		{"a client with its own login", config.Agent{Kind: "command", OwnCredentials: true, Weight: 1}, true},
		{"a client that reaches a model through the gateway", config.Agent{Kind: "command", BaseURL: "https://host", Model: "m", Weight: 1}, true},
		{"a program without a model", config.Agent{Kind: "command", Weight: 1}, false},
		{"the built-in agent", config.Agent{Kind: "offline", Weight: 1}, false},
		{"a person", config.Agent{Kind: "human", Weight: 1}, false},
		{"a model that nobody asks", config.Agent{Kind: "chat", Model: "m"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.agent.Name = "a"
			got := roster.PaidAgents(config.Config{Agents: []config.Agent{tt.agent}, Prices: free})
			if want := fmt.Sprint(map[bool][]string{true: {"a"}}[tt.want]); fmt.Sprint(got) != want {
				t.Errorf("paid are %v, want %s", got, want)
			}
		})
	}
}
