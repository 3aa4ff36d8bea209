package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/engine/sandbox/boot"
	"atoll/engine/sandbox/boot/wire"
)

// buildConsole builds a program that links the console.
func buildConsole(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program; not with -short")
	}
	exe := filepath.Join(t.TempDir(), "console")
	out, err := exec.Command("go", "build", "-o", exe, "./testdata/console").CombinedOutput()
	if err != nil {
		t.Fatalf("build the program to measure: %v\n%s", err, out)
	}
	return exe
}

// startAs starts a program under a name and returns its processor time and what
// it wrote to stderr. As a sandbox's first process it gets an empty message: it
// reports that and ends.
func startAs(t *testing.T, exe, name string, env ...string) (time.Duration, string) {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	report, err := os.CreateTemp(t.TempDir(), "report")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = report.Close() }()
	cmd := &exec.Cmd{Path: exe, Args: []string{name}, Env: env, ExtraFiles: []*os.File{null, null, report}}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("start as %s: %v\n%s", name, err, stderr.String())
	}
	if name == boot.InitName {
		data, err := os.ReadFile(report.Name())
		if err != nil {
			t.Fatal(err)
		}
		var r wire.Report
		if err := wire.Decode(data, &r); err != nil || r.Err == "" {
			t.Fatalf("the first process reported %q, %v; want the damaged message", r.Err, err)
		}
	}
	ru := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano()), stderr.String()
}

// initialised adds up what GODEBUG=inittrace=1 says of the packages of other
// modules: how many there are, and the milliseconds they took.
func initialised(trace string) (n int, ms float64) {
	for line := range strings.Lines(trace) {
		f := strings.Fields(line) // init PATH @0.52 ms, 0.10 ms clock, ...
		if len(f) > 5 && f[0] == "init" && strings.Contains(strings.SplitN(f[1], "/", 2)[0], ".") {
			clock, _ := strconv.ParseFloat(f[4], 64)
			n, ms = n+1, ms+clock
		}
	}
	return n, ms
}

func TestBootInitialisesBeforeEverythingElse(t *testing.T) {
	exe := buildConsole(t)
	_, trace := startAs(t, exe, "console", "GODEBUG=inittrace=1")
	all, allMS := initialised(trace)
	if all < 10 {
		t.Fatalf("the program initialises %d packages of other modules, want a heavy one\n%s", all, trace)
	}
	_, trace = startAs(t, exe, boot.InitName, "GODEBUG=inittrace=1")
	n, ms := initialised(trace)
	t.Logf("%d of %d packages, %.2f of %.2f ms", n, all, ms, allMS)
	if n > 2 || ms > allMS/5 { // a package without imports may be ready earlier
		t.Errorf("%d packages take %.2f ms before the sandbox's first process begins\n%s", n, ms, trace)
	}
}

func TestBootStartsInAFractionOfTheProgramsTime(t *testing.T) {
	exe := buildConsole(t)
	median := func(name string) time.Duration {
		var all []time.Duration
		for range 15 {
			d, _ := startAs(t, exe, name)
			all = append(all, d)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	first, whole := median(boot.InitName), median("console")
	t.Logf("processor time of a start: %v as a sandbox's first process, %v as the program", first, whole)
	if first*2 > whole {
		t.Errorf("the sandbox's first process takes %v, more than half of the program's %v", first, whole)
	}
}
