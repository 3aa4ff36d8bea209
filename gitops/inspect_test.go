package gitops_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/gitops"
	"atoll/store/record"
)

func inspect(t testing.TB, dir string) gitops.Target {
	t.Helper()
	target, err := gitops.Inspect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestInspect(t *testing.T) {
	t.Parallel()
	r := sample(t)
	head := parse(t, r.run("rev-parse", "HEAD"))
	bare := filepath.Join(t.TempDir(), "bare.git")
	r.run("clone", "-q", "--bare", ".", bare)
	linked := filepath.Join(t.TempDir(), "linked")
	r.run("worktree", "add", "-q", "-b", "side", linked)
	shallow := filepath.Join(t.TempDir(), "shallow")
	r.commit(map[string]string{"more": "x"})
	head2 := parse(t, r.run("rev-parse", "HEAD"))
	r.run("clone", "-q", "--depth=1", "file://"+r.dir, shallow)
	odd := filepath.Join(t.TempDir(), "two\nlines")
	r.run("clone", "-q", ".", odd)
	r.run("checkout", "-q", "--detach")

	for _, c := range []struct {
		name, path string
		want       gitops.Target
	}{
		{"a work tree on a detached HEAD", r.dir, gitops.Target{Path: r.dir, GitDir: r.dir + "/.git", CommonDir: r.dir + "/.git", Head: head2}},
		{"a directory inside", r.dir + "/src/deep", gitops.Target{Path: r.dir, GitDir: r.dir + "/.git", CommonDir: r.dir + "/.git", Head: head2}},
		{"the git directory itself", r.dir + "/.git", gitops.Target{Path: r.dir + "/.git", GitDir: r.dir + "/.git", CommonDir: r.dir + "/.git", Head: head2}},
		{"a bare repository", bare, gitops.Target{Path: bare, GitDir: bare, CommonDir: bare, Bare: true, HeadRef: "refs/heads/main", Head: head}},
		{"a linked work tree", linked, gitops.Target{Path: linked, GitDir: r.dir + "/.git/worktrees/linked", CommonDir: r.dir + "/.git", Linked: true, HeadRef: "refs/heads/side", Head: head}},
		{"a path of two lines", odd, gitops.Target{Path: odd, GitDir: odd + "/.git", CommonDir: odd + "/.git", HeadRef: "refs/heads/main", Head: head2}},
		{"a shallow clone", shallow, gitops.Target{Path: shallow, GitDir: shallow + "/.git", CommonDir: shallow + "/.git", Shallow: true, HeadRef: "refs/heads/main", Head: head2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := inspect(t, c.path); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			where := c.want
			where.HeadRef, where.Head = "", record.Hash{}
			if got, err := gitops.Locate(t.Context(), c.path); err != nil || got != where {
				t.Errorf("located\ngot  %+v, %v\nwant %+v", got, err, where)
			}
		})
	}
}

func TestInspectSeesDirtAndLFS(t *testing.T) {
	t.Parallel()
	r := sample(t)
	if got := inspect(t, r.dir); got.Dirty || got.LFS {
		t.Fatalf("a plain repository: %+v", got)
	}
	r.write(map[string]string{"README": "changed\n"})
	if !inspect(t, r.dir).Dirty {
		t.Error("a changed file is not seen")
	}
	r.commit(nil)
	r.write(map[string]string{"new": ""})
	if !inspect(t, r.dir).Dirty {
		t.Error("a new file is not seen")
	}
	r.commit(map[string]string{"assets/.gitattributes": "# images\n*.bin filter=lfs diff=lfs merge=lfs -text\n"})
	if got := inspect(t, r.dir); got.Dirty || !got.LFS {
		t.Errorf("LFS attributes: %+v", got)
	}
	sub := sample(t)
	r.run("submodule", "--quiet", "add", sub.dir, "sub")
	r.commit(nil)
	got := inspect(t, r.dir)
	if got.Dirty {
		t.Errorf("a submodule: %+v", got)
	}
	if _, submodules, err := gitops.Files(t.Context(), got, got.Head); err != nil || !slices.Equal(submodules, []string{"sub"}) {
		t.Errorf("the submodules are %q, %v", submodules, err)
	}
}

func TestInspectRefusesWithReasonAndNextStep(t *testing.T) {
	t.Parallel()
	unborn := newRepository(t)
	sha256 := newRepository(t, "--object-format=sha256")
	partial := sample(t)
	partial.run("config", "remote.origin.promisor", "true")
	reftable := sample(t)
	reftable.run("config", "core.repositoryFormatVersion", "1")
	reftable.run("config", "extensions.refStorage", "reftable")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		kind       error
		words      string
	}{
		{"no such directory", "/nonexistent/x", gitops.ErrNotRepository, "no such directory"},
		{"a file", file, gitops.ErrNotRepository, "no such directory"},
		{"a plain directory", t.TempDir(), gitops.ErrNotRepository, "git init"},
		{"no commit yet", unborn.dir, gitops.ErrUnborn, "commit something first"},
		{"SHA-256", sha256.dir, gitops.ErrSHA256, "fast-export"},
		{"a partial clone", partial.dir, gitops.ErrPartial, "full clone"},
		{"a reftable", reftable.dir, gitops.ErrReftable, "2.45"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := gitops.Inspect(t.Context(), c.path)
			if !errors.Is(err, c.kind) {
				t.Fatalf("got %v, want %v", err, c.kind)
			}
			var refusal *gitops.Refusal
			if !errors.As(err, &refusal) || refusal.Reason == "" || refusal.Next == "" {
				t.Fatalf("no refusal with reason and next step: %#v", err)
			}
			if !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("%q does not say %q and where", err, c.words)
			}
		})
	}
	t.Run("an unborn HEAD beside a branch", func(t *testing.T) {
		r := sample(t)
		head := parse(t, r.run("rev-parse", "HEAD"))
		r.run("symbolic-ref", "HEAD", "refs/heads/nowhere")
		target, err := gitops.Inspect(t.Context(), r.dir)
		if !errors.Is(err, gitops.ErrUnborn) || target.HeadRef != "refs/heads/nowhere" {
			t.Fatalf("%+v, %v", target, err)
		}
		s := openStore(t)
		if _, err := s.Import(t.Context(), target, ""); !errors.Is(err, gitops.ErrUnborn) {
			t.Errorf("import of HEAD: %v", err)
		}
		if got, err := s.Import(t.Context(), target, "main"); err != nil || got != head {
			t.Errorf("import of main: %v, %v", got, err)
		}
	})
}

