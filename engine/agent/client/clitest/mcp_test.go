package clitest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/agent/client/clitest"
)

// thinking is a model with a course: a function that asks for one tool after
// another and reads what each answered, whatever requests carry it.
type thinking struct {
	mu     sync.Mutex
	steps  []clitest.Step
	asks   chan clitest.Step
	answer chan string
}

// think begins a course. It ends with its last words or with the test.
func think(t *testing.T, course func(ask func(clitest.Step) string) clitest.Step) *thinking {
	th := &thinking{asks: make(chan clitest.Step), answer: make(chan string)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		last := course(func(s clitest.Step) string {
			select {
			case th.asks <- s:
			case <-t.Context().Done():
				return ""
			}
			select {
			case text := <-th.answer:
				return text
			case <-t.Context().Done():
				return ""
			}
		})
		select {
		case th.asks <- last:
		case <-t.Context().Done():
		}
	}()
	t.Cleanup(func() { <-ended })
	return th
}

// step is what comes after the results of the steps before. A request that comes
// again gets the same.
func (th *thinking) step(results []string) clitest.Step {
	th.mu.Lock()
	defer th.mu.Unlock()
	for len(th.steps) <= len(results) {
		if n := len(th.steps); n > 0 {
			th.answer <- results[n-1]
		}
		th.steps = append(th.steps, <-th.asks)
	}
	return th.steps[len(results)]
}

// outside is a real client beside atoll, as a user has it: a home with what
// `mcp install` wrote, a repository, and a scripted model.
type outside struct {
	t                   *testing.T
	program, home, repo string
	name, path, base    string
	server              *clitest.Server
}

func newOutside(t *testing.T, name string, course func(ask func(clitest.Step) string) clitest.Step) *outside {
	t.Helper()
	o := &outside{t: t, name: name, path: installed(t, name), program: built(t), home: t.TempDir(), repo: t.TempDir()}
	dir, err := os.MkdirTemp("", "m")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if o.server, err = clitest.Think(dir, "sk-outside-"+rand.Text(), think(t, course).step); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.server.Close)
	o.base = address(t, o.server)
	return o
}

func (o *outside) atoll(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(o.t.Context(), o.program, args...)
	cmd.Dir, cmd.Env = o.repo, o.env()
	return cmd
}

func (o *outside) must(cmd *exec.Cmd) string {
	o.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		o.t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out.String(), errs.String())
	}
	return out.String()
}

// env is a clean environment in which the client finds its home and the model.
func (o *outside) env() []string {
	return []string{
		"HOME=" + o.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb",
		"ANTHROPIC_BASE_URL=" + o.base, "ANTHROPIC_API_KEY=" + o.server.Token, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=false", "MCP_CONNECTION_NONBLOCKING=false", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1",
		"GOOGLE_GEMINI_BASE_URL=" + o.base, "GEMINI_API_KEY=" + o.server.Token, "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true",
		"MODEL_TOKEN=" + o.server.Token,
	}
}

// drive has the client do its course; its output is told when the test fails.
func (o *outside) drive(prompt string) {
	o.t.Helper()
	var args []string
	switch o.name {
	case "claude":
		args = []string{"-p", "--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose", prompt}
	case "codex":
		args = []string{
			"exec", "--json", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "-C", o.repo, "-m", "mock-model", "-c", "model_provider=mock",
			"-c", `model_providers.mock={name="mock",base_url="` + o.base + `/v1",env_key="MODEL_TOKEN",wire_api="responses"}`, prompt,
		}
	case "gemini":
		args = []string{"--approval-mode", "yolo", "--output-format", "stream-json", "-m", "mock-model", "-p", prompt}
	}
	ctx, cancel := context.WithTimeout(o.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.path, args...)
	cmd.Dir, cmd.Env = o.repo, o.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Errorf("%s: %v", o.name, err)
	}
	o.t.Cleanup(func() {
		if o.t.Failed() {
			o.t.Logf("%s said:\n%s\nrequests: %v", o.name, out, o.server.Paths())
		}
	})
}

// files commits what a repository begins with.
func (o *outside) files(texts map[string]string) {
	o.t.Helper()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(o.repo, name), []byte(text), 0o755); err != nil {
			o.t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "t"}, {"config", "user.email", "t@localhost"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}, {"tag", "seed-baseline"},
	} {
		cmd := exec.CommandContext(o.t.Context(), "git", args...)
		cmd.Dir, cmd.Env = o.repo, o.env()
		o.must(cmd)
	}
}

