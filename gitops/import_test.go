package gitops_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/gitops"
	"atoll/store/record"
)

func TestImportBringsTheHistory(t *testing.T) {
	t.Parallel()
	r := sample(t)
	first := parse(t, r.run("rev-parse", "HEAD"))
	second := r.commit(map[string]string{"more": "x\n"})
	r.run("tag", "-a", "-m", "a tag", "v1")
	s := openStore(t)
	ctx := t.Context()
	if _, err := s.Resolve(ctx, "HEAD"); !errors.Is(err, gitops.ErrNoStore) {
		t.Fatalf("before the first import: %v", err)
	}
	if _, err := s.FetchCommit(ctx, inspect(t, r.dir), "main"); !errors.Is(err, gitops.ErrNoStore) {
		t.Fatalf("before the first import: %v", err)
	}
	for _, rev := range []string{"", "HEAD", "main", "v1", second.String(), second.String()[:8], "refs/heads/main", "v1^0"} {
		if got := must(s.Import(ctx, inspect(t, r.dir), rev))(t); got != second {
			t.Errorf("import of %q gives %s, want %s", rev, got, second)
		}
	}
	if got := must(s.Import(ctx, inspect(t, r.dir), "HEAD~1"))(t); got != first {
		t.Errorf("import of the parent gives %s, want %s", got, first)
	}
	info := must(s.Commit(ctx, second))(t)
	if len(info.Parents) != 1 || info.Parents[0] != first || info.Author != "Test <test@example.org>" || info.Time.Unix() != 1700000000 || info.Message != "A commit\n" {
		t.Errorf("commit: %+v", info)
	}
	if got := must(s.Resolve(ctx, second.String()[:10]))(t); got != second {
		t.Errorf("resolve gives %s", got)
	}
	if _, err := s.Resolve(ctx, "nope"); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("resolve of nothing: %v", err)
	}
	if refs := storeGit(t, s).run("for-each-ref", "--format=%(refname)"); strings.Contains(refs, "tags") || strings.Contains(refs, "heads") {
		t.Errorf("more than the import refs came along: %s", refs)
	}
	_, err := s.Import(ctx, inspect(t, r.dir), "no-such-branch")
	var refusal *gitops.Refusal
	if !errors.Is(err, gitops.ErrRevision) || !errors.As(err, &refusal) || !strings.Contains(refusal.Next, "git branch") {
		t.Errorf("an unknown revision: %v", err)
	}
	if _, err := s.Import(ctx, inspect(t, r.dir), "--help"); !errors.Is(err, gitops.ErrRevision) {
		t.Errorf("an option as revision: %v", err)
	}
	if got, err := gitops.Inspect(ctx, s.Dir()); !got.Bare || !errors.Is(err, gitops.ErrUnborn) {
		t.Errorf("the store is not bare, or has a branch: %+v, %v", got, err)
	}
}

func TestImportFromALinkedWorkTreeUsesItsHead(t *testing.T) {
	t.Parallel()
	r := sample(t)
	linked := repository{t: t, dir: filepath.Join(t.TempDir(), "linked")}
	r.run("worktree", "add", "-q", "-b", "side", linked.dir)
	want := linked.commit(map[string]string{"side": "x"})
	s := openStore(t)
	if got := must(s.Import(t.Context(), inspect(t, linked.dir), "HEAD"))(t); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestImportOfAShallowClone(t *testing.T) {
	t.Parallel()
	r := sample(t)
	for i := range 4 {
		r.commit(map[string]string{"n": fmt.Sprint(i)})
	}
	shallow := repository{t: t, dir: filepath.Join(t.TempDir(), "shallow")}
	r.run("clone", "-q", "--depth=2", "file://"+r.dir, shallow.dir)
	target := inspect(t, shallow.dir)
	s, head, tree := imported(t, shallow)
	ctx := t.Context()
	if got := len(must(s.Tree(ctx, tree))(t).Files()); got != 9 {
		t.Errorf("%d files", got)
	}
	c := commitTree(t, s, must(s.WriteTree(ctx, tree, []record.Change{write("n", "x")}))(t), 1, head)
	if err := s.Anchor(ctx, 1, []record.Hash{c}); err != nil {
		t.Fatal(err)
	}
	if err := s.Maintain(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Fsck(ctx); err != nil {
		t.Fatal(err)
	}
	was := shallow.run("rev-list", "--count", "HEAD")
	if err := s.Promote(ctx, target, "best", c); err != nil {
		t.Fatalf("back into the shallow clone: %v", err)
	}
	if got := shallow.run("rev-list", "--count", "HEAD"); got != was {
		t.Errorf("its history has %s commits, had %s", got, was)
	}
	// The full repository must not become shallow.
	if err := s.Promote(ctx, inspect(t, r.dir), "best", c); err != nil {
		t.Fatalf("into the full repository: %v", err)
	}
	if inspect(t, r.dir).Shallow || r.run("rev-list", "--count", "best") != "6" {
		t.Errorf("the full repository was cut off: %s commits", r.run("rev-list", "--count", "best"))
	}
	for _, repo := range []repository{r, shallow} {
		repo.run("fsck", "--strict", "--no-dangling")
	}
}

func TestImportKeepsSubmodulesAsTheyAre(t *testing.T) {
	t.Parallel()
	r, sub := sample(t), sample(t)
	r.run("submodule", "--quiet", "add", sub.dir, "mods/sub")
	r.commit(nil)
	s, head, tree := imported(t, r)
	ctx := t.Context()
	list := must(s.Tree(ctx, tree))(t)
	f := must(list.Stat(ctx, "mods/sub"))(t)
	if f.Mode != record.Submodule || f.Hash.String() != sub.run("rev-parse", "HEAD") || f.Size != -1 {
		t.Errorf("submodule: %+v", f)
	}
	if _, err := list.Read(ctx, "mods/sub"); !errors.Is(err, gitops.ErrObject) {
		t.Errorf("reading a submodule: %v", err)
	}
	next := must(s.WriteTree(ctx, tree, []record.Change{write("mods/x", "y")}))(t)
	commitTree(t, s, next, 1, head)
	if !strings.Contains(listing(t, s, next), "160000 commit "+f.Hash.String()+"\tmods/sub") {
		t.Errorf("the submodule is gone:\n%s", listing(t, s, next))
	}
	dir, release, err := s.Checkout(ctx, next)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if entries, err := os.ReadDir(filepath.Join(dir, "mods/sub")); err != nil || len(entries) != 0 {
		t.Errorf("a submodule is laid out as an empty directory: %v, %v", entries, err)
	}
}

func TestTreeReadsFilesAndSizes(t *testing.T) {
	t.Parallel()
	s, _, tree := imported(t, sample(t))
	ctx := t.Context()
	list := must(s.Tree(ctx, tree))(t)
	if got := string(must(list.Read(ctx, "src/main.txt"))(t)); got != "one\ntwo\nthree\n" {
		t.Errorf("content %q", got)
	}
	if got := string(must(list.Read(ctx, "link"))(t)); got != "src/main.txt" {
		t.Errorf("link %q", got)
	}
	for _, path := range []string{"", "src", "nope", "src/main.txt/x"} {
		if _, err := list.Read(ctx, path); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("reading %q: %v", path, err)
		}
	}
	for _, f := range must(s.Sizes(ctx, list.Files()))(t) {
		stat := must(list.Stat(ctx, f.Path))(t)
		data := must(s.Blob(ctx, f.Hash))(t)
		if f != stat || f.Size != int64(len(data)) {
			t.Errorf("%+v, %+v and %d bytes", f, stat, len(data))
		}
	}
	if list.Files()[0].Size != -1 {
		t.Error("Sizes changed the listing")
	}
	if _, err := s.Tree(ctx, record.Hash{1}); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("a tree that is not there: %v", err)
	}
	if _, err := s.Tree(ctx, list.Files()[0].Hash); !errors.Is(err, gitops.ErrObject) {
		t.Errorf("a file as a tree: %v", err)
	}
}

