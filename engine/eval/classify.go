package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// verdict is why a stage counts as failed; class none is no failure.
type verdict struct {
	class  record.Class
	reason string
}

// judge reads the failure out of how a process ended. It looks, in this order,
// at what the sandbox saw (limits, time, violations), at the signal, at the
// words of the program, and at the exit code alone.
func (e *Evaluator) judge(st *stage, r *sandbox.Result, limits sandbox.Limits) verdict {
	failed := r.Exit != 0 || r.Signal != ""
	if v := limitVerdict(r, limits, failed); v.class != record.ClassNone {
		if slices.Contains(r.Limits, "output") && v.class == record.ClassOutput && testFailed(strings.ToLower(string(r.Stderr)+"\n"+string(r.Stdout))) {
			// A test that failed says why, and much besides.
			if told := e.tell.Line(e.neutral(string(r.Stderr)), e.neutral(string(r.Stdout)), e.strip()...); told != "" {
				return verdict{record.ClassTest, told}
			}
		}
		return v
	}
	if !failed {
		return verdict{}
	}
	if len(r.Violations) > 0 {
		return verdict{record.ClassSandbox, "tried what the sandbox forbids: " + output.OneLine(r.Violations[0], 200)}
	}
	told := e.tell.Line(e.neutral(string(r.Stderr)), e.neutral(string(r.Stdout)), e.strip()...)
	told += cure(string(r.Stderr) + string(r.Stdout))
	text := strings.ToLower(string(r.Stderr))
	if outOfMemory(text) {
		return verdict{record.ClassMemory, output.OrElse(told, "out of memory")}
	}
	if v := signalVerdict(r, told, limits); v.class != record.ClassNone {
		return v
	}
	if r.Exit == 127 && !strings.HasPrefix(st.argv0(), ".") {
		if line := notFound.FindString(e.neutral(string(r.Stderr))); line != "" { // and not what else went wrong before
			told = strings.TrimSpace(line)
		}
		told = strings.TrimSpace(told + outside)
	}
	class := classByWords(st, text, strings.ToLower(string(r.Stdout)), r.Exit)
	return verdict{class, output.OrElse(told, fmt.Sprintf("exited with code %d and wrote nothing", r.Exit))}
}

// notFound is what a shell says of a program that it did not find.
var notFound = regexp.MustCompile(`(?m)^.*\bnot found\s*$`)

// outside is what to do about a program that a shell did not find.
const outside = " (a program outside /usr is seen only when its folder is listed in evaluator.caches)"

// WithoutAdvice is a reason without the advice about a program that was not found.
func WithoutAdvice(reason string) string { return strings.Replace(reason, outside, "", 1) }

// cure is what to do about a failure that the words of a program give away: one
// of the machine, not of a candidate.
func cure(text string) string {
	switch {
	case strings.Contains(text, "module lookup disabled by GOPROXY=off"), strings.Contains(text, "missing go.sum entry"):
		return " (the sandbox has no network: run `go mod download` in the repository once)"
	case strings.Contains(text, "GOTOOLCHAIN=local"):
		return " (the sandbox has no network: install the Go version that go.mod asks for)"
	}
	return ""
}

// limitVerdict handles the limits that the sandbox enforced. Limits that were
// touched by a run that still succeeded (a cut output) are no failure.
func limitVerdict(r *sandbox.Result, l sandbox.Limits, failed bool) verdict {
	hit := func(name string) bool { return slices.Contains(r.Limits, name) }
	switch {
	case r.TimedOut || hit("wall"):
		return verdict{record.ClassTimeout, fmt.Sprintf("timed out after %s", l.Wall)}
	case !failed:
		return verdict{}
	case hit("cpu"):
		return verdict{record.ClassTimeout, fmt.Sprintf("used more than %s of CPU time", l.CPU)}
	case hit("memory"):
		return verdict{record.ClassMemory, fmt.Sprintf("used more than %s of memory", bytesText(l.Memory))}
	case hit("output"):
		return verdict{record.ClassOutput, fmt.Sprintf("wrote more than %s of output", bytesText(l.Output))}
	case hit("disk"):
		return verdict{record.ClassOutput, fmt.Sprintf("wrote more than %s to files", bytesText(l.Disk))}
	case hit("procs"):
		return verdict{record.ClassSandbox, fmt.Sprintf("started more than %d processes", l.Procs)}
	}
	return verdict{}
}

// signalVerdict handles processes that died of a signal, directly or, as a
// shell reports it, of a child's (128 + number).
func signalVerdict(r *sandbox.Result, told string, l sandbox.Limits) verdict {
	name := strings.ToUpper(r.Signal)
	if name == "" {
		name = shellSignal(r.Exit)
	}
	name = signalName(name)
	switch name {
	case "":
		return verdict{}
	case "SIGXCPU":
		return verdict{record.ClassTimeout, fmt.Sprintf("used more than %s of CPU time", l.CPU)}
	case "SIGXFSZ":
		return verdict{record.ClassOutput, "wrote a file larger than allowed"}
	case "SIGSYS":
		return verdict{record.ClassSandbox, "called a system call that the sandbox forbids"}
	case "SIGKILL":
		if l.Memory > 0 && r.MaxRSS > l.Memory-l.Memory/10 {
			return verdict{record.ClassMemory, fmt.Sprintf("killed at %s of memory", bytesText(r.MaxRSS))}
		}
	}
	reason := "killed by " + name
	if told != "" {
		reason += ": " + told
	}
	return verdict{record.ClassCrash, output.OneLine(reason, output.MaxReason)}
}

