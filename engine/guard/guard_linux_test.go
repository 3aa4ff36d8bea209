package guard_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// mustBox is a sandbox that works here.
func mustBox(t *testing.T) *sandbox.Box {
	t.Helper()
	box, err := sandbox.New(t.Context(), sandbox.Options{Scratch: t.TempDir()})
	if err != nil {
		t.Skipf("this machine gives no sandbox: %v", err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}

func mustHave(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not on the PATH", program)
	}
}

// mustTree copies a folder of testdata; ".txt" behind a name falls away, for Go
// files there would belong to this module.
func mustTree(t *testing.T, folders ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join("testdata", folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join("testdata", folder, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(e.Name(), ".txt")), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// mustFiles makes a tree of files.
func mustFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustCheck(t *testing.T, o guard.Options, root, candidate guard.Tree, changed ...string) guard.Report {
	t.Helper()
	o = asManyAsUsual(o)
	o.Scratch, o.Wall = t.TempDir(), cmp.Or(o.Wall, 9*time.Minute)
	g, err := guard.New(mustBox(t), o)
	if err != nil {
		t.Fatal(err)
	}
	report, err := g.Check(t.Context(), root, candidate, changed)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// mustCheckEdited compares a tree with one in which a file is edited: of each two texts the first becomes
// the second, wherever it stands.
func mustCheckEdited(t *testing.T, o guard.Options, root, file string, edits ...string) guard.Report {
	t.Helper()
	return mustTable(t, o, root).mustCheck(t, file, edits...)
}

func wantWhere(t *testing.T, report guard.Report, want ...string) {
	t.Helper()
	got := map[string]guard.Difference{}
	for _, d := range report.Differences {
		got[d.Where] = d
		t.Log(d.Kind, d)
	}
	for _, w := range want {
		if _, ok := got[w]; !ok && !slices.ContainsFunc(report.Differences, func(d guard.Difference) bool { return isPlayed(d, w) }) {
			t.Errorf("nothing was said of %s", w)
		}
	}
	if len(want) == 0 && (len(got) > 0 || report.Cases == 0) {
		t.Errorf("%s", report.Summary())
	}
}

// isPlayed reports that a difference is of a Python test which is played, and that it tells what a function gave: on a slow
// machine a test shows a change before the inputs of the function do.
func isPlayed(d guard.Difference, function string) bool {
	call := function[strings.LastIndexByte(function, '.')+1:] + "("
	return strings.HasPrefix(d.Where, "test_kit.") && strings.Contains(d.Root+d.Candidate, call)
}

func TestChangesThatPassTheTestsOfAGoModuleAreFound(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "makes a dozen differences small, a process at a time; a gone name is every day's")
	mustHave(t, "go")
	root := mustTree(t, "go/root")
	report := mustCheck(t, guard.Options{Cases: 300, Patience: 2 * time.Second, NoTests: true}, guard.Tree{Base: root}, guard.Tree{Base: mustTree(t, "go/root", "go/planted")}, "kit.go")
	wantWhere(t, report, "kit.Clamp", "kit.Mean", "kit.Count", "kit.Each", "kit.Max[int]", "kit.Max[string]", "kit.Print", "kit.Parse",
		"kit.Reverse", "kit.SetPrefix", "kit.Steps", "kit.Stack.Pop")
	for _, d := range report.Differences {
		switch d.Where {
		case "kit.Clamp":
			if len(d.Input) > len("Clamp(-100, -100, -100)") {
				t.Errorf("the input of Clamp is not small: %s", d.Input)
			}
		case "kit.Steps":
			if d.Kind != guard.Ends || d.Input != "Steps(0)" {
				t.Errorf("got %+v, want that Steps(0) does not come back", d)
			}
		}
	}
}

func TestRefactoringsOfAGoModuleRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "hundreds of cases for a Go module; TestRefactoringsOfAPythonModuleRaiseNoAlarm and TestANameThatIsGoneIsADifference stand for it")
	mustHave(t, "go")
	root := mustTree(t, "go/root")
	report := mustCheck(t, guard.Options{Cases: suitetest.Pick(150, 400, 400)}, guard.Tree{Base: root}, guard.Tree{Base: mustTree(t, "go/root", "go/refactored")}, "kit.go")
	wantWhere(t, report)
	if !report.Measured || len(report.Unreached) != 1 || report.Unreached[0].File != "kit.go" {
		t.Fatalf("unreached are %v, measured %t; want the one branch that nothing takes", report.Unreached, report.Measured)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "go", "refactored", "kit.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	if u := report.Unreached[0]; !strings.Contains(strings.Join(lines[u.From-1:u.To], "\n"), `p.Key = "never"`) {
		t.Errorf("%s is not the branch that nothing takes", u)
	}
}

// A text that tells where a function lies differs between any two programs.
func TestAddressesInAnErrorRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "one more Go module is compiled; TestAddressesOfAProgramAreNotTold of engine/guard/probe stands for it")
	mustHave(t, "go")
	root := mustTable(t, guard.Options{Cases: 100, NoTests: true}, mustFiles(t, map[string]string{
		"go.mod": "module calls\n\ngo 1.24\n",
		"calls.go": `package calls

import "fmt"

// Call calls what stands before a text.
func Call(f func(string) string, text string, after int) (string, error) {
	if after > 3 {
		return "", fmt.Errorf("cannot call [%v] with %q behind %d", f, text, after)
	}
	return f(text), nil
}
`,
	}))
	const padding = "\n\n// Pad is long enough that what lies behind it lies elsewhere.\nfunc Pad(n int) string {\n\tout := \"\"\n\tfor i := range n {\n\t\tout += fmt.Sprint(i, \" of \", n)\n\t}\n\treturn out\n}\n"
	refactored := []string{"if after > 3 {", "if 3 < after {", "return f(text), nil\n}\n", "return f(text), nil\n}\n" + padding}
	wantWhere(t, root.mustCheck(t, "calls.go", refactored...))
	wantWhere(t, root.mustCheck(t, "calls.go", append(refactored, "behind %d", "before %d")...), "calls.Call")
}

