package survey

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/eval/output"
)

// telling is the first line that is no headline.
func telling(out string) string {
	for l := range strings.Lines(out) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "ok ") && !strings.HasPrefix(l, "?") && !strings.HasPrefix(l, "go: downloading") {
			return l
		}
	}
	return "no reason given"
}

// findTests runs the tests once and makes a stage of those that pass.
func (s *survey) findTests(ctx context.Context) error {
	if len(s.Look.Test) == 0 {
		return (&scripts{s}).testScripts(ctx)
	}
	if s.Look.Language == "go" {
		if !s.module.found {
			return nil
		}
		return s.goTests(ctx)
	}
	return s.otherTests(ctx)
}

// testPatience bounds a run of the tests; what takes longer is no quick stage.
const testPatience = 3 * time.Minute

func (s *survey) goTests(ctx context.Context) error {
	lender := &lender{s}
	done := lender.lend()
	defer func() { done(len(s.m.Stages) > 0) }()
	command := []string{"go", "test", "-trimpath", "-vet=off"}
	s.doing(testPatience, "running the tests: go test ./...")
	sample, err := lender.test(ctx, false, append(slices.Clone(command), "-json", "./...")...)
	if err != nil {
		return err
	}
	if sample.Raw.TimedOut {
		command = append(command, "-short")
		s.Say("the tests did not end in " + roundTime(testPatience).String() + "; trying go test -short")
		s.doing(testPatience, "running the tests: go test -short ./...")
		if sample, err = lender.test(ctx, false, append(slices.Clone(command), "-json", "./...")...); err != nil {
			return err
		}
		if sample.Raw.TimedOut {
			s.Say("the tests are too slow for a stage: nothing but the benchmark will notice what a candidate breaks")
			return nil
		}
	}
	t := readTests(sample.Raw.Stdout)
	if t.passed == 0 {
		if why := t.whyNone(&sample); why != "" {
			unstaged(s, "no test passes on the root in the sandbox, so they are no stage: "+why)
		} else {
			s.Say("there are no tests: nothing but the evaluator will notice what a candidate breaks")
		}
		return nil
	}
	if len(t.failed) > 0 {
		s.Say(fmt.Sprintf("%d tests fail on the root in the sandbox and are left out: %s", len(t.failed), someOf(t.failed, 5)))
		s.m.Notes = append(s.m.Notes, "These tests fail on the root in the sandbox, which has no network: "+someOf(t.failed, 8)+".")
		command = append(command, "-skip=^("+strings.Join(t.failed, "|")+")$")
	}
	packages := []string{"./..."}
	if len(t.broken) > 0 {
		s.Say("packages whose tests do not build or end badly are left out: " + someOf(t.broken, 5))
		packages = s.module.relative(ctx, t.good)
	}
	command = append(command, packages...)
	s.doing(testPatience, "running the tests that pass once more")
	again, err := lender.test(ctx, true, command...)
	if err != nil {
		return err
	}
	if again.Raw.Exit != 0 || again.Raw.TimedOut {
		unstaged(s, "the tests do not pass twice on the root, so they are no stage: "+again.Reason)
		return nil
	}
	s.tests, s.testsOpened = again.Raw.Wall, again.Opened
	s.m.Stages = append(s.m.Stages, config.Stage{Name: "tests", Command: command, Output: output.OutputNone, Timeout: patience(s.d.Language, max(sample.Raw.Wall, again.Raw.Wall))})
	s.Say(fmt.Sprintf("%d tests pass in %s", t.passed, roundTime(again.Raw.Wall)))
	return nil
}

// whyNone says why none of the tests passes, "" where there are none.
func (t *testNames) whyNone(sample *Sample) string {
	why := ""
	switch {
	case len(t.failed) > 0:
		if why = t.failed[0] + " fails"; t.said[t.failed[0]] != "" {
			why += ": " + t.said[t.failed[0]]
		}
		if n := len(t.failed) - 1; n > 0 {
			why += fmt.Sprintf("; %d more fail", n)
		}
	case len(t.broken) > 0:
		why = "those of " + someOf(t.broken, 3) + " do not build or end badly"
		if t.said[""] != "" {
			why += ": " + t.said[""]
		}
	case sample.Raw.Exit != 0:
		why = sample.Reason
	}
	return output.OneLine(why, output.MaxReason)
}

// testNames are the outcome of go test -json by name.
type testNames struct {
	passed       int
	failed       []string          // top-level tests
	good, broken []string          // packages
	said         map[string]string // what a failed test said first, by name; "" of what is no test
}

// goSays finds lines of go test that tell how far it is.
var goSays = regexp.MustCompile(`^(?:=== |--- |FAIL\b|ok\b|PASS\b|\?|#|exit status |panic: .*\[recovered\]$|$)`)

