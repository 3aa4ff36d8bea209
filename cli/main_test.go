package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"atoll/config/suitetest"
)

// built is the program under test, built on first use.
var built struct {
	sync.Once
	dir, path string
	caches    []string // where the go command keeps what it built, as variables
	err       error
}

func TestMain(m *testing.M) {
	if os.Getenv(natsServer) != "" {
		serveNATS()
	}
	suitetest.SystemFirst("cargo")
	os.Exit(suitetest.InMemory(func() int {
		code := suitetest.RunAtOnce(m, "4")
		if built.dir != "" {
			_ = os.RemoveAll(built.dir)
		}
		return code
	}))
}

// program returns the path of the program under test.
func program(t *testing.T) string {
	t.Helper()
	if raced && testing.Short() {
		t.Skip("runs the whole program, which the race detector does not see; it is with the tests of each package")
	}
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "atoll-cli-test-"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "atoll")
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", built.path, "atoll").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("build the program: %w\n%s", err, out)
			return
		}
		for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
			out, err := exec.Command("go", "env", name).Output()
			if err != nil {
				built.err = fmt.Errorf("go env %s: %w", name, err)
				return
			}
			built.caches = append(built.caches, name+"="+strings.TrimSpace(string(out)))
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// call is one run of the program.
type call struct {
	out, err string
	code     int
}

// atoll runs the program to its end in a folder.
func atoll(t *testing.T, dir string, args ...string) call {
	t.Helper()
	cmd := command(t, dir, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatalf("atoll %v: %v", args, err)
	}
	return call{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// must runs the program and fails unless it exits 0.
func must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := atoll(t, dir, args...)
	if c.code != 0 {
		t.Fatalf("atoll %s: exit %d\n%s%s", strings.Join(args, " "), c.code, c.out, c.err)
	}
	return c.out
}

// command is a run of the program that was not started yet. It sees neither the
// person's git configuration nor their settings.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t), args...)
	cmd.Dir = dir
	home := filepath.Join(filepath.Dir(program(t)), "home")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=tester", "LANG=C.UTF-8",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
	}
	cmd.Env = append(cmd.Env, built.caches...)
	for _, key := range []string{"TMPDIR", "GOPATH", "GOROOT", "GOFLAGS"} {
		if v, ok := os.LookupEnv(key); ok {
			cmd.Env = append(cmd.Env, key+"="+v)
		}
	}
	return cmd
}

// gitCommand is a run of git in a folder that was not started yet.
func gitCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	return cmd
}

// git runs git in a folder, apart from the person's configuration.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := gitCommand(dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
