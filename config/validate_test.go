package config_test

import (
	"strings"
	"testing"

	"atoll/config"
)

func TestRulesBetweenKeys(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a name with a line's end and an escape", `name: "a\nb\u001b[31mred"`, `name: "a\nb\x1b[31mred" has control characters`},
		{"a stage with a threshold but no metric", "evaluator: {command: x, stages: [{threshold: 1}]}", "evaluator.stages[0].threshold: a threshold needs a metric"},
		{"a stage with a metric but no threshold", "evaluator: {command: x, stages: [{metric: m}]}", "needs a threshold"},
		{"a last stage without output", "evaluator: {command: x, stages: [{}, {output: none}]}", "the last stage must report metrics"},
		{"two stages of one name", "evaluator: {command: x, stages: [{name: a}, {name: a}]}", `evaluator.stages[1].name: a second stage "a"`},
		{"a stage without any command", "evaluator: {stages: [{name: a}]}", "the stage has no command"},
		{"{dir} without a folder", "evaluator: {command: ['{dir}/x']}", "{dir} is used but evaluator.dir is empty"},
		{"a cache that is neither known nor a path", "evaluator: {caches: [maven]}", `"maven" is neither`},
		{"a stage's label without a value", "evaluator: {command: x, stages: [{needs: [gpu]}]}", `evaluator.stages[0].needs: "gpu": write NAME=VALUE`},
		{"stages that ask for what no machine has", "evaluator: {command: x, stages: [{name: a, needs: [arch=arm64]}, {name: b, needs: [arch=amd64]}]}", "evaluator.stages[1].needs: b asks for arch=amd64 and arch=arm64 of a: one machine runs all stages"},
		{"a pool that no machine can be in", "evaluator: {command: x, pool: My Pool}", `evaluator.pool: "My Pool": use up to 40`},
		{"an option that no adapter has", "evaluator: {adapter: hyperfine, command: x, adapter_options: {runns: 3}}", "evaluator.adapter_options.runns: no such option of the adapter hyperfine; did you mean runs?"},
		{"an option of another adapter", "evaluator: {adapter: pytest, adapter_options: {rounds: 3}}", "no such option of the adapter pytest; here are python"},
		{"an option of an adapter without any", "evaluator: {adapter: plugin, dir: x, adapter_options: {rounds: 3}}", "the adapter plugin has no options"},
		{"options without an adapter", "evaluator: {command: x, adapter_options: {rounds: 3}}", "evaluator.adapter is empty"},
		{"a colour that is none", "console: {colours: {accent: red}}", `"red" is no colour`},
		{"a variable of atoll itself", "evaluator: {env: [ATOLL_RESULT=x]}", "ATOLL_RESULT is set by atoll itself"},
		{"no variable name", "evaluator: {env: ['1A=x']}", "is neither NAME nor NAME=value"},
		{"a broken glob", "gate: {scope: ['src/[a']}", `"src/[a" is no glob`},
		{"a glob that leads out", "gate: {forbidden: ['../x']}", "leads out of the repository"},
		{"an axis without a range", "map: {axes: [time_ms]}", "the axis needs a range: {metric: time_ms"},
		{"two axes of one metric", "map: {axes: [{metric: a, max: 1}, {metric: a, max: 1}]}", "a second axis a"},
		{"edges that do not grow", "map: {axes: [{metric: a, edges: [1, 1]}]}", "edges must grow"},
		{"no bins", "map: {axes: [{metric: a, max: 1, bins: 0}]}", "0 is out of range: write 1 to 4096"},
		{"too many cells", "map: {grid: [2000, 2000]}", "4000000 cells are too many"},
		{"no grid", "map: {grid: []}", "1 to 6 axes, not 0"},
		{"a cell count of 0", "map: {grid: [0, 4]}", "0 cells on an axis are out of range"},
		{"regions of one axis", "map: {grid: [8], regions: 50}", "regions need two axes or more, and map.grid has 1"},
		{"regions of an axis with edges", "map: {axes: [{metric: a, max: 1}, {metric: b, edges: [1]}], regions: 50}", "an axis of map.regions has a range"},
		{"a fit that waits for more than it keeps", "map: {min_fit: 500, history: 100}", "500 is more than map.history"},
		{"an operator that does not exist", "search: {operators: {tume: 1}}", "search.operators.tume: no such operator: write seed, tune"},
		{"a negative weight", "search: {operators: {tune: -1}}", "-1 is out of range"},
		{"nothing to draw", "search: {operators: {tune: 0}}", "no operator has a weight above 0"},
		{"an infinite weight", "search: {operators: {tune: .inf}}", "no finite number"},
		{"no agent", "agents: []", "there is no agent"},
		{"an agent of no kind", "agents: [{name: a}]", "agents[0].kind: say what the agent is"},
		{"agents that never edit", "agents: [{kind: offline, weight: 0}]", "no agent has a weight above 0"},
		{"a chat agent without a model", "agents: [{kind: chat}]", "a chat agent needs a model"},
		{"a generic agent without a command", "agents: [{kind: command, preset: generic}]", "needs a preset or a command"},
		{"a replay without a recording", "agents: [{kind: replay}]", "needs the folder of a recording"},
		{"a key where a name belongs", "agents: [{kind: chat, model: m, key_env: sk-proj-123}]", "the name of a variable that holds the key"},
		{"a role without an agent", "roles: {planner: offlin}", `there is no agent "offlin"; did you mean offline?`},
		{"money and an agent that pays for itself", "agents: [{preset: codex, own_credentials: true}]\nbudget: {cost_usd: 5}", "which atoll cannot meter"},
		{"a price without a model", "prices: [{input: 1}]", "the price names no model"},
		{"a target without files", "targets: [{name: a}]", `target "a" has no files`},
		{"two targets of one name", "targets: [{name: a, files: [x]}, {name: a, files: [y]}]", `a second target "a"`},
	} {
		_, err := config.Load(config.LoadOptions{Data: []byte(c.text)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), "atoll.yaml:") {
			t.Errorf("%s: no place in %v", c.name, err)
		}
		if n := len(err.(config.Problems)); n != 1 {
			t.Errorf("%s: %d problems for one mistake:\n%v", c.name, n, err)
		}
	}
}