func readTests(stdout []byte) testNames {
	t := testNames{said: map[string]string{}}
	scan := bufio.NewScanner(bytes.NewReader(stdout))
	scan.Buffer(make([]byte, 0, 64<<10), 4<<20)
	failed := map[string]bool{}
	failedIn := map[string]bool{}
	for scan.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(scan.Bytes(), &e) != nil {
			continue
		}
		if text := strings.TrimSpace(e.Output); !goSays.MatchString(text) {
			name, _, _ := strings.Cut(e.Test, "/")
			t.said[name] = orElse(t.said[name], text)
		}
		switch {
		case e.Test == "" && e.Action == "pass":
			t.good = append(t.good, e.Package)
		case e.Test == "" && e.Action == "fail" && !failedIn[e.Package]:
			t.broken = append(t.broken, e.Package)
		case e.Test == "" && e.Action == "fail":
			t.good = append(t.good, e.Package)
		case e.Test != "" && !strings.Contains(e.Test, "/") && e.Action == "pass":
			t.passed++
		case e.Test != "" && !strings.Contains(e.Test, "/") && e.Action == "fail":
			failedIn[e.Package] = true
			if !failed[e.Test] {
				failed[e.Test] = true
				t.failed = append(t.failed, e.Test)
			}
		}
	}
	slices.Sort(t.failed)
	return t
}

// bench is one line of a first look at the benchmarks.
type bench struct {
	top string // name of the function, without Benchmark
	pkg string
	ns  float64 // of one iteration
}

// The bounds of a chosen set of benchmarks.
const (
	mostLines   = 16                      // benchmark lines in one measurement
	mostSources = 40                      // folders of a scope
	slowBench   = 700 * time.Millisecond  // of one iteration: too slow to repeat
	benchTime   = 1500 * time.Millisecond // of one measurement, about; what looks good is measured again and again
	benchRuns   = 6                       // turns of root and candidate
)

// goBenchmarks lists the benchmarks by running each once, chooses those that
// end soon, and measures. It returns why that does not work, "" when it does.
func (s *survey) goBenchmarks(ctx context.Context) (string, error) {
	if !s.module.found {
		return "there is no go.mod at the top", nil
	}
	// A package that does not build keeps the benchmarks of all that are named
	// from running, so only those that have some are.
	list := append([]string{"go", "test", "-trimpath", "-vet=off", "-run=^$", "-bench=.", "-benchtime=1x"}, s.module.benchFolders()...)
	s.doing(testPatience, "running each benchmark once")
	sample, err := s.Lab.Command(ctx, testPatience, []string{"go"}, list...)
	if err != nil {
		return "", err
	}
	all := readBenches(sample.Raw.Stdout)
	if len(all) == 0 {
		return orElse(sample.Reason, "no benchmark ran"), nil
	}
	if sample.Raw.TimedOut {
		s.Say("not all benchmarks ended in " + roundTime(testPatience).String())
	}
	if all, err = (comparing{s}).own(ctx, all); err != nil {
		return "", err
	}
	chosen := s.chooseBenches(all)
	s.d.Adapter, s.d.Output = "gobench", output.OutputFile
	defer func() { s.shrinks = false }()
	for {
		s.d.Evaluator = benchCommand(chosen)
		fewer := halfOf(chosen)
		s.shrinks = len(fewer) < len(chosen)
		reason, err := s.settleBenches(ctx)
		switch {
		case err != nil:
			return "", err
		case s.tooLong && s.shrinks:
			s.Say(reason + ": half of the benchmark functions are measured")
			s.m.Notes = append(s.m.Notes, "Half of the benchmark functions, for "+reason+".")
			chosen = fewer
			continue
		case reason != "":
			return reason, nil
		}
		break
	}
	s.goScope(ctx, packagesOf(chosen))
	return "", s.goTargets(ctx, "", s.d.Evaluator, packagesOf(chosen))
}

// settleBenches measures Go benchmarks of root and root in turns, in processor
// time and random layouts where this Go can do that.
func (s *survey) settleBenches(ctx context.Context) (reason string, err error) {
	rounds := strconv.Itoa(benchRuns)
	for _, o := range []map[string]string{{"rounds": rounds, "clock": "processor", "layouts": "random"}, {"rounds": rounds}, nil} {
		s.m.Options = o
		if reason, err = s.settle(ctx); err != nil || reason == "" {
			return "", err
		}
		if s.tooLong { // by another way it takes as long
			break
		}
	}
	return reason, nil
}

// halfOf keeps every second function of benchmarks, and one at least.
func halfOf(chosen []bench) []bench {
	var tops []string
	for _, b := range chosen {
		if !slices.Contains(tops, b.top) {
			tops = append(tops, b.top)
		}
	}
	return slices.DeleteFunc(slices.Clone(chosen), func(b bench) bool { return slices.Index(tops, b.top)%2 == 1 })
}

