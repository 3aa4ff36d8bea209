package offline_test

import (
	"bytes"
	"context"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"strings"
	"testing"

	"atoll/engine/agent/offline"
	"atoll/store/record"
)

// mutants makes n mutants of one file and returns their sources and intents.
func mutants(t *testing.T, name, src string, n int) (out, intents []string) {
	t.Helper()
	root := newTree(map[string]string{name: src})
	for k := range n {
		_, res := mustEdit(t, newJob(k, record.OpMutate, root), root)
		out = append(out, string(res.Changes[0].Data))
		intents = append(intents, res.Intent)
	}
	return out, intents
}

func TestGoMutantsParseAndMostTypeCheck(t *testing.T) {
	fset := token.NewFileSet()
	std := importer.ForCompiler(fset, "source", nil) // not what the agent checks with: real imports
	check := func(src string) error {
		f, err := parser.ParseFile(fset, "pack.go", src, 0)
		if err != nil {
			return err
		}
		_, err = (&types.Config{Importer: std}).Check("pack", fset, []*ast.File{f}, nil)
		return err
	}
	if err := check(goSample); err != nil {
		t.Fatalf("the sample does not type-check here: %v", err)
	}
	const n = 200
	srcs, intents := mutants(t, "pack.go", goSample, n)
	parsed, typed := 0, 0
	distinct := map[string]bool{}
	kinds := map[string]int{}
	for i, src := range srcs {
		distinct[src] = true
		kinds[strings.Join(strings.Fields(intents[i])[:2], " ")]++
		if _, err := parser.ParseFile(fset, "", src, 0); err == nil {
			parsed++
		}
		if err := check(src); err == nil {
			typed++
		} else if testing.Verbose() {
			t.Logf("%s: %v", intents[i], err)
		}
	}
	t.Logf("of %d Go mutants %d parse, %d type-check, %d are distinct; %v", n, parsed, typed, len(distinct), kinds)
	if parsed < n {
		t.Errorf("%d of %d mutants parse, want all", parsed, n)
	}
	if typed < n*85/100 {
		t.Errorf("%d of %d mutants type-check, want 85 %%", typed, n)
	}
	if len(distinct) < n*3/4 {
		t.Errorf("%d of %d mutants are distinct, want three quarters", len(distinct), n)
	}
	for _, kind := range []string{"nudge constant", "change operator", "replace at", "add term", "wrap at", "unwrap at", "delete line", "swap lines"} {
		if kinds[kind] == 0 {
			t.Errorf("no mutant of %d is of the kind %q", n, kind)
		}
	}
}

func TestGoMutantsImportWhatTheyName(t *testing.T) {
	const src = "package p\n\nimport (\n\t\"strconv\"\n\t\"strings\"\n)\n\nfunc F(s string, n int) string {\n\ts = strings.TrimSpace(s)\n\ts += strconv.Itoa(n)\n\treturn s\n}\n"
	srcs, intents := mutants(t, "p.go", src, 100)
	gone := 0
	for i, src := range srcs {
		for _, name := range []string{"strconv", "strings"} {
			imported, named := strings.Contains(src, "\t\""+name+"\"\n"), strings.Contains(src, name+".")
			if imported != named {
				t.Errorf("%s: %s is imported: %v, named: %v\n%s", intents[i], name, imported, named, src)
			}
			if !named {
				gone++
			}
		}
	}
	if gone == 0 {
		t.Error("no mutant took the only name of a package away")
	}
}

func TestGoMutantsOfAFormattedFileAreFormattedAndKeepComments(t *testing.T) {
	srcs, intents := mutants(t, "pack.go", goSample, 100)
	for i, src := range srcs {
		if !strings.Contains(src, "// Item is what is packed.") || !strings.Contains(src, "// Label names the boxes.") {
			t.Errorf("%s: a comment is gone", intents[i])
		}
		for n, line := range strings.Split(src, "\n") {
			if strings.HasSuffix(line, " ") || strings.HasPrefix(line, " ") {
				t.Errorf("%s: line %d is not formatted: %q", intents[i], n+1, line)
			}
		}
	}
}

func TestPythonMutantsCompile(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here to compile the mutants with")
	}
	const n = 400
	srcs, intents := mutants(t, "solution.py", pythonSample, n)
	script := "import sys\nfor i, s in enumerate(sys.stdin.buffer.read().decode().split('\\0')):\n    try:\n        compile(s, 'm', 'exec'); print('ok')\n    except Exception as e:\n        print('bad', e)\n"
	cmd := exec.Command(python, "-c", script)
	cmd.Stdin = strings.NewReader(strings.Join(srcs, "\x00"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if line == "ok" {
			good++
		} else {
			t.Logf("%s: %s", intents[i], line)
		}
	}
	t.Logf("%d of %d Python mutants compile", good, n)
	if good < n*97/100 {
		t.Errorf("%d of %d Python mutants compile, want 97 %%", good, n)
	}
}