// settings is what the user has set before atoll comes.
func (o *outside) settings() {
	o.t.Helper()
	if o.name != "gemini" {
		return
	}
	if err := os.Mkdir(filepath.Join(o.home, ".gemini"), 0o755); err != nil {
		o.t.Fatal(err)
	}
	text := `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "model": {"disableLoopDetection": true}}`
	if err := os.WriteFile(filepath.Join(o.home, ".gemini", "settings.json"), []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

// outsiders are the clients that `mcp install` knows and that work without a terminal.
var outsiders = []string{"claude", "codex", "gemini"}

// object is the JSON that a tool answered, without the client's words around it.
func object(text string) map[string]any {
	var v map[string]any
	if first, last := strings.Index(text, "{"), strings.LastIndex(text, "}"); first < 0 || last < first || json.Unmarshal([]byte(text[first:last+1]), &v) != nil {
		return map[string]any{"not JSON": text}
	}
	return v
}

// engine runs the experiment beside the client until the test ends, and returns
// when it has a third candidate.
func (o *outside) engine() {
	o.t.Helper()
	engine := o.atoll("run", "--headless", "--yes")
	var said bytes.Buffer
	engine.Stdout, engine.Stderr = &said, &said
	if err := engine.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() {
		_ = engine.Process.Signal(os.Interrupt)
		_ = engine.Wait()
		if o.t.Failed() {
			o.t.Logf("the engine said:\n%s", said.String())
		}
	})
	o.until("a third candidate", func() bool { return o.atoll("show", "c3", "--json").Run() == nil })
}

// until waits for what must come.
func (o *outside) until(what string, holds func() bool) {
	o.t.Helper()
	for deadline := time.Now().Add(suitetest.Stretched(o.t, time.Minute)); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			o.t.Fatalf("%s does not come", what)
		}
	}
}

func TestARealClientLooksAndDecidesBesideARunningEngine(t *testing.T) {
	for _, name := range outsiders {
		t.Run(name, func(t *testing.T) {
			heard := map[string]map[string]any{}
			o := newOutside(t, name, func(ask func(clitest.Step) string) clitest.Step {
				call := func(tool string, args map[string]any) {
					heard[tool] = object(ask(clitest.Step{Call: &clitest.Call{Server: "atoll", Tool: tool, Args: args}}))
				}
				call("status", map[string]any{})
				call("start", map[string]any{"goal": "raise the value"})
				call("wait", map[string]any{"jobs": 2, "seconds": 50})
				call("pause", map[string]any{})
				call("candidates", map[string]any{"best": true})
				call("diff", map[string]any{"id": "best", "from": "c0"})
				call("reject", map[string]any{"of": []string{"best"}, "text": "too dear"})
				return clitest.Step{Text: "Done."}
			})
			o.files(map[string]string{
				"value.txt": "seven 7\n", "measure.sh": "set -- $(cat value.txt)\nsleep 0.2\necho score=$2\n",
				"atoll.yaml": `goal: a higher value
workers: 1
evaluator: {command: [sh, measure.sh], output: name=value, objective: score, protected: [measure.sh]}
map: {axes: [{metric: score, min: 0, max: 100, bins: 8}]}
budget: {jobs: 10000}
`,
			})
			o.settings()
			o.must(o.atoll("mcp", "install", name, "--allow", "decide", "--yes"))
			o.engine()
			o.drive("Look at the experiment and decide.")

			if heard["status"]["state"] != "running" || heard["wait"]["state"] != "running" {
				t.Errorf("status: %v\nwait: %v", heard["status"], heard["wait"])
			}
			if items, _ := heard["candidates"]["items"].([]any); len(items) == 0 || len(items[0].(map[string]any)) < 10 {
				t.Errorf("candidates: %v", heard["candidates"])
			}
			if files, _ := heard["diff"]["files"].([]any); len(files) != 1 {
				t.Errorf("diff: %v", heard["diff"])
			}
			for _, verb := range []string{"start", "pause", "reject"} {
				if who, _ := heard[verb]["who"].(string); heard[verb]["verb"] != verb || !strings.Contains(who, "(mcp)") {
					t.Errorf("%s: %v", verb, heard[verb])
				}
			}
			status := object(o.must(o.atoll("status", "--json")))
			if said, _ := heard["reject"]["said"].(string); status["state"] != "paused" || !strings.Contains(said, "too dear") {
				t.Errorf("%v stands after %q", status["state"], said)
			}
			for _, word := range []string{"no longer rejected", "no longer paused"} {
				if out := o.must(o.atoll("undo")); !strings.Contains(out, word) {
					t.Errorf("undo says %q, want %q", out, word)
				}
			}
			o.until("running again", func() bool { return object(o.must(o.atoll("status", "--json")))["state"] == "running" })
		})
	}
}

