package roster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/agent/client"
	"atoll/engine/gateway"
)

// costs reports whether asking an agent may cost something: a provider or an
// own login is behind it and its price is not known to be nothing.
func Costs(a config.Agent, prices gateway.Prices) bool {
	switch {
	case a.Kind == "command" && a.OwnCredentials:
		return true
	case a.Kind != "chat" && (a.Kind != "command" || a.BaseURL == ""):
		return false
	}
	p, known := prices.Of(a.Model)
	return !known || p.Input > 0 || p.Cached > 0 || p.Output > 0
}

// PaidAgents names the agents of a configuration that edit or serve a role and
// may cost money.
func PaidAgents(cfg config.Config) []string {
	var out []string
	for _, a := range cfg.Agents {
		if Used(cfg, a) && Costs(a, PricesOf(cfg)) {
			out = append(out, a.Name)
		}
	}
	return out
}

// used reports whether an agent edits by itself or serves a role.
func Used(cfg config.Config, a config.Agent) bool {
	return a.Weight > 0 || slices.ContainsFunc(RolesOf(cfg), func(r role) bool { return r.Agent == a.Name })
}

// role is a service beside the coder's, with the agent that gives it.
type role struct{ Name, Agent string }

// rolesOf lists the roles that somebody serves.
func RolesOf(cfg config.Config) []role {
	r := cfg.Roles
	all := []role{
		{agent.RolePlanner, r.Planner},
		{agent.RoleReviewer, r.Reviewer},
		{agent.RoleReflector, r.Reflector},
		{agent.RoleMapper, r.Mapper},
		{agent.RoleSummariser, r.Summariser},
	}
	return slices.DeleteFunc(all, func(r role) bool { return r.Agent == "" })
}

func PricesOf(cfg config.Config) gateway.Prices {
	var out gateway.Prices
	for _, p := range cfg.Prices {
		out = append(out, gateway.Price{Model: p.Model, Input: p.Input, Cached: p.Cached, Output: p.Output})
	}
	return out
}

// protocolOf is how a provider of an agent is spoken to.
func protocolOf(a config.Agent) gateway.API {
	if a.API != "" {
		return gateway.API(a.API)
	}
	if a.Kind == "command" {
		if api, err := client.Protocol(a.Preset); err == nil && api != "" {
			return api
		}
	}
	return gateway.Chat
}

// CheckAgents says what would keep the agents of a configuration from working:
// keys that are missing or would reach a sandbox, models without a price and
// agents that nobody can meter under a budget of money, roles that an agent
// cannot serve. It asks nobody and spends nothing. The error is
// [config.Problems].
func CheckAgents(cfg config.Config, getenv func(string) string) error {
	var out config.Problems
	bad := func(key, format string, args ...any) {
		out = append(out, config.Problem{Key: key, Text: fmt.Sprintf(format, args...)})
	}
	keys := map[string]bool{}
	for i, a := range cfg.Agents {
		if !Used(cfg, a) {
			continue
		}
		at := fmt.Sprintf("agents[%d]", i)
		if a.KeyEnv != "" {
			keys[a.KeyEnv] = true
			if strings.TrimSpace(getenv(a.KeyEnv)) == "" {
				bad(at+".key_env", "agent %q takes its key from %s, which is empty; set it, or %s", a.Name, a.KeyEnv, without(cfg, a))
			}
		}
		if a.Kind == "chat" {
			switch {
			case a.BaseURL == "":
				bad(at+".base_url", "agent %q has no provider: write its address, such as https://host/v1", a.Name)
			case protocolOf(a) == gateway.Gemini:
				bad(at+".api", "chat agents do not speak gemini: use the provider's OpenAI-compatible address with api: chat")
			case gateway.CheckExtra(extraOf(a)) != nil:
				bad(at+".extra_body", "%v", gateway.CheckExtra(extraOf(a)))
			case protocolOf(a) == gateway.Anthropic && a.Effort != "":
				bad(at+".effort", "the anthropic protocol has no reasoning effort: leave it empty, write its thinking in extra_body, or use api: chat")
			}
		}
		if cfg.Budget.CostUSD > 0 {
			checkMoney(cfg, a, at, bad)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		if i := slices.IndexFunc(cfg.Evaluator.Env, func(v string) bool { return v == name || strings.HasPrefix(v, name+"=") }); i >= 0 {
			bad("evaluator.env", "%s holds a provider's key; candidate code could read it there: take it out", name)
		}
	}
	for i, a := range cfg.Agents {
		for _, v := range a.Env {
			if name, _, _ := strings.Cut(v, "="); keys[name] {
				bad(fmt.Sprintf("agents[%d].env", i), "%s holds a provider's key, which never enters a sandbox; the agent reaches its model through base_url and key_env", name)
			}
		}
	}
	checkRoles(cfg, bad)
	if len(out) == 0 {
		return nil
	}
	return out
}

// without says how to do without an agent that is used.
func without(cfg config.Config, a config.Agent) string {
	var ways []string
	if a.Weight > 0 {
		ways = append(ways, "give the agent the weight 0")
	}
	for _, r := range RolesOf(cfg) {
		if r.Agent == a.Name {
			ways = append(ways, "take it out of roles."+r.Name)
		}
	}
	return strings.Join(ways, " and ")
}

func checkMoney(cfg config.Config, a config.Agent, at string, bad func(string, string, ...any)) {
	prices := PricesOf(cfg)
	_, known := prices.Of(a.Model)
	switch {
	case a.Kind == "command" && a.OwnCredentials:
		bad(at+".own_credentials", "agent %q pays with its own login, which nobody here can meter; take budget.cost_usd out, or set own_credentials to false", a.Name)
	case a.Kind != "chat" && (a.Kind != "command" || a.BaseURL == ""):
	case a.Model == "" && len(prices) == 0, a.Model != "" && !known:
		bad("prices", "the price of %q (agent %q) is not known, so budget.cost_usd could not be kept; add it to prices, in dollars per million tokens", a.Model, a.Name)
	}
}

func checkRoles(cfg config.Config, bad func(string, string, ...any)) {
	for _, r := range RolesOf(cfg) {
		plain := r.Name == agent.RoleMapper || r.Name == agent.RoleSummariser // done without a model, too
		for _, a := range cfg.Agents {
			if a.Name == r.Agent && a.Kind != "chat" && a.Kind != "replay" && (a.Kind != "offline" || !plain) {
				bad("roles."+r.Name, "agent %q is of kind %s; this role needs a chat agent", a.Name, a.Kind)
			}
		}
	}
}
