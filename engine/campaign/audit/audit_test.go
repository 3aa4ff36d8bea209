package audit

import (
	"errors"
	"os"
	"strings"
	"testing"
)

const goText = `package p

// Easy has no branch.
func Easy() int { return 1 }

type T struct{}

func (t *T) Hard(a, b bool, n int) int {
	if a && b {
		for i := range n {
			switch i {
			case 1:
				return 1
			case 2:
				return 2
			}
		}
	}
	return 0
}
`

// The figures behind the names are those of radon 5.1 on this text.
const pyText = `
def a(x):
    with open(x) as f:
        pass
def c(x):
    def d(y):
        if y: pass
    return lambda y: y
def e(x):
    try:
        pass
    except A:
        pass
    except B:
        pass
    else:
        pass
    finally:
        pass
def f(x):
    return [i for i in x if i and
        i > 1 if i or x for k in i]
def g(x):
    for i in x:
        if i:
            pass
        else:
            pass
    else:
        pass
class K:
    def m1(self):
        if 1: pass
    async def m2(self):
        async for i in x: pass
def o(x):
    class L:
        def q(self):
            if x: pass
    if x: return 1
def p(x=1 if y else 2):
    return {k for k in x}
def q(x):
    """if for while"""
    # if for
    y = "if" if x else 'for'
    return y if y \
        else x
def r(x, y):
    assert (x and y), "a" if x else "b"; return x or y
@deco(1 if K else 2)
def s(x):
    a = f"{x if x else 1!r:>{x or 3}} {{if x}} {x != 1 and 'and' in x}" rf'{[i for i in x]}'
    return f"""{x["or"]
        if x else 2}""" + "{x if x else 1}"
class M(K if K else object):
    z = 1 if K else 2
    for i in []:
        def m1(self): return 1 or 2
    def m2(self):
        def inner(): return 1 if 2 else 3
        return inner
    class N:
        n = 1 and 2
class O:
    def only(self, x):
        if x: pass
        elif x: pass
class P: pass
def t(x):
    y = x  # a \ in a comment
    if y: pass  # \
def u(x): return x or 1
`

func TestFunctionsHaveTheFiguresOfTheToolsOfTheirLanguage(t *testing.T) {
	r := Run([]Source{{"p.go", []byte(goText)}, {"m.py", []byte(pyText)}, {"x.js", []byte("function f(a) {\n  if (a && a.b) { return a ? 1 : 2 }\n  return 0\n}\n")}})
	for figure, want := range map[string]float64{
		"complexity p.go:Easy": 1, "cognitive p.go:Easy": 0, "length p.go:Easy": 1,
		"complexity p.go:(*T).Hard": 6, "cognitive p.go:(*T).Hard": 7, "length p.go:(*T).Hard": 13,
		"complexity m.py:a": 1, "complexity m.py:c": 1, "complexity m.py:c.d": 2, "complexity m.py:e": 4, "complexity m.py:f": 7,
		"complexity m.py:g": 4, "complexity m.py:K.m1": 2, "complexity m.py:K.m2": 2, "complexity m.py:o": 2, "complexity m.py:o.L.q": 2,
		"complexity m.py:p": 2, "complexity m.py:q": 3, "length m.py:e": 11,
		"complexity m.py:r": 3, "complexity m.py:s": 6, "complexity m.py:K": 3, "complexity m.py:M": 4, "complexity m.py:M.N": 2, "complexity m.py:O": 4,
		"complexity m.py:P": 1, "complexity m.py:t": 2, "complexity m.py:u": 2, "length m.py:O": 4,
		"complexity x.js:f": 4, "worst all": 7,
	} {
		got, err := r.Figure(figure)
		if err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", figure, got, err, want)
		}
	}
	if _, err := r.Figure("beauty p.go"); err == nil || !strings.Contains(err.Error(), "maintainability") {
		t.Errorf("an unknown figure gives %v, want a list of those that exist", err)
	}
}