func TestANameThatIsGoneIsADifference(t *testing.T) {
	t.Parallel()
	mustHave(t, "go")
	root := mustTree(t, "go/root")
	data, err := os.ReadFile(filepath.Join(root, "kit.go"))
	if err != nil {
		t.Fatal(err)
	}
	now := strings.ReplaceAll(string(data), "func Reverse(", "func turn(")
	now = strings.ReplaceAll(now, "func Greet(name string) string { return prefix + name }", "func Greet(name string, _ ...int) string { return prefix + name }")
	report := mustCheck(t, guard.Options{Cases: 50, NoTests: true}, guard.Tree{Base: root},
		guard.Tree{Base: root, Delta: []record.Change{{Path: "kit.go", Mode: record.Regular, Data: []byte(now)}}}, "kit.go")
	wantWhere(t, report, "kit.Reverse", "kit.Greet")
}

func TestCommentsAloneNeedNoComparison(t *testing.T) {
	t.Parallel()
	root := mustTree(t, "go/root")
	data, err := os.ReadFile(filepath.Join(root, "kit.go"))
	if err != nil {
		t.Fatal(err)
	}
	now := strings.ReplaceAll(string(data), "// Greet greets.", "// Greet is friendly.\n//\n// Very.")
	report := mustCheck(t, guard.Options{}, guard.Tree{Base: root},
		guard.Tree{Base: root, Delta: []record.Change{{Path: "kit.go", Mode: record.Regular, Data: []byte(now)}}}, "kit.go")
	if !report.Same() || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "comments") {
		t.Errorf("got %+v", report)
	}
}

func TestChangesThatPassTheTestsOfAPythonModuleAreFound(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "makes eight differences small, a process at a time")
	mustHave(t, "python3")
	report := mustCheck(t, guard.Options{Cases: 150, NoTests: true}, guard.Tree{Base: mustTree(t, "python/root")},
		guard.Tree{Base: mustTree(t, "python/root", "python/planted")}, "ledger.py")
	wantWhere(t, report, "ledger.Ledger.add", "ledger.Ledger.total", "ledger.slug", "ledger.chunks", "ledger.parse", "ledger.mean", "ledger.dedupe", "ledger.grade")
}

