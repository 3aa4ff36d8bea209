package survey

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
)

// comparing looks which benchmarks are of the module.
type comparing struct{ *survey }

// own leaves out the benchmarks that run no code of the module, such as those of the
// standard library that people keep for comparison: no candidate changes what they measure.
// What calls a function in assembly stays, for coverage does not see it.
// Where nothing can be told, and where none would be left, all stay.
func (s comparing) own(ctx context.Context, all []bench) ([]bench, error) {
	if !slices.ContainsFunc(all, func(b bench) bool { return b.top != all[0].top || b.pkg != all[0].pkg }) {
		return all, nil
	}
	foreign := map[[2]string]bool{} // package and function
	var names []string
	assembly := s.Lab.runsAssembly()
	for _, pkg := range packagesOf(all) {
		if pkg == everyPackage {
			return all, nil
		}
		tops := turnsOf(all, pkg)
		ran, err := s.ran(ctx, pkg, tops)
		if err != nil {
			return nil, err
		}
		for _, t := range tops {
			if n, told := ran[t.top]; told && n < float64(t.n)/2 && !assembly["Benchmark"+t.top] {
				foreign[[2]string{pkg, t.top}] = true
				names = append(names, t.top)
			}
		}
	}
	own := slices.DeleteFunc(slices.Clone(all), func(b bench) bool { return foreign[[2]string{b.pkg, b.top}] })
	if len(names) == 0 || len(own) == 0 {
		return all, nil
	}
	s.Say("benchmarks that run no code of this module are left out: " + someOf(names, 6))
	s.m.Notes = append(s.m.Notes, "Left out, for they run no code of this module: "+someOf(names, 12)+".")
	return own, nil
}

// turns is how often a benchmark function is run, beside one time.
type turns struct {
	top string
	n   int
}

// The turns of a benchmark that is looked at: what its preparation does at random is little
// beside many.
const (
	turnsTime = 50 * time.Millisecond
	leastTurn = 2
	mostTurns = 1000
)

// turnsOf are the functions of a package's benchmarks that are not slow.
func turnsOf(all []bench, pkg string) []turns {
	var list []turns
	for _, b := range all {
		if b.pkg == pkg && b.ns <= float64(slowBench) && !slices.ContainsFunc(list, func(t turns) bool { return t.top == b.top }) {
			list = append(list, turns{b.top, min(mostTurns, max(leastTurn, int(float64(turnsTime)/max(1, b.ns))))})
		}
	}
	return list
}

// ownScript runs benchmarks of a package, its first word, once and more often: the others are
// a function and how often in turns. It prints how often statements of the module ran, tests
// aside, beyond those of the single run, which its preparation ran, too.
const ownScript = `set -e
go test -c -trimpath -vet=off -cover -covermode=count -coverpkg=./... -o "$TMPDIR/tests" "$0"
cd "$(go list -f '{{.Dir}}' "$0")"
ran() {
  rm -f "$TMPDIR/cover"
  "$TMPDIR/tests" -test.run='^$' -test.benchtime=$2x -test.bench="^Benchmark$1\$" -test.coverprofile="$TMPDIR/cover" > /dev/null 2>&1 && awk 'NR > 1 { n += $NF } END { printf "%.0f", n }' "$TMPDIR/cover"
}
while [ $# -gt 1 ]; do
  if once=$(ran "$1" 1) && often=$(ran "$1" $(($2 + 1))); then echo "ran $1 $((often - once))"; fi
  shift 2
done
`

// ran is how often each benchmark of a package ran statements of the module in its turns;
// what is not told is missing.
func (s comparing) ran(ctx context.Context, pkg string, list []turns) (map[string]float64, error) {
	s.doing(testPatience, "looking which benchmarks of %s run code of this module", pkg)
	command := []string{"sh", "-c", ownScript, pkg}
	for _, t := range list {
		command = append(command, t.top, strconv.Itoa(t.n))
	}
	sample, err := s.Lab.Run(ctx, eval.Options{Command: command, Caches: []string{"go"}, Env: s.Lab.Env, Timeout: testPatience, Output: output.OutputFile}, false)
	if err != nil {
		return nil, err
	}
	ran := map[string]float64{}
	for l := range strings.Lines(string(sample.Raw.Stdout)) {
		if f := strings.Fields(l); len(f) == 3 && f[0] == "ran" {
			if n, err := strconv.ParseFloat(f[2], 64); err == nil {
				ran[f[1]] = n
			}
		}
	}
	return ran, nil
}