func TestWriteCommitIsReproducible(t *testing.T) {
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	spec := gitops.CommitSpec{
		Tree: tree, Parents: []record.Hash{head}, Message: "tune: step size\n\nBody é", AuthorName: "atoll", AuthorEmail: "atoll@localhost",
		Time: time.Unix(1700000123, 999).In(time.FixedZone("", 3600)),
	}
	one := must(s.WriteCommit(ctx, spec))(t)
	spec.Time = time.Unix(1700000123, 0)
	if two := must(s.WriteCommit(ctx, spec))(t); one != two {
		t.Errorf("%s and %s", one, two)
	}
	git := storeGit(t, s)
	if got := git.run("log", "-1", "--format=%T %P %an %ae %at %cn %ce %ct %B", one.String()); got !=
		fmt.Sprintf("%s %s atoll atoll@localhost 1700000123 atoll atoll@localhost 1700000123 tune: step size\n\nBody é\n", tree, head) {
		t.Errorf("git reads %q", got)
	}
	// The same by the git command.
	env := []string{
		"GIT_AUTHOR_NAME=atoll", "GIT_AUTHOR_EMAIL=atoll@localhost", "GIT_AUTHOR_DATE=1700000123 +0000",
		"GIT_COMMITTER_NAME=atoll", "GIT_COMMITTER_EMAIL=atoll@localhost", "GIT_COMMITTER_DATE=1700000123 +0000",
	}
	for _, e := range env {
		k, v, _ := strings.Cut(e, "=")
		t.Setenv(k, v)
	}
	spec.AuthorName, spec.AuthorEmail = "<bad>\n name.", ""
	hostile := must(s.WriteCommit(ctx, spec))(t)
	if got := git.run("log", "-1", "--format=%an|%ae", hostile.String()); got != "bad name|atoll@localhost" {
		t.Errorf("a hostile name becomes %q", got)
	}
	spec.Message = "bad \xff bytes"
	must(s.WriteCommit(ctx, spec))(t)
	spec.Message = "zero\x00"
	if _, err := s.WriteCommit(ctx, spec); !errors.Is(err, gitops.ErrObject) {
		t.Errorf("a zero byte: %v", err)
	}
	spec.Message, spec.Tree = "x", record.Hash{1}
	if _, err := s.WriteCommit(ctx, spec); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("a tree that is not there: %v", err)
	}
}

func TestReadFileReadsFromTheObjects(t *testing.T) {
	t.Parallel()
	r := sample(t)
	linked := repository{t: t, dir: filepath.Join(t.TempDir(), "linked")}
	r.run("worktree", "add", "-q", "-b", "side", linked.dir)
	linked.commit(map[string]string{"README": "linked\n"})
	r.write(map[string]string{"README": "not committed\n"})
	for dir, want := range map[string]string{r.dir: "hello\n", linked.dir: "linked\n"} {
		if got, err := gitops.ReadFile(t.Context(), inspect(t, dir), "HEAD", "README"); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	for _, bad := range [][2]string{{"HEAD", "nope"}, {"nope", "README"}, {"--help", "README"}} {
		if _, err := gitops.ReadFile(t.Context(), inspect(t, r.dir), bad[0], bad[1]); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
