package config_test

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"atoll/config"
)

// full is a configuration in which many kinds of values are set.
func full(t *testing.T) config.Config {
	t.Helper()
	return mustLoad(t, `
name: "odd <name> & 漢"
goal: "odd \u0001 \u2028"
seed: 18446744073709551615
constraints: ["a: b", "- c", "#d"]
evaluator:
  command: [a, "b c", "{dir}/d"]
  dir: ev
  timeout: 1h0m30s
  stages: [{name: q, command: x, output: none}, {name: f, metric: m, threshold: -1e-300}]
  adapter: gobench
  adapter_options: {rounds: "2", bench: "1"}
map:
  axes: [{metric: a, edges: [1, 2.5, 1e9]}, {metric: b, min: -1, max: 0.1}]
  qd_offset: 0
search: {operators: {mutate: 0.1, tune: 0.30000000000000004}}
limits: {memory: 1000001, cpu: 1500ms}
agents: [{kind: offline}, {preset: codex, weight: 0, own_credentials: true}]
prices: [{model: "gpt-*", input: 1.25, output: 10}]
console: {keys: {quit: "ctrl+c"}}
`, config.LoadOptions{}).Config
}

func TestEncodeDecode(t *testing.T) {
	for _, c := range []config.Config{config.Defaults(), full(t)} {
		data := config.Encode(c)
		back, err := config.Decode(data)
		if err != nil {
			t.Fatalf("decode: %v\n%s", err, data)
		}
		again := config.Encode(back)
		if !bytes.Equal(data, again) {
			t.Errorf("not stable:\n%s\n%s", data, again)
		}
		if frozen, live := config.Diff(c, back); len(frozen)+len(live) > 0 {
			t.Errorf("a value was lost: %v %v", frozen, live)
		}
	}
	c := full(t)
	back, _ := config.Decode(config.Encode(c))
	if !reflect.DeepEqual(c, back) || back.Seed != math.MaxUint64 || back.Evaluator.Timeout != time.Hour+30*time.Second {
		t.Errorf("got %+v\nwant %+v", back, c)
	}
}

func TestDecodeRefusesWhatItDoesNotKnow(t *testing.T) {
	if _, err := config.Decode([]byte(`{"workers": 2, "warp": 9}`)); err == nil || !strings.Contains(err.Error(), "warp") {
		t.Errorf("err = %v", err)
	}
	if _, err := config.Decode([]byte(`{`)); err == nil {
		t.Error("half a document was accepted")
	}
	c, err := config.Decode([]byte(`{"workers": 3}`))
	if err != nil || c.Workers != 3 || c.Map.MinFit != config.Defaults().Map.MinFit {
		t.Errorf("missing keys must keep their default: %+v, %v", c, err)
	}
}

func TestMeasureKeyChangesOnlyWithTheMeasurement(t *testing.T) {
	base := full(t)
	key := config.MeasureKey(base)
	threshold := 3.0
	for name, c := range map[string]struct {
		change func(*config.Config)
		same   bool
	}{
		"nothing":          {func(*config.Config) {}, true},
		"goal":             {func(c *config.Config) { c.Goal = "other" }, true},
		"axes":             {func(c *config.Config) { c.Map.Axes = nil }, true},
		"caches":           {func(c *config.Config) { c.Evaluator.Caches = []string{"go"} }, true},
		"nil for empty":    {func(c *config.Config) { c.Evaluator.Hidden = []string{} }, true},
		"command":          {func(c *config.Config) { c.Evaluator.Command = []string{"a b", "c"} }, false},
		"split of words":   {func(c *config.Config) { c.Evaluator.Command = []string{"a", "b", "c", "{dir}/d"} }, false},
		"direction":        {func(c *config.Config) { c.Evaluator.Direction = "minimize" }, false},
		"timeout":          {func(c *config.Config) { c.Evaluator.Timeout++ }, false},
		"memory":           {func(c *config.Config) { c.Limits.Memory++ }, false},
		"output limit":     {func(c *config.Config) { c.Limits.Output++ }, true},
		"stage threshold":  {func(c *config.Config) { c.Evaluator.Stages[1].Threshold = &threshold }, false},
		"adapter settings": {func(c *config.Config) { c.Evaluator.AdapterOptions = map[string]string{"a": "2"} }, false},
		"repeats":          {func(c *config.Config) { c.Evaluator.Repeats = 5 }, false},
		"root repeats":     {func(c *config.Config) { c.Evaluator.RootRepeats = 5 }, true},
	} {
		changed := full(t)
		c.change(&changed)
		if got := config.MeasureKey(changed) == key; got != c.same {
			t.Errorf("%s: same key = %v, want %v", name, got, c.same)
		}
	}
}