type signalWord struct{ name, words string }

func signalNames() []signalWord {
	return []signalWord{
		{"SIGSEGV", "segmentation fault"},
		{"SIGABRT", "aborted"},
		{"SIGBUS", "bus error"},
		{"SIGFPE", "floating point exception"},
		{"SIGILL", "illegal instruction"},
		{"SIGKILL", "killed"},
		{"SIGTERM", "terminated"},
		{"SIGXCPU", "cpu time limit exceeded"},
		{"SIGXFSZ", "file size limit exceeded"},
		{"SIGSYS", "bad system call"},
		{"SIGPIPE", "broken pipe"},
		{"SIGTRAP", "trace/breakpoint trap"},
		{"SIGINT", "interrupt"},
		{"SIGHUP", "hangup"},
		{"SIGQUIT", "quit"},
	}
}

// signalName turns either spelling of a signal into its name.
func signalName(s string) string {
	s = strings.ToUpper(strings.TrimSpace(s))
	for _, k := range signalNames() {
		if s == k.name || s == strings.ToUpper(k.words) {
			return k.name
		}
	}
	return s
}

// shellSignal reads 128 + number for the signals that mean a crash.
func shellSignal(exit int) string {
	switch exit {
	case 128 + 4:
		return "SIGILL"
	case 128 + 6:
		return "SIGABRT"
	case 128 + 7:
		return "SIGBUS"
	case 128 + 8:
		return "SIGFPE"
	case 128 + 9:
		return "SIGKILL"
	case 128 + 11:
		return "SIGSEGV"
	case 128 + 24:
		return "SIGXCPU"
	case 128 + 25:
		return "SIGXFSZ"
	case 128 + 31:
		return "SIGSYS"
	}
	return ""
}

func outOfMemory(text string) bool {
	return containsAny(text, "memoryerror", "out of memory", "cannot allocate memory", "std::bad_alloc",
		"outofmemoryerror", "heap out of memory", "failed to allocate memory")
}

// classByWords tells build, test and crash by the name of the stage and the
// words of compilers and test runners.
func classByWords(st *stage, stderr, stdout string, exit int) record.Class {
	both := stderr + "\n" + stdout
	switch {
	case exit == 124 && strings.Contains(st.argv0(), "timeout"):
		return record.ClassTimeout
	case testFailed(both):
		return record.ClassTest
	case crashUnderMake(both) && !st.builds() && !hasCompilerError(both):
		return record.ClassCrash
	case containsAny(both, "[build failed]", "[setup failed]", "syntaxerror:", "indentationerror:", "taberror:",
		"importerror:", "modulenotfounderror:", "could not compile", "compilation failed", "compilation error",
		"cannot find package", "no required module provides", "undefined reference to", "undefined: ",
		"build failed", "linker command failed", "collect2: error", "fatal error: ld", "error ts") ||
		strings.Contains(both, "make: ***") && !st.tests() || st.builds() || hasCompilerError(both):
		return record.ClassBuild
	case containsAny(stderr, "panic: ", "goroutine 1 [", "traceback (most recent call last)", "segmentation fault",
		"' panicked at", "core dumped", "stack overflow", "unhandled exception", "uncaught"):
		return record.ClassCrash
	}
	return record.ClassTest
}

// crashUnderMake reports whether make says that a command died of a signal, by the signal's
// words or, where a shell ran it, by 128 + number.
func crashUnderMake(text string) bool {
	for l := range strings.SplitSeq(text, "\n") {
		end := output.EndUnderMake(l)
		if exit, err := strconv.Atoi(strings.TrimPrefix(end, "error ")); err == nil {
			end = shellSignal(exit)
		}
		switch signalName(end) {
		case "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP":
			return true
		}
	}
	return false
}

// testFailed reports whether a test runner says that a test failed.
func testFailed(text string) bool {
	return containsAny(text, "assertionerror", "--- fail:", "test result: failed", "failures:\n", "tests failed",
		" failed in ", "assertion failed", "assertion `")
}

// hasCompilerError finds lines such as "a.go:3:4: undefined" and "error[E0308]".
func hasCompilerError(text string) bool {
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "error[e") || strings.Contains(l, ": error: ") || strings.Contains(l, ": fatal error: ") {
			return true
		}
		// file.go:line:col: words, the form of go build and go vet.
		if i := strings.Index(l, ".go:"); i > 0 && !strings.Contains(l[:i], " ") {
			parts := strings.SplitN(l[i+4:], ":", 3)
			if len(parts) == 3 && output.AllDigits(parts[0]) && output.AllDigits(parts[1]) {
				return true
			}
		}
	}
	return false
}

func containsAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// bytesText writes a size as people do.
func bytesText(n int64) string {
	const unit = 1024
	switch {
	case n >= unit*unit*unit:
		return fmt.Sprintf("%.1f GiB", float64(n)/(unit*unit*unit))
	case n >= unit*unit:
		return fmt.Sprintf("%.0f MiB", float64(n)/(unit*unit))
	case n >= unit:
		return fmt.Sprintf("%.0f KiB", float64(n)/unit)
	}
	return fmt.Sprintf("%d bytes", n)
}
