package guard_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
	"atoll/store/record"
)

// table is a root with which several edits are compared: by one guard, which learns of the root once.
type table struct {
	guard *guard.Guard
	root  string
	id    string // of what the root holds
}

// tableWork is the processor time of one comparison of a table. What is found is found in a part of it on a slow machine, too; of the
// default a sixth would go into more inputs of each edit that changes nothing.
const tableWork = 100 * time.Second

// mustTable is for the edits of a root. It lasts as long as the test, with those that it runs.
func mustTable(t *testing.T, o guard.Options, root string) table {
	t.Helper()
	o = asManyAsUsual(o)
	o.Scratch, o.Work, o.Wall = t.TempDir(), cmp.Or(o.Work, tableWork), cmp.Or(o.Wall, 9*time.Minute)
	g, err := guard.New(mustBox(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return table{guard: g, root: root, id: "root"}
}

// asManyAsUsual are options for as many inputs as usual, without more of them where nothing differs; who says how much time there is gets
// those, too.
func asManyAsUsual(o guard.Options) guard.Options {
	if o.Cases == 0 && o.Work == 0 {
		o.Cases = guard.DefaultCases - 1
	}
	return o
}

// mustPythonTable is that of a module of one file and its test.
func mustPythonTable(t *testing.T, o guard.Options, module, test string) table {
	t.Helper()
	mustHave(t, "python3")
	o.NoTests, o.PythonTests = true, []string{"-m", "unittest", "-q"}
	return mustTable(t, o, mustFiles(t, map[string]string{"kit.py": module, "test_kit.py": test}))
}

// mustJavaScriptTable is that of a module of JavaScript.
func mustJavaScriptTable(t *testing.T, o guard.Options, files map[string]string) table {
	t.Helper()
	mustHave(t, "node")
	o.NoTests = true
	return mustTable(t, o, mustFiles(t, files))
}

// of is another root for the same guard, which knows it again by what it holds.
func (c table) of(t *testing.T, files map[string]string) table {
	t.Helper()
	return table{guard: c.guard, root: mustFiles(t, files), id: fmt.Sprint(files)}
}

// mustCheck compares the root with one in which a file is edited: of each two texts the first becomes
// the second, wherever it stands.
func (c table) mustCheck(t *testing.T, file string, edits ...string) guard.Report {
	t.Helper()
	was, err := os.ReadFile(filepath.Join(c.root, file))
	if err != nil {
		t.Fatal(err)
	}
	now := strings.NewReplacer(edits...).Replace(string(was))
	if now == string(was) {
		t.Fatalf("nothing is edited by %q", edits)
	}
	candidate := guard.Tree{Base: c.root, Delta: []record.Change{{Path: file, Mode: record.Regular, Data: []byte(now)}}}
	report, err := c.guard.Check(t.Context(), guard.Tree{Base: c.root, ID: c.id}, candidate, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// fewer are the edits of a table that stand for all of it below the slow level: the first that is found. Those that
// behave as before take all the time that a comparison has; tests of refactorings stand for them.
func fewer[E any](list []E, found func(E) bool) []E {
	if suitetest.IsSlow() {
		return list
	}
	if i := slices.IndexFunc(list, found); i >= 0 {
		return list[i : i+1]
	}
	return list[:1]
}
