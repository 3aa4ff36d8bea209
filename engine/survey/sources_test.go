package survey

import (
	"slices"
	"testing"

	"atoll/config"
)

func TestProgramsInFoldersOfBenchmarksThatNothingRunsAreNamed(t *testing.T) {
	ran := []config.Choice{{Command: []string{"node", "bench/run.js"}}}
	for _, c := range []struct {
		name, file string
		named      bool
	}{
		{"a program", "bench/immutable.js", true},
		{"one of a folder below", "packages/kit/benchmarks/all.py", true},
		{"one that a choice runs", "bench/run.js", false},
		{"data", "bench/words.txt", false},
		{"code beside", "src/bench.js", false},
		{"the mark of a package", "perf/__init__.py", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := slices.Contains(benchmarksBeside(&Lab{Files: []string{c.file}, Base: t.TempDir()}, ran), c.file); got != c.named {
				t.Errorf("named %v", got)
			}
		})
	}
}

func TestFilesThatDeclareTypesAreNoSources(t *testing.T) {
	s := sources{scope: []string{"**/*.{js,ts}"}}
	if !s.has("src/a.ts") || s.has("src/a.d.ts") {
		t.Error("a.ts is one, and a.d.ts is none")
	}
}
