package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw the arrows in docs/architecture.md anew")

// arrows are all that packages may import of atoll, by path below the module.
// An arrow that is not here, and one that nothing uses, fails the test. The
// drawing in docs/architecture.md is made of this table.
func arrows() map[string][]string {
	return map[string][]string{
		".":                             {"cli", "engine/sandbox/boot"},
		"cli":                           {"cli/door", "cli/mcp", "cli/mcp/clients", "cli/mcp/evo", "cli/serve", "cli/serve/ssh", "config", "engine", "engine/agent", "engine/agent/clean", "engine/backup", "engine/bench", "engine/campaign", "engine/campaign/audit", "engine/campaign/fresh", "engine/doctor", "engine/eval", "engine/eval/output", "engine/evidence", "engine/fleet", "engine/fleet/server", "engine/fleet/wire", "engine/fleet/worker", "engine/fold", "engine/forge", "engine/gate", "engine/gateway", "engine/guard", "engine/history", "engine/kept", "engine/memory", "engine/plugin", "engine/query", "engine/repair", "engine/report", "engine/retention", "engine/roster", "engine/sandbox", "engine/schedule", "engine/simulate", "engine/survey", "engine/trial", "engine/verify", "engine/view", "examples", "gitops", "store", "store/record", "store/whole", "tui", "tui/campaign"},
		"cli/door":                      {"engine", "engine/agent", "engine/agent/broker", "engine/evidence", "engine/fold", "engine/query", "engine/report", "engine/view", "gitops", "store", "store/record"},
		"cli/mcp":                       {"cli/door", "engine/view", "store/record"},
		"cli/mcp/evo":                   {"engine", "engine/view", "store/record"},
		"cli/serve/ssh":                 {"cli/door", "engine/view"},
		"cli/serve":                     {"cli/door", "engine/evidence", "engine/view", "store/record"},
		"engine":                        {"config", "engine/agent", "engine/agent/broker", "engine/agent/client", "engine/doctor", "engine/eval", "engine/fold", "engine/gate", "engine/gateway", "engine/guard", "engine/kept", "engine/query", "engine/retention", "engine/roster", "engine/sandbox", "engine/schedule", "engine/view", "engine/work", "gitops", "store", "store/fault", "store/record"},
		"engine/schedule":               {"config", "engine/agent", "engine/agent/offline", "engine/behavior", "engine/fold", "engine/roster", "engine/search", "engine/view", "engine/work", "gitops", "store", "store/fault", "store/record"},
		"engine/fleet/worker":           {"engine/agent/client", "engine/eval", "engine/fleet/wire", "engine/sandbox", "engine/work", "gitops", "store/record", "store/whole"},
		"engine/fleet":                  {"config", "engine/agent/client", "engine/eval", "engine/fleet/server", "engine/fleet/wire", "engine/sandbox", "engine/view", "engine/work", "store/record", "store/whole"},
		"engine/fleet/server":           {"engine/fleet/wire", "store/whole"},
		"engine/fleet/wire":             {"config", "engine/agent/client", "engine/eval", "engine/eval/output", "engine/sandbox", "store/record"},
		"engine/simulate":               {"config", "engine/fold", "engine/schedule", "engine/search", "store/record"},
		"engine/bench":                  {"config", "engine/agent", "engine/agent/offline", "engine/archive", "engine/behavior", "engine/fold", "engine/gate", "engine/schedule", "engine/search", "engine/work", "examples", "store/record"},
		"engine/backup":                 {"gitops", "store", "store/record"},
		"engine/campaign":               {"engine/agent/clean", "engine/agent/edit", "engine/campaign/audit", "store", "store/record"},
		"engine/health":                 {"config", "engine/campaign/audit", "store/record"},
		"engine/campaign/audit":         {"engine/agent/clean", "engine/agent/offline/language", "engine/campaign/fresh", "store/record"},
		"engine/repair":                 {"engine/backup", "engine/doctor", "engine/eval", "engine/fold", "engine/kept", "engine/view", "engine/work", "gitops", "store", "store/record"},
		"engine/retention":              {"engine/fold", "gitops", "store", "store/record"},
		"engine/report":                 {"engine/evidence", "engine/view", "store/record"},
		"engine/history":                {"config", "engine/fold", "engine/view", "store/record"},
		"engine/query":                  {"config", "engine/fold", "engine/history", "engine/view", "engine/work", "gitops", "store", "store/record"},
		"engine/doctor":                 {"config", "engine/agent", "engine/eval", "engine/eval/lint", "engine/fold", "engine/gate", "engine/gateway", "engine/guard", "engine/health", "engine/kept", "engine/roster", "engine/sandbox", "engine/trial", "engine/view", "engine/work", "gitops", "store", "store/record"},
		"engine/verify":                 {"config", "engine/agent/offline/language", "engine/eval", "engine/eval/output", "engine/evidence", "engine/gate", "engine/guard", "engine/sandbox", "engine/view", "engine/work", "gitops", "store/record"},
		"engine/work":                   {"config", "engine/agent", "engine/agent/offline", "engine/agent/prompt", "engine/behavior", "engine/eval", "engine/eval/output", "engine/evidence", "engine/fold", "engine/gate", "engine/gateway", "engine/guard", "engine/health", "engine/memory", "engine/plugin", "engine/roster", "engine/sandbox", "engine/search", "engine/view", "gitops", "store", "store/fault", "store/record"},
		"engine/roster":                 {"config", "engine/agent", "engine/agent/broker", "engine/agent/client", "engine/agent/edit", "engine/agent/offline", "engine/agent/prompt", "engine/eval", "engine/gateway", "engine/plugin", "engine/sandbox", "gitops", "store", "store/record"},
		"engine/plugin":                 {"engine/agent/clean", "engine/eval/output", "engine/sandbox", "store/record", "store/whole"},
		"engine/trial":                  {"engine/agent", "engine/agent/offline", "engine/eval", "engine/evidence", "engine/guard", "engine/mutant", "engine/view", "store/record", "store/whole"},
		"tui":                           {"engine/evidence", "engine/view", "store/record", "tui/keys", "tui/pane", "tui/plot", "tui/steer", "tui/widget"},
		"engine/agent/client":           {"engine/agent", "engine/agent/clean", "engine/gateway", "engine/sandbox", "store/record"},
		"engine/agent/broker":           {"engine/agent", "store/record"},
		"engine/agent/offline":          {"engine/agent", "engine/agent/clean", "engine/agent/edit", "engine/agent/offline/idiom", "engine/agent/offline/language", "store/record"},
		"engine/agent/prompt":           {"engine/agent", "engine/agent/clean", "engine/agent/edit", "engine/agent/offline/language", "engine/memory", "store/record"},
		"engine/kept":                   {"engine/fold", "engine/view", "store", "store/record", "store/whole"},
		"engine/campaign/fresh":         nil,
		"engine/fold/image":             nil,
		"engine/fold":                   {"config", "engine/agent", "engine/archive", "engine/behavior", "engine/evidence", "engine/fold/image", "engine/front", "engine/memory", "engine/search", "engine/view", "store/record"},
		"engine/survey":                 {"config", "engine/eval", "engine/eval/output", "engine/jsload", "engine/sandbox", "gitops", "store/record"},
		"tui/steer":                     {"engine/view", "store/record", "tui/keys", "tui/pane", "tui/widget"},
		"engine/agent":                  {"engine/agent/clean", "engine/agent/edit", "engine/gateway", "store/record", "store/whole"},
		"engine/agent/offline/idiom":    {"engine/agent/offline/language"},
		"engine/eval":                   {"config", "engine/eval/output", "engine/plugin", "engine/sandbox", "store/record"},
		"engine/eval/output":            {"store/record"},
		"engine/guard":                  {"engine/guard/probe", "engine/jsload", "engine/sandbox", "gitops", "store/record"},
		"engine/search":                 {"engine/archive", "store/record"},
		"tui/pane":                      {"engine/evidence", "engine/view", "store/record", "tui/keys", "tui/plot", "tui/widget"},
		"tui/campaign":                  {"tui/plot", "tui/widget"},
		"config":                        {"store/record"},
		"engine/agent/edit":             {"engine/agent/clean", "store/record"},
		"engine/agent/offline/language": {"store/record"},
		"engine/archive":                {"store/record"},
		"engine/gate":                   {"store/record"},
		"engine/gateway":                {"store/record", "store/whole"},
		"engine/memory":                 {"store/record"},
		"engine/sandbox":                {"engine/sandbox/boot", "engine/sandbox/boot/start", "engine/sandbox/boot/tree", "engine/sandbox/boot/wire", "engine/sandbox/prepared", "store/record"},
		"engine/view":                   {"config", "engine/evidence", "store/record"},
		"gitops":                        {"store/fault", "store/record", "store/whole"},
		"store":                         {"store/fault", "store/record"},
		"tui/widget":                    {"store/record", "tui/plot"},
		"cli/e2e":                       nil,
		"cli/mcp/clients":               {"store/whole"},
		"engine/agent/clean":            nil,
		"engine/behavior":               nil,
		"engine/eval/lint":              nil,
		"engine/evidence":               nil,
		"engine/forge":                  nil,
		"engine/front":                  {"store/record"},
		"engine/guard/probe":            nil,
		"engine/jsload":                 nil,
		"engine/mutant":                 nil,
		"engine/sandbox/boot":           {"engine/sandbox/boot/kernel", "engine/sandbox/boot/landlock", "engine/sandbox/boot/proc", "engine/sandbox/boot/start", "engine/sandbox/boot/text", "engine/sandbox/boot/tree", "engine/sandbox/boot/watch", "engine/sandbox/boot/wire", "engine/sandbox/boot/world"},
		"engine/sandbox/boot/world":     {"engine/sandbox/boot/kernel", "engine/sandbox/boot/landlock", "engine/sandbox/boot/start", "engine/sandbox/boot/text", "engine/sandbox/boot/tree", "engine/sandbox/boot/wire"},
		"engine/sandbox/boot/watch":     {"engine/sandbox/boot/kernel", "engine/sandbox/boot/proc", "engine/sandbox/boot/start", "engine/sandbox/boot/text", "engine/sandbox/boot/wire"},
		"engine/sandbox/boot/landlock":  {"engine/sandbox/boot/kernel"},
		"engine/sandbox/boot/proc":      {"engine/sandbox/boot/kernel"},
		"engine/sandbox/boot/start":     {"engine/sandbox/boot/kernel", "engine/sandbox/boot/text"},
		"engine/sandbox/boot/tree":      {"engine/sandbox/boot/kernel", "engine/sandbox/boot/text", "engine/sandbox/boot/wire"},
		"engine/sandbox/boot/kernel":    nil,
		"engine/sandbox/boot/text":      nil,
		"engine/sandbox/boot/wire":      nil,
		"engine/sandbox/prepared":       nil,
		"examples":                      nil,
		"store/fault":                   nil,
		"store/whole":                   nil,
		"store/record":                  nil,
		"tui/keys":                      nil,
		"tui/plot":                      nil,
	}
}

