package sandbox_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"
	"atoll/engine/sandbox/prepared"
)

// TestMain runs an attack when this program was started inside a sandbox.
func TestMain(m *testing.M) {
	if name := os.Getenv("ATOLL_HOSTILE"); name != "" {
		attack := attacks[name]
		if attack == nil {
			fmt.Println("no such attack:", name)
			os.Exit(99)
		}
		attack(os.Args[1:])
		syscall.Exit(0) // at once: the race detector would wait a second
	}
	guard()
	os.Exit(m.Run())
}

// hostilePath is where this program lies inside; the launcher's own copy has
// another name.
const hostilePath = "/atoll/hostile"

var modes = []sandbox.Mode{sandbox.ModeNamespaces, sandbox.ModeLandlock, sandbox.ModeUnsafe}

// mustBox makes a Box of one mode, or skips where the machine cannot.
func mustBox(t testing.TB, mode sandbox.Mode) *sandbox.Box {
	t.Helper()
	b, err := sandbox.New(t.Context(), sandbox.Options{Mode: mode})
	if err != nil {
		t.Skipf("this machine does not give rung %s: %v", mode, err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

// onRungs runs a test on each rung, and at the full level on the first also as on a
// kernel that refuses overlay mounts.
func onRungs(t *testing.T, list []sandbox.Mode, fn func(t *testing.T, b *sandbox.Box)) {
	for _, mode := range list {
		t.Run(string(mode), func(t *testing.T) { fn(t, mustBox(t, mode)) })
		if mode == sandbox.ModeNamespaces && suitetest.IsFull() {
			t.Run("copied", func(t *testing.T) { fn(t, lesser(t, mode, sandbox.Lack{Overlay: true})) })
			t.Run("prepared", func(t *testing.T) { fn(t, preparing(t)) })
		}
	}
}

// world is what a test lays out on the host: a base checkout, and a victim beside
// it that must not change.
type world struct {
	t      testing.TB
	base   string
	victim string
	token  string // in the environment of every process of the attack
	before string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, base: t.TempDir(), victim: t.TempDir(), token: "token-" + rand.Text()}
	w.put(w.base, "main.txt", "original\n")
	w.put(w.base, "dir/one.txt", "one\n")
	w.put(w.base, "dir/sub/two.txt", "two\n")
	w.put(w.base, "bench.sh", "echo trusted\n")
	w.put(w.victim, ".ssh/id_rsa", "PRIVATE KEY\n")
	w.put(w.victim, "notes.txt", "mine\n")
	w.before = w.picture()
	t.Cleanup(w.check)
	return w
}

func (w *world) put(dir, name, data string) {
	w.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// picture describes base and victim: names, modes, contents.
func (w *world) picture() string {
	var out strings.Builder
	for _, root := range []string{w.base, w.victim} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			fi, err := d.Info()
			if err != nil {
				return err
			}
			data := ""
			if fi.Mode().IsRegular() {
				b, _ := os.ReadFile(path)
				data = string(b)
			}
			fmt.Fprintf(&out, "%s %v %q\n", path, fi.Mode(), data)
			return nil
		})
	}
	return out.String()
}

// check asserts that nothing of the host changed and no process is left.
func (w *world) check() {
	w.t.Helper()
	if after := w.picture(); after != w.before {
		w.t.Errorf("the host changed:\nbefore\n%safter\n%s", w.before, after)
	}
	if left := w.processes(); len(left) > 0 {
		w.t.Errorf("processes left behind: %v", left)
	}
}

// processes lists the processes whose environment holds the token.
func (w *world) processes() []int {
	var list []int
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		idle := waits(d) // first: of one that ends meanwhile there is no environment then
		env, err := os.ReadFile(d + "/environ")
		pid, _ := strconv.Atoi(filepath.Base(d))
		if err == nil && pid != os.Getpid() && strings.Contains(string(env), w.token) && !idle {
			list = append(list, pid)
		}
	}
	return list
}

// waits reports a prepared interpreter, which stays for the next run: it is in the namespace
// above those of runs. Copies of it in sandboxes look the same but for that.
func waits(proc string) bool {
	line, err := os.ReadFile(proc + "/cmdline")
	if err != nil || !strings.Contains(string(line), prepared.ScriptName) {
		return false
	}
	status, _ := os.ReadFile(proc + "/status")
	_, after, _ := strings.Cut(string(status), "NSpid:")
	line, _, _ = bytes.Cut([]byte(after), []byte("\n"))
	return len(bytes.Fields(line)) == 2
}

// wait waits until no process is left, for twenty seconds at most. One look can miss
// a process whose parent it saw and that began before the parent was gone.
func (w *world) wait() {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for none := 0; none < 3 && time.Now().Before(deadline); none++ {
		if len(w.processes()) > 0 {
			none = 0
		}
		time.Sleep(2 * time.Millisecond)
	}
	w.check()
}

// spec is a run of one attack over the base.
func (w *world) spec(attack string, args ...string) sandbox.Spec {
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	return sandbox.Spec{
		Args:   append([]string{hostilePath}, args...),
		Env:    []string{"ATOLL_HOSTILE=" + attack, "TOKEN=" + w.token},
		Base:   w.base,
		Mounts: []sandbox.Mount{{Host: exe, At: hostilePath}},
		Limits: sandbox.Limits{Wall: 20 * time.Second, Procs: 200, Memory: 1 << 30, Disk: 256 << 20, Output: 8 << 20},
	}
}

// sh is a run of a shell script over the base.
func (w *world) sh(script string) sandbox.Spec {
	s := w.spec("", "")
	s.Args, s.Env = []string{"sh", "-c", script}, []string{"TOKEN=" + w.token}
	return s
}

