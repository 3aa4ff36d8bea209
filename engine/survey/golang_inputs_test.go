package survey

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// benchmarked is the benchmark file for a package x with the bodies of its code and of a file of tests.
func benchmarked(t *testing.T, code, tests string) string {
	t.Helper()
	if !strings.HasPrefix(tests, "package ") {
		tests = "package x\n\nimport \"testing\"\n\n" + tests
	}
	l := &Lab{Base: t.TempDir()}
	for name, text := range map[string]string{"x.go": "package x\n\n" + code, "x_test.go": tests} {
		if err := os.WriteFile(filepath.Join(l.Base, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		l.Files = append(l.Files, name)
	}
	slices.Sort(l.Files)
	p := l.busiestPackage()
	if p == nil {
		t.Fatal("no function can be called")
	}
	return p.source(p.names())
}

const (
	parse = "func Parse(s string) (int, error) { return len(s), nil }\n"
	fill  = "func Fill(v interface{}) string { return render(v, 0, 0) }\n"
	sizes = "type Size uint64\n\nfunc NewSize(n float64) Size { return Size(n) }\n\nfunc (s Size) Format(format, unit string, long bool) string { return render(s, format, unit) }\n"
)

// unlaid is Go without its layout.
func unlaid(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestFunctionsAreCalledWithWhatTheirTestsCallThemWith(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code, tests string
		want        string // in the file, but for layout
	}{
		"the literals of calls": {
			parse, "func TestParse(t *testing.T) {\n\tParse(\"1 B\")\n\tif _, err := Parse(\"2 B\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n\tParse(\"3 \" + \"B\")\n\tother(\"junk\")\n}\n",
			`= []string{ "1 B", "2 B", "3 B", }`,
		},
		"the field of a table at the top": {
			parse, "var table = []struct{ in, want string }{{\"1B\", \"one\"}, {\"2B\", \"two\"}, {\"3B\", \"three\"}}\n\nfunc TestParse(t *testing.T) {\n\tfor _, tt := range table {\n\t\tParse(tt.in)\n\t}\n}\n",
			`= []string{ "1B", "2B", "3B", }`,
		},
		"named fields of a table in a test within a test": {
			parse, "func TestParse(t *testing.T) {\n\ttype args struct{ s string }\n\ttests := []struct {\n\t\tname string\n\t\targs args\n\t}{\n\t\t{name: \"first\", args: args{s: \"1B\"}},\n\t\t{name: \"second\", args: args{s: \"2B\"}},\n\t\t{name: \"empty\"},\n\t\t{name: \"third\", args: args{\"3B\"}},\n\t}\n\tfor _, tt := range tests {\n\t\ttt := tt\n\t\tt.Run(tt.name, func(t *testing.T) {\n\t\t\tParse(tt.args.s)\n\t\t})\n\t}\n}\n",
			`= []string{ "1B", "2B", "3B", }`,
		},
		"keys of a map": {
			parse, "func TestParse(t *testing.T) {\n\tfor in, want := range map[string]int{\"1B\": 1, \"2B\": 2, \"3B\": 3} {\n\t\tif n, _ := Parse(in); n != want {\n\t\t\tt.Error(in)\n\t\t}\n\t}\n}\n",
			`= []string{ "1B", "2B", "3B", }`,
		},
		"elements of rows by their number": {
			parse, "func TestParse(t *testing.T) {\n\tcases := [][]string{{\"1B\", \"x\"}, {\"2B\", \"y\"}, {\"3B\", \"z\"}}\n\tfor i := 0; i < len(cases); i++ {\n\t\tc := cases[i]\n\t\tParse(c[0])\n\t}\n}\n",
			`= []string{ "1B", "2B", "3B", }`,
		},
		"what helpers of the tests are called with": {
			parse, "func check(t *testing.T, in string, want int) {\n\tt.Helper()\n\tif n, _ := Parse(in); n != want {\n\t\tt.Error(in)\n\t}\n}\n\nfunc TestParse(t *testing.T) {\n\tcheck(t, \"1B\", 1)\n\tcheck(t, \"2B\", 2)\n\tcheck(t, \"3B\", 3)\n}\n",
			`= []string{ "1B", "2B", "3B", }`,
		},
		"what a helper calls a function with that it is handed": {
			parse, "type table map[string]int\n\nfunc run(t *testing.T, f func(string) (int, error), cases table) {\n\tfor in := range cases {\n\t\tf(in)\n\t}\n}\n\nfunc TestParse(t *testing.T) {\n\trun(t, Parse, table{\"1B\": 1, \"2B\": 2, \"3B\": 3})\n}\n",
			`= []string{ "1B", "2B", "3B", }`,
		},
		"calls from a package of tests": {
			parse, "package x_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/go-x\"\n\t\"example.com/y\"\n)\n\nfunc TestParse(t *testing.T) {\n\tfor _, in := range []string{\"1B\", \"2B\", \"3B\"} {\n\t\tx.Parse(in)\n\t\ty.Parse(\"of y\")\n\t}\n}\n",
			`= []string{ "1B", "2B", "3B", }`,
		},
		"rows stay together, and what is the same in all stands in the call": {
			sizes, "func TestFormat(t *testing.T) {\n\tfor _, v := range []struct {\n\t\tn    float64\n\t\tunit string\n\t\tlong bool\n\t}{{1, \"byte\", false}, {1024, \"kb\", true}, {3, \"GB\", true}} {\n\t\tx := NewSize(v.n)\n\t\tx.Format(\"%.0f \", v.unit, v.long)\n\t}\n}\n",
			`{ {"byte", false}, {"kb", true}, {"GB", true}, }`,
		},
		"a call has a row": {
			sizes, "func TestFormat(t *testing.T) {\n\tx := NewSize(1)\n\tx.Format(\"%f\", \"b\", true)\n\tx.Format(\"%f\", \"kb\", true)\n\tx.Format(\"%f\", \"mb\", false)\n}\n",
			`x.Format("%f", in.unit, in.long)`,
		},
		"what makes receivers has its own inputs": {
			sizes, "func TestNewSize(t *testing.T) {\n\tNewSize(1)\n\tNewSize(1 << 10)\n\tNewSize(1.5)\n}\n",
			`for _, in := range atollNewSizeInputs { xs = append(xs, NewSize(in)) }`,
		},
		"numbers, lists and what follows": {
			"type Grade int8\n\nfunc Join(g Grade, b []byte, list []string, more ...int) string { return string(b) }\n", "func TestJoin(t *testing.T) {\n\tJoin(-1, []byte(\"a\"), []string{\"x\"}, 1, 2)\n\tJoin('c', []byte(\"b\"), nil)\n\tJoin(0x1f, nil2(), nil)\n\tmore := []int{3}\n\tJoin(0x1f, []byte(\"c\"), []string{}, more...)\n}\n",
			`{-1, "a", []string{"x"}, []int{1, 2}}, {'c', "b", nil, nil}, {0x1f, "c", []string{}, []int{3}},`,
		},
		"what is handed to a variadic parameter": {
			"func Join(sep string, more ...int) string { return sep }\n", "func TestJoin(t *testing.T) {\n\tJoin(\"-\", 1, 2)\n\tJoin(\"+\")\n\tJoin(\"*\", 3)\n}\n",
			`Join(in.sep, in.more...)`,
		},
		"a struct in a variable, for what takes anything": {
			fill, "func TestFill(t *testing.T) {\n\tv := struct {\n\t\tName string `json:\"name\"`\n\t\tN, M int\n\t}{Name: \"a\", N: 1}\n\tFill(v)\n}\n",
			"= []interface{}{ struct { Name string `json:\"name\"` N, M int }{Name: \"a\", N: 1}, }",
		},
		"types of the test, addresses, maps and lists of them": {
			fill, "func TestFill(t *testing.T) {\n\ttype at struct{ X, Y float64 }\n\ttype all struct {\n\t\tAt *at\n\t\tMore []at\n\t\tBy map[string]*at\n\t}\n\tFill(&all{&at{1, 2.5}, []at{{X: 3}}, map[string]*at{\"k\": {4, 5}}})\n\tFill(nil)\n\tFill(42)\n}\n",
			`{At: &struct{ X, Y float64 }{X: 1, Y: 2.5}, More: []struct{ X, Y float64 }{struct{ X, Y float64 }{X: 3}}, By: map[string]*struct{ X, Y float64 }{"k": &struct{ X, Y float64 }{X: 4, Y: 5}}}, nil, 42, }`,
		},
		"a type of the package": {
			fill + "type Point struct{ X int }\n", "package x_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/x\"\n)\n\nfunc TestFill(t *testing.T) {\n\tx.Fill(x.Point{X: 1})\n}\n",
			`[]interface{}{ Point{X: 1}, }`,
		},
		"a struct that names what has to be imported, holds itself or is embedded leaves values of all kinds": {
			fill, "import \"time\"\n\ntype node struct{ next *node }\n\ntype base struct{ n int }\n\nfunc TestFill(t *testing.T) {\n\tFill(struct{ At time.Time }{})\n\tFill(&node{})\n\tFill(struct{ base }{base{1}})\n\tFill(func() {})\n}\n",
			`Fill(atollAny[(i*1+0)%len(atollAny)])`,
		},
		"too few rows leave the texts of all tests": {
			parse, "func TestParse(t *testing.T) {\n\tParse(\"a text\")\n\tParse(\"another text\")\n}\n",
			`Parse(atollTexts[(i*1+0)%len(atollTexts)])`,
		},
		"what is computed leaves the texts of all tests": {
			parse, "func TestParse(t *testing.T) {\n\tfor _, in := range []string{\"a text\", \"another text\", \"a third text\"} {\n\t\tParse(strings.ToUpper(in))\n\t}\n}\n",
			`Parse(atollTexts[(i*1+0)%len(atollTexts)])`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if source := benchmarked(t, c.code, c.tests); !strings.Contains(unlaid(source), unlaid(c.want)) {
				t.Errorf("no %s in\n%s", c.want, source)
			}
		})
	}
}

func TestRowsThatFailAreFew(t *testing.T) {
	t.Parallel()
	good, bad := "", ""
	for i := range 16 {
		good += "{in: \"good " + strconv.Itoa(i) + "\", FIELD: GOOD}, "
		bad += "{in: \"bad " + strconv.Itoa(i) + "\", FIELD: BAD}, "
	}
	for name, c := range map[string]struct {
		field, typ, good, bad string
		body                  string
		few                   bool
	}{
		"by a bool":                           {"wantErr", "bool", "false", "true", "Parse(tt.in)", true},
		"by an error":                         {"err", "error", "nil", "errBad", "Parse(tt.in)", true},
		"by a text":                           {"errText", "string", `""`, `"no unit"`, "Parse(tt.in)", true},
		"by a check":                          {"wantErr", "func(error) bool", "noError", "someError", "Parse(tt.in)", true},
		"by what the test does of the answer": {"bad", "bool", "false", "true", "_, err := Parse(tt.in)\n\t\tif tt.bad {\n\t\t\tif err == nil {\n\t\t\t\tt.Fatal(tt)\n\t\t\t}\n\t\t\tcontinue\n\t\t}", true},
		"another field tells nothing":         {"odd", "bool", "false", "true", "_, err := Parse(tt.in)\n\t\tif unknown && err == nil {\n\t\t\tt.Fatal(tt)\n\t\t}", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := strings.NewReplacer("FIELD", c.field, "GOOD", c.good, "BAD", c.bad).Replace(bad + good)
			source := benchmarked(t, parse, "func TestParse(t *testing.T) {\n\tfor _, tt := range []struct {\n\t\tin string\n\t\t"+c.field+" "+c.typ+"\n\t}{"+rows+"} {\n\t\t"+c.body+"\n\t}\n}\n")
			if n := strings.Count(source, `"bad `); c.few != (n == 2) || !strings.Contains(source, `"good 14"`) {
				t.Errorf("%d rows that fail\n%s", n, source)
			}
		})
	}
}

