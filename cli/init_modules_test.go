package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPackagesOfNodeAreFoundInEveryClone(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on the PATH")
	}
	packages := map[string]string{"node_modules/twice/index.js": "module.exports = (n) => 2 * n;\n"}
	dir := filepath.Join(t.TempDir(), "first")
	put(t, dir, map[string]string{
		".gitignore": "node_modules\n", "index.js": "const twice = require('twice');\nmodule.exports = (n) => twice(n) + 1;\n",
		"package.json": `{"name": "once", "scripts": {"test": "node test.js"}, "dependencies": {"twice": "1"}}`,
		"test.js":      "if (require('./index.js')(3) !== 7) process.exit(1);\n",
		"bench.js":     "console.log('score = ' + require('./index.js')(20));\n",
	})
	put(t, dir, packages)
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "once")
	must(t, dir, "init", "--yes")
	text, err := os.ReadFile(filepath.Join(dir, "atoll.yaml"))
	if err != nil || strings.Contains(string(text), dir) || !strings.Contains(string(text), "./node_modules") {
		t.Errorf("the file names this machine's folders, or no packages: %v\n%s", err, text)
	}
	git(t, dir, "add", "atoll.yaml")
	git(t, dir, "commit", "--quiet", "--message", "atoll")

	clone := filepath.Join(t.TempDir(), "second")
	git(t, dir, "clone", "--quiet", dir, clone)
	if c := atoll(t, clone, "doctor", "--deep"); c.code == 0 || !strings.Contains(c.out, filepath.Join(clone, "node_modules")+`", and there is no such folder`) {
		t.Errorf("without the packages: exit %d\n%s%s", c.code, c.out, c.err)
	}
	put(t, clone, packages)
	if c := atoll(t, clone, "doctor", "--deep"); c.code != 0 || !strings.Contains(c.out, "score = 41") {
		t.Errorf("with them: exit %d\n%s%s", c.code, c.out, c.err)
	}
	if out := must(t, clone, "run", "--headless", "--max-jobs", "1"); !strings.Contains(out, "score 41") {
		t.Errorf("a run of the clone:\n%s", out)
	}
}
