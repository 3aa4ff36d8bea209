package doctor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/engine/roster"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
)

// The task that every agent is tried with: it takes one edit to carry out, and
// what came of it can be checked.
const (
	trialFile = "greeting.txt"
	trialText = "hello\n"
	trialGoal = "Append a second line to greeting.txt that consists of the single word: atoll"
	trialWord = "atoll"
)

// agents tries every configured agent on a throw-away tree.
func (c *checkup) agents(ctx context.Context, box *sandbox.Box) {
	tmp, err := os.MkdirTemp("", "atoll-try-")
	if err != nil {
		c.add("agents", "trial", err, "", "make room in the temporary folder")
		return
	}
	defer os.RemoveAll(tmp)
	trees, err := c.trialTrees(ctx, tmp)
	if err != nil {
		c.add("agents", "trial", err, "", "")
		return
	}
	defer trees.repo.Close()
	for _, a := range c.opt.Config.Agents {
		c.tryAgent(ctx, box, trees, tmp, a)
	}
}

// trialTrees are what agents are tried on: one with the file of the task alone, and one
// with the root's files beside it, for scripts that may be among them, and for plug-ins, which may
// be for certain files.
type trialTrees struct {
	repo        *gitops.Repo
	bare, whole record.Hash
}

func (c *checkup) trialTrees(ctx context.Context, tmp string) (t trialTrees, err error) {
	if t.repo, err = gitops.Open(ctx, gitops.Options{Dir: filepath.Join(tmp, "store.git"), Cache: filepath.Join(tmp, "checkouts")}); err != nil {
		return t, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.repo.Close())
		}
	}()
	root, err := t.repo.Import(ctx, c.opt.Target, "HEAD") // makes the object store
	if err != nil {
		return t, err
	}
	commit, err := t.repo.Commit(ctx, root)
	if err != nil {
		return t, err
	}
	task := []record.Change{{Path: trialFile, Mode: record.Regular, Data: []byte(trialText)}}
	if t.bare, err = t.repo.WriteTree(ctx, record.Hash{}, task); err != nil {
		return t, err
	}
	t.whole, err = t.repo.WriteTree(ctx, commit.Tree, task)
	return t, err
}

// of is the tree for an agent.
func (t *trialTrees) of(a config.Agent) record.Hash {
	if a.Kind == "plugin" || a.Kind == "command" && (a.Preset == "" || a.Preset == "generic") {
		return t.whole
	}
	return t.bare
}

// tryAgent lets one agent carry out the trial task and says what came of it.
func (c *checkup) tryAgent(ctx context.Context, box *sandbox.Box, trees trialTrees, tmp string, a config.Agent) {
	repo, tree := trees.repo, trees.of(a)
	switch a.Kind {
	case "offline":
		c.add("agents", a.Name, nil, "built in, costs nothing", "")
		return
	case "human":
		c.add("agents", a.Name, nil, "a person; not tried", "")
		return
	case "broker":
		c.add("agents", a.Name, nil, "workers that come for tasks (run --http); not tried", "")
		return
	case "replay":
		_, err := agent.NewReplay(a.Recording, config.FileName)
		c.add("agents", a.Name, err, "its recordings are there, costs nothing", "record a run with `atoll run --record DIR`")
		return
	}
	cfg := c.opt.Config.Config
	cfg.Roles, cfg.Agents = config.Roles{}, []config.Agent{a}
	cfg.Agents[0].Weight = max(a.Weight, 1)
	var paid *gateway.Account
	h := &roster.Builder{
		Config: cfg, Getenv: c.getenv, Now: c.opt.Now, Box: box, Repo: repo, Dir: tmp, Note: func(string) {},
		Account: func(name string, limit float64) func(agent.Job) *gateway.Account {
			paid = gateway.NewAccount(gateway.AccountOptions{Name: "doctor " + name, LimitUSD: limit, Limited: cfg.Budget.CostUSD > 0})
			return func(agent.Job) *gateway.Account { return paid }
		},
	}
	built, err := h.Build()
	var problems config.Problems
	if errors.As(err, &problems) { // their keys count this agent alone
		var texts []string
		for _, p := range problems {
			texts = append(texts, p.Text)
		}
		err = errors.New(strings.Join(texts, "; "))
	}
	if err != nil {
		c.add("agents", a.Name, err, "", "mend the lines above in "+config.FileName)
		return
	}
	defer built.Close()
	files, err := repo.Tree(ctx, tree)
	if err != nil {
		c.add("agents", a.Name, err, "", "")
		return
	}
	c.opt.doing("trying the agent %s on one line of work%s", a.Name, within(a.Timeout))
	value := 0.0
	job := agent.Job{
		Number: 1, Attempt: 1, Rand: rand.New(rand.NewPCG(1, 1)), Operator: record.OpMutate, Goal: trialGoal, Direction: "maximize", Metric: "lines",
		Parent: agent.Item{ID: record.Root, Tree: tree, Objective: &value, Files: files},
	}
	if len(a.Operators) > 0 {
		job.Operator = record.Operator(a.Operators[0])
	}
	began := c.opt.Now()
	res, err := built.Agents[a.Name].Edit(ctx, job, files)
	took := c.opt.Now().Sub(began)
	c.tried(a, res, paid, took, err)
}

