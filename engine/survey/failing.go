package survey

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// attempt is a way to run the tests that failed.
type attempt struct {
	command  []string
	reason   string
	passed   int // tests that passed
	timedOut bool
	unknown  bool // the program is not there
}

// ownArguments finds what a runner of tests says of where it was told to look, which is guessed: it
// came to no test, and nobody can do anything about it.
var ownArguments = regexp.MustCompile(`(?i)start directory is not importable|file or directory not found|no tests ran|ran 0 tests`)

// furthest is the attempt that ran most of the tests: one with tests that pass, one that did not
// end, then one by pytest that lacks something else than the first, one by pytest, and one by the
// standard library. Behind them are runners that are not installed or found nothing where they
// looked. Of equals the first counts.
func furthest(tried []attempt) attempt {
	if len(tried) == 0 {
		return attempt{reason: noTest}
	}
	lacks := lackedModule(tried[0].reason)
	rank := func(a attempt) int {
		const ran = 10 // and more
		missing := lackedModule(a.reason)
		switch {
		case a.passed > 0:
			return ran + a.passed
		case a.timedOut:
			return ran
		case a.unknown || a.reason == noTest:
			return 0
		case missing != "" && (slices.Contains(a.command, missing) || slices.Contains(tried[0].command, missing)):
			return 1
		case missing == "" && ownArguments.MatchString(a.reason):
			return 1
		case !slices.Contains(a.command, "pytest"):
			return 2
		case missing != "" && missing == lacks:
			return 3
		}
		return 4
	}
	return slices.MaxFunc(tried, func(a, b attempt) int { return rank(a) - rank(b) })
}

// counts are of tests, as pytest and unittest tell them.
type counts struct{ passed, failed int }

// What pytest and unittest say of how many tests did what.
var (
	pytestCount   = regexp.MustCompile(`(?m)\b(\d+) (passed|failed|errors?)\b`)
	unittestCount = regexp.MustCompile(`(?m)^Ran (\d+) tests?\b`)
	unittestFails = regexp.MustCompile(`(?:failures|errors)=(\d+)`)
	pytestEnd     = regexp.MustCompile(`(?m)^(?:=+ )?(?:\d+ [a-z]+,? )+in [\d.]+s.*$`)
	unittestEnd   = regexp.MustCompile(`(?m)^FAILED \(.*\)$`)
)

// countTests reads how many tests passed and failed.
func countTests(text string) (n counts) {
	number := func(s string) int {
		i, err := strconv.Atoi(s)
		if err != nil {
			return 0
		}
		return i
	}
	if end := pytestEnd.FindString(text); end != "" {
		for _, m := range pytestCount.FindAllStringSubmatch(end, -1) {
			if m[2] == "passed" {
				n.passed += number(m[1])
			} else {
				n.failed += number(m[1])
			}
		}
		return n
	}
	if m := unittestCount.FindStringSubmatch(text); m != nil {
		for _, f := range unittestFails.FindAllStringSubmatch(unittestEnd.FindString(text), -1) {
			n.failed += number(f[1])
		}
		n.passed = max(0, number(m[1])-n.failed)
	}
	return n
}

// told is why tests do not pass with how many of them fail, and which, where some pass.
func (n counts) told(why string, failed []string) string {
	if n.passed == 0 || n.failed == 0 {
		return why
	}
	which := ""
	if len(failed) > 0 {
		which = " (" + someOf(shortNames(failed), 3) + ")"
	}
	return fmt.Sprintf("%d of %d tests fail%s: %s", n.failed, n.passed+n.failed, which, why)
}

// failNote says in the file that tests are left out.
func failNote(names []string) string {
	return "These tests fail on the root in the sandbox, where there is no network, and are left out: " + someOf(names, 8) + "."
}

// withoutFailing runs tests of pytest once more without those that fail, where they are few
// among many. It returns the last run, and its command.
func (s *lender) withoutFailing(ctx context.Context, command []string, sample Sample) ([]string, Sample, error) {
	if sample.Raw.Exit != 1 || sample.Raw.TimedOut || !slices.Contains(command, "pytest") {
		return command, sample, nil
	}
	failed, n := failedTests(sample.Raw.Stdout), countTests(string(sample.Raw.Stdout))
	left := leftOut(failed, n)
	if len(left) == 0 {
		return command, sample, nil
	}
	for _, f := range left {
		command = append(slices.Clip(command), "--deselect="+f)
	}
	s.doing(testPatience, "running the tests without those that fail")
	again, err := s.test(ctx, true, command...)
	if err != nil || again.Raw.Exit != 0 {
		return command, again, err
	}
	told := fmt.Sprintf("%d tests fail on the root in the sandbox and are left out: %s", len(failed), someOf(shortNames(left), 5))
	if len(left) < len(failed) {
		told = fmt.Sprintf("%d of %d tests fail on the root in the sandbox; they are left out with all cases of theirs: %s", n.failed, n.failed+n.passed, someOf(shortNames(left), 5))
	}
	s.Say(told)
	note := failNote(shortNames(left))
	if sample.Reason != "" {
		note += " What they say: " + sample.Reason
	}
	s.m.Notes = append(s.m.Notes, note)
	return command, again, nil
}

// Bounds of what is left out: where more tests fail, they do not fit this machine.
const (
	mostFailed = 20   // tests, or functions with all their cases
	fewFailed  = 0.25 // of all, where they are more tests than that
)

// leftOut are tests that fail as pytest is told to leave them out, by name, or by the name of
// their function where many cases fail; none where too much would be left out.
func leftOut(failed []string, n counts) []string {
	if n.passed == 0 || len(failed) <= mostFailed {
		if n.passed == 0 {
			return nil
		}
		return failed
	}
	var functions []string
	for _, f := range failed {
		name, _, _ := strings.Cut(f, "[")
		functions = union(functions, []string{name})
	}
	if len(functions) > mostFailed || float64(n.failed) > fewFailed*float64(n.failed+n.passed) {
		return nil
	}
	return functions
}

// shortNames are tests without the folders of their files.
func shortNames(tests []string) []string {
	var names []string
	for _, f := range tests {
		path, _, _ := strings.Cut(f, "::")
		names = append(names, f[strings.LastIndexByte(path, '/')+1:])
	}
	return names
}

// failedLine is one of a test: folders, files and cases may have blanks in their names. Files that
// cannot be loaded have no colons.
var failedLine = regexp.MustCompile(`(?m)^(?:FAILED|ERROR) (\S.*?\.\w+::[^\s\[]+(?:\[.*?\])?)(?: - .*)?$`)

// failedTests are the tests that pytest names as failed, or as ones that cannot be set up.
func failedTests(stdout []byte) []string {
	var list []string
	for _, m := range failedLine.FindAllSubmatch(stdout, -1) {
		list = union(list, []string{string(m[1])})
	}
	return list
}
