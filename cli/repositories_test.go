package cli_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// smallYAML is an experiment whose evaluation takes a millisecond.
const smallYAML = `goal: make the sum of the numbers large
evaluator:
  command: [sh, eval.sh]
  output: name=value
  objective: total
  protected: [eval.sh]
map:
  axes:
    - {metric: total, min: 0, max: 100, bins: 10}
gate:
  scope: ["*.conf"]
search:
  operators: {tune: 1}
budget:
  jobs: 12
`

const smallEval = `awk '{s += $3} END {print "total=" s}' numbers.conf
`

const smallNumbers = "a = 3\nb = 14\nc = 15\n"

// put writes files below a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// newSmall makes a repository with a small experiment and returns its folder.
func newSmall(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	small(t, dir)
	return dir
}

// searchedSmall is such a repository whose experiment ended.
func searchedSmall(t *testing.T) string {
	t.Helper()
	return searched.copy(t, "repo", func(dir string) {
		small(t, dir)
		must(t, dir, "run", "--headless")
	})
}

func small(t *testing.T, dir string) {
	t.Helper()
	put(t, dir, map[string]string{"atoll.yaml": smallYAML, "eval.sh": smallEval, "numbers.conf": smallNumbers})
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "start")
}

// contents maps every path below some folders to its kind, mode and bytes.
// atoll's own folder is left out.
func contents(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "atoll" && filepath.Base(filepath.Dir(path)) != "heads" {
				return fs.SkipDir
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			say := info.Mode().String()
			switch {
			case info.Mode().IsRegular():
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				say += fmt.Sprintf(" %x %v", sha256.Sum256(data), info.ModTime())
			case info.Mode()&fs.ModeSymlink != 0:
				to, err := os.Readlink(path)
				if err != nil {
					return err
				}
				say += " " + to
			}
			out[path] = say
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// changed lists the paths that differ between two contents.
func changed(before, after map[string]string) []string {
	var out []string
	for path, say := range after {
		if was, ok := before[path]; !ok {
			out = append(out, "new "+path)
		} else if was != say {
			out = append(out, "other "+path)
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			out = append(out, "gone "+path)
		}
	}
	slices.Sort(out)
	return out
}

// shape is a repository in one of the forms that git knows.
type shape struct {
	name string
	// at makes the repository and returns the folder to run in and the folders
	// that must stay as they are.
	at func(t *testing.T) (dir string, whole []string)
}

func shapes() []shape {
	return []shape{
		{"a work tree with staged, unstaged and untracked changes and a hook", func(t *testing.T) (string, []string) {
			dir := newSmall(t)
			put(t, dir, map[string]string{"numbers.conf": smallNumbers + "d = 9\n", "new.txt": "new\n", "eval.sh": smallEval + "# staged\n"})
			git(t, dir, "add", "eval.sh")
			hook := filepath.Join(dir, ".git", "hooks", "post-commit")
			put(t, dir, map[string]string{".git/hooks/post-commit": "#!/bin/sh\ntouch hooked\n", ".git/hooks/reference-transaction": "#!/bin/sh\ntouch hooked\n"})
			for _, h := range []string{hook, filepath.Join(dir, ".git", "hooks", "reference-transaction")} {
				if err := os.Chmod(h, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			return dir, []string{dir}
		}},
		{"a folder below the top", func(t *testing.T) (string, []string) {
			dir := newSmall(t)
			put(t, dir, map[string]string{"deep/er/file": "x\n"})
			return filepath.Join(dir, "deep", "er"), []string{dir}
		}},
		{"a bare repository", func(t *testing.T) (string, []string) {
			from, dir := newSmall(t), filepath.Join(t.TempDir(), "bare.git")
			git(t, from, "clone", "--quiet", "--bare", from, dir)
			return dir, []string{dir, from}
		}},
		{"a linked work tree on a branch of its own", func(t *testing.T) (string, []string) {
			main := newSmall(t)
			dir := filepath.Join(t.TempDir(), "linked")
			git(t, main, "worktree", "add", "--quiet", "-b", "side", dir)
			put(t, dir, map[string]string{"numbers.conf": "a = 1\nb = 2\n"})
			git(t, dir, "commit", "--quiet", "--all", "--message", "side")
			return dir, []string{dir, main}
		}},
		{"a repository with a submodule", func(t *testing.T) (string, []string) {
			lib, dir := newSmall(t), newSmall(t)
			git(t, dir, "submodule", "--quiet", "add", lib, "lib")
			git(t, dir, "commit", "--quiet", "--message", "lib")
			return dir, []string{dir, lib}
		}},
		{"a submodule's own work tree", func(t *testing.T) (string, []string) {
			lib, dir := newSmall(t), newSmall(t)
			git(t, dir, "submodule", "--quiet", "add", lib, "lib")
			git(t, dir, "commit", "--quiet", "--message", "lib")
			return filepath.Join(dir, "lib"), []string{dir, lib}
		}},
		{"a shallow clone", func(t *testing.T) (string, []string) {
			from, dir := newSmall(t), filepath.Join(t.TempDir(), "shallow")
			put(t, from, map[string]string{"numbers.conf": smallNumbers + "e = 5\n"})
			git(t, from, "commit", "--quiet", "--all", "--message", "more")
			git(t, from, "clone", "--quiet", "--depth=1", "file://"+from, dir)
			return dir, []string{dir, from}
		}},
		{"a detached head", func(t *testing.T) (string, []string) {
			dir := newSmall(t)
			git(t, dir, "checkout", "--quiet", "--detach")
			return dir, []string{dir}
		}},
		{"objects borrowed from another repository", func(t *testing.T) (string, []string) {
			from, dir := newSmall(t), filepath.Join(t.TempDir(), "borrower")
			git(t, from, "clone", "--quiet", "--shared", from, dir)
			return dir, []string{dir, from}
		}},
		{"names with spaces, quotes and letters of other scripts", func(t *testing.T) (string, []string) {
			from := newSmall(t)
			dir := filepath.Join(t.TempDir(), "my répo 'two'")
			if err := os.Rename(from, dir); err != nil {
				t.Fatal(err)
			}
			put(t, dir, map[string]string{"späce \"q\".txt": "x\n", "日本.conf": "z = 3\n"})
			git(t, dir, "add", "--all")
			git(t, dir, "commit", "--quiet", "--message", "names")
			return dir, []string{dir}
		}},
	}
}

// best is the best candidate as `best --json` tells it.
func best(t *testing.T, dir string) (m made) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, dir, "best", "--json")), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestARunLeavesTheRepositoryAsItWas(t *testing.T) {
	for _, s := range suitetest.Every(6, shapes()) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			dir, whole := s.at(t)
			before := contents(t, whole...)
			out := must(t, dir, "run", "--headless", "--seed", "1")
			if diff := changed(before, contents(t, whole...)); len(diff) > 0 {
				t.Fatalf("the repository changed:\n%s", strings.Join(diff, "\n"))
			}
			if status := must(t, dir, "status"); !strings.Contains(status, "12/12") {
				t.Fatalf("not all jobs ended:\n%s\n%s", status, out)
			}
			must(t, dir, "doctor")
			promoted(t, dir, whole, before)
		})
	}
}

