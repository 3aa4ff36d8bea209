package config_test

import (
	"path/filepath"
	"slices"
	"testing"

	"atoll/config"
)

func TestAnInterpreterOfAVirtualEnvironmentIsTheOneBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	text := []byte("evaluator: {command: [.venv/bin/python3, measure.py], stages: [{name: tests, command: [sh, -c, 'exec \"$0\" \"$@\"', ./venv/bin/python3.12, -m, pytest]}, {name: full}]}\n" +
		"guard_commands: [{command: [env/bin/python, main.py]}]\n")
	for _, c := range []struct {
		name string
		o    config.LoadOptions
		at   string
	}{
		{"in the folder", config.LoadOptions{Dir: dir, Data: text}, dir + "/"},
		{"there is no folder", config.LoadOptions{Data: text}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := config.Load(c.o)
			if err != nil {
				t.Fatal(err)
			}
			third := "./venv/bin/python3.12"
			if c.at != "" {
				third = filepath.Join(dir, third)
			}
			for _, x := range []struct{ got, want []string }{
				{l.Evaluator.Command, []string{c.at + ".venv/bin/python3", "measure.py"}},
				{l.Evaluator.Stages[0].Command, []string{"sh", "-c", `exec "$0" "$@"`, third, "-m", "pytest"}},
				{l.GuardCommands[0].Command, []string{c.at + "env/bin/python", "main.py"}},
			} {
				if !slices.Equal(x.got, x.want) {
					t.Errorf("got %q, want %q", x.got, x.want)
				}
			}
		})
	}
	for word, want := range map[string]bool{".venv/bin/python3": true, "./env/bin/python": true, "bin/python3": false, "/x/.venv/bin/python3": false, "python3": false, ".venv/bin/pytest": false, "a/.venv/bin/python3": false} {
		if got := config.IsVenvPython(word); got != want {
			t.Errorf("%s: %v", word, got)
		}
	}
}
