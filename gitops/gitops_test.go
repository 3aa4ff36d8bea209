package gitops_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/gitops"
	"atoll/store/record"
)

// repository is a git repository made by the git command.
type repository struct {
	t   testing.TB
	dir string
}

// gitEnv keeps the configuration of whoever runs the tests out of them.
func gitEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.org", "GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.org",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000", "GIT_OPTIONAL_LOCKS=0")
}

// try runs git in dir with stdin.
func try(dir string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "core.quotePath=true"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, gitEnv(), bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = &gitFailure{args, err, stderr.String()}
	}
	return out, err
}

type gitFailure struct {
	args []string
	err  error
	said string
}

func (g *gitFailure) Error() string {
	return "git " + strings.Join(g.args, " ") + ": " + g.err.Error() + ": " + g.said
}

func (r repository) run(args ...string) string {
	r.t.Helper()
	return r.feed(nil, args...)
}

func (r repository) feed(stdin []byte, args ...string) string {
	r.t.Helper()
	out, err := try(r.dir, stdin, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// write makes files in the work tree; a name that ends in "*" is executable.
func (r repository) write(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if n, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = n, 0o755
		}
		path := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r repository) commit(files map[string]string) record.Hash {
	r.t.Helper()
	r.write(files)
	r.run("add", "-A")
	r.run("commit", "-q", "--allow-empty", "-m", "A commit")
	return parse(r.t, r.run("rev-parse", "HEAD"))
}

func parse(t testing.TB, s string) record.Hash {
	t.Helper()
	h, err := record.ParseHash(strings.TrimSpace(s))
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return h
}

// newRepository makes an empty repository with a work tree.
func newRepository(t testing.TB, args ...string) repository {
	t.Helper()
	r := repository{t: t, dir: filepath.Join(t.TempDir(), "user repo")}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.run(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

// sample is a small repository with one of everything.
func sample(t testing.TB) repository {
	t.Helper()
	r := newRepository(t)
	if err := os.Symlink("src/main.txt", filepath.Join(r.dir, "link")); err != nil {
		t.Fatal(err)
	}
	r.commit(map[string]string{
		"README": "hello\n", "run.sh*": "#!/bin/sh\necho hi\n", "src/main.txt": "one\ntwo\nthree\n",
		"src/deep/er/x.txt": "x\n", "a.b": "dot\n", "a/b": "slash\n", "a0": "zero\n",
	})
	return r
}

// openStore opens a store in a temporary place and checks it when the test
// ends: whatever was done, git finds no fault in it.
func openStore(t testing.TB) *gitops.Repo {
	t.Helper()
	base := t.TempDir()
	r, err := gitops.Open(t.Context(), gitops.Options{Dir: filepath.Join(base, "store.git"), Cache: filepath.Join(base, "cache")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(r.Dir()); err != nil {
			return
		}
		out, err := try(r.Dir(), nil, "fsck", "--strict", "--no-dangling", "--no-progress")
		if err != nil || len(out) > 0 {
			t.Errorf("git fsck --strict: %v\n%s", err, out)
		}
	})
	return r
}

// imported opens a store and imports the repository's HEAD.
func imported(t testing.TB, r repository) (*gitops.Repo, record.Hash, record.Hash) {
	t.Helper()
	s := openStore(t)
	target, err := gitops.Inspect(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Import(t.Context(), target, "")
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Commit(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	return s, h, info.Tree
}

// storeGit runs the git command on a store.
func storeGit(t testing.TB, s *gitops.Repo) repository {
	return repository{t: t, dir: s.Dir()}
}

func write(path, data string) record.Change {
	return record.Change{Path: path, Mode: record.Regular, Data: []byte(data)}
}

func remove(path string) record.Change { return record.Change{Path: path, Mode: record.Deleted} }

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func commitTree(t testing.TB, s *gitops.Repo, tree record.Hash, n int, parents ...record.Hash) record.Hash {
	t.Helper()
	h, err := s.WriteCommit(context.Background(), gitops.CommitSpec{
		Tree: tree, Parents: parents, Message: "Candidate", AuthorName: "atoll", AuthorEmail: "atoll@localhost",
		Time: time.Unix(1700000000+int64(n), 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}
