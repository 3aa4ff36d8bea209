package engine

import (
	"fmt"
	"slices"

	"atoll/engine/roster"
	"atoll/store/record"
)

// hire builds the agents of the experiment.
func (e *Engine) hire() (*roster.Roster, error) {
	cfg := e.cfg
	cfg.Agents = slices.Clone(cfg.Agents)
	for i := range cfg.Agents { // weights are settings
		cfg.Agents[i].Weight = e.st.Settings.Agents[cfg.Agents[i].Name]
	}
	cfg.Budget.CostUSD = e.st.Settings.MaxCostUSD
	h := &roster.Builder{
		Config: cfg, Box: e.box, Repo: e.repo, Dir: e.ses.Dir, Account: e.money.Account,
		Now: e.opt.Now, Getenv: e.opt.Getenv, Gateway: e.opt.Gateway, Record: e.opt.Record,
		Note: func(text string) { e.note("warn", record.NoJob, text) },
	}
	return h.Build()
}

// retire lets go of what equip made ready for this run.
func (e *Engine) retire() {
	e.roster.Close()
	if e.box != nil {
		if err := e.box.Close(); err != nil {
			e.note("warn", record.NoJob, fmt.Sprintf("end what runs in the sandbox: %v", err))
		}
	}
}