// mustRun runs and returns the result; every process must be gone at once.
func (w *world) mustRun(b *sandbox.Box, s sandbox.Spec) sandbox.Result {
	w.t.Helper()
	s, copied := viaCopy(w.t, b, s)
	res := w.mustRunWith(b, s)
	if res.Prepared != copied {
		w.t.Errorf("a copy of a prepared interpreter: %v, want %v: %s", res.Prepared, copied, b.WhyStarted(&s))
	}
	return res
}

// mustRunWith runs a Spec as it is.
func (w *world) mustRunWith(b *sandbox.Box, s sandbox.Spec) sandbox.Result {
	w.t.Helper()
	res, err := b.Run(w.t.(interface{ Context() context.Context }).Context(), s)
	if err != nil {
		w.t.Fatalf("run %q: %v\n%s", s.Args, err, res.Stderr)
	}
	if left := w.processes(); len(left) > 0 {
		w.t.Errorf("processes left behind when Run returned: %v", left)
	}
	return res
}

func wantLimits(t *testing.T, res sandbox.Result, want ...string) {
	t.Helper()
	if !slices.Equal(res.Limits, want) {
		t.Errorf("limits hit: %v, want %v (exit %d %s)\n%s%s", res.Limits, want, res.Exit, res.Signal, res.Stdout, res.Stderr)
	}
}

func wantOut(t *testing.T, res sandbox.Result, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(string(res.Stdout), p) {
			t.Errorf("output lacks %q (exit %d)\n%s%s", p, res.Exit, res.Stdout, res.Stderr)
		}
	}
}

func wantNoOut(t *testing.T, res sandbox.Result, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(string(res.Stdout), p) {
			t.Errorf("output holds %q\n%s", p, res.Stdout)
		}
	}
}

// longAttacks are those that fill limits or wait for a watchdog: as nobody they run
// at the slow level, which .ci/run asks for once, for they take most of the time.
const longAttacks = "^(TestHostileLimits|TestHostileStormsEnd|TestHostileStormsEndWhereTheKernelHasNoLimit|TestHostileProcessesThatAreBusyWithTheirMemoryEndInTime|TestHostileMemoryThatNoProcessHoldsIsCounted)$"

// TestAsOrdinaryUser runs the tests of this package again as nobody: rights of
// the superuser hide mistakes, and other kernel rules apply to it.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 { // before the guard
		t.Skip("these tests already run as an ordinary user")
	}
	suitetest.Full(t, "the tests of this package once more, as nobody")
	if testing.Short() {
		t.Skip("doubles the time of this package; not with -short")
	}
	if !guarded(t, 8*time.Minute) {
		return
	}
	nobody := suitetest.AsNobody(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := nobody.Program(t, exe, "sandbox.test")
	run := func(tests string, more ...string) (out string, err error) {
		args := append([]string{"-test.v", "-test.run=" + tests, "-test.timeout=450s"}, more...)
		b, err := nobody.Command(t.Context(), program, args, "ATOLL_FULL=1").CombinedOutput()
		return string(b), err
	}
	var skip []string
	if !suitetest.IsSlow() {
		skip = append(skip, "-test.skip="+longAttacks)
	}
	out, err := run("^(TestHostile|TestRun|TestHarvest|TestLauncher)", skip...)
	for line := range strings.Lines(out) {
		if strings.Contains(line, "--- SKIP") || strings.Contains(line, "rung ") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if !strings.Contains(out, "--- PASS: TestHostileLimits/namespaces") {
		t.Logf("rung 1 was not tried as nobody")
	}
	if err == nil {
		return
	}
	t.Log(out)
	failed, timing := failures(out)
	if len(failed) > 0 && timing {
		t.Logf("second try of what failed as nobody and counts time: %v", failed)
		if out, err = run("^(" + strings.Join(failed, "|") + ")$"); err == nil {
			return
		}
		t.Log(out)
	}
	t.Errorf("as nobody: %v; failed: %v", err, failed) // last, for who sees an end of this alone
}

// failures lists the tests that failed in what -test.v printed, without subtests, and
// reports whether each of them is marked as one that counts time, as those have to be
// which .ci/run tries a second time.
func failures(out string) (failed []string, timing bool) {
	marked := countTime(out)
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "--- FAIL: ") && len(fields) > 2 {
			failed = append(failed, fields[2])
		}
	}
	return failed, !slices.ContainsFunc(failed, func(name string) bool { return !marked[name] })
}

// countTime names the tests that -test.v printed as marked, without subtests.
func countTime(out string) map[string]bool {
	marked := map[string]bool{}
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) > 3 && fields[0] == "===" && fields[1] == "ATTR" && fields[3] == "timing" {
			top, _, _ := strings.Cut(fields[2], "/")
			marked[top] = true
		}
	}
	return marked
}

func TestWhatFailedAsNobodyIsRead(t *testing.T) {
	const limit = "=== RUN   TestA\n=== RUN   TestA/b\n=== ATTR  TestA/b timing how soon\n    x_test.go:1: late\n--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/b (0.1s)\n"
	for _, tt := range []struct {
		name, out string
		failed    []string
		timing    bool
	}{
		{"one that counts time", limit + "FAIL\n", []string{"TestA"}, true},
		{"one beside it does not", limit + "--- FAIL: TestC (0.0s)\nFAIL\n", []string{"TestA", "TestC"}, false},
		{"a program that ended before a test did", "=== RUN   TestA\nexit status 2\n", nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			failed, timing := failures(tt.out)
			if !slices.Equal(failed, tt.failed) || timing != tt.timing {
				t.Errorf("%v, %v; want %v, %v", failed, timing, tt.failed, tt.timing)
			}
		})
	}
}