// TestGoFiguresAreThoseOfGocycloAndGocognit holds the figures of a file of awkward cases
// against what gocyclo 0.6.0 and gocognit 1.2.0 print for it.
func TestGoFiguresAreThoseOfGocycloAndGocognit(t *testing.T) {
	data, err := os.ReadFile("testdata/tricky.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := Run([]Source{{"tricky.go", data}})
	want := []struct {
		name                        string
		line, cyclomatic, cognitive int // 0: the tool does not list it
	}{
		{"(*T).Rec", 7, 2, 1},
		{"Rec", 14, 2, 3},
		{"Ignored", 24, 0, 1},
		{"Quiet", 32, 2, 0},
		{"Shadow", 48, 1, 0},
		{"Ping", 53, 2, 1},
		{"Pong", 60, 1, 0},
		{"(S).Value", 64, 1, 0},
		{"(*S).Ptr", 65, 5, 3},
		{"Value", 67, 1, 0},
		{"Lit", 69, 3, 0},
		{"One", 77, 2, 0},
		{"One", 77, 2, 0},
		{"Labels", 84, 7, 10},
		{"Else", 104, 10, 13},
		{"Select", 124, 7, 9},
		{"Generic", 144, 5, 4},
		{"init", 151, 2, 1},
		{"init", 156, 1, 0},
		{"_", 158, 2, 1},
		{"External", 163, 1, 0},
		{"Empty", 164, 1, 0},
		{"Inner", 165, 2, 3},
		{"Seq", 177, 4, 4},
	}
	got := r.Files[0].Functions
	if len(got) != len(want) {
		t.Errorf("%d functions are listed, want %d", len(got), len(want))
	}
	for i, w := range want[:min(len(want), len(got))] {
		if g := got[i]; g.Name != w.name || g.Line != w.line || g.Cyclomatic != w.cyclomatic || g.Cognitive != w.cognitive {
			t.Errorf("line %d: %s has %d and %d; want %s of line %d with %d and %d", g.Line, g.Name, g.Cyclomatic, g.Cognitive, w.name, w.line, w.cyclomatic, w.cognitive)
		}
	}
}

func TestAPlaceThatIsNotThereHasNoFigureAndIsToldWhatIsNear(t *testing.T) {
	r := Run([]Source{{"lib/parse.go", []byte(goText)}, {"lib/print.go", []byte("package p\n\n//gocyclo:ignore\nfunc Print() {}\n")}, {"z.go", []byte("package z\n")}})
	for figure, want := range map[string]string{
		"complexity parse.go:Easy":      "the auditor measures no file parse.go; it measures lib/parse.go, ",
		"complexity lib/parse.go:Hard":  "lib/parse.go has no function Hard; it has (*T).Hard, Easy",
		"length lib/parse.go:Eas":       "it has Easy, ",
		"cognitive z.go:F":              "z.go has no function",
		"complexity lib/print.go:Print": "is told not to be measured by gocyclo",
		"maintainability nofile.go":     "no file nofile.go",
		"lines nofile.go":               "no file nofile.go",
		"coverage nofile.go":            "no file nofile.go",
	} {
		if v, err := r.Figure(figure); !errors.Is(err, ErrNoPlace) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %v (%v), want that there is no such place, and %q", figure, v, err, want)
		}
	}
}

