package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"atoll/config"
)

const openEvolveConfig = `
max_iterations: 250
random_seed: 42
diff_based_evolution: true
log_level: INFO
llm:
  primary_model: "gemini-2.5-flash"
  primary_model_weight: 0.8
  secondary_model: "gemini-2.5-pro"
  secondary_model_weight: 0.2
  api_base: "https://example.org/v1/"
  api_key: ${GEMINI_API_KEY}
  temperature: 0.7
  max_tokens: 16000
  timeout: 120
prompt:
  system_message: |
    You are an expert.
    Make it faster.
  num_top_programs: 3
  num_diverse_programs: 2
database:
  population_size: 60
  num_islands: 4
  feature_dimensions: ["complexity", "speed"]
  feature_bins: 8
evaluator:
  timeout: 60
  cascade_evaluation: true
  cascade_thresholds: [0.5, 0.75]
  parallel_evaluations: 3
`

func TestImportOpenEvolve(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"config.yaml": openEvolveConfig, "evaluator.py": "", "initial_program.py": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	imp, err := config.ImportOpenEvolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := imp.Config
	if c.Budget.Jobs != 250 || c.Seed != 42 || c.Workers != 3 || c.Goal != "You are an expert.\nMake it faster." || c.Search.Inspirations != 5 {
		t.Errorf("config = %+v", c)
	}
	if e := c.Evaluator; !reflect.DeepEqual(e.Command, []string{"evaluator.py", "initial_program.py"}) || e.Adapter != "openevolve" || e.Timeout != time.Minute ||
		e.AdapterOptions["thresholds"] != "0.5,0.75" || e.Objective != "combined_score" || !reflect.DeepEqual(c.Gate.Scope, []string{"initial_program.py"}) {
		t.Errorf("evaluator = %+v, scope %q", e, c.Gate.Scope)
	}
	if len(c.Agents) != 2 || c.Agents[0].Model != "gemini-2.5-flash" || c.Agents[0].Weight != 0.8 || c.Agents[1].KeyEnv != "GEMINI_API_KEY" ||
		c.Agents[1].BaseURL != "https://example.org/v1/" || c.Agents[0].MaxTokens != 16000 || c.Agents[0].Timeout != 2*time.Minute || c.Agents[0].Edit != "blocks" {
		t.Errorf("agents = %+v", c.Agents)
	}
	if !reflect.DeepEqual(c.Map.Grid, []int{8, 8}) {
		t.Errorf("grid = %v", c.Map.Grid)
	}
	notes := strings.Join(imp.Notes, "\n")
	for _, want := range []string{"database.population_size", "database.num_islands is 4: the search has one island", "llm.temperature", "log_level", "feature dimensions speed", "imports the candidate's code"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note on %q in\n%s", want, notes)
		}
	}
	for _, read := range []string{"max_iterations", "evaluator.timeout", "prompt.system_message"} {
		if strings.Contains(notes, read) {
			t.Errorf("%s was read and is yet called left out", read)
		}
	}
}

func TestImportOpenEvolveKeepsNoKey(t *testing.T) {
	imp, err := config.FromOpenEvolve([]byte("llm: {models: [{name: m, weight: 1}, {name: m}], api_key: sk-secret-123}\nevaluator: {cascade_evaluation: false}"), "e.py", "p.py")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(imp.YAML)+strings.Join(imp.Notes, ""), "sk-secret") {
		t.Errorf("the key was written:\n%s", imp.YAML)
	}
	if len(imp.Config.Agents) != 2 || imp.Config.Agents[0].Name == imp.Config.Agents[1].Name {
		t.Errorf("agents = %+v", imp.Config.Agents)
	}
	if imp.Config.Evaluator.AdapterOptions["thresholds"] != "off" {
		t.Errorf("a cascade that was off must stay off: %v", imp.Config.Evaluator.AdapterOptions)
	}
	none, err := config.FromOpenEvolve(nil, "e.py", "p.py")
	if err != nil || none.Config.Agents[0].Kind != "offline" {
		t.Errorf("without a configuration: %+v, %v", none.Config.Agents, err)
	}
	if _, err := config.ImportOpenEvolve(t.TempDir()); err == nil || !strings.Contains(err.Error(), "evaluator.py") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := config.FromOpenEvolve([]byte("a: ["), "e.py", "p.py"); err == nil {
		t.Error("broken YAML was accepted")
	}
}

func TestImportOpenEvolveTakesAProgramOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("evaluator.py", "")
	put("initial_program/main.cpp", "")
	if _, err := config.ImportOpenEvolve(dir); err == nil || !strings.Contains(err.Error(), "bundle") {
		t.Errorf("a folder that nothing makes a text of: %v", err)
	}
	put("start.py", "from tools.pack import *\nout.write_text(one_text(str(folder)))\n")
	put("tools/pack.py", "def one_text(folder: str) -> str:\n    return ''\n")
	imp, err := config.ImportOpenEvolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	e := imp.Config.Evaluator
	if e.AdapterOptions["bundle"] != "tools.pack:one_text" || !reflect.DeepEqual(e.Command, []string{"evaluator.py", "initial_program"}) ||
		!reflect.DeepEqual(e.Protected, []string{"evaluator.py", "tools"}) || !reflect.DeepEqual(imp.Config.Gate.Scope, []string{"initial_program/**"}) {
		t.Errorf("evaluator = %+v, scope %q", e, imp.Config.Gate.Scope)
	}
}

func TestImportLoreley(t *testing.T) {
	from := t.TempDir()
	to := filepath.Join(from, "repository")
	for _, dir := range []string{to, filepath.Join(from, "examples", "env")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	imp, err := config.ImportLoreley([]byte(`# Loreley
export EXPERIMENT_ID=circle-packing
DATABASE_URL='postgresql://x'
TASKS_REDIS_URL=redis://y
OPENAI_API_KEY=sk-secret
OPENAI_BASE_URL=https://example.org/v1
SCHEDULER_MAX_TOTAL_JOBS=20 # a comment
SCHEDULER_MAX_UNFINISHED_JOBS=2
WORKER_REPO_BRANCH=main
WORKER_EVALUATOR_PLUGIN=evaluate:plugin
WORKER_EVALUATOR_PYTHON_PATHS=["examples/env"]
WORKER_CODING_BACKEND=loreley.core.worker.agent.backends.cursor_cli:backend
WORKER_CURSOR_MODEL=gpt-5.2-high
WORKER_CODING_TIMEOUT_SECONDS=1800
WORKER_CODING_EXTRA_ENV={"LANG": "C", "MY_TOKEN": "hush"}
WORKER_PLANNING_BACKEND=loreley.core.worker.agent.backends.codex_cli:backend
WORKER_EVOLUTION_GLOBAL_GOAL="Pack: tight # and \"well\""
WORKER_EVOLUTION_COMMIT_MODEL=openai/gpt-5.2
MAPELITES_FITNESS_METRIC=sum_radii
MAPELITES_ARCHIVE_CELLS_PER_DIM=12
MAPELITES_DIMENSION_REDUCTION_TARGET_DIMS=2
MAPELITES_DIMENSION_REDUCTION_MIN_FIT_SAMPLES=8
MAPELITES_CODE_EMBEDDING_MODEL=text-embedding-3-large
MAPELITES_FEATURE_CLIP=true
`), from, to)
	if err != nil {
		t.Fatal(err)
	}
	c := imp.Config
	if c.Name != "circle-packing" || c.Root != "main" || c.Budget.Jobs != 20 || c.Workers != 2 || c.Goal != `Pack: tight # and "well"` || c.Map.MinFit != 8 {
		t.Errorf("config = %+v", c)
	}
	if e := c.Evaluator; !reflect.DeepEqual(e.Command, []string{"evaluate:plugin", "."}) || e.Dir != "../examples/env" || e.Adapter != "loreley" || e.Objective != "sum_radii" {
		t.Errorf("evaluator = %+v", e)
	}
	if !reflect.DeepEqual(c.Map.Grid, []int{12, 12}) {
		t.Errorf("map = %+v", c.Map)
	}
	coder, summariser := c.Agents[0], c.Agents[1]
	if coder.Preset != "cursor-agent" || coder.Model != "gpt-5.2-high" || coder.Timeout != 30*time.Minute || !reflect.DeepEqual(coder.Env, []string{"LANG=C", "MY_TOKEN"}) {
		t.Errorf("coder = %+v", coder)
	}
	if summariser.Kind != "chat" || summariser.BaseURL != "https://example.org/v1" || summariser.Weight != 0 || c.Roles.Planner != "" || c.Roles.Summariser != "summariser" {
		t.Errorf("summariser = %+v, roles %+v", summariser, c.Roles)
	}
	all := string(imp.YAML) + strings.Join(imp.Notes, "\n")
	if strings.Contains(all, "sk-secret") || strings.Contains(all, "hush") {
		t.Errorf("a secret was written:\n%s", all)
	}
	for _, want := range []string{"DATABASE_URL, TASKS_REDIS_URL", "MAPELITES_FEATURE_CLIP", "embedding model text-embedding-3-large is left out", "roles.planner"} {
		if !strings.Contains(all, want) {
			t.Errorf("no note on %s in\n%s", want, all)
		}
	}
}

func TestImportLoreleySaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"A B\n":                                "line 1 is not NAME=value",
		"X=1\nY='open\n":                       "line 2: the quote",
		"SCHEDULER_MAX_UNFINISHED_JOBS=0\n":    "workers: 0 is out of range",
		"WORKER_EVALUATOR_TIMEOUT_SECONDS=x\n": "WORKER_EVALUATOR_TIMEOUT_SECONDS",
	} {
		if _, err := config.ImportLoreley([]byte(text), "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