// outside says who may import libraries that bind a package to a terminal, to C
// or to a way of storing things. All other libraries are free.
func outside() map[string][]string {
	return map[string][]string{
		"charm.land/":            {"tui", "tui/...", "cli/serve/ssh"},
		"github.com/nats-io/":    {"engine/fleet", "engine/fleet/..."},
		"github.com/spf13/cobra": {"cli"},
		"github.com/mattn/":      {"store"},
		"github.com/go-git/":     {"gitops"},
		"database/sql":           {"store"},
	}
}

// listed is a package as the go command tells it, with paths below the module.
type listed struct {
	path, doc string
	own, all  []string // imports: of atoll, and all
}

func TestTheArrowsOfTheHousePointOneWay(t *testing.T) {
	packages := list(t)
	table := arrows()
	for _, p := range packages {
		allowed, known := table[p.path]
		if !known {
			t.Errorf("%s is in no table: say in arrows_test.go what it may import", p.path)
			continue
		}
		for _, to := range p.own {
			if !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s, which the table does not allow", p.path, to)
			}
		}
		for _, to := range allowed {
			if !slices.Contains(p.own, to) {
				t.Errorf("the table lets %s import %s, which it does not: take it out", p.path, to)
			}
		}
		delete(table, p.path)
	}
	for _, gone := range slices.Sorted(maps.Keys(table)) {
		t.Errorf("the table has %s, and there is no such package", gone)
	}
}

