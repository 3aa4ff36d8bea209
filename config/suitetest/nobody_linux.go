package suitetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// nobodyID is the user and the group of [Nobody], the same on every system.
const nobodyID = 65534

// Nobody is an ordinary user as whom a test of the superuser runs programs once more:
// rights of the superuser hide mistakes, and other rules of the kernel apply.
type Nobody struct {
	Dir  string // theirs, from which programs can be run; removed with the test
	Home string // an empty folder in it, for HOME and TMPDIR
}

// AsNobody makes a folder for nobody. It skips a test of another user, and one on a
// machine that has no folder which nobody could run a program from.
func AsNobody(t testing.TB) *Nobody {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("these tests already run as an ordinary user")
	}
	dir, err := os.MkdirTemp("/dev/shm", "atoll-test-")
	if err != nil {
		t.Skipf("no folder that nobody could run a program from: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	n := &Nobody{Dir: dir, Home: filepath.Join(dir, "tmp")}
	if err := os.Mkdir(n.Home, 0o755); err != nil {
		t.Fatal(err)
	}
	n.Own(t)
	return n
}

// Own makes all that lies in the folder nobody's.
func (n *Nobody) Own(t testing.TB) {
	t.Helper()
	err := filepath.WalkDir(n.Dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, nobodyID, nobodyID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Program copies a program to where nobody can run it.
func (n *Nobody) Program(t testing.TB, exe, name string) string {
	t.Helper()
	to := filepath.Join(n.Dir, name)
	if out, err := exec.Command("cp", exe, to).CombinedOutput(); err != nil {
		t.Fatalf("copy %s: %v %s", exe, err, out)
	}
	return to
}

// Command is a program that nobody runs, in their folder, with an environment of the
// system's PATH, HOME and TMPDIR, and more.
func (n *Nobody) Command(ctx context.Context, program string, args []string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = n.Home
	cmd.Env = append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + n.Home, "TMPDIR=" + n.Home}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodyID, Gid: nobodyID}}
	return cmd
}