func TestDiffTellsFrozenFromLive(t *testing.T) {
	before, after := full(t), full(t)
	after.Workers = 9
	after.Seed = 3
	after.Budget.Jobs = 7
	after.Agents[1].Weight = 4
	after.Map.Axes[1].Max = 5
	after.Evaluator.Stages = nil
	frozen, live := config.Diff(before, after)
	keys := func(ds []config.Difference) string {
		var all []string
		for _, d := range ds {
			all = append(all, d.Key)
		}
		return strings.Join(all, " ")
	}
	if got, want := keys(frozen), "seed evaluator.stages map.axes[1].max"; got != want {
		t.Errorf("frozen = %q, want %q", got, want)
	}
	if got, want := keys(live), "workers budget.jobs agents[1].weight"; got != want {
		t.Errorf("live = %q, want %q", got, want)
	}
	if d := frozen[2]; d.Old != "0.1" || d.New != "5" {
		t.Errorf("difference = %+v", d)
	}
}

func TestSettings(t *testing.T) {
	c := full(t)
	c.Budget.Wall = 90 * time.Second
	s := c.Settings()
	if s.Workers != c.Workers || s.MaxJobs != 100 || s.MaxWallMS != 90_000 || s.Review != "off" || s.Operators["mutate"] != 0.1 {
		t.Errorf("settings = %+v", s)
	}
	if !reflect.DeepEqual(s.Agents, map[string]float64{"offline": 1, "codex": 0}) {
		t.Errorf("agents = %v", s.Agents)
	}
	s.Operators["mutate"] = 9
	s.Constraints[0] = "x"
	if c.Search.Operators["mutate"] == 9 || c.Constraints[0] == "x" {
		t.Error("settings share memory with the configuration")
	}
	s = c.Settings()
	s.Workers, s.MaxJobs, s.MaxWallMS, s.ReviewNiche, s.Goal = 7, 9, 60_000, "all", "another"
	s.Depth, s.Agents["codex"], s.Operators["mutate"] = new(64), 3, 0.5
	with := c.With(s)
	if got := with.Settings(); !reflect.DeepEqual(got, s) {
		t.Errorf("with %+v it has %+v", s, got)
	}
	if same := c.With(c.Settings()); !reflect.DeepEqual(same, c) {
		t.Errorf("with its own settings it is %+v", same)
	}
	s.Operators["mutate"] = 9
	if with.Search.Operators["mutate"] == 9 || c.Agents[1].Weight == 3 {
		t.Error("a configuration with settings shares memory")
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "512": 512, "1k": 1024, "1KB": 1000, "1.5 MiB": 1572864, "2GiB": 2 << 30, "1_000": 1000, "3b": 3, "1TB": 1e12,
	} {
		if got, err := config.ParseSize(text); err != nil || got != want {
			t.Errorf("%q = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "MiB", "NaN", "1e300", "12 parsecs", "9223372036854775808"} {
		if got, err := config.ParseSize(text); err == nil {
			t.Errorf("%q = %d, want an error", text, got)
		}
	}
	for _, n := range []int64{0, 1, 1023, 1024, 1025, 1 << 20, 3 << 30, 1000001, math.MaxInt64/2 - 1} {
		if got, err := config.ParseSize(config.FormatSize(n)); err != nil || got != n {
			t.Errorf("%d written as %s and read as %d, %v", n, config.FormatSize(n), got, err)
		}
	}
}
