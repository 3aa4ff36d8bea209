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

// telling is the first line that is no headline; "" if there is none.
func telling(out string) string {
	for l := range strings.Lines(out) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "ok ") && !strings.HasPrefix(l, "?") && !strings.HasPrefix(l, "go: downloading") {
			return l
		}
	}
	return ""
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

// baseGoTest runs tests of Go: what they say does not depend on where the tree lies.
var baseGoTest = []string{"go", "test", "-trimpath", "-vet=off"}

func (s *survey) goTests(ctx context.Context) error {
	lender := &lender{s}
	done := lender.lend()
	defer func() { done(len(s.m.Stages) > 0) }()
	command := slices.Clone(baseGoTest)
	sample, hanging, err := lender.runGoTests(ctx, command)
	if err != nil {
		return err
	}
	if tooSlow(&sample) {
		command = append(command, "-short")
		s.Say("the tests did not end in " + roundTime(testPatience).String() + "; trying go test -short")
		if sample, hanging, err = lender.runGoTests(ctx, command); err != nil {
			return err
		}
		if tooSlow(&sample) {
			unstaged(s, "the tests are too slow for a stage, so nothing but the benchmark will notice what a candidate breaks"+quicker(s.Look.Language, true))
			return nil
		}
	}
	if len(hanging) > 0 {
		s.m.Notes = append(s.m.Notes, hangNote(hanging))
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
		s.m.Notes = append(s.m.Notes, failNote(t.failed))
	}
	command = append(command, skipping(union(hanging, t.failed))...)
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

// goBenchmarks lists the benchmarks by running each once, chooses those that
// end soon, and measures. It returns why that does not work, "" when it does.
func (s *survey) goBenchmarks(ctx context.Context) (string, error) {
	if !s.module.found {
		return "there is no go.mod at the top", nil
	}
	// A package that does not build keeps the benchmarks of all that are named
	// from running, so only those that have some are.
	folders, others := s.module.benchFolders()
	if len(others) > 0 {
		without(s, "benchmarks in folders that are modules of their own are left out", others)
	}
	if len(folders) == 0 {
		return "no benchmark is in the module at the top", nil
	}
	list := append([]string{"go", "test", "-trimpath", "-vet=off", "-run=^$", "-bench=.", "-benchtime=1x", "-json"}, folders...)
	s.doing(testPatience, "running each benchmark once")
	sample, err := s.Lab.Command(ctx, testPatience, []string{"go"}, list...)
	if err != nil {
		return "", err
	}
	text, took := eventsOf(sample.Raw.Stdout)
	all := readBenches(text)
	if len(all) == 0 {
		told := readTests(sample.Raw.Stdout)
		return orElse(told.whyNone(&sample), "no benchmark ran"), nil
	}
	if sample.Raw.TimedOut {
		without(s, "not all benchmarks ended in "+roundTime(testPatience).String()+"; left out is the rest of what these folders have", unseen(folders, all))
	}
	seen := comparing{survey: s, all: cover{}, ran: map[string]cover{}}
	if all, err = seen.own(ctx, all); err != nil {
		return "", err
	}
	chosen := s.chooseBenches(all, took, seen.ran)
	s.d.Adapter, s.d.Output = "gobench", output.OutputFile
	reason := ""
	if chosen, reason, err = seen.settleChosen(ctx, chosen); err != nil || reason != "" {
		return reason, err
	}
	s.goScope(ctx, packagesOf(chosen))
	seen.goReach(ctx, chosen)
	return "", s.goTargets(ctx, "", s.d.Evaluator, packagesOf(chosen))
}

// unseen are the folders of which no benchmark ended, and the one whose benchmark was the last that did.
func unseen(folders []string, all []bench) []string {
	last := all[len(all)-1].pkg
	return slices.DeleteFunc(slices.Clone(folders), func(folder string) bool {
		of := func(b bench) bool {
			return folder == "./." || strings.HasSuffix(b.pkg, strings.TrimPrefix(folder, "."))
		}
		return slices.ContainsFunc(all, of) && !of(bench{pkg: last})
	})
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