func TestInspectRefusesAnotherUsersRepositoryUnlessTrusted(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a repository to another user")
	}
	r := sample(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	os.Unsetenv("SUDO_UID")
	if err := filepath.WalkDir(r.dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, 12345, 12345)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	_, err := gitops.Inspect(t.Context(), r.dir)
	if !errors.Is(err, gitops.ErrOwnership) || !strings.Contains(err.Error(), "safe.directory") {
		t.Fatalf("got %v, want ErrOwnership with the way out", err)
	}
	config := "[safe]\n\tdirectory = \"" + r.dir + "\"\n[core]\n\thooksPath = /nonexistent\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	target := inspect(t, r.dir)
	s := openStore(t)
	head, err := s.Import(t.Context(), target, "HEAD")
	if err != nil {
		t.Fatalf("import from a trusted repository: %v", err)
	}
	if err := s.Promote(t.Context(), target, "atoll/x", head); err != nil {
		t.Errorf("promote into a trusted repository: %v", err)
	}
}

func TestLocateLooksAtNoCommit(t *testing.T) {
	t.Parallel()
	unborn := newRepository(t)
	if got, err := gitops.Locate(t.Context(), unborn.dir); err != nil || got.CommonDir != unborn.dir+"/.git" {
		t.Errorf("no commit yet: %+v, %v", got, err)
	}
	for _, c := range []struct {
		name, path string
		kind       error
	}{{"a plain directory", t.TempDir(), gitops.ErrNotRepository}, {"SHA-256", newRepository(t, "--object-format=sha256").dir, gitops.ErrSHA256}} {
		if _, err := gitops.Locate(t.Context(), c.path); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.kind)
		}
	}
}

