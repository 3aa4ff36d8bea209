package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const stagedKit = `package kit

type Mode int

type Kit struct{ N int; on bool }

func New(n int) *Kit { return &Kit{N: n} }

func (k *Kit) Add(words ...string) (int, error) { return len(words), nil }

func (k Kit) Text(m Mode, loud bool) string { return "" }

func Compile(text string) func(int) string { return nil }

func inner(s string) string { return s }
`

func TestLiteralsAndCallsOfGoTestsAreWrapped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ was, want string }{
		"a call with one result and its argument":        {`k := New(3); _ = k`, `k := atollguard.Seen(New(atollguard.Literal(1, int(3)))); _ = k`},
		"two results and the object":                     {`k := New(0); n, err := k.Add("a", "b")`, `n, err := atollguard.Seen2(atollguard.On(k).Add(atollguard.Literal(2, string("a")), atollguard.Literal(3, string("b"))))`},
		"a constant of a type of the package":            {`s := Kit{}.Text(2, true)`, `s := atollguard.Seen(Kit{}.Text(atollguard.Literal(2, Mode(2)), atollguard.Literal(1, bool(true))))`},
		"an object that is no pointer":                   {`var k Kit; k.Add()`, `atollguard.Seen2(atollguard.On(&k).Add())`},
		"what a function gave":                           {`f := Compile("x"); s := f(4)`, `s := atollguard.Seen(f(atollguard.Literal(2, int(4))))`},
		"what only the package calls stays":              {`s := inner("x")`, `s := inner("x")`},
		"what is said to people stays":                   {`t.Errorf("got %d", 3)`, `t.Errorf("got %d", 3)`},
		"what should come out stays":                     {`for _, tt := range []struct{ in, want string }{{"a", "b"}} { _ = tt }`, `{{atollguard.Literal(1, string("a")), "b"}}`},
		"fields by their names":                          {`for _, tt := range []struct{ in, want string }{{in: "a", want: "b"}} { _ = tt }`, `{{in: atollguard.Literal(1, string("a")), want: "b"}}`},
		"what another package gives":                     {`data, err := json.Marshal(New(1))`, `data, err := atollguard.Seen2(json.Marshal(atollguard.Seen(New(atollguard.Literal(1, int(1))))))`},
		"what hangs on the moment stays":                 {`now := time.Now()`, `now := time.Now()`},
		"loops, places and comparisons stay":             {`for i := 0; i < 3; i++ { if s := "abc"[1]; s == 'b' { } }`, `for i := 0; i < 3; i++ { if s := atollguard.Literal(1, string("abc"))[1]; s == 'b' { } }`},
		"a text with a name where it is used":            {`const text = "x"; s := Compile(text)`, `const text = "x"; s := atollguard.Seen(Compile(atollguard.Literal(1, string(text))))`},
		"what is filled by another package is looked at": {`var k Kit; err := json.Unmarshal(data, &k)`, `err := atollguard.Seen(json.Unmarshal(data, atollguard.On(&k)))`},
		"a part of the test may panic":                   {`t.Run("x", func(t *testing.T) { New(1) })`, `t.Run("x", func(t *testing.T) { defer atollguard.Fell(); `},
		"a call of its own":                              {`k := New(1); k.Add("x")`, `for range atollguard.Often(2) { atollguard.Seen2(atollguard.On(k).Add(atollguard.Literal(3, string("x")))) }`},
		"a call whose error is looked at":                {`k := New(1); if _, err := k.Add("x"); err != nil { t.Fatal(err) }`, `for range atollguard.Often(2) { if _, err := atollguard.Seen2(atollguard.On(k).Add(atollguard.Literal(3, string("x")))); err != nil { t.Fatal(err) } }`},
		"a call in front of a condition":                 {`k := New(1); var err error; if _, err = k.Add("x"); err != nil { return }`, `if _, err = atollguard.Seen2(atollguard.On(k).Add(atollguard.Literal(2, string("x")))); err != nil { return }`},
		"the items of a list":                            {`k := New(1); n, err := k.Add([]string{"x", "y"}...)`, `.Add(atollguard.List(2, []string{atollguard.Literal(3, string("x")), atollguard.Literal(4, string("y"))})...))`},
		"a struct of the package":                        {`k := &Kit{N: 2}; _ = k`, `k := atollguard.Fields(1, &Kit{N: atollguard.Literal(2, int(2))})`},
		"a struct that should come out":                  {`for _, tt := range []struct{ in string; want []string }{{"a", []string{"b"}}} { _ = tt }`, `{{atollguard.Literal(1, string("a")), []string{"b"}}}`},
		"a call that is put off stays":                   {`k := New(1); defer k.Add("x")`, `defer atollguard.On(k).Add(`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustStage(t, "func TestKit(t *testing.T) {\n\tvar data []byte\n\t"+c.was+"\n}\n")
			text := string(s.changes()[0].Data)
			if !strings.Contains(text, c.want) {
				t.Errorf("not there: %s\n%s", c.want, text)
			}
			if strings.Count(text, "\n") < strings.Count(c.was, "\n") {
				t.Error("lines are gone")
			}
		})
	}
}

