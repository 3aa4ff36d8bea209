package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestTheArrowsOfTheHousePointOneWay holds what each package may know of the
// others; docs/architecture.md draws it.
func TestTheArrowsOfTheHousePointOneWay(t *testing.T) {
	for _, rule := range []struct {
		pkg  string
		none []string // import paths, or prefixes of them, that it must not depend on
	}{
		{"atoll/store/record", []string{"atoll/", "github.com/", "golang.org/", "gonum.org/"}},
		{"atoll/engine/sandbox/boot", []string{"atoll/", "github.com/", "golang.org/"}},
		{"atoll/engine/view", []string{"atoll/", "github.com/", "golang.org/", "gonum.org/"}},
		{"atoll/engine/archive", []string{"atoll/engine", "atoll/store", "atoll/gitops", "github.com/mattn", "charm.land"}},
		{"atoll/engine/behavior", []string{"atoll/engine", "atoll/store", "atoll/gitops", "github.com/mattn", "charm.land"}},
		{"atoll/engine/search", []string{"atoll/engine", "atoll/store", "atoll/gitops", "github.com/mattn", "charm.land"}},
		{"atoll/engine/gate", []string{"atoll/engine", "atoll/store", "atoll/gitops", "github.com/mattn", "charm.land"}},
		{"atoll/engine/sandbox", []string{"atoll/engine/eval", "atoll/engine/agent", "atoll/store", "github.com/mattn", "charm.land"}},
		{"atoll/engine/survey", []string{"atoll/engine/archive", "atoll/engine/agent", "atoll/engine/search", "atoll/store/", "github.com/mattn/go-sqlite3", "charm.land"}},
		{"atoll/engine/guard/probe", []string{"atoll/", "github.com/", "golang.org/", "gonum.org/"}},
		{"atoll/engine/guard", []string{"atoll/engine/eval", "atoll/engine/agent", "atoll/config", "atoll/store", "github.com/mattn", "charm.land"}},
		{"atoll/engine/mutant", []string{"atoll/", "github.com/", "golang.org/", "gonum.org/"}},
		{"atoll/tui/plot", []string{"atoll/engine", "atoll/store", "charm.land/bubbletea", "github.com/mattn/go-sqlite3"}},
		{"atoll/config", []string{"atoll/engine", "atoll/gitops", "atoll/tui", "charm.land", "github.com/mattn"}},
		{"atoll/gitops", []string{"atoll/engine", "atoll/config", "atoll/tui", "github.com/mattn", "charm.land"}},
		{"atoll/store", []string{"atoll/engine", "atoll/gitops", "atoll/config", "charm.land"}},
		{"atoll/engine", []string{"atoll/tui", "atoll/cli", "charm.land"}},
		{"atoll/tui", []string{"atoll/cli"}},
	} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", rule.pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("go list %s: %v\n%s", rule.pkg, err, out)
		}
		for _, dep := range strings.Fields(string(out)) {
			if dep == rule.pkg || dep == "atoll/store/record" || strings.HasPrefix(dep, rule.pkg+"/") {
				continue
			}
			for _, none := range rule.none {
				if strings.HasPrefix(dep, none) && !allowed(rule.pkg, dep) {
					t.Errorf("%s depends on %s", rule.pkg, dep)
				}
			}
		}
	}
}

// allowed are the few arrows between siblings.
func allowed(pkg, dep string) bool {
	switch pkg {
	case "atoll/engine/search":
		return dep == "atoll/engine/archive"
	case "atoll/engine/sandbox":
		return dep == "atoll/engine/sandbox/boot"
	}
	return false
}
