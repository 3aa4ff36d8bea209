package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atoll/engine/agent/offline/idiom"
	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// keptOf tells what the functions of a package of one file keep.
func keptOf(source string) string {
	is := goKept([]string{"p.go"}, func(string) []byte { return []byte(source) })
	var out []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		out = append(out, name+" by "+strings.Join(slices.Compact(slices.Sorted(slices.Values(is[name].by))), ","))
	}
	return strings.Join(out, "; ")
}

func TestFunctionsThatWriteVariablesOfTheirPackageAreKnown(t *testing.T) {
	t.Parallel()
	const source = `package p

type T struct{}

var known = map[string]int{}

func Add(name string) int { return put(name, len(known)) }
func put(name string, n int) int { known[name] = n; return n }
func Twice(name string) int { return Add(name) + Add(name) }
func Find(name string) int { return known[name] }
func (T) Add(name string) { known[name] = 0 }
`
	if got, want := goWriting([]string{"p.go"}, func(string) []byte { return []byte(source) }), []string{"Add", "Twice"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWhatGoCodeKeepsBetweenCalls(t *testing.T) {
	const imports = "package p\n\nimport (\n\t\"bytes\"\n\t\"regexp\"\n\t\"strings\"\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar _ bytes.Buffer\nvar _ regexp.Regexp\nvar _ strings.Builder\nvar _ sync.Mutex\nvar _ atomic.Int64\n\n"
	cases := []struct {
		name, source, want string
	}{
		{"a buffer that is handed on", "var scratch [128]byte\ntype T struct{}\nfunc (t *T) String() string { return string(t.put(scratch[:0])) }\nfunc (t *T) put(b []byte) []byte { return append(b, 'x') }", "scratch by T.String"},
		{"a buffer of its own name in the function", "var scratch = make([]byte, 0, 64)\nfunc F() string { scratch := scratch[:0]; return string(append(scratch, 'x')) }", "scratch by F"},
		{"answers in a map", "var cache = map[string]int{}\nfunc F(s string) int { if n, ok := cache[s]; ok { return n }; cache[s] = len(s); return len(s) }", "cache by F"},
		{"a map that another function fills", "var cache = make(map[string]int)\nfunc F(s string) int { return keep(cache, s) }\nfunc keep(m map[string]int, s string) int { m[s]++; return m[s] }", "cache by F"},
		{"answers in a sync.Map", "var cache sync.Map\nfunc F(s string) any { v, _ := cache.LoadOrStore(s, len(s)); return v }", "cache by F"},
		{"an atomic value", "var last atomic.Pointer[string]\nfunc F(s string) { last.Store(&s) }", "last by F"},
		{"a number by its address", "var n int64\nfunc F() int64 { return atomic.AddInt64(&n, 1) }", "n by F"},
		{"the last answer", "var last, was string\nfunc f(s string) string { if s != last { last, was = s, strings.ToLower(s) }; return was }\nfunc F(s string) string { return f(s) }", "last by f; was by f"},
		{"a type of its own with a lock", "type lru struct{ sync.Mutex; m map[string]int }\nfunc (l *lru) put(s string) { l.Lock(); defer l.Unlock(); l.set(s) }\nfunc (l *lru) set(s string) { l.m[s] = 1 }\nvar seen = &lru{m: map[string]int{}}\nfunc F(s string) { seen.put(s) }", "seen by F"},
		{"a writer", "var buf = new(bytes.Buffer)\nfunc F(s string) string { buf.Reset(); buf.WriteString(s); return buf.String() }", "buf by F"},
		{"its address", "var buf bytes.Buffer\nfunc F(s string) { g(&buf) }\nfunc g(b *bytes.Buffer) { b.WriteString(\"x\") }", "buf by F"},
		{"delete, clear and copy", "var m = map[int]int{1: 2}\nvar a = [3]int{1, 2, 3}\nfunc F(k int) { delete(m, k); clear(m); copy(a[:], a[1:]) }", "a by F; m by F"},
		{"a function that a variable holds", "var n int\nvar F = func() int { n++; return n }", "n by F"},
		{"a function that keeps in what surrounds it", "var F = memo(strings.ToLower)\nfunc memo(f func(string) string) func(string) string { m := map[string]string{}; return func(s string) string { if _, ok := m[s]; !ok { m[s] = f(s) }; return m[s] } }", "F by memo"},
		{"what comes first is kept", "var once sync.Once\nvar first string\nfunc F(s string) string { once.Do(func() { first = s }); return first }", "first by F"},
		{"tables and expressions", "var table = []int{1, 2}\nvar digits [10]byte\nvar pattern = regexp.MustCompile(`a`)\nvar r = strings.NewReplacer(\"a\", \"b\")\nfunc init() { for i := range digits { digits[i] = '0' } }\nfunc F(s string, n int) (int, bool, string, string) { for _, x := range table[:n] { n += x }; return n, pattern.MatchString(s), r.Replace(s), string(digits[:n%10]) }", ""},
		{"what init calls", "var table [256]bool\nvar more = fill()\nfunc init() { mark('a') }\nfunc mark(b byte) { table[b] = true }\nfunc fill() bool { mark('b'); return true }\nfunc F(b byte) bool { return table[b] }", ""},
		{"what is made once", "var once, again sync.Once\nvar table []int\nfunc F() int { once.Do(func() { table = append(table, 1) }); again.Do(fill); return table[0] }\nfunc fill() { table = append(table, 2) }\nvar all = sync.OnceValue(func() int { table = nil; return 1 })", ""},
		{"what is made once, within something", "var a struct{ sync.Once; m []int }\nvar b = struct{ once sync.Once; m []int }{}\nfunc F() ([]int, []int) { a.Do(func() { a.m = []int{1} }); b.once.Do(fill); return a.m, b.m }\nfunc fill() { b.m = []int{2} }", ""},
		{"what stands for none", "type set struct{ m []int }\nvar no set\nvar none [0]int\nfunc F(s *set) ([]int, *set) { if s == &no { return none[:0], nil }; return nil, &no }", ""},
		{"another name of it", "type set struct{ n int }\nvar one set\nvar two set\nfunc F() { s := &one; s.n = 2; (&two).n = 3 }", "one by F; two by F"},
		{"what is only read from", "var zeros = make([]byte, 64)\nfunc F(b *bytes.Buffer, s []byte, n int) []byte { b.Write(zeros[:n]); s = append(s, zeros[:n]...); copy(s, zeros[:]); for range zeros[:n] { n++ }; return append(s, string(zeros[:n])...) }", ""},
		{"a pool", "var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}\nfunc F(s string) string { b := pool.Get().(*bytes.Buffer); defer pool.Put(b); b.Reset(); b.WriteString(s); return b.String() }\nvar pools struct{ small sync.Pool }\nfunc G() { p := &pool; p.Put(pools.small.Get()); pools.small.Put(1) }", ""},
		{"variables of the function", "var n = 3\nfunc F() int { n := n; n++; m := map[int]int{}; m[1] = n; buf := [8]byte{}; g(buf[:]); return m[1] }\nfunc g([]byte) {}", ""},
		{"fields of what it is called on", "type T struct{ n int; m map[int]int }\nfunc (t *T) F() { t.n++; t.m[1] = 2 }", ""},
		{"a copy is changed", "type o struct{ n int }\nfunc (o o) with(n int) o { o.n = n; return o }\nvar plain o\nfunc F() o { return plain.with(2) }", ""},
		{"nil, errors and what is empty", "var none []int\nvar nothing = []int{}\nvar err error\nfunc F() ([]int, []int, error) { return none, nothing, err }", ""},
		{"another package's part", "func F(b *bytes.Buffer) { b.Reset() }", ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := keptOf(imports + tc.source); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if got := keptOf("package main\n\nvar n int\n\nfunc main() { n++ }\n"); got != "" {
		t.Errorf("a program keeps %q", got)
	}
	is := goKept([]string{"a.go", "b.go"}, func(name string) []byte {
		return []byte(map[string]string{"a.go": "package p\nvar n int\n", "b.go": "package p\nfunc A() { n++ }\nfunc B() { n++ }\nfunc C() { n = 0 }\nfunc D() { n = 0 }\n"}[name])
	})
	if got, want := is["n"].file+" "+is["n"].says("n"), "b.go keeps something between calls in n (written by A, B, 2 more)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// samples are the texts of each row of a table in a test of the package of rewrites.
func samples(t *testing.T, file string) (out [][]string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../agent/offline/idiom/"+file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		row, ok := n.(*ast.CompositeLit)
		if !ok || row.Type != nil {
			return true
		}
		var texts []string
		for _, e := range row.Elts {
			if lit, ok := e.(*ast.BasicLit); ok {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					texts = append(texts, text)
				}
			}
		}
		if len(texts) >= 4 {
			out = append(out, texts)
		}
		return true
	})
	if len(out) < 15 {
		t.Fatalf("only %d samples in %s", len(out), file)
	}
	return out
}

func TestRewritesOfGoKeepNothingBetweenCalls(t *testing.T) {
	made := map[string]bool{}
	for _, s := range samples(t, "idiom_test.go") {
		src := "package p\n\n"
		if s[1] != "" {
			src += "import \"" + s[1] + "\"\n\n"
		}
		src = strings.NewReplacer("func f(", "func F(").Replace(src + s[2] + "\n")
		f, err := language.ParseGo([]byte(src), &language.GoSiblings{Fset: token.NewFileSet()}, func(*language.GoFile) {})
		if err != nil {
			continue
		}
		was := keptOf(src)
		for _, r := range idiom.Go(f, []byte(src), 26) {
			now, err := r.Apply([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			made[r.Name] = true
			if got := keptOf(string(now)); got != was {
				t.Errorf("%s: %q is kept, before %q:\n%s", r.Name, got, was, now)
			}
		}
	}
	for _, name := range []string{"an expression compiled once", "a table of constants made once"} {
		if !made[name] {
			t.Errorf("no sample of %s", name)
		}
	}
	if len(made) < 20 {
		t.Errorf("only %d kinds of rewrites: %v", len(made), made)
	}
}

func TestWhatAChangeOfGoCodeKeepsIsADifferenceOfItsFile(t *testing.T) {
	tree := func(files map[string]string) Tree {
		delta := []record.Change{{Path: "go.mod", Mode: record.Regular, Data: []byte("module p\n")}}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			delta = append(delta, record.Change{Path: name, Mode: record.Regular, Data: []byte(files[name])})
		}
		return Tree{Delta: delta}
	}
	root := map[string]string{"a.go": "package p\n\nvar n int\n\nfunc A() int { n++; return n }\n", "b.go": "package p\n\nfunc B(s string) int { return len(s) }\n"}
	cases := []struct {
		name string
		now  map[string]string
		want string
	}{
		{"a map of another file", map[string]string{"c.go": "package p\n\nvar seen = map[string]int{}\n", "b.go": "package p\n\nfunc B(s string) int {\n\tif n, ok := seen[s]; ok {\n\t\treturn n\n\t}\n\tseen[s] = len(s)\n\treturn len(s)\n}\n"}, "b.go keeps something between calls in seen (written by B)"},
		{"what another function of the root wrote", map[string]string{"b.go": "package p\n\nfunc B(s string) int { n = len(s); return n }\n"}, ""},
		{"a function in another file", map[string]string{"a.go": "package p\n", "b.go": root["b.go"] + "\nvar n int\n\nfunc A() int { n++; return n }\n"}, ""},
		{"another name of what it wrote", map[string]string{"a.go": "package p\n\nvar calls int\n\nfunc A() int { calls++; return calls }\n"}, ""},
		{"another name, and one more", map[string]string{"a.go": "package p\n\nvar calls, last int\n\nfunc A() int { calls++; last = calls; return calls }\n"}, "a.go keeps something between calls in calls (written by A); a.go keeps something between calls in last (written by A)"},
		{"a new package", map[string]string{"q/q.go": "package q\n\nvar n int\n\nfunc Q() { n++ }\n"}, "q/q.go keeps something between calls in n (written by Q)"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			now := maps.Clone(root)
			maps.Copy(now, tc.now)
			c := &check{}
			var err error
			if c.root, err = open(tree(root)); err == nil {
				c.candidate, err = open(tree(now))
			}
			if err != nil {
				t.Fatal(err)
			}
			m := &goCheck{check: c, was: readModule(c.root, ".", "p"), is: readModule(c.candidate, ".", "p")}
			m.kept(slices.Sorted(maps.Keys(tc.now)))
			var told []string
			for _, d := range c.report.Differences {
				told = append(told, d.String())
			}
			if got := strings.Join(told, "; "); got != tc.want {
				t.Errorf("told %q, want %q", got, tc.want)
			}
			if c.report.accept([]string{"a.go", "b.go", "q/q.go"}); !c.report.Same() {
				t.Errorf("what is accepted by its file stays: %v", c.report.Differences)
			}
		})
	}
}
