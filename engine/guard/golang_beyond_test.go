package guard

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestWhatGoCodeDoesBeyondItsAnswers(t *testing.T) {
	const imports = "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\tclock \"time\"\n\t\"encoding/json\"\n)\n\n"
	cases := []struct {
		name, source, want string
	}{
		{"plain code does nothing", imports + "func F(b []byte) string { x := fmt.Sprint(b); return x + clock.Now().String() }", ""},
		{"own variables may be set", imports + "var n int\ntype t struct{ n int }\nfunc (t *t) F() { n++; t.n = 2; var json struct{ a int }; _ = json }", ""},
		{"a variable of another package", imports + "func init() { clock.Local = nil }", "sets time.Local for the whole process"},
		{"a field of one", imports + "func init() { os.Stderr.X, _ = 1, 2 }", "sets os.Stderr for the whole process"},
		{"an element of one", imports + "func init() { os.Args[0] = \"\" }", "looks who calls it (os.Args); sets os.Args for the whole process"},
		{"what hides a package", "package p\n\nimport \"net/url\"\n\nfunc F(url *url.URL) { url.Path = \"\" }\nfunc G() { for _, url := range []*struct{ Path int }{} { url.Path++ } }", ""},
		{"an end", imports + "func F() { os.Exit(0) }", "ends the process (os.Exit)"},
		{"a line", imports + "func F() { fmt.Println(\"BenchmarkF 1 0.1 ns/op\") }", "prints"},
		{"a line by the way", imports + "func F() { fmt.Fprintln(os.Stdout, 1); println(2) }", "prints"},
		{"a program may print and end", strings.Replace(imports, "package p", "package main", 1) + "func main() { fmt.Println(1); os.Exit(2) }", ""},
		{"names of others", "package p\n\nimport _ \"unsafe\"\n\n//go:linkname nanotime runtime.nanotime\nfunc nanotime() int64\n", "takes names of other packages (//go:linkname)"},
		{"tests", "package p\n\nimport \"testing\"\n\nfunc F() bool { return testing.Testing() }", "imports testing, which only tests need"},
		{"collections of garbage", "package p\n\nimport \"runtime/debug\"\n\nfunc init() { debug.SetGCPercent(-1) }", "changes the process that it runs in (runtime/debug.SetGCPercent)"},
		{"what cannot be read", "package", ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := strings.Join(slices.Sorted(maps.Keys(goBeyond([]byte(tc.source)))), "; "); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
