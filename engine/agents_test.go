package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/store/record"
)

// plantedKey is the provider's key that tests plant and look for.
const plantedKey = "sk-planted-4e1f77c2a9d0"

// fakeModel is a provider of the chat protocol. It writes a new program for
// every request, and reports the tokens that tokens returns.
type fakeModel struct {
	*httptest.Server
	tokens func(maxTokens int) (in, out int)
	reply  func(prompt string) string // nil: a program
	// trouble answers the n-th request (from 1) itself and says so; nil: none does.
	trouble func(n int, w http.ResponseWriter, r *http.Request) bool

	mu      sync.Mutex
	prompts []string
	keys    []string
}

func newFakeModel(t *testing.T) *fakeModel {
	t.Helper()
	m := &fakeModel{tokens: func(int) (int, int) { return 400, 60 }}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var body struct {
		MaxTokens int `json:"max_tokens"`
		Messages  []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	prompt := ""
	for _, msg := range body.Messages {
		prompt += msg.Content + "\n"
	}
	m.mu.Lock()
	m.prompts = append(m.prompts, prompt)
	m.keys = append(m.keys, r.Header.Get("Authorization"))
	n := len(m.prompts)
	m.mu.Unlock()
	if m.trouble != nil && m.trouble(n, w, r) {
		return
	}
	text := ""
	if m.reply != nil {
		text = m.reply(prompt)
	}
	if text == "" {
		text = newProgram(prompt, n)
	}
	in, out := m.tokens(body.MaxTokens)
	w.Header().Set("Content-Type", "text/event-stream")
	for _, v := range []any{
		map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"content": text}}}},
		map[string]any{"choices": []any{map[string]any{"delta": map[string]any{}, "finish_reason": "stop"}}},
		map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": in, "completion_tokens": out}},
	} {
		line, _ := json.Marshal(v)
		_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// newProgram is an answer with a whole file that no other request gets.
func newProgram(prompt string, n int) string {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, prompt, n)
	x := h.Sum64()
	v := func(shift uint) float64 { return float64(x>>shift&0xfff) / 1024 }
	return fmt.Sprintf("INTENT: try number %d\nprogram.txt\n```\na = %.3f\nb = %.3f\nc = %.3f\nd = %.3f\n```\n", n, v(0), v(12), v(24), v(36))
}

func (m *fakeModel) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.prompts...)
}

// chatAgent is the configuration of a chat agent at the fake model.
func (m *fakeModel) agent(name string) config.Agent {
	return config.Agent{
		Name: name, Kind: "chat", Weight: 1, BaseURL: m.URL + "/v1", KeyEnv: "PLANTED_KEY", Model: "fake-1", Edit: "whole",
		Attempts: 2, MaxTokens: 500, Timeout: time.Minute,
	}
}

func plantedEnv(name string) string {
	if name == "PLANTED_KEY" {
		return plantedKey
	}
	return os.Getenv(name)
}

// agentLab is a lab whose experiment has these agents.
func agentLab(t *testing.T, change func(*config.Config), extra ...string) *lab {
	t.Helper()
	l := newLab(t, extra...)
	l.createWith(change, extra...)
	return l
}

// createWith starts a further experiment with a changed configuration.
func (l *lab) createWith(change func(*config.Config), extra ...string) {
	l.t.Helper()
	cfg := l.loaded(labYAML, extra...)
	cfg.Search.Operators = map[string]float64{"mutate": 1}
	change(&cfg)
	l.begin(cfg)
}

// runWith runs the experiment to its end.
func (l *lab) runWith(opt engine.Options) (*view.Snapshot, error) {
	l.t.Helper()
	opt.Who, opt.Unattended = "tester", true
	if opt.Getenv == nil {
		opt.Getenv = plantedEnv
	}
	eng := engine.New(l.ses, l.exp.ID, opt)
	ctx, cancel := context.WithTimeout(l.t.Context(), 3*deadline)
	defer cancel()
	err := eng.Run(ctx)
	return eng.Feed().Latest(), err
}