func readBenches(stdout []byte) []bench {
	var all []bench
	pkg := ""
	suffix := regexp.MustCompile(`-\d+$`)
	for l := range strings.Lines(string(stdout)) {
		if p, ok := strings.CutPrefix(l, "pkg: "); ok {
			pkg = strings.TrimSpace(p)
		}
		f := strings.Fields(l)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") || f[3] != "ns/op" {
			continue
		}
		ns, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			continue
		}
		name, _, sub := strings.Cut(strings.TrimPrefix(f[0], "Benchmark"), "/")
		if !sub {
			name = suffix.ReplaceAllString(name, "")
		}
		all = append(all, bench{name, pkg, ns})
	}
	return all
}

// chooseBenches leaves out the slow ones, and takes an even choice of functions
// where there are too many. Whatever is left out is named.
func (s *survey) chooseBenches(all []bench) []bench {
	slow := map[string]bool{}
	var slowNames []string
	for _, b := range all {
		if b.ns > float64(slowBench) && !slow[b.top] {
			slow[b.top] = true
			slowNames = append(slowNames, fmt.Sprintf("%s (%s)", b.top, roundTime(time.Duration(b.ns))))
		}
	}
	quick := slices.DeleteFunc(slices.Clone(all), func(b bench) bool { return slow[b.top] })
	if len(quick) == 0 {
		slices.SortFunc(all, func(a, b bench) int { return int(a.ns/1e6) - int(b.ns/1e6) })
		s.Say("every benchmark is slow; the quickest is measured: " + all[0].top)
		return all[:1]
	}
	if len(slowNames) > 0 {
		s.Say("slow benchmarks are left out: " + someOf(slowNames, 5))
		s.m.Notes = append(s.m.Notes, "Left out as too slow: "+someOf(slowNames, 8)+".")
	}
	if len(quick) <= mostLines {
		return quick
	}
	var tops []string
	lines := map[string]int{}
	for _, b := range quick {
		if lines[b.top]++; lines[b.top] == 1 {
			tops = append(tops, b.top)
		}
	}
	keep := evenChoice(tops, lines)
	var left []string
	for _, t := range tops {
		if !keep[t] {
			left = append(left, t)
		}
	}
	s.Say(fmt.Sprintf("%d of %d benchmark functions are measured; left out to keep one measurement short: %s", len(tops)-len(left), len(tops), someOf(left, 6)))
	s.m.Notes = append(s.m.Notes, fmt.Sprintf("%d of %d benchmark functions; left out to keep one measurement short: %s.", len(tops)-len(left), len(tops), someOf(left, 12)))
	return slices.DeleteFunc(quick, func(b bench) bool { return !keep[b.top] })
}

// evenChoice takes every k-th function while the lines last, at least one.
func evenChoice(tops []string, lines map[string]int) map[string]bool {
	total := 0
	for _, n := range lines {
		total += n
	}
	keep := map[string]bool{}
	step := max(1, (total+mostLines-1)/mostLines)
	room := mostLines
	for start := range step {
		for i := start; i < len(tops); i += step {
			if n := lines[tops[i]]; n <= room && !keep[tops[i]] {
				keep[tops[i]] = true
				room -= n
			}
		}
	}
	if len(keep) == 0 {
		least := slices.MinFunc(tops, func(a, b string) int { return lines[a] - lines[b] })
		keep[least] = true
	}
	return keep
}

// benchCommand measures chosen benchmarks in about benchTime.
func benchCommand(chosen []bench) []string {
	var names []string
	for _, b := range chosen {
		if n := regexp.QuoteMeta(b.top); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	each := benchTime / time.Duration(benchRuns*len(chosen)) * 2 / 3 // a benchmark runs somewhat longer than its time
	for _, step := range []time.Duration{100, 50, 20, 10, 5} {
		if each >= step*time.Millisecond || step == 5 {
			each = step * time.Millisecond
			break
		}
	}
	args := []string{
		"go", "test", "-trimpath", "-vet=off", "-run=^$", "-bench=^Benchmark(" + strings.Join(names, "|") + ")$", "-benchmem",
		"-cpu=1", "-benchtime=" + each.String(),
	}
	return append(args, packagesOf(chosen)...)
}

// everyPackage is the pattern of all packages of the module.
const everyPackage = "./..."

// packagesOf lists the import paths of chosen benchmarks.
func packagesOf(chosen []bench) []string {
	var list []string
	for _, b := range chosen {
		if b.pkg != "" && !slices.Contains(list, b.pkg) {
			list = append(list, b.pkg)
		}
	}
	if len(list) == 0 {
		return []string{everyPackage}
	}
	return list
}

// goScope narrows the scope to the packages that the benchmarks are built from.
func (s *survey) goScope(ctx context.Context, packages []string) {
	if globs := s.module.sources(ctx, packages); len(globs) > 0 && len(globs) <= mostSources {
		s.d.Scope = globs
	}
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