func TestLibrariesThatBindArePartOfFewPackages(t *testing.T) {
	for _, p := range list(t) {
		for _, imported := range p.all {
			for prefix, who := range outside() {
				if !strings.HasPrefix(imported, prefix) || slices.ContainsFunc(who, func(w string) bool {
					below, tree := strings.CutSuffix(w, "/...")
					return w == p.path || tree && strings.HasPrefix(p.path, below+"/")
				}) {
					continue
				}
				t.Errorf("%s imports %s; that is for %s", p.path, imported, strings.Join(who, ", "))
			}
		}
	}
}

func TestTheDrawingOfTheHouseIsFresh(t *testing.T) {
	const file, from, to = "docs/architecture.md", "<!-- arrows -->\n", "<!-- end of arrows -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := bytes.Cut(text, []byte(from))
	_, tail, ends := bytes.Cut(rest, []byte(to))
	if !found || !ends {
		t.Fatalf("%s has no %s and %s", file, strings.TrimSpace(from), strings.TrimSpace(to))
	}
	fresh := slices.Concat(head, []byte(from), []byte(drawing(list(t))), []byte(to), tail)
	if bytes.Equal(fresh, text) {
		return
	}
	if !*update {
		t.Fatalf("the arrows in %s are not those of the code; draw them anew with: go test . -run Drawing -update", file)
	}
	if err := os.WriteFile(file, fresh, 0o644); err != nil {
		t.Fatal(err)
	}
}