// mustStage rewrites tests of a small package, of a file with some header.
func mustStage(t *testing.T, tests string, header ...string) *stager {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": stagedKit,
		"kit_test.go": strings.Join(header, "") + "package kit\n\nimport (\n\t\"encoding/json\"\n\t\"testing\"\n\t\"time\"\n)\n\n" + tests,
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v, err := open(Tree{Base: root})
	if err != nil {
		t.Fatal(err)
	}
	m := readModule(v, ".", "example.com/kit")
	return newStager(m, m.packages["."], v.read)
}

func TestRewrittenTestsAreWrittenInTheirVersionOfGo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, header, want string }{
		{"that of the module", "", "//go:build go1.22\n"},
		{"a later one of the file", "//go:build go1.23 && linux\n\n", "//go:build go1.23\n"},
		{"an older one of the file", "//go:build go1.9\n\n", "//go:build go1.22\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustStage(t, "func TestOther(t *testing.T) { New(1) }\n", c.header)
			names := map[string]bool{"New": true}
			s.scripts(names, names)
			changes := s.changes()
			if len(changes) == 0 || !strings.HasPrefix(string(changes[0].Data), c.want) {
				t.Errorf("%d files, the first begins with %.30q, want %q", len(changes), changes[0].Data, c.want)
			}
		})
	}
}

func TestTestsThatLeadToAChangeArePlayed(t *testing.T) {
	t.Parallel()
	s := mustStage(t, `
var table = []struct{ in string }{{"a"}}

func helper(t *testing.T, in string) { Compile(in) }

func TestTable(t *testing.T) { for _, tt := range table { helper(t, tt.in) } }

func TestOther(t *testing.T) { New(1) }

func TestSlow(t *testing.T) { Compile("x"); time.Sleep(time.Second) }

func TestNothing(t *testing.T) { var _ = Compile(text()) }

func ExampleCompile() { Compile("b") }

func BenchmarkCompile(b *testing.B) { Compile("c") }
`)
	names := map[string]bool{"Compile": true}
	var got []string
	for _, x := range s.scripts(names, names) {
		got = append(got, x.name)
	}
	if want := []string{"TestTable", "ExampleCompile"}; !slices.Equal(got, want) {
		t.Errorf("played are %q", got)
	}
	s.chosen = s.scripts(names, names)
	text := string(s.changes()[0].Data)
	for _, want := range []string{`RegisterTest("TestTable", TestTable, 2, 1)`, "RegisterVariable(func() { table = []struct{ in string }{{atollguard.Literal(1, string(\"a\"))}} })", `RegisterLiteral(1, "kit_test.go:10", string("a"))`} {
		if !strings.Contains(text, want) {
			t.Errorf("not there: %s\n%s", want, text)
		}
	}
	if text := mustStage(t, "func TestKit(t *testing.T) { const text = \"x\"; _ = Compile(text) }\n").changes(); !strings.Contains(string(text[0].Data), `RegisterLiteral(2, "kit_test.go:9", string("x"))`) {
		t.Errorf("a text that has a name within a function alone is told by its name:\n%s", text[0].Data)
	}
	for i, want := range []bool{true, true, false} { // the line, then the variables of the file, then nothing
		if s.blame("./kit_test.go:10:3: cannot use") != want {
			t.Errorf("what does not compile is left as it is: try %d", i)
		}
	}
	if text := string(s.changes()[0].Data); strings.Contains(text, "Literal(1,") || strings.Contains(text, "RegisterVariable") {
		t.Errorf("that line is as it was:\n%s", text)
	}
}