func TestFunctionsThatReturnNoErrorAreNotCalledWithWhatFails(t *testing.T) {
	t.Parallel()
	source := benchmarked(t, "func MustParse(s string) int { return must(s) }\n", "func TestMustParse(t *testing.T) {\n\tfor _, tt := range []struct {\n\t\tin     string\n\t\tpanics bool\n\t}{{\"1\", false}, {\"2\", false}, {\"3\", false}, {\"4\", false}, {\"5\", false}, {\"6\", false}, {\"7\", false}, {\"8\", false}, {\"bad\", true}} {\n\t\tMustParse(tt.in)\n\t}\n}\n")
	if strings.Contains(source, "bad") || !strings.Contains(source, `"8",`) {
		t.Error(source)
	}
}

func TestOneListStandsForFunctionsThatAreCalledWithTheSame(t *testing.T) {
	t.Parallel()
	source := benchmarked(t, parse+"\nfunc Valid(s string) bool { return s != rest }\n", "func TestBoth(t *testing.T) {\n\tfor _, in := range []string{\"1B\", \"2B\", \"3B\"} {\n\t\tParse(in)\n\t\tValid(in)\n\t}\n}\n")
	if strings.Count(source, `"2B",`) != 1 || strings.Count(source, "range atollParseInputs {") != 2 {
		t.Error(source)
	}
}

