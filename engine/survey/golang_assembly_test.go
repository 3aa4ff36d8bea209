package survey

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestAssemblyIsCodeOfTheModule(t *testing.T) {
	other := map[string]string{"linux": "windows"}[runtime.GOOS]
	if other == "" {
		other = "linux"
	}
	const sum = "// Sum adds.\nfunc Sum(b []byte) (n int) {\n\tfor _, c := range b {\n\t\tn += int(c)\n\t}\n\treturn n\n}\n"
	l := &Lab{Base: t.TempDir()}
	for name, text := range map[string]string{
		"sum.go":               "//go:build " + runtime.GOOS + "\n\npackage x\n\n//go:noescape\nfunc Sum(b []byte) int\n\nfunc Plain(b []byte) int { return len(b) }\n\n//go:linkname now runtime.nanotime\nfunc now() int64\n",
		"sum.s":                "TEXT ·Sum(SB), $0-32\n",
		"sum_other.go":         "//go:build !" + runtime.GOOS + "\n\npackage x\n\n" + sum,
		"sum_" + other + ".go": "package x\n\n" + sum,
		"sum_test.go": "package x\n\nimport (\n\t\"strconv\"\n\t\"testing\"\n)\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor range b.N {\n\t\tSum(nil)\n\t}\n}\n\n" +
			"func BenchmarkHelped(b *testing.B) { run(b) }\n\nfunc run(b *testing.B) { Sum(nil) }\n\nfunc BenchmarkNow(b *testing.B) { now() }\n\nfunc BenchmarkItoa(b *testing.B) { strconv.Itoa(b.N) }\n",
	} {
		if err := os.WriteFile(filepath.Join(l.Base, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		l.Files = append(l.Files, name)
	}
	slices.Sort(l.Files)
	for top, want := range map[string]bool{"Sum": true, "Helped": true, "Now": false, "Itoa": false} {
		if got := l.runsAssembly()["Benchmark"+top]; got != want {
			t.Errorf("Benchmark%s runs assembly: %v", top, got)
		}
	}
	shares := map[string]float64{"example.com/x.Sum": 0.5, "example.com/x.Plain": 0.3, "example.com/x.(*Digest).Sum": 0.1}
	if got := l.locate(shares, "example.com/x"); len(got) != 1 || got[0].file != "sum.go" || got[0].symbol != "Plain" {
		t.Errorf("what is not built here, or has no body, is a target: %+v", got)
	}
	if got := l.hotAssembly(shares); !slices.Equal(got, []string{"Sum 50 %"}) {
		t.Errorf("assembly that takes the time: %q", got)
	}
	if p := l.busiestPackage(); p == nil || !slices.Equal(p.names(), []string{"Plain"}) {
		t.Errorf("a benchmark is made of what is not built here: %+v", p)
	}
}
