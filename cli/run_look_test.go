package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config"
)

func TestARunThatOnlyLooksWritesNothing(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	refused(t, atoll(t, dir, "run", "--read-only"), "no experiment here")
	must(t, dir, "run", "--headless", "--max-jobs", "2")
	before := must(t, dir, "experiments", "--json") + must(t, dir, "events", "--json")
	for _, flag := range []string{"--max-jobs=9", "--workers=7", "--seed=3", "--order=strict", "--new", "--remeasure"} {
		name, _, _ := strings.Cut(flag, "=")
		refused(t, atoll(t, dir, "run", "--read-only", flag), "changes nothing: leave out "+name+", or --read-only")
	}
	refused(t, atoll(t, dir, "run", "--read-only", "--set", "workers=7"), "changes nothing: leave out --set workers, or --read-only")
	refused(t, atoll(t, dir, "run", "--read-only", "--set", "console.theme=light"), "it needs a terminal") // how it looks is its own
	file := filepath.Join(dir, config.FileName)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "budget:", "workers: 3\nbudget:", 1)
	if changed == string(text) {
		t.Fatalf("there is no budget in\n%s", text)
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, atoll(t, dir, "run", "--read-only"), "it needs a terminal")
	if after := must(t, dir, "experiments", "--json") + must(t, dir, "events", "--json"); after != before {
		t.Errorf("who only looks left\n%s\nwhere was\n%s", after, before)
	}
}