func TestAnExperimentRecordedWithAChatModelReplaysOfflineToTheSameCandidates(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	tape := t.TempDir()
	settings := []string{"order=strict", "workers=2", "budget.jobs=24"}
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Search.Operators = map[string]float64{"mutate": 0.7, "crossover": 0.3}
	}, settings...)
	snap, err := l.runWith(engine.Options{Record: tape})
	if err != nil {
		t.Fatal(err)
	}
	if snap.State != record.ExperimentDone || snap.Jobs.Ended() != 24 {
		t.Fatalf("recorded run: %s (%s), jobs %+v", snap.State, snap.Reason, snap.Jobs)
	}
	recorded := l.candidates()
	if len(recorded) < 18 {
		t.Fatalf("only %d candidates came of 24 jobs; the model's edits do not apply: %+v", len(recorded), snap.Failures)
	}
	m.Close() // from here on there is no model and no key
	l.createWith(func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "model", Kind: "replay", Weight: 1, Attempts: 1, Recording: tape}}
		c.Search.Operators = map[string]float64{"mutate": 0.7, "crossover": 0.3}
	}, settings...)
	again, err := l.runWith(engine.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	if d := same(recordedTrees(recorded), recordedTrees(l.candidates())); d != "" {
		t.Errorf("the replay differs: %s", d)
	}
	all, err := l.ses.DB.EvidenceOf(t.Context(), l.exp.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	was := record.Usage{}
	for _, ev := range all {
		if ev.Kind == "recorded-usage" {
			if err := json.Unmarshal(ev.Text, &was); err != nil {
				t.Fatal(err)
			}
		}
	}
	if was.Requests != 1 || was.InputTokens != 400 || was.OutputTokens != 60 {
		t.Errorf("the recording of job 1 says that it used %+v", was)
	}
	if again.Usage.Requests != 0 || again.Usage.CostUSD != nil && *again.Usage.CostUSD != 0 {
		t.Errorf("the replay used %+v", again.Usage)
	}
}

// recordedTrees leaves the commit out of the lines of candidates: its message
// names the experiment.
func recordedTrees(lines []string) []string {
	var out []string
	for _, l := range lines {
		f := strings.Fields(l)
		out = append(out, strings.Join(append(f[:1:1], f[2:]...), " "))
	}
	return out
}

func TestABudgetOfMoneyIsNeverExceededByEightWorkers(t *testing.T) {
	t.Parallel()
	const limit = 0.02
	m := newFakeModel(t)
	m.tokens = func(most int) (int, int) { return 900, most } // far more than a mean answer
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Prices = []config.Price{{Model: "fake-*", Input: 0.5, Output: 2}}
		c.Budget.CostUSD, c.Budget.Jobs, c.Workers = limit, 500, 8
	})
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counters, err := l.ses.DB.Counters(t.Context(), l.exp.ID)
	if err != nil {
		t.Fatal(err)
	}
	used := counters.Usage.CostUSD
	switch {
	case used == nil || *used <= limit/2 || *used > limit:
		t.Errorf("spent %v of %g", used, limit)
	case counters.ReservedUSD != 0:
		t.Errorf("$%g stay reserved", counters.ReservedUSD)
	}
	if snap.State != record.ExperimentDone || !strings.Contains(snap.Reason, "budget") || snap.Jobs.Ended() >= 500 {
		t.Errorf("the run ended %s (%s) after %d jobs", snap.State, snap.Reason, snap.Jobs.Ended())
	}
	requests := float64(len(m.asked()))
	if want := requests * (900*0.5 + 500*2) / 1e6; used != nil && (*used < want-1e-9 || *used > want+1e-9) {
		t.Errorf("%g requests cost $%g, counted are $%g", requests, want, *used)
	}
	for _, j := range l.jobs(record.Failed) {
		if j.Class != record.ClassBudget {
			t.Errorf("%s failed as %s: %s", j.ID, j.Class, j.Reason)
		}
	}
}

func TestAProviderThatBillsMoreThanItCanStopsTheRun(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	m.tokens = func(most int) (int, int) { return 900, 100 * most }
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Prices = []config.Price{{Model: "fake-1", Input: 0.5, Output: 2}}
		c.Budget.CostUSD, c.Budget.Jobs, c.Workers = 50, 200, 2
	})
	snap, err := l.runWith(engine.Options{})
	if !errors.Is(err, engine.ErrBroken) || !strings.Contains(snap.Reason, "billed") {
		t.Errorf("the run ended %s (%s): %v", snap.State, snap.Reason, err)
	}
	if n := len(m.asked()); n > 8 {
		t.Errorf("%d requests were sent after the first had billed too much", n)
	}
}

