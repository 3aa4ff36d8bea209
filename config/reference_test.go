package config_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"atoll/config"
)

var update = flag.Bool("update", false, "write docs/config.md anew")

const referenceFile = "../docs/config.md"

func TestReferenceIsFresh(t *testing.T) {
	want := config.Reference()
	if *update {
		if err := os.WriteFile(referenceFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/config.md is stale; write it anew with: go test ./config -run Reference -update")
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range config.Keys() {
		if k.Path == "" || strings.HasSuffix(k.Path, ".") {
			t.Errorf("a field has no key tag: %+v", k)
		}
		if seen[k.Path] {
			t.Errorf("%s is there twice", k.Path)
		}
		seen[k.Path] = true
		if !strings.HasSuffix(k.Doc, ".") || len(k.Doc) < 10 {
			t.Errorf("%s: %q is no plain sentence", k.Path, k.Doc)
		}
		if k.Live && k.Measure {
			t.Errorf("%s is live and yet part of the evaluation key", k.Path)
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d keys", len(seen))
	}
}

func TestExplain(t *testing.T) {
	l := mustLoad(t, "workers: 2\nagents:\n  - {kind: offline}\n  - {name: c, kind: chat, model: m}\n", config.LoadOptions{
		Env: []string{"ATOLL_SEED=9"}, Flags: []config.Flag{{Key: "search.operators.tune", Value: "1", Name: "--set"}},
	})
	rows, err := l.Explain("")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]config.Row{}
	for _, r := range rows {
		got[r.Key] = r
	}
	for _, c := range []struct{ key, value, origin, words string }{
		{"workers", "2", "atoll.yaml:1", "live"},
		{"seed", "9", "environment ATOLL_SEED", "frozen"},
		{"evaluator.timeout", "2m", "default", "frozen"},
		{"limits.memory", "2GiB", "default", "frozen"},
		{"agents[1].model", "m", "atoll.yaml:4", "live"},
		{"agents[1].weight", "1", "default", "live"},
		{"agents[0].name", "offline", "default", "live"},
		{"evaluator.protected", "", "default", "frozen"},
		{"map.grid", "[16,16]", "default", "frozen"},
		{"map.axes", "", "default", "frozen"},
	} {
		r := got[c.key]
		if r.Value != c.value || r.Origin.String() != c.origin || r.Frozen() != c.words {
			t.Errorf("%s = %q from %q, %s; want %q from %q, %s", c.key, r.Value, r.Origin, r.Frozen(), c.value, c.origin, c.words)
		}
	}
	if r := got["search.operators"]; r.Origin.String() != "flag --set" || !strings.Contains(r.Value, `"tune":1`) {
		t.Errorf("search.operators = %q from %s", r.Value, r.Origin)
	}

	one, err := l.Explain("evaluator.timeout")
	if err != nil || len(one) != 1 {
		t.Errorf("one key gives %d rows, %v", len(one), err)
	}
	section, err := l.Explain("agents")
	if err != nil || len(section) < 30 {
		t.Errorf("a section gives %d rows, %v", len(section), err)
	}
	for key, want := range map[string]string{
		"evaluator.timout": "did you mean evaluator.timeout?", "timeout": "did you mean evaluator.timeout?", "wrkers": "did you mean workers?",
		"nosuch": "no such key; there are name, goal, ", "evaluator.somethingelse": "no such key; there are evaluator.",
	} {
		if _, err := l.Explain(key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("explain %s: %v, want %q", key, err, want)
		}
	}
}
