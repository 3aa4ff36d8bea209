package survey

import (
	"context"
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
)

// cover are statements of the module, by the block that they stand in.
type cover map[string]int

// add adds what others cover.
func (c cover) add(more cover) {
	for block, n := range more {
		c[block] = n
	}
}

// statements is how many there are.
func (c cover) statements() (sum int) {
	for _, n := range c {
		sum += n
	}
	return sum
}

// comparing looks which benchmarks are of the module.
type comparing struct {
	*survey
	all cover            // every statement of the module that some package's tests are built from
	ran map[string]cover // what the turns of each function run; what is not told is missing
}

// own leaves out the benchmarks that run no code of the module, such as those of the
// standard library that people keep for comparison: no candidate changes what they measure.
// What calls a function in assembly stays, for coverage does not see it.
// Where nothing can be told, and where none would be left, all stay.
func (s *comparing) own(ctx context.Context, all []bench) ([]bench, error) {
	foreign := map[[2]string]bool{} // package and function
	var names []string
	assembly := s.Lab.runsAssembly()
	for _, pkg := range packagesOf(all) {
		if pkg == everyPackage {
			return all, nil
		}
		tops := turnsOf(all, pkg)
		ran, err := s.look(ctx, "", pkg, tops)
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
	without(s.survey, "benchmarks that run no code of this module are left out", names)
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

// turnsOf are the functions of a package's benchmarks that are not slow. A function with
// several benchmarks runs all of them in each turn.
func turnsOf(all []bench, pkg string) []turns {
	var list []turns
	for _, b := range all {
		if b.pkg != pkg || b.ns > float64(slowBench) || slices.ContainsFunc(list, func(t turns) bool { return t.top == b.top }) {
			continue
		}
		ns := 0.0
		for _, part := range all {
			if part.pkg == pkg && part.top == b.top {
				ns += part.ns
			}
		}
		list = append(list, turns{b.top, min(mostTurns, max(leastTurn, int(float64(turnsTime)/max(1, ns))))})
	}
	return list
}

// ownScript runs benchmarks of a package, its first word, once and more often: the others are
// a function and how often in turns. It prints the blocks of statements of the module, tests aside,
// and of each function how often they ran, and which, beyond those of the single run, which its
// preparation ran, too.
const ownScript = `set -e
go test -c -trimpath -vet=off -cover -covermode=count -coverpkg=./... -o "$TMPDIR/tests" "$0"
cd "$(go list -f '{{.Dir}}' "$0")"
ran() {
  rm -f "$3"
  "$TMPDIR/tests" -test.run='^$' -test.benchtime=$2x -test.bench="^Benchmark$1\$" -test.coverprofile="$3" > /dev/null 2>&1 && [ -s "$3" ]
}
while [ $# -gt 1 ]; do
  if ran "$1" 1 "$TMPDIR/once" && ran "$1" $(($2 + 1)) "$TMPDIR/often"; then
    if [ ! -e "$TMPDIR/blocks" ]; then
      cp "$TMPDIR/once" "$TMPDIR/blocks"
      awk 'FNR > 1 { print "block", FNR, $1, $2 }' "$TMPDIR/blocks"
    fi
    awk -v name="$1" 'FNR == 1 { f++; next }
      f == 1 { id[$1] = FNR; next }
      f == 2 { once[$1] = $3; next }
      { n += $3 - once[$1]; if ($3 > once[$1] && $1 in id) ids = ids " " id[$1] }
      END { printf "ran %s %.0f%s\n", name, n, ids }' "$TMPDIR/blocks" "$TMPDIR/once" "$TMPDIR/often"
  fi
  shift 2
done
`

// look is how often each benchmark of a package ran statements of the module in its turns;
// what is not told is missing. It notes which they are. Before, which may be empty, is a line of shell that lays down
// what they need.
func (s *comparing) look(ctx context.Context, before, pkg string, list []turns) (map[string]float64, error) {
	s.doing(testPatience, "looking which benchmarks of %s run code of this module", pkg)
	command := []string{"sh", "-c", before + ownScript, pkg}
	for _, t := range list {
		command = append(command, t.top, strconv.Itoa(t.n))
	}
	sample, err := s.Lab.Run(ctx, eval.Options{Command: command, Caches: []string{"go"}, Env: s.Lab.Env, Dir: s.Lab.folderOf(s.scaffold), Timeout: testPatience, Output: output.OutputFile}, false)
	if err != nil {
		return nil, err
	}
	return s.read(sample.Raw.Stdout), nil
}

// block is a block of statements.
type block struct {
	name       string
	statements int
}

// read reads what ownScript prints.
func (s *comparing) read(stdout []byte) map[string]float64 {
	often := map[string]float64{}
	blocks := map[string]block{}
	for l := range strings.Lines(string(stdout)) {
		f := strings.Fields(l)
		switch {
		case len(f) == 4 && f[0] == "block":
			if n, err := strconv.Atoi(f[3]); err == nil {
				blocks[f[1]] = block{f[2], n}
				s.all[f[2]] = n
			}
		case len(f) >= 3 && f[0] == "ran":
			n, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				continue
			}
			often[f[1]] = n
			if s.ran[f[1]] == nil {
				s.ran[f[1]] = cover{}
			}
			for _, id := range f[3:] {
				if b, known := blocks[id]; known {
					s.ran[f[1]][b.name] = b.statements
				}
			}
		}
	}
	return often
}

// goReach notes what of each file the chosen benchmarks run, where that is known of all of them.
func (s *comparing) goReach(ctx context.Context, chosen []bench) {
	module, err := s.module.importPath(ctx)
	if err != nil {
		return
	}
	ran := cover{}
	for _, b := range chosen {
		if len(s.ran[b.top]) == 0 {
			return
		}
		ran.add(s.ran[b.top])
	}
	s.reach = reach{}
	for name, n := range s.all {
		file, _, _ := strings.Cut(strings.TrimPrefix(name, module+"/"), ":")
		counts := s.reach[file]
		counts[1] += n
		if _, known := ran[name]; known {
			counts[0] += n
		}
		s.reach[file] = counts
	}
	maps.DeleteFunc(s.reach, func(file string, _ [2]int) bool { return onlySetsUp(s.Lab.parsed(file, 0)) })
}

// onlySetsUp reports whether the functions of a file only lay down what others read, before anything is measured;
// nil: not known.
func onlySetsUp(file *ast.File) bool {
	return file != nil && !slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && (fn.Recv != nil || fn.Name.Name != "init")
	})
}
