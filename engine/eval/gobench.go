package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
)

// Where turns of Go benchmarks find the root's tree, and the seed of their layout.
const (
	besideDir  = sandbox.CacheDir + "/root"
	layoutName = "atoll_layout"
)

// goBench runs Go benchmarks. Arguments: the whole command; default: go test
// -run=^$ -bench=. -benchmem -count=5 ./...
//
// With the option rounds, paired, the benchmarks of the root and of the candidate
// run in turns in one sandbox, that many times, and the lowest third of the times
// counts. Then layouts: "random" has the linker lay the functions of both in
// another order for each sample (Curtsinger and Berger 2013, "Stabilizer"), and
// clock: "processor" counts the time that the processor spent on them.
func goBench(o *Options) (*adapter, error) {
	args := o.words()
	if len(args) == 0 {
		args = []string{
			"go", "test", "-run=^$", "-bench=" + o.option("bench", "."), "-benchmem",
			"-count=" + o.option("count", "5"), o.option("packages", "./..."),
		}
	}
	a := &adapter{
		name: "gobench", stdout: true,
		why:     "benchmark results are read from stdout of the process that runs the candidate's code, which can print lines of its own",
		command: func(in places) []string { return in.expandAll(args) },
		caches:  []string{"go"},
		compare: output.CompareGoBench,
		parse: func(r *sandbox.Result, _ string) (output.Report, error) {
			if r.StdoutCut > 0 {
				return output.Report{}, errCut
			}
			return output.ParseGoBench(r.Stdout)
		},
	}
	if err := o.checkTurns(); err != nil || !o.Turns() {
		return a, err
	}
	a.shim, a.turns = true, apart
	a.command = func(in places) []string {
		shortcut := "-"
		if in.compares {
			shortcut = "same"
		}
		return append([]string{
			"sh", in.control + "/atoll_gobench.sh", besideDir, o.option("rounds", ""), o.option("clock", "wall"), shortcut,
		}, in.expandAll(args)...)
	}
	a.parse = func(r *sandbox.Result, _ string) (output.Report, error) {
		if r.StdoutCut > 0 {
			return output.Report{}, errCut
		}
		if isSame(r.Stdout) {
			return output.Report{Summary: "the same program as the root's"}, nil
		}
		_, candidate := apart(r.Stdout)
		report, err := output.ParseGoBenchLow(candidate)
		report.Identity = programOf(r.Stdout)
		return report, err
	}
	return a, nil
}

// Turns reports whether root and candidate are measured in turns by one command.
func (o *Options) Turns() bool {
	return o.Adapter == "gobench" && o.Paired && o.option("rounds", "") != ""
}

func (o *Options) checkTurns() error {
	rounds, clock, layouts := o.option("rounds", ""), o.option("clock", "wall"), o.option("layouts", "linker")
	if n, err := strconv.Atoi(rounds); rounds != "" && (err != nil || n < 1 || n > 100) {
		return fmt.Errorf("the adapter option rounds is %q: write a number from 1 to 100", rounds)
	}
	if clock != "wall" && clock != "processor" {
		return fmt.Errorf("the adapter option clock is %q: write wall or processor", clock)
	}
	if layouts != "linker" && layouts != "random" {
		return fmt.Errorf("the adapter option layouts is %q: write linker or random", layouts)
	}
	if rounds == "" && (clock != "wall" || layouts != "linker") {
		return errors.New("the adapter options clock and layouts need rounds and evaluator.paired")
	}
	return nil
}

// GoClock writes what has the benchmarks of a Go command measured in processor
// time into a folder, and returns the flag for that command; "" where the
// library of that Go is not known. goroot is what go env GOROOT says.
func GoClock(dir, goroot string) (string, error) {
	of := filepath.Join(goroot, "src", "testing", "testing_other.go")
	known, err := os.ReadFile(of)
	if err != nil || bytes.Count(known, []byte("\nfunc ")) != 3 || !bytes.Contains(known, []byte("func highPrecisionTimeSince")) {
		return "", nil
	}
	files, err := shimFiles()
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{of: filepath.Join(dir, "clock.go")}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "clock.go"), files["atoll_clock.go.txt"], 0o644); err != nil {
		return "", err
	}
	at := filepath.Join(dir, "overlay.json")
	return "-overlay=" + at, os.WriteFile(at, overlay, 0o644)
}

// layout is the seed of the order in which the linker lays functions for one
// sample; "0" is its own order.
func (o *Options) layout(q Request) string {
	if o.option("layouts", "linker") != "random" {
		return "0"
	}
	return drawnLayout(q)
}

// drawnLayout is the seed of the layout of one sample. It is the same for all
// candidates, and for the root beside them, so that programs that are equal stay
// so; each further sample has another.
func drawnLayout(q Request) string {
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%d %d", q.Seed, q.Repeat)
	return strconv.Itoa(1 + int(sum.Sum32()>>2))
}

// The lines by which turns say what follows.
var (
	markRoot      = []byte("atoll: root")
	markCandidate = []byte("atoll: candidate")
	markSame      = []byte("atoll: same")
	markProgram   = []byte("atoll: program ")
)

// apart splits what turns printed.
func apart(stdout []byte) (root, candidate []byte) {
	at := &candidate
	for line := range bytes.Lines(stdout) {
		switch text := bytes.TrimSpace(line); {
		case bytes.HasPrefix(text, markProgram):
		case bytes.Equal(text, markRoot):
			at = &root
		case bytes.Equal(text, markCandidate):
			at = &candidate
		default:
			*at = append(*at, line...)
		}
	}
	return root, candidate
}

// isSame reports whether turns found that both programs are the same.
func isSame(stdout []byte) bool {
	return slices.ContainsFunc(bytes.Split(stdout, []byte("\n")), func(line []byte) bool { return bytes.Equal(bytes.TrimSpace(line), markSame) })
}

// programOf is the sum of what turns built of the candidate, "" where none is told.
func programOf(stdout []byte) string {
	for line := range bytes.Lines(stdout) {
		if sum, ok := bytes.CutPrefix(line, markProgram); ok {
			return string(bytes.TrimSpace(sum))
		}
	}
	return ""
}