func TestAgentsThatCannotWorkAreRefusedBeforeAnythingIsSpent(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	for _, tt := range []struct {
		name   string
		change func(*config.Config)
		want   string
	}{
		{"a model without a price under a budget of money", func(c *config.Config) { c.Budget.CostUSD = 1 }, "price"},
		{"an own login under a budget of money", func(c *config.Config) {
			c.Budget.CostUSD = 1
			c.Agents = []config.Agent{{Name: "x", Kind: "command", Preset: "codex", Weight: 1, OwnCredentials: true}}
		}, "meter"},
		{"a key that is not set", func(c *config.Config) { c.Agents[0].KeyEnv = "NOT_SET_ANYWHERE" }, "NOT_SET_ANYWHERE"},
		{"a key that the evaluator would see", func(c *config.Config) { c.Evaluator.Env = []string{"PLANTED_KEY"} }, "PLANTED_KEY"},
		{"a key that an agent's sandbox would see", func(c *config.Config) {
			c.Agents = append(c.Agents, config.Agent{Name: "x", Kind: "command", Weight: 1, Command: []string{"true"}, Env: []string{"PLANTED_KEY"}})
		}, "PLANTED_KEY"},
		{"a role that a command cannot serve", func(c *config.Config) {
			c.Agents = append(c.Agents, config.Agent{Name: "x", Kind: "command", Weight: 1, Command: []string{"true"}})
			c.Roles.Reflector = "x"
		}, "roles.reflector"},
		{"no address", func(c *config.Config) { c.Agents[0].BaseURL = "" }, "base_url"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := config.Defaults()
			cfg.Agents = []config.Agent{m.agent("model")}
			tt.change(&cfg)
			err := roster.CheckAgents(cfg, plantedEnv)
			var problems config.Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a problem with %q", err, tt.want)
			}
		})
	}
	if n := len(m.asked()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestAReflectorWritesNotesAtTheEndOfAnEpochAndAReviewerRejects(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	m.reply = func(prompt string) string {
		switch {
		case strings.Contains(prompt, "You review one change"):
			return "VERDICT: reject\n- program.txt:1 writes the result by itself\n"
		case strings.Contains(prompt, "## The stretch"):
			return "LONG: small values of a are better\nDIRECTION: try c near 2\n"
		}
		return ""
	}
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Roles.Reflector, c.Roles.Reviewer = "model", "model"
		c.Search.Epoch, c.Budget.Jobs = 5, 12
	})
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if snap.Jobs.Rejected != 12 {
		t.Errorf("the reviewer rejected %d of 12: %+v", snap.Jobs.Rejected, snap.Jobs)
	}
	for _, j := range l.jobs(record.Rejected) {
		if j.Class != record.ClassGate || !strings.Contains(j.Reason, "writes the result") {
			t.Errorf("%s: %s %s", j.ID, j.Class, j.Reason)
		}
	}
	notes, err := l.ses.DB.Notes(t.Context(), l.exp.ID)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, n := range notes {
		found = found || strings.Contains(n.Text, "small values of a") && n.Author == "reflector"
	}
	if !found {
		t.Errorf("no note of the reflector among %+v", notes)
	}
	told := false
	for _, p := range m.asked() {
		told = told || strings.Contains(p, "small values of a") && !strings.Contains(p, "## The stretch")
	}
	if !told {
		t.Error("no later prompt carried the lesson")
	}
}

