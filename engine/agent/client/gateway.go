package client

import (
	"context"
	"fmt"
	"os"
	"sync"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// GatewayFor opens an endpoint of g for each job: providers are the names of
// those that the client may reach (one for each protocol), models the globs it
// may ask for (none: all), requests how many it may make in a job, dir the folder in which a private folder with the
// socket is made ("" = the system's temporary folder; its path must be short),
// account who pays: the same account for all attempts of a job. What a ledger settles is not in the usage, or it would
// count twice.
func GatewayFor(g *gateway.Gateway, providers, models []string, requests int, dir string, account func(agent.Job) *gateway.Account) func(context.Context, agent.Job) (Endpoint, func() Metered, error) {
	return func(ctx context.Context, j agent.Job) (Endpoint, func() Metered, error) {
		own, err := os.MkdirTemp(dir, "gw-")
		if err != nil {
			return Endpoint{}, nil, fmt.Errorf("make a folder for the gateway's socket: %w", err)
		}
		acc := account(j)
		e, err := g.Serve(ctx, gateway.Job{Account: acc, Providers: providers, Models: models, Requests: requests, Dir: own, Addr: sandbox.GatewayAddr})
		if err != nil {
			_ = os.RemoveAll(own)
			return Endpoint{}, nil, err
		}
		open := acc.Totals()
		end := sync.OnceValue(func() Metered {
			t := e.Close()
			_ = os.RemoveAll(own)
			m := Metered{Refused: t.Refused - open.Refused, Excess: t.Excess, Denied: t.Denied, Notes: t.Notes[len(open.Notes):]}
			if !acc.Settles() {
				m.Usage = lessUsage(t.Usage, open.Usage)
			}
			return m
		})
		ep := Endpoint{Socket: e.Socket, Token: e.Token, Anthropic: e.BaseURL(gateway.Anthropic), Gemini: e.BaseURL(gateway.Gemini)}
		ep.Refused = func() int { return acc.Totals().Refused - open.Refused }
		ep.Denied = func() bool { return acc.Totals().Denied != nil }
		ep.Excess = func() bool { return acc.Totals().Excess > 0 }
		if ep.OpenAI = e.BaseURL(gateway.Responses); ep.OpenAI == "" {
			ep.OpenAI = e.BaseURL(gateway.Chat)
		}
		return ep, end, nil
	}
}

// lessUsage is what u has more than an earlier state of the same account.
func lessUsage(u, before record.Usage) record.Usage {
	u.Requests -= before.Requests
	u.InputTokens -= before.InputTokens
	u.OutputTokens -= before.OutputTokens
	if u.CostUSD != nil && before.CostUSD != nil {
		cost := *u.CostUSD - *before.CostUSD
		u.CostUSD = &cost
	}
	return u
}
