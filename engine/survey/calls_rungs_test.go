package survey_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
)

// Without namespaces no command sees other processes in /proc, and none ends with the one that started it.
func TestCallsOfTestsAreTimedOnEveryRung(t *testing.T) {
	t.Parallel()
	const calls = `{"paths": ["."], "functions": [{"name": "NAME", "count": 1, "calls": [{"args": "ARGS", "kwargs": "{}", "iterates": false, "answer": "ANSWER"}]}]}`
	for _, c := range []struct{ program, ending, file, text, name, args string }{
		{"python3", ".py", "kit.py", "def double(n):\n    return 2 * n\n", "kit:double", "(2,)"},
		{"node", ".cjs", "kit.js", "exports.double = (n) => 2 * n;\n", "kit.js:double", "[2]"},
	} {
		if _, err := exec.LookPath(c.program); err != nil {
			t.Logf("%s is not on the PATH", c.program)
			continue
		}
		for _, mode := range []sandbox.Mode{sandbox.ModeNamespaces, sandbox.ModeLandlock} {
			t.Run(c.program+" "+string(mode), func(t *testing.T) {
				t.Parallel()
				l, _ := open(t, box(t, mode), repository(t, map[string]string{c.file: c.text}))
				for answer, want := range map[string]string{"4": "", "5": "gave 4 instead of 5"} {
					dir := t.TempDir()
					for _, from := range []string{"calls", filepath.Join("..", "jsload")} {
						if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
							t.Fatal(err)
						}
					}
					text := strings.NewReplacer("NAME", c.name, "ARGS", c.args, "ANSWER", answer).Replace(calls)
					if err := os.WriteFile(filepath.Join(dir, "calls.json"), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					s, err := l.Run(t.Context(), eval.Options{Command: []string{c.program, "{dir}/measure" + c.ending}, Dir: dir, Objective: "time_us", Timeout: time.Minute}, false)
					if err != nil {
						t.Fatal(err)
					}
					if s.Failed() != (want != "") || !strings.Contains(s.Reason, want) || want == "" && s.Objective <= 0 {
						t.Errorf("answer %s: %s %q, %v us, want %q; %s", answer, s.Class, s.Reason, s.Objective, want, s.Raw.Stderr)
					}
				}
			})
		}
	}
}