// within says how long something may take; "" where that is not bounded.
func within(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf(", for up to %s", d)
}

// tried says what a trial showed.
func (c *checkup) tried(a config.Agent, res agent.Result, paid *gateway.Account, took time.Duration, err error) {
	usage := res.Usage
	var failure *agent.Error
	if errors.As(err, &failure) {
		usage = failure.Usage
	}
	if paid != nil {
		usage = paid.Totals().Usage
	}
	cost := usageText(a, usage)
	switch {
	case a.Kind == "plugin" && errors.Is(err, agent.ErrNoChange):
		c.warn("agents", a.Name, fmt.Sprintf("answered in %s, and has nothing to change on the root, %s", took.Round(time.Millisecond), cost),
			"where it should have, try it with `atoll plugin check "+a.Plugin+"`")
		return
	case err != nil && !roster.Used(c.opt.Config.Config, a):
		c.warn("agents", a.Name, fmt.Sprintf("%s; %s; it has no weight and no role, so a run does without it", view.CleanLine(err.Error()), cost), agentCure(err))
		return
	case err != nil:
		c.add("agents", a.Name, fmt.Errorf("%s; %s", view.CleanLine(err.Error()), cost), "", agentCure(err))
		return
	}
	for _, ch := range res.Changes {
		if lines := strings.Fields(string(ch.Data)); ch.Path == trialFile && len(lines) == 2 && lines[1] == trialWord {
			c.add("agents", a.Name, nil, fmt.Sprintf("did its task in %s, %s", took.Round(time.Millisecond), cost), "")
			return
		}
	}
	if a.Model == "" && !a.OwnCredentials { // a script does what it does
		c.add("agents", a.Name, nil, fmt.Sprintf("changed %s in %s, %s; what it was told needs a model", view.Plural(len(res.Changes), "file"), took.Round(time.Millisecond), cost), "")
		return
	}
	c.warn("agents", a.Name, fmt.Sprintf("works, but did something else than it was told; %s", cost), "choose another model")
}

func usageText(a config.Agent, u record.Usage) string {
	switch {
	case u.Unmetered || a.OwnCredentials:
		return "not metered"
	case u.Requests == 0:
		return "cost nothing"
	case u.CostUSD == nil:
		return fmt.Sprintf("%s, %d tokens, cost unknown: add its model to prices", view.Plural(u.Requests, "request"), u.InputTokens+u.OutputTokens)
	}
	return fmt.Sprintf("%s, %d tokens, $%.4f", view.Plural(u.Requests, "request"), u.InputTokens+u.OutputTokens, *u.CostUSD)
}

func agentCure(err error) string {
	switch {
	case errors.Is(err, gateway.ErrNoKey):
		return "set the variable that key_env names"
	case errors.Is(err, gateway.ErrProvider), errors.Is(err, gateway.ErrCircuit):
		return "check base_url, model, key and the network"
	case errors.Is(err, gateway.ErrUnknownPrice):
		return "add the model to prices"
	case errors.Is(err, agent.ErrNoChange):
		return "the agent answered but edited nothing; try another model, or another way of edit"
	}
	return "see docs/agents.md for what the agent needs"
}

// getenv reads a variable of the environment that doctor was given.
func (c *checkup) getenv(name string) string {
	value := ""
	for _, kv := range c.opt.Env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}