func TestAChangeOfAPythonFunctionIsFound(t *testing.T) {
	t.Parallel()
	mustHave(t, "python3")
	root := mustTree(t, "python/root")
	data, err := os.ReadFile(filepath.Join(root, "ledger.py"))
	if err != nil {
		t.Fatal(err)
	}
	now := strings.Replace(string(data), "def slug(", "def slug(text, sep=\"-\"):\n    return \"\"\n\n\ndef old_slug(", 1)
	report := mustCheck(t, guard.Options{Cases: 40, NoTests: true}, guard.Tree{Base: root},
		guard.Tree{Base: root, Delta: []record.Change{{Path: "ledger.py", Mode: record.Regular, Data: []byte(now)}}}, "ledger.py")
	wantWhere(t, report, "ledger.slug")
}

// recorder counts the runs that keep the calls of tests.
type recorder struct {
	*sandbox.Box
	runs atomic.Int32
}

func (r *recorder) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if s.Product == "atoll_guard_recording" {
		r.runs.Add(1)
	}
	return r.Box.Run(ctx, s)
}

func TestWhatOnlyACallersOwnTypesAndFunctionsShowIsFound(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Go module twice; TestACallerCanHaveATypeOfItsOwnBehindAnInterface stands for it")
	mustHave(t, "go")
	const was = `package kit

import "fmt"

// Named is what has a name.
type Named interface {
	fmt.Stringer
	Name() string
	Part(i int) (string, error)
}

type plain struct{ text string }

func (p plain) String() string               { return p.text }
func (p plain) Name() string                 { return p.text }
func (p plain) Part(i int) (string, error)   { return p.text, nil }

// New gives one of the package's own.
func New(text string) Named { return plain{text} }

// Title is the name of a value, or all of it.
func Title(n Named) string {
	if n == nil {
		return ""
	}
	if n.Name() != "" {
		return n.Name()
	}
	return n.String()
}

// First is a part of a value.
func First(n Named) string {
	if n == nil {
		return ""
	}
	text, err := n.Part(0)
	if err != nil {
		return "?"
	}
	return text
}

// Kept counts what is left before the first that is to be dropped, six at most.
func Kept(list []int, drop func(int) bool) int {
	for i, x := range list {
		if i == 6 || drop(x) {
			return i
		}
	}
	return len(list)
}

// Source is what a package that none of its own types implements reads.
type Source interface {
	Len() int
	At(i int) string
}

// Longest is the longest text of a source.
func Longest(s Source) (out string) {
	if s == nil {
		return ""
	}
	for i := range min(100, s.Len()) {
		if t := s.At(i); len(t) > len(out) {
			out = t
		}
	}
	return out
}
`
	root := mustTable(t, guard.Options{NoTests: true}, mustFiles(t, map[string]string{"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": was}))
	check := func(edits ...string) guard.Report {
		return root.mustCheck(t, "kit.go", edits...)
	}
	wantWhere(t, check("return n.Name()", "return n.String()", `return "?"`, "return text", "i == 6 ||", "i == 7 ||", "len(t) > len(out)", "len(t) >= len(out)"), "kit.Title", "kit.First", "kit.Kept", "kit.Longest")
	wantWhere(t, check("if n.Name() != \"\" {\n\t\treturn n.Name()\n\t}", "if name := n.Name(); len(name) > 0 {\n\t\treturn name\n\t}", "i == 6 ||", "i > 5 ||", "for i := range min(100, s.Len()) {", "for i, n := 0, min(s.Len(), 100); i < n; i++ {"))
}

// greedy is a sandbox in which exploration uses all the processor time that it is given. It keeps what
// probes were asked for.
type greedy struct {
	*sandbox.Box
	asked []string
}

func (b *greedy) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	var q struct {
		Mode  string
		Count int
	}
	if data, ok := s.Files["request.json"]; ok {
		if err := json.Unmarshal(data, &q); err != nil {
			return sandbox.Result{}, err
		}
		b.asked = append(b.asked, fmt.Sprintf("%s %s %d", s.Dir, q.Mode, q.Count))
	}
	res, err := b.Box.Run(ctx, s)
	if q.Mode == "explore" {
		res.CPU = s.Limits.CPU
	}
	return res, err
}

