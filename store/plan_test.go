package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atoll/store"
	"atoll/store/record"
)

// bigTables grow with the work; the others have some rows per experiment.
func bigTables() []string {
	return []string{"job", "candidate", "descent", "metric", "sample", "evidence", "vector", "blob_vector", "log"}
}

// wholeExperiment lists the beginnings of the statements that may walk over all
// rows of an experiment in a big table, each with its reason.
func wholeExperiment() map[string]string {
	return map[string]string{
		"SELECT\n\t\tcoalesce(sum(kind": "recounts the totals, for Integrity",
		"SELECT kind, state, count(*)":  "recounts the jobs, for Integrity",
		"SELECT experiment, id, kind, state, priority, purpose, island, parent, inspirations, operator, agent,\n\t\ttarget, goal, candidate, duplicate, retry_of, repeat, samples, held_at, approved, attempt, class, reason,\n\t\trequests, input_tokens, output_tokens, cost, priced, unpriced, unmetered,\n\t\tedit_ms, eval_ms, own_ms, created, started, ended, lease_until, why, machine FROM job INDEXED BY job_queue": "takes the head of the queue",
		"SELECT id FROM job WHERE experiment = ?1 ORDER BY id DESC LIMIT 1":            "takes the last row",
		"SELECT id FROM job WHERE experiment = ?1 AND kind = 'make'\n\t\tAND state IN": "compares jobs with the log, for Integrity",
		"SELECT seq, at, data FROM log INDEXED BY log_decision":                        "walks over decisions only",
	}
}

func TestNoStatementReadsABigTableFromEndToEnd(t *testing.T) {
	w := open(t, record.Settings{})
	check := func(t *testing.T) {
		plans, err := w.db.ExplainAll()
		w.ok(err)
		for _, s := range store.Statements() {
			for _, step := range plans[s] {
				if why := refuse(s, step); why != "" {
					t.Errorf("%s: %q in\n%s", why, step, s)
				}
			}
		}
	}
	t.Run("empty", check)
	w.fill(1, 300, 4)
	w.ok(w.db.Do("ANALYZE"))
	w.ok(w.db.Close())
	w.db = mustOpen(t, w.path, store.Options{})
	t.Run("filled and analysed", check)
}

// refuse says why a step of a plan is too much, or "".
func refuse(statement, step string) string {
	if strings.Contains(step, "USE TEMP B-TREE") && strings.Contains(statement, "FROM job") && !strings.Contains(statement, "GROUP BY") {
		return "sorts"
	}
	words := strings.Fields(step)
	if len(words) < 2 || words[0] != "SCAN" && words[0] != "SEARCH" {
		return ""
	}
	table := words[1]
	if alias := map[string]string{"l": "log", "j": "job", "c": "candidate", "b": "blob_vector"}[table]; alias != "" {
		table = alias
	}
	if !slices.Contains(bigTables(), table) {
		return ""
	}
	if words[0] == "SCAN" {
		return "scans"
	}
	if strings.Contains(step, "AUTOMATIC") {
		return "builds an index"
	}
	if !strings.HasSuffix(step, "(experiment=?)") {
		return ""
	}
	for beginning := range wholeExperiment() {
		if strings.HasPrefix(statement, beginning) {
			return ""
		}
	}
	return "walks over a whole experiment"
}

// TestThePlanTestCanFail makes sure that the check above refuses what it should.
func TestThePlanTestCanFail(t *testing.T) {
	for step, want := range map[string]string{
		"SCAN job": "scans",
		"SCAN c":   "scans",
		"SEARCH candidate USING PRIMARY KEY (experiment=?)":          "walks over a whole experiment",
		"SEARCH job USING AUTOMATIC COVERING INDEX (candidate=?)":    "builds an index",
		"SEARCH candidate USING PRIMARY KEY (experiment=? AND id=?)": "",
		"SCAN experiment": "",
	} {
		if got := refuse("SELECT 1", step); got != want {
			t.Errorf("%q: got %q, want %q", step, got, want)
		}
	}
}

func TestEveryStatementIsListed(t *testing.T) {
	listed := store.Statements()
	names := 0
	files, err := filepath.Glob("queries*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if ok && strings.HasPrefix(v.Names[0].Name, "sql") {
				names++
			}
			return true
		})
	}
	if names != len(listed) {
		t.Errorf("%d constants, but %d are listed", names, len(listed))
	}
	for i, s := range listed {
		if slices.Contains(listed[:i], s) {
			t.Errorf("listed twice: %s", s)
		}
	}
}

func TestSQLIsOnlyInTheRegistry(t *testing.T) {
	verbs := regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|CREATE|DROP|ALTER|VACUUM)\s`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasPrefix(name, "queries") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err == nil && verbs.MatchString(text) {
				t.Errorf("%s has SQL outside of the registry: %q", name, text)
			}
			return true
		})
	}
}

func TestRowsOfTheLogAreNeverChanged(t *testing.T) {
	change := regexp.MustCompile(`(UPDATE|DELETE FROM|REPLACE INTO) log\b`)
	for _, s := range store.Statements() {
		if change.MatchString(s) {
			t.Errorf("changes the log: %s", s)
		}
	}
	schema, err := os.ReadFile("001_tables.sql")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(schema), "TRIGGER") {
		t.Error("the schema has triggers")
	}
}