// budget of a whole evolution: the seed and one generation of nine.
const evoBudget = 10

func TestARealClientDrivesAWholeEvolution(t *testing.T) {
	for _, name := range outsiders {
		t.Run(name, func(t *testing.T) {
			var seed, end map[string]any
			var sizes, fits []int
			o := newOutside(t, name, func(ask func(clitest.Step) string) clitest.Step {
				call := func(tool string, args map[string]any) map[string]any {
					return object(ask(clitest.Step{Call: &clitest.Call{Server: "evo-engine", Tool: tool, Args: args}}))
				}
				step := func(phase string, args map[string]any) map[string]any {
					args["phase"] = phase
					for {
						if got := call("evo_step", args); got["action"] != "measuring" {
							return got
						}
					}
				}
				call("evo_init", map[string]any{"repo_path": ".", "benchmark_cmd": "./benchmark.sh", "objective": "min", "max_fe": evoBudget})
				call("evo_register_targets", map[string]any{"targets": []any{
					map[string]any{"id": "a", "file": "a.txt", "function": "alpha"}, map[string]any{"id": "b", "file": "b.txt", "function": "beta"}, map[string]any{"id": "c", "file": "c.txt", "function": "gamma"},
				}})
				seed = call("evo_report_seed", map[string]any{"obj": 1})
				for at := step("begin_generation", map[string]any{}); at["action"] != "done" && len(sizes) < 3; at = step("reflect_done", map[string]any{}) {
					items, _ := at["items"].([]any)
					sizes = append(sizes, len(items))
					for _, it := range items {
						item, _ := it.(map[string]any)
						branch, file := fmt.Sprint(item["branch"]), fmt.Sprint(item["target_file"])
						file, _, _ = strings.Cut(file, "+")
						parents, _ := item["parent_branches"].([]any)
						ask(clitest.Step{Shell: fmt.Sprintf("git checkout -q -B %s %v && sed -i 's/50/%d/' %s && git commit -q -a -m %s && git checkout -q main", branch, parents[0], 49-len(fits), file, branch)})
						step("code_ready", map[string]any{"branch": branch})
						step("policy_pass", map[string]any{"branch": branch})
						got := step("fitness_ready", map[string]any{"branch": branch, "fitness": -1, "success": true})
						fitness, _ := got["fitness"].(float64)
						fits = append(fits, int(fitness))
					}
					step("select", map[string]any{})
				}
				end = call("evo_get_status", map[string]any{})
				return clitest.Step{Text: "Done."}
			})
			o.files(map[string]string{
				"a.txt": "alpha 50\n", "b.txt": "beta 50\n", "c.txt": "gamma 50\n",
				"benchmark.sh": "#!/bin/sh\nset -- $(cat a.txt b.txt c.txt)\necho $(($2 + $4 + $6))\n",
			})
			o.settings()
			o.must(o.atoll("mcp", "install", name, "--evo", "--yes"))
			o.drive("Evolve this repository.")

			if seed["seed_obj"] != 150.0 || fmt.Sprint(sizes) != "[9]" || len(fits) != evoBudget-1 {
				t.Errorf("seed %v, generations of %v, fitness %v", seed, sizes, fits)
			}
			for i, f := range fits { // each changes one of three numbers, all begin with 50
				if f != 149-i {
					t.Errorf("candidate %d was measured with %d, want %d", i, f, 149-i)
				}
			}
			if end["total_evals"] != float64(evoBudget) || end["budget_remaining"] != 0.0 || end["best_obj_overall"] != float64(149-len(fits)+1) {
				t.Errorf("the end: %v", end)
			}
			var held struct{ Best struct{ Objective float64 } }
			if err := json.Unmarshal([]byte(o.must(o.atoll("status", "--json"))), &held); err != nil || held.Best.Objective != end["best_obj_overall"] {
				t.Errorf("atoll holds %v (%v), the client %v", held.Best.Objective, err, end["best_obj_overall"])
			}
		})
	}
}