func TestMutantsOfBraceLanguagesStayBalanced(t *testing.T) {
	for name, src := range map[string]string{"a.js": jsSample, "a.c": cSample, "a.java": strings.ReplaceAll(cSample, "#include <math.h>\n#define N 16\n", ""), "a.rs": "fn f(x: f64, n: usize) -> f64 {\n    let mut t = x * 0.5;\n    for i in 0..n {\n        t += i as f64 * 1.5;\n        t -= x;\n    }\n    t\n}\n"} {
		srcs, intents := mutants(t, name, src, 150)
		distinct := map[string]bool{}
		for i, m := range srcs {
			distinct[m] = true
			for _, pair := range []string{"()", "[]", "{}"} {
				if strings.Count(m, pair[:1]) != strings.Count(m, pair[1:]) {
					t.Errorf("%s: %s: %s out of balance", name, intents[i], pair)
				}
			}
			for _, keep := range []string{"import {", "#include", "fn f(x: f64, n: usize) -> f64 {"} {
				if strings.Contains(src, keep) && !strings.Contains(m, keep) {
					t.Errorf("%s: %s: %q is gone", name, intents[i], keep)
				}
			}
		}
		if len(distinct) < 60 {
			t.Errorf("%s: %d distinct mutants of 150", name, len(distinct))
		}
	}
}

func TestDataFilesGetNumbersAndSwitchesOnly(t *testing.T) {
	src := "rate: 0.25\nmodel: fast\nverbose: true\nlimits:\n  retries: 5\n"
	srcs, intents := mutants(t, "conf.yaml", src, 100)
	flipped := false
	for i, m := range srcs {
		for _, keep := range []string{"rate: ", "model: fast\n", "verbose: ", "limits:\n  retries: "} {
			if !strings.Contains(m, keep) {
				t.Fatalf("%s: %q is gone from %q", intents[i], keep, m)
			}
		}
		flipped = flipped || strings.Contains(m, "verbose: false")
	}
	if !flipped {
		t.Error("no mutant of 100 flipped the switch")
	}
}

func TestASiblingFileOfThePackageIsKnown(t *testing.T) {
	root := newTree(map[string]string{
		"p/a.go": "package p\n\nfunc F(x, y float64) float64 {\n\tz := scale * x\n\tif z > limit(y) {\n\t\treturn z - y\n\t}\n\treturn z\n}\n",
		"p/b.go": "package p\n\nvar scale = 2.5\n\nfunc limit(y float64) float64 { return y * scale }\n",
	})
	uses := 0
	for n := range 200 {
		j := newJob(n, record.OpMutate, root)
		j.Scope = func(p string) bool { return p == "p/a.go" }
		_, res := mustEdit(t, j, root)
		if bytes.Count(res.Changes[0].Data, []byte("scale")) > 1 || bytes.Count(res.Changes[0].Data, []byte("limit(")) > 1 {
			uses++
		}
	}
	if uses == 0 {
		t.Error("no mutant of 200 uses what the other file declares")
	}
}

func TestAFileThatDoesNotParseIsStillTuned(t *testing.T) {
	root := newTree(map[string]string{"a.go": "package p\n\nfunc F( { return 0.5 }\n"})
	res, err := offline.New(offline.Options{}).Edit(context.Background(), newJob(1, record.OpMutate, root), root)
	if err != nil || !strings.HasPrefix(res.Intent, "tune ") {
		t.Errorf("got %q, %v", res.Intent, err)
	}
}

func TestNoReturnIsCopiedBeforeItself(t *testing.T) {
	tree := newTree(map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": "package p\n\nfunc F(x int) int {\n\tx++\n\treturn x\n}\n"})
	copied := 0
	for n := range 300 {
		j := newJob(n+100, record.OpMutate, tree)
		next, res := mustEdit(t, j, tree)
		if strings.Contains(next.data["p.go"], "return x\n\treturn x") {
			t.Fatalf("%s\n%s", res.Intent, next.data["p.go"])
		}
		if strings.Contains(res.Intent, "copy line") {
			copied++
		}
	}
	if copied == 0 {
		t.Error("no line was copied: the test shows nothing")
	}
}
