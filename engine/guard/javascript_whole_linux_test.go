package guard

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"atoll/engine/guard/probe"
	"atoll/engine/jsload"
)

// affectedBy asks the probe what an edit of index.js reaches in a package.
func affectedBy(t *testing.T, was, is string) *jsReach {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on the PATH")
	}
	asIs := func(name string) string { return name }
	bin, dir := t.TempDir(), t.TempDir()
	q, err := json.Marshal(jsRequest{Mode: "affected", Sources: map[string]string{"index.js": is}})
	request, result := filepath.Join(bin, "request.json"), filepath.Join(bin, "result.json")
	err = errors.Join(err, lay(jsload.Files, ".", bin, asIs), lay(jsProbe, "jsprobe", bin, asIs), os.WriteFile(request, q, 0o644),
		os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "table", "main": "index.js"}`), 0o644), os.WriteFile(filepath.Join(dir, "index.js"), []byte(was), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", jsParser, filepath.Join(bin, "probe.cjs"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), probe.RequestEnv+"="+request, probe.ResultEnv+"="+result)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	r := &jsReach{}
	if err := json.Unmarshal(data, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// What a module exports as a whole has the name of the package, and code calls it in another way or not at all.
func TestWhatAJavaScriptModuleExportsAsAWholeIsKnownAsWhatChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, was, is string
		direct        bool
	}{
		{"a function without a name", "module.exports = function (n) { return n + 1; };", "module.exports = function (n) { return 1 + n; };", true},
		{"a function with another name", "function add(n) { return n + 1; }\nmodule.exports = add;", "function add(n) { return 1 + n; }\nmodule.exports = add;", true},
		{"a method of a class", "class Grid { size() { return 2; } }\nmodule.exports = Grid;", "class Grid { size() { return 1 + 1; } }\nmodule.exports = Grid;", true},
		{"a function beside it", "module.exports = function (n) { return n + 1; };\nmodule.exports.twice = function twice(n) { return 2 * n; };", "module.exports = function (n) { return n + 1; };\nmodule.exports.twice = function twice(n) { return n * 2; };", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if r := affectedBy(t, c.was, c.is); r.direct("index", "index:table") != c.direct {
				t.Errorf("index:table is what changed: %v, want %v; of %q the own ones are %q", !c.direct, c.direct, r.Changed, r.Own)
			}
		})
	}
}
