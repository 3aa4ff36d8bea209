package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestWhileAnExampleIsBuiltItsTimeIsTold has a compiler that waits until the test has
// seen the seconds count, and then fails.
func TestWhileAnExampleIsBuiltItsTimeIsTold(t *testing.T) {
	t.Parallel()
	tools, work := t.TempDir(), t.TempDir()
	on := filepath.Join(work, "go-on")
	slow := "#!/bin/sh\nwhile [ ! -e '" + on + "' ]; do sleep 0.05; done\necho no compiler today >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, dir: work}
	path := "PATH=" + tools + string(os.PathListSeparator) + os.Getenv("PATH")
	c := start(t, l, []string{path, "HOME=" + work}, cols, rows, "demo", "bin-packing", "--dir", filepath.Join(work, "packing"))
	c.wait("building bin-packing once")
	counts := regexp.MustCompile(`building, [0-9]+ s`)
	c.see("the seconds count", counts.MatchString)
	seen := counts.FindString(c.screen())
	c.see("and go on", func(s string) bool { now := counts.FindString(s); return now != "" && now != seen })
	if err := os.WriteFile(on, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c.all("no compiler today", "run it there by hand")
	if counts.MatchString(c.screen()) {
		t.Errorf("the line of the seconds is still there:\n%s", c.screen())
	}
}
