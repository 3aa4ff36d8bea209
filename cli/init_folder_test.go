package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestInitInAFolderSaysThatItWorksOnTheTop(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mono")
	put(t, dir, map[string]string{"packages/two words/a.py": "n = 1\n", "bench.sh": "echo time_ms = 1\n"})
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "one")
	const told = "is a folder of "
	if out := must(t, filepath.Join(dir, "packages", "two words"), "init", "--yes", "--no-measure"); !strings.Contains(out, filepath.Join("packages", "two words")+" "+told) || !strings.Contains(out, "init always works on the top") {
		t.Errorf("not said:\n%s", out)
	}
	if out := must(t, dir, "init", "--yes", "--no-measure", "--force"); strings.Contains(out, told) {
		t.Errorf("said of the top:\n%s", out)
	}
}
