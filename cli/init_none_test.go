package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInitFailsWhereNothingMeasuresAndSaysWhatIsNext(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		flags []string
		next  string
	}{
		"nothing at all":            {map[string]string{"README.md": "hello\n"}, nil, "next  name a program that measures in evaluator.command"},
		"nothing at all by looking": {map[string]string{"README.md": "hello\n"}, []string{"--no-measure"}, "next  name a program that measures in evaluator.command"},
		"Go without a module": {
			map[string]string{"x.go": "package x\n", "x_test.go": "package x_test\n\nimport _ \"example.org/u/go-x\"\n"},
			nil,
			"next  `go mod init example.org/u/go-x && go mod tidy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			git(t, dir, "init", "--quiet")
			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			git(t, dir, "add", ".")
			git(t, dir, "commit", "--quiet", "--message=all")
			got := atoll(t, dir, append([]string{"init", "--yes"}, c.flags...)...)
			if got.code != 1 || !strings.Contains(got.err, "atoll.yaml names no evaluator yet, so a search cannot begin with it") {
				t.Errorf("exit code %d: %s", got.code, got.err)
			}
			if !strings.Contains(got.out, c.next) {
				t.Errorf("it prints\n%s", got.out)
			}
			if _, err := os.Stat(filepath.Join(dir, "atoll.yaml")); err != nil {
				t.Error(err)
			}
		})
	}
}
