package tui

import (
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWhatAProgramSaidStaysUntilEnterIsPressed(t *testing.T) {
	for _, c := range []struct {
		name, keys, left string
		program          string
		fails            bool
	}{
		{"enter where lines are edited", "\nq", "q", "echo written", false},
		{"enter that came while the terminal was raw", "\rq", "q", "echo written", false},
		{"other keys before it", "xyz\nq", "q", "echo written", false},
		{"the end of the input", "xyz", "", "echo written", false},
		{"after a program that failed", "\nq", "q", "echo written; exit 3", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys := strings.NewReader(c.keys)
			var out strings.Builder
			r := &readOut{Cmd: exec.Command("sh", "-c", c.program)}
			r.Stdin = strings.NewReader("")
			r.SetStdin(iotest.OneByteReader(keys))
			r.SetStdout(&out)
			r.SetStderr(&out)
			if err := r.Run(); (err != nil) != c.fails {
				t.Errorf("it ends with %v", err)
			}
			if rest := c.keys[len(c.keys)-keys.Len():]; rest != c.left {
				t.Errorf("%q is left of the keys, not %q", rest, c.left)
			}
			if want := "written\n\n" + readPrompt + unprompt; out.String() != want {
				t.Errorf("the terminal shows %q, want %q", out.String(), want)
			}
		})
	}
}
