package survey_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/engine/survey"
	"atoll/gitops"
)

// repository commits files and returns the folder.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "root"}} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// box is a sandbox of one mode, or a skipped test where it does not work.
func box(t *testing.T, mode sandbox.Mode) *sandbox.Box {
	t.Helper()
	b, err := sandbox.New(t.Context(), sandbox.Options{Mode: mode})
	if err != nil {
		t.Skipf("no sandbox of mode %s here: %v", mode, err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func open(t *testing.T, b *sandbox.Box, dir string) (*survey.Lab, gitops.Target) {
	t.Helper()
	target, err := gitops.Inspect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l, err := survey.OpenLab(t.Context(), b, target, "HEAD", exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, target
}

func TestFilesThatTheEvaluatorOpensAreSeen(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{
		"measure.sh":     "cat data/cases.txt settings > /dev/null\necho new > made; cat made >/dev/null\necho score = 3\n",
		"data/cases.txt": "1", "data/other.txt": "2", "settings": "x", "main.c": "int main;",
	})
	for _, mode := range []sandbox.Mode{sandbox.ModeNamespaces, sandbox.ModeLandlock, sandbox.ModeUnsafe} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			l, _ := open(t, box(t, mode), dir)
			s, err := l.Run(t.Context(), eval.Options{Command: []string{"sh", "measure.sh"}, Output: output.OutputPairs, Timeout: time.Minute}, true)
			if err != nil {
				t.Fatal(err)
			}
			if s.Failed() || s.Objective != 3 {
				t.Fatalf("%s %s; %s", s.Class, s.Reason, s.Raw.Stderr)
			}
			want := []string{"data/cases.txt", "measure.sh", "settings"}
			if !s.Watched || !slices.Equal(s.Opened, want) {
				t.Errorf("opened %q, want %q; watched %v", s.Opened, want, s.Watched)
			}
		})
	}
}

func TestAWatchedCommandKeepsItsExitCode(t *testing.T) {
	t.Parallel()
	l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, map[string]string{"a": "1"}))
	for command, exit := range map[string]int{"exit 7": 7, "kill -9 $$": 137, "nothing-like-this": 127} {
		s, err := l.Run(t.Context(), eval.Options{Command: []string{command}, Timeout: time.Minute}, true)
		if err != nil {
			t.Fatal(err)
		}
		if s.Raw.Exit != exit || !s.Failed() {
			t.Errorf("%s: exit %d, want %d", command, s.Raw.Exit, exit)
		}
	}
}