// promoted makes a branch of the best candidate and fails when anything but
// that ref and its objects appeared, or git does not find the candidate's files
// behind it.
func promoted(t *testing.T, dir string, whole []string, before map[string]string) {
	t.Helper()
	b := best(t, dir)
	out := must(t, dir, "promote", "best", "--branch", "better", "--json")
	for _, line := range changed(before, contents(t, whole...)) {
		kind, path, _ := strings.Cut(line, " ")
		ref := strings.Contains(path, "/refs/heads/better") || strings.Contains(path, "/logs/refs/heads/better")
		object := kind == "new" && strings.Contains(path, "/objects/")
		folder := kind == "other" && (strings.HasSuffix(path, "/refs/heads") || strings.Contains(path, "/objects"))
		if !ref && !object && !folder {
			t.Errorf("promote also changed: %s", line)
		}
	}
	var p struct {
		Commit string `json:"commit"`
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "rev-parse", "better"); got != p.Commit {
		t.Errorf("the branch is at %s; promote says %s", got, p.Commit)
	}
	// The commit is the candidate's, with the evidence in its message.
	if got, want := git(t, dir, "rev-parse", "better^{tree}"), b.Tree; got != want {
		t.Errorf("the branch has tree %s; the best candidate has %s", got, want)
	}
	if got := git(t, dir, "log", "-1", "--format=%B", "better"); b.ID != record.Root && !strings.Contains(got, "repeats of this evaluator agree") || b.ID != record.Root && !strings.Contains(got, "\nAtoll-Job: ") {
		t.Errorf("the message is\n%s", got)
	}
	// Plain git and the evaluator alone give the reported value again.
	work := filepath.Join(t.TempDir(), "alone")
	git(t, dir, "worktree", "add", "--quiet", "--detach", work, "better")
	alone, err := exec.Command("sh", "-c", "cd \"$1\" && sh eval.sh", "sh", work).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("total=%v", *b.Objective); strings.TrimSpace(string(alone)) != want {
		t.Errorf("the branch evaluates to %q by itself; atoll reports %s", alone, want)
	}
}