func TestFindingsNameEveryFunctionThatIsBeyondABoundAndItsPriority(t *testing.T) {
	branchy := func(name string, n int) string {
		return "func " + name + "(a int) int {\n" + strings.Repeat("\tif a > 1 {\n\t\ta++\n\t}\n", n) + "\treturn a\n}\n"
	}
	sources := []Source{
		{"ok.go", []byte("package p\n\n" + branchy("Fine", 14))},
		{"bad.go", []byte("package p\n\n" + branchy("Bad", 16) + branchy("Worse", 40))},
		{"bad_test.go", []byte("package p\n\n" + branchy("TestOnly", 40))},
		{"vendor/v/v.go", []byte("package v\n\n" + branchy("Foreign", 40))},
		{"notes.md", []byte("if if if")},
	}
	r := Run(sources)
	got := r.Findings(Bounds{}, nil)
	if len(got) != 2 || got[0].Key != "audit:complexity:bad.go:Worse" || got[0].Value != 41 || got[1].Key != "audit:complexity:bad.go:Bad" || got[1].Value != 17 {
		t.Fatalf("the findings are %+v, want the complexity of Worse and that of Bad", got)
	}
	if p := got[0].Priority; p != 3 { // 5 for the complexity, -2 for a maintainable file
		t.Errorf("the priority is %d (maintainability %.0f), want 3", p, r.Files[0].Maintainability)
	}
	before := Run([]Source{{"bad.go", []byte("package p\n\n" + branchy("Worse", 20))}})
	if now := r.Findings(Bounds{}, &before); now[0].Priority != got[0].Priority+1 {
		t.Errorf("what became worse has priority %d, want one more than %d", now[0].Priority, got[0].Priority)
	}
	if r.Skipped != 3 {
		t.Errorf("%d files were passed over, want the test, the vendored one and the notes", r.Skipped)
	}
}

func TestAFunctionThatIsBeyondTwoBoundsIsOneFindingWithBoth(t *testing.T) {
	long := "package p\n\nfunc Long(a int) int {\n" + strings.Repeat("\tif a > 1 {\n\t\ta++\n\t}\n", 77) + "\treturn a\n}\n\nfunc Longer() {\n" + strings.Repeat("\tprintln()\n", 300) + "}\n"
	r := Run([]Source{{"a.go", []byte(long)}})
	got := r.Findings(Bounds{FileLines: 10000, DuplicatedLines: 10000}, nil)
	if len(got) != 2 || got[0].Key != "audit:complexity:a.go:Long" || got[1].Key != "audit:length:a.go:Longer" {
		t.Fatalf("the findings are %+v, want Long by its complexity and Longer by its length", got)
	}
	if want := "a.go:3: p5 Long has a complexity of 78, above 15, and 234 lines, above 120"; got[0].String() != want {
		t.Errorf("it says %q, want %q", got[0], want)
	}
	if over := got[0].Over; len(over) != 2 || over[1] != (Measure{"length a.go:Long", 234, 120}) {
		t.Errorf("its measures are %+v", over)
	}
}

func TestLinesThatStandTwiceAreCounted(t *testing.T) {
	block := "\tx := readTheFirst(a)\n\ty := readTheSecond(b)\n\tz := join(x, y)\n\tlog(z)\n\tstore(z)\n\tclose(z)\n"
	r := Run([]Source{
		{"a.go", []byte("package p\n\nfunc A() {\n" + block + "\tdone()\n}\n")},
		{"b.go", []byte("package p\n\nfunc B() {\n\tother()\n" + block + "}\n")},
		{"c.go", []byte("package p\n\nfunc C() {\n\tother()\n}\n")},
	})
	if a, b, c := r.Files[0].Duplicated, r.Files[1].Duplicated, r.Files[2].Duplicated; a != 6 || b != 6 || c != 0 {
		t.Errorf("%d, %d and %d lines stand twice, want 6, 6 and 0", a, b, c)
	}
}

func FuzzAnyTextCanBeMeasured(f *testing.F) {
	f.Add(pyText)
	f.Add(goText)
	f.Add("def f(:\n\tif x:\n else:\nclass")
	f.Fuzz(func(t *testing.T, text string) {
		r := Run([]Source{{"a.py", []byte(text)}, {"b.go", []byte(text)}, {"c.js", []byte(text)}, {"d.rb", []byte(text)}})
		r.Findings(Bounds{Complexity: 1, FunctionLines: 1, FileLines: 1, DuplicatedLines: 1, Maintainability: 100}, nil)
	})
}
