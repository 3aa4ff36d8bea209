package gitops_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"atoll/gitops"
	"atoll/store/record"
)

// candidate imports a repository and makes one candidate on top.
func candidate(t *testing.T, r repository) (s *gitops.Repo, c record.Hash) {
	t.Helper()
	s, head, tree := imported(t, r)
	next := must(s.WriteTree(t.Context(), tree, []record.Change{write("src/main.txt", "one\n2\nthree\n")}))(t)
	return s, commitTree(t, s, next, 1, head)
}

func TestPromoteRefuses(t *testing.T) {
	t.Parallel()
	r := sample(t)
	r.run("branch", "taken")
	r.run("tag", "tagged")
	s, c := candidate(t, r)
	target := inspect(t, r.dir)
	for _, c2 := range []struct{ name, branch string }{
		{"the branch of HEAD", "main"},
		{"a branch that exists", "taken"},
		{"a name below a branch", "taken/x"},
		{"no name", ""},
		{"an option", "-f"},
		{"a space", "a b"},
		{"two dots", "a..b"},
		{"HEAD", "HEAD"},
		{"a lock", "x.lock"},
		{"a way out", "../x"},
	} {
		before := snapshot(t, r.dir+"/.git/refs", r.dir+"/.git/HEAD")
		if err := s.Promote(t.Context(), target, c2.branch, c); !errors.Is(err, gitops.ErrBranch) {
			t.Errorf("%s: got %v, want ErrBranch", c2.name, err)
		}
		if diff := changed(before, snapshot(t, r.dir+"/.git/refs", r.dir+"/.git/HEAD")); len(diff) > 0 {
			t.Errorf("%s: %v", c2.name, diff)
		}
	}
	if err := s.Promote(t.Context(), target, "x", record.Hash{1}); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("a commit that is not there: %v", err)
	}
	if err := s.Promote(t.Context(), target, "tagged", c); err != nil {
		t.Errorf("a branch named like a tag: %v", err)
	}
	r.run("symbolic-ref", "HEAD", "refs/heads/unborn")
	if err := s.Promote(t.Context(), target, "unborn", c); !errors.Is(err, gitops.ErrBranch) {
		t.Errorf("the branch an unborn HEAD stands for: %v", err)
	}
}

func TestPromotedBranchStandsOnItsOwn(t *testing.T) {
	t.Parallel()
	r := sample(t)
	s, c := candidate(t, r)
	if err := s.Promote(t.Context(), inspect(t, r.dir), "best", c); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.Dir(), s.Dir()+".away"); err != nil {
		t.Fatal(err)
	}
	r.run("fsck", "--strict", "--no-dangling")
	if got := r.run("show", "best:src/main.txt"); got != "one\n2\nthree" {
		t.Errorf("content %q", got)
	}
	if got := r.run("status", "--porcelain"); got != "" {
		t.Errorf("the work tree has changed: %s", got)
	}
	if err := os.Rename(s.Dir()+".away", s.Dir()); err != nil {
		t.Fatal(err)
	}
}

func TestBundleIsACloneOfTheCandidate(t *testing.T) {
	t.Parallel()
	s, c := candidate(t, sample(t))
	path := filepath.Join(t.TempDir(), "best.bundle")
	if err := s.Bundle(t.Context(), gitops.Target{}, c, path); err != nil {
		t.Fatal(err)
	}
	out := repository{t: t, dir: t.TempDir()}
	out.run("clone", "-q", path, "clone")
	clone := repository{t: t, dir: out.dir + "/clone"}
	if got := clone.run("rev-parse", "HEAD", "atoll/"+c.Short()); got != c.String()+"\n"+c.String() {
		t.Errorf("the clone is at %s, want %s", got, c)
	}
	out.run("init", "-q", "other")
	other := repository{t: t, dir: out.dir + "/other"}
	other.run("fetch", "-q", path)
	if got := other.run("rev-parse", "FETCH_HEAD"); got != c.String() {
		t.Errorf("what was fetched is %s, want %s", got, c)
	}
	if err := s.Bundle(t.Context(), gitops.Target{}, c, path); !errors.Is(err, gitops.ErrExists) {
		t.Errorf("over a file that is there: %v", err)
	}
	if err := s.Bundle(t.Context(), gitops.Target{}, record.Hash{1}, path+"2"); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("of a commit that is not there: %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	r := sample(t)
	s, head, base := imported(t, r)
	ctx := t.Context()
	ours := must(s.WriteTree(ctx, base, []record.Change{write("src/main.txt", "ONE\ntwo\nthree\n"), write("ours", "o\n")}))(t)
	theirs := must(s.WriteTree(ctx, base, []record.Change{write("src/main.txt", "one\ntwo\nTHREE\n"), remove("README")}))(t)
	clash := must(s.WriteTree(ctx, base, []record.Change{write("src/main.txt", "uno\ntwo\nthree\n"), write("ours", "other\n")}))(t)
	c := commitTree(t, s, ours, 1, head)
	for _, in := range [][3]record.Hash{{base, ours, theirs}, {head, c, theirs}} {
		tree, conflicts, err := s.Merge(ctx, in[0], in[1], in[2])
		if err != nil || len(conflicts) != 0 {
			t.Fatalf("conflicts %q, error %v", conflicts, err)
		}
		want := must(s.WriteTree(ctx, base, []record.Change{write("src/main.txt", "ONE\ntwo\nTHREE\n"), write("ours", "o\n"), remove("README")}))(t)
		if tree != want {
			t.Errorf("got\n%s\nwant\n%s", listing(t, s, tree), listing(t, s, want))
		}
	}
	tree, conflicts, err := s.Merge(ctx, base, ours, clash)
	if err != nil || fmt.Sprint(conflicts) != "[ours src/main.txt]" {
		t.Fatalf("conflicts %q, error %v", conflicts, err)
	}
	text := string(must(must(s.Tree(ctx, tree))(t).Read(ctx, "src/main.txt"))(t))
	if want := "<<<<<<<"; text[:len(want)] != want {
		t.Errorf("no conflict markers in %q", text)
	}
	if _, _, err := s.Merge(ctx, base, ours, record.Hash{1}); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("of something that is not there: %v", err)
	}
	blob := must(must(s.Tree(ctx, base))(t).Stat(ctx, "README"))(t).Hash
	if _, _, err := s.Merge(ctx, base, ours, blob); !errors.Is(err, gitops.ErrObject) {
		t.Errorf("of a file: %v", err)
	}
}