func TestDefaultsAreValid(t *testing.T) {
	if p := config.Defaults().Validate(); len(p) > 0 {
		t.Errorf("problems: %v", p)
	}
	if p := config.Defaults().Complete(); len(p) != 1 || p[0].Key != "evaluator.command" {
		t.Errorf("a run without an evaluator must be refused, got %v", p)
	}
	withAgent := mustLoad(t, "agents: [{kind: chat, model: m}]", config.LoadOptions{})
	if withAgent.Search.Operators["structural"] == 0 {
		t.Error("a chat agent brings operators of its own")
	}
	own := mustLoad(t, "agents: [{kind: chat, model: m}]\nsearch: {operators: {tune: 1}}", config.LoadOptions{})
	if len(own.Search.Operators) != 1 {
		t.Errorf("weights that were given must stay as they are, got %v", own.Search.Operators)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("workers: 2\nevaluator: {timeout: 3s, command: [a]}\n")
	f.Add("agents: [&a {kind: offline}, *a]\nmap: {axes: [x, {metric: y, edges: [1,2]}]}")
	f.Add("a: &a [*a]\n<<: {x: 1}\n? [1]\n: 2")
	f.Add("search: {operators: {tune: 1e309}}\n---\n...")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := config.Load(config.LoadOptions{Data: []byte(text)})
		if err != nil {
			return
		}
		data := config.Encode(l.Config)
		back, err := config.Decode(data)
		if err != nil {
			t.Fatalf("what loads must be stored and read again: %v\n%s", err, data)
		}
		if frozen, live := config.Diff(l.Config, back); len(frozen)+len(live) > 0 {
			t.Fatalf("lost: %v %v", frozen, live)
		}
	})
}