func TestNoKeyIsFoundAnywhereAfterARun(t *testing.T) {
	m := newFakeModel(t)
	m.reply = func(prompt string) string {
		// A model that repeats what it should not know, in an edit and in words.
		switch {
		case strings.Contains(prompt, "You review one change"):
			return "VERDICT: accept\n- " + plantedKey
		case strings.Contains(prompt, "You write the subject line"):
			return "Use " + plantedKey
		case strings.Contains(prompt, "name the parts whose change"):
			return `{"targets": [{"name": "program", "files": ["program.txt"], "hint": "` + plantedKey + `"}]}`
		case strings.Contains(prompt, "## The stretch"):
			return "LONG: the key is " + plantedKey + "\nDIRECTION: send " + plantedKey
		case strings.Contains(prompt, "leak"):
			return "INTENT: use " + plantedKey + "\nprogram.txt\n```\na = 1\nb = 2\nc = 3\nd = 4.5\n```\n" + plantedKey + "\n"
		}
		return ""
	}
	var logs strings.Builder
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model"), {
			Name: "script", Kind: "command", Weight: 1, Command: []string{"sh", "-c", "env; cat /proc/self/environ; cat /proc/[0-9]*/environ 2>/dev/null; (env; tr '\\0' '\\n' < /proc/self/environ; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n') > environment.txt; date +%N >> environment.txt; echo \"# $ATOLL_TOKEN\" >> program.txt"},
			Prompt: "stdin", BaseURL: m.URL + "/v1", KeyEnv: "PLANTED_KEY", Model: "fake-1", Timeout: time.Minute, Attempts: 1,
		}}
		c.Goal = "leak nothing"
		c.Evaluator.Command = []string{"sh", "-c", "env >&2; echo own environment; tr '\\0' '\\n' < /proc/self/environ >&2; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' >&2; sh measure.sh"}
		c.Roles.Reflector, c.Roles.Summariser, c.Roles.Mapper, c.Roles.Reviewer = "model", "model", "model", "model"
		c.Search.Epoch = 4
		c.Budget.Jobs, c.Workers = 10, 2
	})
	t.Setenv("PLANTED_KEY", plantedKey)
	tape := t.TempDir()
	if _, err := l.runWith(engine.Options{Record: tape, Logger: textLogger(&logs)}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(m.keys, " "), plantedKey) {
		t.Fatal("the provider never got the key, so the search proves nothing")
	}
	if err := l.ses.DB.Backup(t.Context(), filepath.Join(l.ses.Dir, "plain.db")); err != nil {
		t.Fatal(err)
	}
	for _, j := range l.jobs() { // evidence may be packed in the file
		all, err := l.ses.DB.EvidenceOf(t.Context(), l.exp.ID, j.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range all {
			if strings.Contains(string(ev.Text), plantedKey) {
				t.Errorf("the key is in the evidence %q of %s", ev.Kind, j.ID)
			}
		}
	}
	searched := 0
	for _, dir := range []string{l.ses.Dir, tape, l.repo} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			searched++
			if strings.Contains(string(data), plantedKey) {
				t.Errorf("the key is in %s", path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	l.searchTrees(plantedKey)
	for _, text := range append(m.asked(), logs.String()) {
		if strings.Contains(text, plantedKey) {
			t.Error("the key is in a prompt or in the log")
		}
	}
	if searched < 10 {
		t.Errorf("only %d files were searched", searched)
	}
}

// searchTrees looks for a text in every file of every candidate.
func (l *lab) searchTrees(text string) {
	l.t.Helper()
	scripts := 0
	err := l.ses.DB.EachCandidate(l.t.Context(), l.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		tree, err := l.ses.Repo.Tree(l.t.Context(), c.Tree)
		if err != nil {
			return err
		}
		if strings.Contains(c.Intent, text) {
			l.t.Errorf("the key is in the intent of %s", c.ID)
		}
		for _, f := range tree.Files() {
			data, err := tree.Read(l.t.Context(), f.Path)
			if err != nil {
				return err
			}
			if f.Path == "environment.txt" && strings.Contains(string(data), "OPENAI_API_KEY=") {
				scripts++
			}
			if strings.Contains(string(data), text) {
				l.t.Errorf("the key is in %s of %s", f.Path, c.ID)
			}
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	if scripts == 0 {
		l.t.Error("no candidate holds the environment of a command agent")
	}
}

func TestMeasuringOnlyTheRootAsksNobody(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	l := agentLab(t, func(c *config.Config) { c.Agents = []config.Agent{m.agent("model")} })
	snap, err := l.runWith(engine.Options{RootOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if snap.Root.ID != record.Root || len(m.asked()) != 0 || snap.Jobs.Queued+snap.Jobs.Ended() != 0 {
		t.Errorf("root %+v, %d requests, jobs %+v", snap.Root, len(m.asked()), snap.Jobs)
	}
}

func textLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
