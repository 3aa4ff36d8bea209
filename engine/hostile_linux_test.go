package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"atoll/config/suitetest"
)

// TestHostileCandidatesOfAnOrdinaryUser runs the hostile candidates again as nobody:
// rights of the superuser hide mistakes, and other kernel rules apply.
func TestHostileCandidatesOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("these tests run as an ordinary user already")
	}
	suitetest.Full(t, "every attack once more, as nobody")
	if testing.Short() {
		t.Skip("attacks a second time; not with -short")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("/dev/shm", "atoll-test-")
	if err != nil {
		t.Skipf("no folder that nobody could run a program from: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	test, home := filepath.Join(dir, "engine.test"), filepath.Join(dir, "tmp")
	if out, err := exec.Command("cp", exe, test).CombinedOutput(); err != nil {
		t.Fatalf("copy the test program: %v %s", err, out)
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, home} {
		if err := os.Chown(d, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), test, "-test.v", "-test.run=^TestHostileCandidates$")
	cmd.Dir = home
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home, "ATOLL_FULL=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	tried := 0
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--- PASS: TestHostileCandidates/") {
			tried++
			t.Log("as nobody:", line)
		} else if strings.Contains(line, "does not give the rung") {
			t.Log(line)
		}
	}
	if tried == 0 {
		t.Skip("this machine gives nobody a rung that isolates")
	}
}
