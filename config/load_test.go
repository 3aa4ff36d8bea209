package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"atoll/config"
)

// mustLoad loads a file's text and fails the test on any problem.
func mustLoad(t *testing.T, text string, o config.LoadOptions) config.Loaded {
	t.Helper()
	o.Data = []byte(text)
	l, err := config.Load(o)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return l
}

func TestLoadOrder(t *testing.T) {
	text := "workers: 2\nseed: 7\nevaluator:\n  timeout: 10s\n  command: ./bench.sh --fast\n"
	l := mustLoad(t, text, config.LoadOptions{
		Dir:   "/somewhere/packing",
		Env:   []string{"ATOLL_WORKERS=3", "ATOLL_EVALUATOR_TIMEOUT=20s", "HOME=/root", "ATOLL_RESULT=/x"},
		Flags: []config.Flag{{Key: "evaluator.timeout", Value: "30s", Name: "--timeout"}},
	})
	if l.Name != "packing" {
		t.Errorf("name = %q, want that of the folder", l.Name)
	}
	if l.Evaluator.Timeout != 30*time.Second || l.Workers != 3 || l.Seed != 7 {
		t.Errorf("timeout, workers, seed = %v, %d, %d; want 30s, 3, 7", l.Evaluator.Timeout, l.Workers, l.Seed)
	}
	if want := []string{"sh", "-c", "./bench.sh --fast"}; !reflect.DeepEqual(l.Evaluator.Command, want) {
		t.Errorf("command = %q, want %q", l.Evaluator.Command, want)
	}
	for key, want := range map[string]string{
		"workers": "environment ATOLL_WORKERS", "seed": "atoll.yaml:2", "evaluator.timeout": "flag --timeout",
		"evaluator.command": "atoll.yaml:5", "goal": "default",
	} {
		if got := l.Origin(key).String(); got != want {
			t.Errorf("origin of %s = %q, want %q", key, got, want)
		}
	}
}

func TestLoadWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	l, err := config.Load(config.LoadOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Defaults()
	want.Name = filepath.Base(dir)
	if !reflect.DeepEqual(l.Config, want) {
		t.Errorf("got %+v\nwant the defaults %+v", l.Config, want)
	}
	if l.File != "" {
		t.Errorf("file = %q, want none", l.File)
	}
	_, err = config.Load(config.LoadOptions{File: filepath.Join(dir, "other.yaml")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a named file that is missing: %v, want ErrNotExist", err)
	}
}

func TestANameOfAFolderHasNoControlCharacters(t *testing.T) {
	l, err := config.Load(config.LoadOptions{Dir: filepath.Join(t.TempDir(), "fo\nld\x1b[31m")})
	if err != nil || l.Name != "fo-ld-[31m" {
		t.Errorf("name %q, %v", l.Name, err)
	}
}

func TestLoadReportsEverythingAtOnceInFileOrder(t *testing.T) {
	text := `sed: 3
workers: 5000
evaluator:
  timout: 5s
  timeout: 90
  direction: maximise
  repeats: many
  command: {a: 1}
limits:
  memory: 12 parsecs
timeout: 3s
workers: 2
agents:
  - {name: a, kind: chat, model: m}
  - {name: a, kind: offline}
map:
  axes:
    - {metric: size, min: 3, max: 1}
`
	_, err := config.Load(config.LoadOptions{
		Data:  []byte(text),
		Env:   []string{"ATOLL_EVALUATOR_TIMEUT=3s", "ATOLL_SEED=-1"},
		Flags: []config.Flag{{Key: "search.selecton", Value: "rank", Name: "--set"}},
	})
	var problems config.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("err = %v, want Problems", err)
	}
	want := strings.TrimSpace(`
atoll.yaml:1:1: sed: no such key; did you mean seed?
atoll.yaml:2:10: workers: 5000 is out of range: write 1 to 1024
atoll.yaml:4:3: evaluator.timout: no such key; did you mean timeout?
atoll.yaml:5:12: evaluator.timeout: "90" has no unit: write 90s for seconds, or 5m, or 1h30m
atoll.yaml:6:14: evaluator.direction: "maximise" is not allowed: write one of maximize, minimize; did you mean maximize?
atoll.yaml:7:12: evaluator.repeats: "many" is no whole number: write 1 to 100
atoll.yaml:8:12: evaluator.command: a list is wanted: write [a, b], or - a and - b on lines of their own
atoll.yaml:10:11: limits.memory: "12 parsecs" is no size: write 512MiB, 2GiB or a number of bytes
atoll.yaml:11:1: timeout: no such key; did you mean evaluator.timeout?
atoll.yaml:12:1: workers: given twice; the first is on line 2
atoll.yaml:15:12: agents[1].name: a second agent "a"; names must differ
atoll.yaml:18:27: map.axes[0].min: the axis needs a range: {metric: size, min: 0, max: 100, bins: 12}, with min below max
environment ATOLL_EVALUATOR_TIMEUT: no such key; did you mean ATOLL_EVALUATOR_TIMEOUT?
environment ATOLL_SEED: seed: "-1" is no whole number from 0 to 18446744073709551615
flag --set: search.selecton: no such key; did you mean selection?`)
	if got := problems.Error(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestSyntaxErrorNamesTheLine(t *testing.T) {
	_, err := config.Load(config.LoadOptions{Data: []byte("goal: x\nevaluator:\n\tcommand: y\n")})
	if err == nil || !strings.HasPrefix(err.Error(), "atoll.yaml:3:1: this is no YAML: ") {
		t.Errorf("err = %v, want atoll.yaml:3:1", err)
	}
	_, err = config.Load(config.LoadOptions{Data: []byte("goal: x\n---\ngoal: y\n")})
	if err == nil || !strings.Contains(err.Error(), "second document") {
		t.Errorf("err = %v, want a word about the second document", err)
	}
}

func TestOverridesReachIntoListsAndMaps(t *testing.T) {
	text := "agents:\n  - {kind: offline}\n  - {preset: codex, weight: 2}\nevaluator:\n  stages: [{}, {command: [a, b]}]\n  command: x\n"
	l := mustLoad(t, text, config.LoadOptions{
		Env: []string{"ATOLL_EVALUATOR_PROTECTED=tests/**,bench/*.{go,py}", "ATOLL_MAP_GRID=8,8", "ATOLL_MAP_AXES=[{metric: a, max: 2}]"},
		Flags: []config.Flag{
			{Key: "agents.1.weight", Value: "0.5"},
			{Key: "agents.offline.weight", Value: "3"},
			{Key: "search.operators.tune", Value: "9"},
			{Key: "evaluator.stages[1].command", Value: "make bench"},
			{Key: "map.qd_offset", Value: "-2"},
		},
	})
	if l.Agents[0].Name != "offline" || l.Agents[0].Weight != 3 {
		t.Errorf("agent 0 = %+v", l.Agents[0])
	}
	if a := l.Agents[1]; a.Name != "codex" || a.Kind != "command" || a.Weight != 0.5 || a.Attempts != 2 {
		t.Errorf("agent 1 = %+v, want its kind and name implied by the preset, weight 0.5", a)
	}
	if got := l.Search.Operators["tune"]; got != 9 {
		t.Errorf("tune = %v", got)
	}
	if config.Defaults().Search.Operators["tune"] == 9 {
		t.Error("the override leaked into the defaults")
	}
	if got, want := l.Evaluator.Protected, []string{"tests/**", "bench/*.{go,py}"}; !reflect.DeepEqual(got, want) {
		t.Errorf("protected = %q, want %q", got, want)
	}
	if got := l.Map.Axes[0]; got.Metric != "a" || got.Max != 2 || got.Bins != 12 {
		t.Errorf("axis = %+v", got)
	}
	if got := l.Evaluator.Stages; got[0].Name != "stage 1" || got[1].Command[2] != "make bench" {
		t.Errorf("stages = %+v", got)
	}
	if *l.Map.Offset != -2 {
		t.Errorf("offset = %v", *l.Map.Offset)
	}
}

func TestOverrideProblemsSayWhatExists(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"agents.nobody.weight", "1", `agents has no element "nobody"; there are: offline`},
		{"agents.3.weight", "1", "there is no number 3"},
		{"evaluator", "x", "evaluator is a section; name a key of it: command"},
		{"evaluator.timeout.x", "1", "evaluator.timeout is a duration and has no keys"},
		{"timeout", "1s", "did you mean evaluator.timeout?"},
		{"search.operators", "tune", `"tune" is no name=value`},
		{"evaluator.timeout", "", "a value is wanted: a duration"},
		{"workers", "", "a value is wanted: 1 to 1024"},
		{"search.operators.tune", "-1", "out of range: write at least 0"},
	} {
		_, err := config.Load(config.LoadOptions{Flags: []config.Flag{{Key: c.key, Value: c.value, Name: "--set"}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %q", c.key, c.value, err, c.want)
		}
	}
}

func TestLoreleyVariables(t *testing.T) {
	l := mustLoad(t, "", config.LoadOptions{Env: []string{
		"SCHEDULER_MAX_UNFINISHED_JOBS=4", "SCHEDULER_MAX_TOTAL_JOBS=200", "WORKER_EVALUATOR_TIMEOUT_SECONDS=900",
		"MAPELITES_FITNESS_METRIC=score", "MAPELITES_FITNESS_HIGHER_IS_BETTER=false", "MAPELITES_ARCHIVE_CELLS_PER_DIM=12",
		"MAPELITES_PREPROCESS_ALLOWED_EXTENSIONS=[\".go\", \".py\"]", "MAPELITES_PREPROCESS_MAX_FILE_SIZE_KB=64",
		"MAPELITES_SAMPLER_SEED=-5", "ATOLL_BUDGET_JOBS=300",
	}})
	if l.Workers != 4 || l.Budget.Jobs != 300 || l.Evaluator.Timeout != 15*time.Minute || l.Seed != 0 {
		t.Errorf("workers %d, jobs %d (ATOLL_ wins), timeout %v, seed %d", l.Workers, l.Budget.Jobs, l.Evaluator.Timeout, l.Seed)
	}
	if l.Evaluator.Objective != "score" || l.Evaluator.Direction != "minimize" {
		t.Errorf("objective %s %s", l.Evaluator.Objective, l.Evaluator.Direction)
	}
	if !reflect.DeepEqual(l.Map.Grid, []int{12, 12}) || !reflect.DeepEqual(l.Map.Include, []string{"**/*.go", "**/*.py"}) || l.Map.MaxBytes != 64<<10 {
		t.Errorf("map = %+v", l.Map)
	}
	if got := l.Origin("workers").String(); got != "environment SCHEDULER_MAX_UNFINISHED_JOBS" {
		t.Errorf("origin = %s", got)
	}
}

func TestAnAdapterGetsItsArgumentsWithoutAShell(t *testing.T) {
	l := mustLoad(t, "evaluator: {command: \"evaluate:plugin env\", adapter: loreley, adapter_options: {python: python3.12}}\n", config.LoadOptions{})
	if want := []string{"evaluate:plugin env"}; !reflect.DeepEqual(l.Evaluator.Command, want) {
		t.Errorf("command = %q, want %q", l.Evaluator.Command, want)
	}
	if l.Evaluator.AdapterOptions["python"] != "python3.12" {
		t.Errorf("options = %v", l.Evaluator.AdapterOptions)
	}
}

func TestOtherVariablesAreNoneOfOurBusiness(t *testing.T) {
	mustLoad(t, "", config.LoadOptions{Env: []string{
		"ATOLL_HOME=/x", "ATOLL_DEBUG=1", "ATOLL_RUN_DIR=/y", "ATOLL_LOG=z", "ATOLLS=1", "ATOLL_", "ATOLL_TEST_BINARY=1", "MAPELITES_FEATURE_CLIP=1",
	}})
	for _, name := range []string{"ATOLL_WORKER", "ATOLL_BUDGET_JOB", "ATOLL_MAP_COLOUR", "ATOLL_SED"} {
		if _, err := config.Load(config.LoadOptions{Env: []string{name + "=1"}}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s looks like a key and must be refused, got %v", name, err)
		}
	}
}