func TestTextsForAPersonAreNoInputs(t *testing.T) {
	t.Parallel()
	source := benchmarked(t, parse, `type row struct {
	In string `+"`json:\"a tag\"`"+`
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, in string }{{"the name of a row", "input one"}, {"input two", "input two"}} {
		t.Run(tt.name, func(t *testing.T) {
			use(tt.in)
		})
	}
	t.Run("the name of a test", func(t *testing.T) {
		if use("input three") == nil {
			t.Fatal("a message " + "in parts")
		}
	})
	t.Errorf("told of", use("input four"))
	fmt.Println("printed")
	_ = fmt.Errorf("wrapped")
	_ = errors.New("a new error")
	panic("a panic")
}

func use(in string) error {
	_, err := Parse(in + unknown)
	return err
}
`)
	for _, other := range []string{"tag", "name of", "message", "in parts", "told", "printed", "wrapped", "new error", "a panic"} {
		if strings.Contains(source, other) {
			t.Errorf("%q is an input", other)
		}
	}
	for _, want := range []string{"input one", "input two", "input three", "input four"} {
		if !strings.Contains(source, strconv.Quote(want)) {
			t.Errorf("%q is no input", want)
		}
	}
	if t.Failed() {
		t.Log(source)
	}
}

func TestOneLongTextIsLeftOut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("9", 300)
	for name, c := range map[string]struct {
		list []string
		left int
	}{
		"one that is much longer":               {[]string{"1 B", "2 B", long, "3 B", "4 B", "5 B", "6 B"}, 1},
		"not where few others stay":             {[]string{"1 B", "2 B", long, "3 B", "4 B", "5 B"}, 0},
		"not where they are a good part":        {[]string{"1 B", "2 B", "3 B", "4 B", "5 B", "6 B", long, long + "1"}, 0},
		"not what is as long as others":         {[]string{long, long + "1", long + "2", "4 B", "5 B", "6 B", "7 B"}, 0},
		"not a short one, where most are empty": {[]string{"", "", "", "", "", "", "0123456789"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := withoutLong(c.list, func(s string) int { return len(s) }); len(c.list)-len(got) != c.left || c.left > 0 && slices.Contains(got, long) {
				t.Errorf("%q", got)
			}
		})
	}
	source := benchmarked(t, parse, "func TestParse(t *testing.T) {\n\tfor _, in := range []string{\"1 B\", \"2 B\", \"3 B\", \"4 B\", \"5 B\", \"6 B\", \""+long+"\"} {\n\t\tParse(in)\n\t}\n}\n")
	if strings.Contains(source, long) || !strings.Contains(source, "6 B") {
		t.Errorf("the list of a function\n%s", source)
	}
}

func TestLoopsThatGrowAreLeft(t *testing.T) {
	t.Parallel()
	source := benchmarked(t, parse, "func TestParse(t *testing.T) {\n\ts, n := \"ab\", 3\n\tfor i := 0; i < 100000; i++ {\n\t\ts = s + s\n\t\tn = n * n\n\t\tParse(s)\n\t\tagain(t)\n\t}\n}\n\nfunc again(t *testing.T) {\n\tParse(\"within\")\n\tagain(t)\n\tagain(t)\n}\n")
	if !strings.Contains(source, `"within"`) || len(source) > 20_000 {
		t.Errorf("source of %d bytes\n%.2000s", len(source), source)
	}
}