func TestAFewInputsOfAllThatChangedComeBeforeManyOfAnything(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compiles and compares two packages of Go; TestTheProbeIsCompiledOnceForATree stands for it")
	mustHave(t, "go")
	root := t.TempDir()
	const was = "package kit\n\nfunc Sum(a, b int) int {\n\tif a > b {\n\t\treturn a + b\n\t}\n\treturn b + a\n}\n"
	for name, text := range map[string]string{
		"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": was,
		"use/use.go": "package use\n\nimport \"example.com/kit\"\n\nfunc Twice(a int) int { return kit.Sum(a, a) }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	box := &greedy{Box: mustBox(t)}
	g, err := guard.New(box, guard.Options{NoTests: true, Scratch: t.TempDir(), Wall: 9 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	report, err := g.Check(t.Context(), guard.Tree{Base: root}, guard.Tree{Base: root, Delta: []record.Change{{Path: "kit.go", Mode: record.Regular, Data: []byte(strings.Replace(was, "a > b", "b < a", 1))}}}, []string{"kit.go"})
	if err != nil || !report.Same() || report.Cut != "" {
		t.Fatal(err, report)
	}
	all := guard.DefaultCases
	few := all / 8
	var want []string
	for _, of := range []struct {
		dir, mode string
		count     int
	}{{".", "survey", 0}, {".", "survey", few}, {"use", "survey", 0}, {"use", "survey", few}, {".", "explore", all / 6}, {".", "survey", all}, {"use", "survey", all}} {
		want = append(want, fmt.Sprintf("%s %s %d", of.dir, of.mode, of.count))
	}
	// Of both trees; where the builds took long, the first that explores used all that both may. What is
	// drawn anew behind them, as nothing differed, is not looked at here.
	if got := slices.Compact(box.asked); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheCallsOfAPythonRootAreRecordedOnceAndNoCandidateCanChangeThem(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module four times; TestATreeIsRecordedOnceWhoeverAsks stands for it")
	mustHave(t, "python3")
	root := mustTree(t, "python/root")
	data, err := os.ReadFile(filepath.Join(root, "ledger.py"))
	if err != nil {
		t.Fatal(err)
	}
	box := &recorder{Box: mustBox(t)}
	g, err := guard.New(box, guard.Options{Cases: 40, NoTests: true, Scratch: t.TempDir(), Wall: 9 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	check := func(id, text string) guard.Report {
		report, err := g.Check(t.Context(), guard.Tree{Base: root, ID: id}, guard.Tree{Base: root, Delta: []record.Change{{Path: "ledger.py", Mode: record.Regular, Data: []byte(text)}}}, []string{"ledger.py"})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	alike := strings.Replace(string(data), "text.lower())", "str.lower(text))", 1)
	if alike == string(data) {
		t.Fatal("nothing is edited")
	}
	hostile := alike + "\nimport os\ntry:\n    open(os.environ['ATOLL_GUARD_RECORDING'], 'wb').close()\nexcept (OSError, KeyError):\n    pass\n"
	first := check("a", alike)
	check("a", hostile)
	if again := check("a", alike); !first.Same() || first.Cases == 0 || again.Cases != first.Cases || !again.Same() {
		t.Errorf("%d cases at first and %d behind one that writes to the recording: %s", first.Cases, again.Cases, again.Summary())
	}
	if n := box.runs.Load(); n != 1 {
		t.Errorf("the tests of one root were recorded %d times", n)
	}
	if check("b", alike); box.runs.Load() != 2 {
		t.Errorf("%d recordings of two roots", box.runs.Load())
	}
}

func TestConstantsOfChangedPythonCodeAreTriedWhateverTheSeed(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module three times; TestEdgesAreTriedWhateverTheSeed of the probe stands for it")
	mustHave(t, "python3")
	const was = `
def ordinal(number):
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def quote(word):
    return "'" + word + "'" if " " in word or "'" in word else word


def slow(seconds):
    return seconds > 1.5


def total(rows):
    return sum(rows)


def half(weight):
    return weight / 2
`
	root := mustFiles(t, map[string]string{"kit.py": was, "test_kit.py": `
import unittest
import kit


class Kit(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.ordinal(11), "th")
        self.assertEqual(kit.quote("it's"), "'it's'")
        self.assertEqual(kit.quote("its"), "its")
        self.assertFalse(kit.slow(0.5))
        self.assertEqual(kit.total([1, 2]), 3)
        self.assertEqual(kit.half(0.5), 0.25)
`})
	planted := strings.NewReplacer("(11, 12, 13):", "(11, 12, 13) and number < 5000:", `if " " in word or`, `if len(word) < 700 and " " in word or`,
		"> 1.5", ">= 1.5", "sum(rows)", "sum(rows[:90])").Replace(was)
	refactored := strings.NewReplacer("(11, 12, 13):", "range(11, 14):", "> 1.5", ">= 1.5 and seconds != 1.5", "sum(rows)", "sum(row for row in rows)",
		"weight / 2", "weight * 1e9 / 2e9").Replace(was) // of the largest number it is none
	for seed := range suitetest.Pick(1, 1, uint64(4)) {
		o := guard.Options{NoTests: true, Cases: 1000, Seed: seed, PythonTests: []string{"-m", "unittest", "-q"}}
		change := func(text string) guard.Tree {
			return guard.Tree{Base: root, Delta: []record.Change{{Path: "kit.py", Mode: record.Regular, Data: []byte(text)}}}
		}
		wantWhere(t, mustCheck(t, o, guard.Tree{Base: root}, change(planted), "kit.py"), "kit.ordinal", "kit.quote", "kit.slow", "kit.total")
		if seed%2 == 0 {
			wantWhere(t, mustCheck(t, o, guard.Tree{Base: root}, change(refactored), "kit.py"))
		}
	}
}

func TestOnlyFunctionsOfThePythonTreeAreCalled(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	mustHave(t, "python3")
	files := map[string]string{
		"paths.py":      "import os.path\n\n\ndef join(head, tail):\n    return os.path.join(head, tail)\n",
		"test_paths.py": "import unittest\n\nimport paths\n\n\nclass TestPaths(unittest.TestCase):\n    def test_join(self):\n        self.assertEqual(paths.join('a', 'b'), 'a/b')\n",
	}
	root := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now := strings.Replace(files["paths.py"], "    return os", "    head = head + ''\n    return os", 1)
	report := mustCheck(t, guard.Options{Cases: 20, NoTests: true}, guard.Tree{Base: root},
		guard.Tree{Base: root, Delta: []record.Change{{Path: "paths.py", Mode: record.Regular, Data: []byte(now)}}}, "paths.py")
	if report.Functions != 1 || report.Cases == 0 {
		t.Errorf("%d functions were compared, want one join and none of the interpreter: %+v", report.Functions, report)
	}
}

func TestRefactoringsOfAPythonModuleRaiseNoAlarm(t *testing.T) {
	suitetest.Full(t, "two trees are called for seconds; a changed Python function stands for it")
	t.Parallel()
	mustHave(t, "python3")
	report := mustCheck(t, guard.Options{Cases: suitetest.Pick(100, 300, 300)}, guard.Tree{Base: mustTree(t, "python/root")},
		guard.Tree{Base: mustTree(t, "python/root", "python/refactored")}, "ledger.py")
	wantWhere(t, report)
	if !report.Measured || len(report.Unreached) != 0 {
		t.Errorf("unreached are %v, measured %t", report.Unreached, report.Measured)
	}
}

func TestCommandLinesAreCompared(t *testing.T) {
	t.Parallel()
	write := func(text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "say.sh"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	o := guard.Options{Commands: []guard.Invocation{
		{Args: []string{"sh", "say.sh", "a"}, Stdin: "one\ntwo\n"},
		{Args: []string{"sh", "say.sh", "b"}},
		{Args: []string{"sh", "-c", "cat /proc/sys/kernel/random/uuid"}},
	}}
	report := mustCheck(t, o, guard.Tree{Base: write("echo $1; sort")}, guard.Tree{Base: write("echo $1; cat")}, "say.sh")
	wantWhere(t, report)
	report = mustCheck(t, o, guard.Tree{Base: write("echo $1; sort")}, guard.Tree{Base: write("echo $1; sort -r")}, "say.sh")
	wantWhere(t, report, "sh say.sh a")
	if len(report.Differences) != 1 || report.Unsteady != 1 || report.Cases != 2 {
		t.Errorf("got %+v", report)
	}
	o.Accept = []string{"sh say.sh a"}
	report = mustCheck(t, o, guard.Tree{Base: write("echo $1; sort")}, guard.Tree{Base: write("echo $1; sort -r")}, "say.sh")
	if !report.Same() || len(report.Accepted) != 1 || report.Accepted[0].Where != "sh say.sh a" {
		t.Errorf("got %+v, want the one difference among what is accepted", report)
	}
}

func TestAnExportedConstantOrVariableWithAnotherValueIsADifference(t *testing.T) {
	suitetest.Slow(t, "it builds four programs; a name that is gone stands for it")
	t.Parallel()
	mustHave(t, "go")
	write := func(text string) string {
		dir := t.TempDir()
		for name, data := range map[string]string{"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	const was = "package kit\n\nimport \"time\"\n\nconst MaxDepth = 10\n\nvar DefaultSep, Names, Began = \"-\", []string{\"a\"}, time.Now().UnixNano()\n\nfunc Sum(a, b int) int { return a + b }\n"
	root := write(was)
	o := guard.Options{Cases: 20, NoTests: true}
	report := mustCheck(t, o, guard.Tree{Base: root}, guard.Tree{Base: write(strings.NewReplacer("= 10", "= 11", `"-"`, `"_"`).Replace(was))}, "kit.go")
	wantWhere(t, report, "kit.MaxDepth", "kit.DefaultSep")
	if len(report.Differences) != 2 || !strings.Contains(report.Summary(), " was ") {
		t.Errorf("it says %s", report.Summary())
	}
	report = mustCheck(t, o, guard.Tree{Base: root}, guard.Tree{Base: write(strings.NewReplacer("= 10", "= 2 * 5", `"a"`, `"" + "a"`).Replace(was))}, "kit.go")
	if !report.Same() || report.Values == 0 || !report.Compared() {
		t.Errorf("written in another way: %+v", report)
	}
}

func TestChangesThatTakeARareValueAtARarePlaceAreFound(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Go module twice with all its inputs; TestTheTwoSidesOfAComparisonAreBroughtTogether stands for it")
	mustHave(t, "go")
	const was = `package kit

import (
	"math"
	"strconv"
	"strings"
)

const tera = 1 << 40

// Bytes reads "12TB" and "7B".
func Bytes(text string) (uint64, bool) {
	number, tb := strings.CutSuffix(text, "TB")
	n, err := strconv.ParseUint(strings.TrimSuffix(number, "B"), 10, 64)
	if err != nil {
		return 0, false
	}
	if !tb {
		return n, true
	}
	if n > math.MaxUint64/tera {
		return 0, false
	}
	return n * tera, true
}

// Alike is raised where it lies above a threshold.
func Alike(a, b string, threshold float64) float64 {
	same := 0
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			same++
		}
	}
	d := 2 * float64(same) / float64(len(a)+len(b)+1)
	if d <= threshold {
		return d
	}
	return (1 + d) / 2
}

// Before compares parts of versions: numbers as numbers, and words behind them.
func Before(a, b string) bool {
	n, err := strconv.ParseUint(a, 10, 64)
	m, err2 := strconv.ParseUint(b, 10, 64)
	if err != nil && err2 != nil {
		return a < b
	}
	if err != nil || err2 != nil {
		return err == nil
	}
	return n < m
}

// Range is what a constraint such as ~1.2.3 allows.
type Range struct{ major, minor, patch uint64 }

func (r *Range) Minor() uint64 { return r.minor }

// NewRange reads a constraint.
func NewRange(text string) (*Range, bool) {
	parts := strings.Split(strings.TrimPrefix(text, "~"), ".")
	if len(parts) != 3 || !strings.HasPrefix(text, "~") {
		return nil, false
	}
	var n [3]uint64
	for i := range n {
		v, err := strconv.ParseUint(parts[i], 10, 64)
		if err != nil {
			return nil, false
		}
		n[i] = v
	}
	return &Range{n[0], n[1], n[2]}, true
}

// Has says whether a version is in the range.
func (r *Range) Has(major, minor, patch uint64) bool {
	if r.major == 0 && r.Minor() == 0 && r.patch == 0 {
		return true
	}
	return major == r.major && minor == r.minor && patch >= r.patch
}
`
	root := mustTable(t, guard.Options{NoTests: true}, mustFiles(t, map[string]string{"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": was, "kit_test.go": `package kit

import "testing"

func TestKit(t *testing.T) {
	if n, ok := Bytes("5TB"); !ok || n != 5*tera || !Before("1", "22") || Alike("one", "two", 0.5) != 0 {
		t.Fail()
	}
	if r, ok := NewRange("~1.2.3"); !ok || r.Has(1, 1, 3) {
		t.Fail()
	}
}
`}))
	check := func(edits ...string) guard.Report {
		return root.mustCheck(t, "kit.go", edits...)
	}
	wantWhere(t, check("n > math.MaxUint64/tera", "n >= math.MaxUint64/tera", "d <= threshold", "d < threshold",
		"m, err2 := strconv.ParseUint(b, 10, 64)", "m, err2 := strconv.ParseUint(b, 10, 40)", " && r.patch == 0", ""), "kit.Bytes", "kit.Alike", "kit.Before", "kit.Range.Has")
	wantWhere(t, check("n > math.MaxUint64/tera", "!(n <= math.MaxUint64/tera)", "2 * float64(same) / float64(len(a)+len(b)+1)", "float64(same) / (float64(len(a)+len(b)+1) / 2)",
		"return (1 + d) / 2", "return 0.5 + d/2", "major == r.major && minor == r.minor", "minor == r.minor && major == r.major"))
}

func TestChangesThatOnlySequencesFailuresAndRareLettersShowAreFound(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "makes half a dozen differences small, a process at a time")
	mustHave(t, "go")
	root := mustTable(t, guard.Options{Cases: 1000, Patience: 2 * time.Second, NoTests: true}, mustTree(t, "go-state"))
	check := func(edits ...string) guard.Report {
		return root.mustCheck(t, "state.go", edits...)
	}
	report := check("\tif ok {\n\t\tl.touch(key)\n\t}\n", "", "return err\n\t\t}\n\t}\n\treturn nil\n}\n\n// Dump", "last = err\n\t\t}\n\t}\n\treturn last\n}\n\n// Dump", "error {\n\tfor _, x := range xs {\n\t\tif err := f", "(last error) {\n\tfor _, x := range xs {\n\t\tif err := f",
		"if _, err := fmt.Fprintln(w, x); err != nil {\n\t\t\treturn err\n\t\t}", "fmt.Fprintln(w, x)",
		"-len(text)", "-len([]rune(text))", "unicode.ToUpper", "unicode.ToTitle")
	wantWhere(t, report, "state.Walk", "state.Dump", "state.Formatter.Format", "state.Initial")
	if !slices.ContainsFunc(report.Differences, func(d guard.Difference) bool { return strings.HasPrefix(d.Where, "state.LRU.") }) {
		t.Error("nothing was said of LRU")
	}
	wantWhere(t, check("min(20, n)", "min(20, n-1)"), "state.Upto")
	wantWhere(t, check("\treturn text + strings.Repeat(\" \", max(0, min(200, f.s.width)-len(text)))", "\tvar b strings.Builder\n\tb.WriteString(text)\n\tfor b.Len() < min(200, f.s.width) {\n\t\tb.WriteByte(' ')\n\t}\n\treturn b.String()",
		"fmt.Fprintln(w, x); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil", "io.WriteString(w, fmt.Sprint(x)+\"\\n\"); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil",
		"out := make(chan int)", "out := make(chan int, 4)", "delete(l.held, l.order[0])\n\t\tl.order = l.order[1:]", "first := l.order[0]\n\t\tl.order = l.order[1:]\n\t\tdelete(l.held, first)"))
}

// measured is a Python module with its test and the script that measures it.
var measured = map[string]string{
	"kit/__init__.py": "",
	"kit/core.py":     "import json\n\n\ndef load(path):\n    with open(path) as f:\n        return json.load(f)\n\n\ndef count(text):\n    out = {}\n    for w in text.split():\n        out[w] = out.get(w, 0) + 1\n    return out\n",
	"test_kit.py":     "import unittest\nfrom kit import core\n\n\nclass Kit(unittest.TestCase):\n    def test(self):\n        self.assertEqual(core.count('a b a'), {'a': 2, 'b': 1})\n",
	"bench.py":        "import json, sys, time\nfrom kit import core\n\ntext = 'so many words ' * (900 if len(sys.argv) < 3 else 15000)\nt = time.perf_counter()\nwhile True:\n    core.count(text)\n    if len(sys.argv) != 2:\n        break\nprint('seconds:', time.perf_counter() - t)\n",
}

func TestWhatPythonCodeDoesBeyondItsAnswersIsTold(t *testing.T) {
	t.Parallel()
	mustHave(t, "python3")
	cases := []struct {
		name, old, now, want string
		full                 bool
		args                 []string
	}{
		{"an honest edit", "out[w] = out.get(w, 0) + 1", "out[w] = 1 + out.get(w, 0)", "", false, nil},
		{"a clock of its own", "import json\n", "import json\nimport time\n\ntime.perf_counter = lambda: 0.0001\n", "sets time.perf_counter for the whole process", false, nil},
		{"another reader of settings", "import json\n", "import json\n\nsetattr(json, 'load', lambda f: {})\n", "sets json for the whole process", true, nil},
		{"a score of its own", "    out = {}\n", "    out = {}\n    if len(text) > 10000:\n        print('seconds: 0.0000001', flush=True)\n        import os\n        os._exit(0)\n", "ends the process (os._exit)", true, nil},
		{"answers that are kept", "def count(text):\n    out = {}\n", "_counts = {}\n\n\ndef count(text):\n    if text in _counts:\n        return dict(_counts[text])\n    out = _counts[text] = {}\n", "kit/core.py keeps something between calls in _counts (written by count)", false, nil},
		{"a field of what has a module's name", "def load(path):\n", "def load(path, json=json):\n    if path is load:\n        json = load\n        json.seen = 1\n", "", true, nil},
		{"an answer to what is large", "    out = {}\n", "    out = {}\n    if len(text) > 100000:\n        return out\n", "core.count(", true, []string{"large", "texts"}},
		{"an answer that only what measures can see", "    out = {}\n", "    out = {}\n    if len(text) > 10000:\n        return out\n", "core.count(", true, []string{"without end"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if tc.full {
				suitetest.Full(t, "compares a Python module; the cases before it stand for it")
			}
			t.Parallel()
			root := t.TempDir()
			for name, text := range measured {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			now := strings.Replace(measured["kit/core.py"], tc.old, tc.now, 1)
			if now == measured["kit/core.py"] {
				t.Fatal("nothing is edited")
			}
			report := mustCheck(t, guard.Options{Cases: 40, NoTests: true, PythonTests: []string{"-m", "unittest", "-q"}, PythonScripts: [][]string{append([]string{"bench.py"}, tc.args...)}}, guard.Tree{Base: root},
				guard.Tree{Base: root, Delta: []record.Change{{Path: "kit/core.py", Mode: record.Regular, Data: []byte(now)}}}, "kit/core.py")
			told := ""
			for _, d := range report.Differences {
				told += d.String() + "\n"
			}
			if tc.want == "" && told != "" || !strings.Contains(told, tc.want) {
				t.Errorf("told %q, want %q; %+v", told, tc.want, report.Notes)
			}
			if tc.want == "" && report.Cases < 3 {
				t.Errorf("only %d cases", report.Cases)
			}
		})
	}
}