func TestInspectIgnoresTheEnvironmentOfAHook(t *testing.T) {
	r, other := sample(t), newRepository(t)
	other.commit(map[string]string{"other": "x"})
	want := inspect(t, r.dir)
	t.Setenv("GIT_DIR", other.dir+"/.git")
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_INDEX_FILE", other.dir+"/.git/index")
	if got := inspect(t, r.dir); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// snapshot is everything a user could miss in a repository: names, kinds,
// content and change times.
func snapshot(t testing.TB, dirs ...string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			text := info.Mode().String()
			switch {
			case info.Mode().IsRegular():
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text += " " + info.ModTime().String() + " " + string(data)
			case info.Mode()&os.ModeSymlink != 0:
				to, err := os.Readlink(path)
				if err != nil {
					return err
				}
				text += " " + to
			default:
				st := info.Sys().(*syscall.Stat_t)
				text += " " + info.ModTime().String() + " " + string(rune(st.Nlink))
			}
			out[path] = text
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// changes lists the paths in which two snapshots differ.
func changed(before, after map[string]string) []string {
	var out []string
	for p, v := range after {
		if w, ok := before[p]; !ok {
			out = append(out, "new "+p)
		} else if v != w {
			out = append(out, "changed "+p)
		}
	}
	for p := range before {
		if _, ok := after[p]; !ok {
			out = append(out, "gone "+p)
		}
	}
	return out
}

func TestTheUsersRepositoryStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"normal", "bare", "linked"} {
		t.Run(kind, func(t *testing.T) {
			r := sample(t)
			dirs := []string{r.dir}
			at := r.dir
			switch kind {
			case "bare":
				at = filepath.Join(t.TempDir(), "bare.git")
				r.run("clone", "-q", "--bare", ".", at)
				dirs = []string{at}
			case "linked":
				at = filepath.Join(t.TempDir(), "linked")
				r.run("worktree", "add", "-q", "-b", "side", at)
				dirs = append(dirs, at)
			}
			common := repository{t: t, dir: at}.run("rev-parse", "--path-format=absolute", "--git-common-dir")
			trap := filepath.Join(t.TempDir(), "trap")
			if kind != "bare" {
				r.write(map[string]string{"README": "not committed\n", "staged": "staged\n"})
				r.run("add", "staged")
			}
			armTraps(t, common, trap)
			before := snapshot(t, dirs...)

			target := inspect(t, at)
			s := openStore(t)
			head := must(s.Import(t.Context(), target, "HEAD"))(t)
			must(s.Import(t.Context(), target, "main"))(t)
			must(s.FetchCommit(t.Context(), target, head.String()))(t)
			info := must(s.Commit(t.Context(), head))(t)
			tree := must(s.WriteTree(t.Context(), info.Tree, []record.Change{write("x", "y")}))(t)
			c := commitTree(t, s, tree, 1, head)
			_, release, err := s.Checkout(t.Context(), tree)
			if err != nil {
				t.Fatal(err)
			}
			release()
			if diff := changed(before, snapshot(t, dirs...)); len(diff) > 0 {
				t.Fatalf("before promote: %s", strings.Join(diff, "\n"))
			}

			if err := s.Promote(t.Context(), target, "atoll/best", c); err != nil {
				t.Fatal(err)
			}
			for _, p := range changed(before, snapshot(t, dirs...)) {
				verb, path, _ := strings.Cut(p, " ")
				ours := strings.HasPrefix(path, common+"/objects/") || path == common+"/objects" ||
					strings.HasPrefix(path, common+"/refs/heads/atoll") || path == common+"/refs/heads"
				if !ours || verb == "gone" {
					t.Errorf("promote: %s", p)
				}
			}
			if got := (repository{t: t, dir: at}).run("rev-parse", "refs/heads/atoll/best"); got != c.String() {
				t.Errorf("the branch is at %s, want %s", got, c)
			}
			if _, err := os.Stat(trap); err == nil {
				text, _ := os.ReadFile(trap)
				t.Errorf("a program of the user's configuration ran: %s", text)
			}
		})
	}
}

// armTraps lets every hook, and every program that configuration can name for
// what is done here, leave a trace.
func armTraps(t testing.TB, gitDir, trap string) {
	t.Helper()
	hooks := filepath.Join(gitDir, "hooks")
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$0 $*\" >> '" + trap + "'\n"
	for _, h := range []string{"reference-transaction", "post-checkout", "post-index-change", "pre-auto-gc", "post-merge", "fsmonitor", "pre-receive", "update", "post-update"} {
		if err := os.WriteFile(filepath.Join(hooks, h), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git := repository{t: t, dir: gitDir}
	git.run("config", "core.fsmonitor", filepath.Join(hooks, "fsmonitor"))
	git.run("config", "uploadpack.packObjectsHook", filepath.Join(hooks, "update"))
	git.run("config", "fetch.writeCommitGraph", "true")
	git.run("config", "gc.auto", "1")
	git.run("config", "core.logAllRefUpdates", "true")
}

func TestWhatIsNotCommittedIsListedWithoutTouchingTheIndex(t *testing.T) {
	r := newRepository(t)
	r.commit(map[string]string{"a.txt": "a\n", "b.txt": "a text that is long enough to be found again under another name\n"})
	index := filepath.Join(r.dir, ".git", "index")
	r.write(map[string]string{"a.txt": "other\n", "new/x.txt": "x\n"})
	r.run("mv", "b.txt", "c.txt")
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(r.dir, "c.txt"), later, later); err != nil { // git would like to note the new time
		t.Fatal(err)
	}
	got, err := gitops.Uncommitted(t.Context(), inspect(t, r.dir))
	slices.Sort(got)
	if want := []string{"a.txt", "b.txt", "c.txt", "new/"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("not committed: %q (%v), want %q", got, err, want)
	}
	if after, err := os.ReadFile(index); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the index was written (%v)", err)
	}
}
