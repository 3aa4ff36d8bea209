package survey

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"atoll/config"
)

// The bounds of tests that do not end.
const (
	goTestTimeout = testPatience * 7 / 9 // of the tests of a package, after which go test says which were running
	leastHanging  = time.Minute          // a test that ran for so long then is the one that they do not end for
	mostHanging   = 5                    // tests that are left out; with more of them the tests are too slow
	hangingRounds = 3                    // one test that hangs hides those behind it
)

// runGoTests runs all tests of the module, and runs them again without those that do not end. It returns the last run, and
// which were left out.
func (s *lender) runGoTests(ctx context.Context, command []string) (sample Sample, hanging []string, err error) {
	for range hangingRounds {
		words := append(slices.Clone(command), skipping(hanging)...)
		s.doing(testPatience, "running the tests: %s", strings.Join(append([]string{"go", "test"}, append(words[len(baseGoTest):], "./...")...), " "))
		if sample, err = s.test(ctx, false, append(words, "-timeout="+goTestTimeout.String(), "-json", "./...")...); err != nil {
			return sample, hanging, err
		}
		found := hangingTests(sample.Raw.Stdout)
		if len(found) == 0 || len(hanging)+len(found) > mostHanging {
			break
		}
		hanging = union(hanging, found)
		s.Say(fmt.Sprintf("left out, as tests that did not end in %s keep those behind them from running: %s", goTestTimeout, someOf(found, mostHanging)))
	}
	return sample, hanging, nil
}

// skipping has go test leave tests out.
func skipping(tests []string) []string {
	if len(tests) == 0 {
		return nil
	}
	return []string{"-skip=^(" + strings.Join(tests, "|") + ")$"}
}

// runningTest is a line of go test for a test that was running when its time was over.
var runningTest = regexp.MustCompile(`^\s*(Test\w*)(?:/\S*)? \((\S+)\)\s*$`)

// hangingTests are the top-level tests that ran for long when go test ended a package for its timeout, by what go test -json
// printed. They are none where many tests that are each quick took too long together.
func hangingTests(stdout []byte) (names []string) {
	listed := map[string]bool{} // packages in whose output the list stands just then
	for line := range strings.Lines(string(stdout)) {
		var e struct{ Package, Output string }
		if json.Unmarshal([]byte(line), &e) != nil || e.Output == "" {
			continue
		}
		if strings.TrimSpace(e.Output) == "running tests:" {
			listed[e.Package] = true
			continue
		}
		m := runningTest.FindStringSubmatch(e.Output)
		if !listed[e.Package] || m == nil {
			listed[e.Package] = false
			continue
		}
		if ran, err := time.ParseDuration(m[2]); err == nil && ran >= leastHanging {
			names = union(names, []string{m[1]})
		}
	}
	return names
}

// tooSlow reports whether tests did not end in their time, with what is known to hang left out.
func tooSlow(sample *Sample) bool {
	return sample.Raw.TimedOut || bytes.Contains(sample.Raw.Stdout, []byte("panic: test timed out after "))
}

// leavesOut are the words of a stage of tests by which go test runs fewer of them.
func leavesOut(stages []config.Stage) (words []string) {
	for _, stage := range stages {
		for _, w := range stage.Command {
			if w == "-short" || strings.HasPrefix(w, "-skip=") {
				words = append(words, w)
			}
		}
	}
	return words
}

// hangNote says in the file that tests are left out.
func hangNote(names []string) string {
	return "These tests did not end in " + goTestTimeout.String() + " on the root in the sandbox, and are left out: " + someOf(names, mostHanging) + "."
}
