package e2e_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/engine/sandbox/boot"
	"atoll/engine/sandbox/boot/wire"
)

// startAs starts a program under a name and returns its processor time and what
// it wrote to stderr. As a sandbox's first process it gets an empty message: it
// reports that and ends.
func startAs(t *testing.T, name string, env ...string) (time.Duration, string) {
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
	cmd := &exec.Cmd{Path: binary, Args: []string{name, "version"}, Env: env, ExtraFiles: []*os.File{null, null, report}}
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

// foreign returns the packages of other modules that GODEBUG=inittrace=1 names, and
// of these the ones that came after package os: from there on a package can open files.
func foreign(trace string) (all, late []string) {
	files := false
	for line := range strings.Lines(trace) {
		f := strings.Fields(line) // init PATH @0.52 ms, 0.10 ms clock, ...
		if len(f) < 2 || f[0] != "init" {
			continue
		}
		if strings.Contains(strings.SplitN(f[1], "/", 2)[0], ".") {
			all = append(all, f[1])
			if files {
				late = append(late, f[1])
			}
		}
		files = files || f[1] == "os"
	}
	return all, late
}

// Every job starts the program as the first process of a sandbox. A package that
// initialises before that one begins is paid for by each.
func TestTheFirstProcessOfASandboxBeginsBeforeOtherPackages(t *testing.T) {
	_, trace := startAs(t, "atoll", "GODEBUG=inittrace=1")
	all, late := foreign(trace)
	if len(all) < 30 || len(late) < 20 {
		t.Fatalf("the program initialises %d packages of other modules, %d after package os, want more\n%s", len(all), len(late), trace)
	}
	_, trace = startAs(t, boot.InitName, "GODEBUG=inittrace=1")
	before, late := foreign(trace)
	if len(before) > 8 || len(late) > 0 { // a package that imports next to nothing may be ready earlier
		t.Errorf("of %d packages of other modules %q come before the sandbox's first process, of them %q after package os", len(all), before, late)
	}
}

func TestTheFirstProcessOfASandboxStartsInAFractionOfTheProgramsTime(t *testing.T) {
	median := func(name string) time.Duration {
		var all []time.Duration
		for range 15 {
			d, _ := startAs(t, name)
			all = append(all, d)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	first, whole := median(boot.InitName), median("atoll")
	t.Logf("processor time of a start: %v as a sandbox's first process, %v as the program", first, whole)
	if first*2 > whole {
		t.Errorf("the sandbox's first process takes %v, more than half of the program's %v", first, whole)
	}
}