// list returns every package of the program; helpers of tests are none.
func list(t *testing.T) []listed {
	t.Helper()
	const format = "{{.ImportPath}}\t{{.Doc}}\t{{join .Imports \" \"}}"
	cmd := exec.Command("go", "list", "-f", format, "./...")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, errs.String())
	}
	var all []listed
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		p := listed{path: below(f[0]), doc: f[1], all: strings.Fields(f[2])}
		if strings.HasSuffix(p.path, "test") || strings.Contains(p.path, "testdata") || strings.HasPrefix(p.path, "examples/") {
			continue
		}
		for _, to := range p.all {
			if strings.HasPrefix(to, "atoll/") {
				p.own = append(p.own, below(to))
			}
		}
		all = append(all, p)
	}
	return all
}

// below is a path below the module, "." for the module itself.
func below(importPath string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(importPath, "atoll"), "/"), ".")
}

// drawing is a table of the packages, those that know most first: every arrow
// points down.
func drawing(all []listed) string {
	by := map[string]listed{}
	for _, p := range all {
		by[p.path] = p
	}
	height := map[string]int{}
	var measure func(p string) int
	measure = func(p string) int {
		if h, known := height[p]; known {
			return h
		}
		h := 0
		for _, to := range by[p].own {
			h = max(h, measure(to)+1)
		}
		height[p] = h
		return h
	}
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(cmp.Compare(measure(b.path), measure(a.path)), cmp.Compare(a.path, b.path))
	})
	var b strings.Builder
	b.WriteString("| package | what it is | imports |\n|---|---|---|\n")
	for _, p := range all {
		name := p.path
		if name == "." {
			name = "main"
		}
		doc := strings.TrimPrefix(p.doc, "Package "+path.Base(p.path)+" ")
		doc = strings.TrimSuffix(strings.ReplaceAll(doc, "|", "\\|"), ".")
		to := slices.Sorted(slices.Values(p.own))
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, doc, strings.Join(to, ", "))
	}
	return b.String()
}

// TestPathsThatTheDocumentsNameExist holds what a newcomer is sent to.
func TestPathsThatTheDocumentsNameExist(t *testing.T) {
	quoted := regexp.MustCompile("`((?:cli|config|docs|engine|examples|gitops|store|tui)/[a-zA-Z0-9_./*-]*)`")
	decided, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(decided, "CONTRIBUTING.md", "docs/architecture.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "NAME") || strings.HasPrefix(m[1], "atoll/") {
				continue
			}
			if found, err := filepath.Glob(m[1]); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is not there", file, m[1])
			}
		}
	}
}