func TestARepositoryThatCannotBeUsedIsRefusedWithAReason(t *testing.T) {
	cases := []struct {
		name string
		at   func(t *testing.T) string
		want []string
	}{
		{"no repository", func(t *testing.T) string { return t.TempDir() }, []string{"not a git repository", "git init"}},
		{"an empty repository", func(t *testing.T) string {
			dir := t.TempDir()
			git(t, dir, "init", "--quiet")
			return dir
		}, []string{"commit"}},
		{"a repository of sha256", func(t *testing.T) string {
			dir := t.TempDir()
			git(t, dir, "init", "--quiet", "--object-format=sha256")
			put(t, dir, map[string]string{"atoll.yaml": smallYAML})
			git(t, dir, "add", "--all")
			git(t, dir, "commit", "--quiet", "--message", "start")
			return dir
		}, []string{"SHA-256", "git fast-export"}},
		{"a repository with reftable", func(t *testing.T) string {
			dir := newSmall(t)
			git(t, dir, "config", "core.repositoryFormatVersion", "1")
			put(t, dir, map[string]string{".git/config": "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\trefStorage = reftable\n"})
			return dir
		}, []string{"reftable"}},
		{"a partial clone", func(t *testing.T) string {
			from, dir := newSmall(t), filepath.Join(t.TempDir(), "partial")
			git(t, from, "config", "uploadpack.allowFilter", "true")
			git(t, from, "clone", "--quiet", "--filter=blob:none", "--no-checkout", "file://"+from, dir)
			return dir
		}, []string{"partial"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := c.at(t)
			before := contents(t, dir)
			got := atoll(t, dir, "run", "--headless")
			refused(t, got, c.want...)
			if diff := changed(before, contents(t, dir)); len(diff) > 0 {
				t.Errorf("the folder changed:\n%s", strings.Join(diff, "\n"))
			}
		})
	}
}

// refused fails unless a run ended with an error that has the words, and no
// stack trace.
func refused(t *testing.T, c call, words ...string) {
	t.Helper()
	if c.code != 1 && c.code != 2 {
		t.Errorf("exit %d; want 1 or 2\n%s%s", c.code, c.out, c.err)
	}
	for _, w := range words {
		if !strings.Contains(c.err, w) {
			t.Errorf("the error does not say %q:\n%s", w, c.err)
		}
	}
	if strings.Contains(c.err, "goroutine ") || strings.Contains(c.err, "panic:") {
		t.Errorf("a stack trace:\n%s", c.err)
	}
}
