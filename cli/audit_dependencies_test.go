package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/dirhash"

	"atoll/config/suitetest"
)

// shelveModule puts versions of the module example.com/a into a module cache, each with a
// function that tells which it is.
func shelveModule(t *testing.T, cache string, versions ...string) {
	t.Helper()
	at := filepath.Join(cache, "cache", "download", "example.com", "a", "@v")
	mod := "module example.com/a\n\ngo 1.21\n"
	put(t, at, map[string]string{"list": strings.Join(versions, "\n") + "\n"})
	for _, v := range versions {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, text := range map[string]string{"go.mod": mod, "a.go": "package a\n\nfunc Version() string { return \"" + v + "\" }\n"} {
			w, err := z.Create("example.com/a@" + v + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		put(t, at, map[string]string{v + ".info": `{"Version":"` + v + `"}`, v + ".mod": mod, v + ".zip": b.String()})
		sum, err := dirhash.HashZip(filepath.Join(at, v+".zip"), dirhash.Hash1)
		if err != nil {
			t.Fatal(err)
		}
		put(t, at, map[string]string{v + ".ziphash": sum})
	}
}

func TestACampaignRaisesADependencyWhoseNewReleaseLiesHere(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "it compiles Go modules; the tests of engine/campaign/fresh stand for it")
	cache := filepath.Join(t.TempDir(), "mod")
	shelveModule(t, cache, "v1.0.0", "v1.1.0")
	dir := newRepository(t, map[string]string{
		"go.mod":     "module example.com/m\n\ngo 1.21\n\nrequire example.com/a v1.0.0\n",
		"go.sum":     "",
		"m.go":       "package m\n\nimport \"example.com/a\"\n\nfunc Version() string { return a.Version() }\n",
		"m_test.go":  "package m\n\nimport \"testing\"\n\nfunc TestVersion(t *testing.T) {\n\tif Version() != \"v1.1.0\" {\n\t\tt.Fatal(Version())\n\t}\n}\n",
		"atoll.yaml": "goal: stay fresh\nworkers: 1\nevaluator: {command: [echo, \"1\"], output: last-number, objective: n, protected: [go.mod, go.sum]}\n",
	})
	run := func(args ...string) string {
		t.Helper()
		cmd := command(t, dir, args...)
		cmd.Env = append(cmd.Env, "GOMODCACHE="+cache)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("atoll %v: %v\n%s", args, err, out.String())
		}
		return out.String()
	}
	out := run("audit")
	for _, want := range []string{"go.mod:5: p1 example.com/a is at v1.0.0, and v1.1.0 is known (the module cache", "dependencies: 1 asked for; 1 behind"} {
		if !strings.Contains(out, want) {
			t.Errorf("the audit does not say %q:\n%s", want, out)
		}
	}
	out = run("campaign", "run", "--headless")
	var tasks []struct {
		Status, Reason string
		Checks         []struct{ Detail string }
	}
	if err := json.Unmarshal([]byte(run("backlog", "--json")), &tasks); err != nil {
		t.Fatal(err)
	}
	if len(tasks) != 1 || tasks[0].Status != "done" || tasks[0].Checks[0].Detail != "behind go.mod:example.com/a is 0 and was 1" {
		t.Fatalf("the backlog is %+v\n%s", tasks, out)
	}
	if got := storeGit(t, dir, "show", "campaign:go.mod"); !strings.Contains(got, "example.com/a v1.1.0") {
		t.Errorf("go.mod on the branch is\n%s", got)
	}
	if got := storeGit(t, dir, "show", "campaign:go.sum"); !strings.Contains(got, "example.com/a v1.1.0 h1:") {
		t.Errorf("go.sum on the branch is\n%s", got)
	}
	// By a plain tool.
	tree := filepath.Join(t.TempDir(), "tree")
	storeGit(t, dir, "worktree", "add", "--quiet", "--detach", tree, "campaign")
	test := exec.CommandContext(t.Context(), "go", "test", "./...")
	test.Dir, test.Env = tree, append(command(t, dir).Env, "GOMODCACHE="+cache, "GOPROXY=off", "GOFLAGS=-mod=readonly -modcacherw")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("go test on the branch: %v\n%s", err, out)
	}
}

func TestAnAuditSaysPlainlyWhenNothingIsKnownOfDependencies(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, map[string]string{
		"requirements.txt": "numpy==1.26.0\n", "dev/requirements.txt": "numpy==1.26.4\n", "package.json": `{"dependencies": {"left-pad": "^1.3.0"}}`, "svc/package.json": "{",
	})
	out := must(t, dir, "audit")
	for _, want := range []string{
		"requirements.txt:1: p1 numpy is at 1.26.0, and 1.26.4 is known (dev/requirements.txt)", "3 asked for; 1 behind",
		"of 1 nothing can be said: the tree fixes no version of it", "of 1 nothing can be said: no file here lists its versions", "svc/package.json: it cannot be read as JSON",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}
