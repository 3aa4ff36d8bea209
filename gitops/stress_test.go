package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/gitops"
	"atoll/store/record"
)

// TestManyWorkersShareOneStore writes, reads, compares, anchors and checks out
// from many goroutines while the store is packed under them.
func TestManyWorkersShareOneStore(t *testing.T) {
	t.Parallel()
	r := sample(t)
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("pkg%d/file%d.txt", i%17, i)] = strings.Repeat(fmt.Sprintln(i), 20)
	}
	r.commit(files)
	s, head, base := imported(t, r)
	const workers, rounds = 8, 15
	made := make([][]record.Hash, workers)
	ctx, cancel := context.WithCancel(t.Context())
	var wg, background sync.WaitGroup
	background.Go(func() {
		for ctx.Err() == nil {
			if err := s.Maintain(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("maintain: %v", err)
			}
		}
	})
	for w := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 0))
			tree := base
			for n := range rounds {
				if err := oneCandidate(t, s, rng, w*1000+n, head, base, &tree, &made[w]); err != nil {
					t.Errorf("worker %d, round %d: %v", w, n, err)
					return
				}
			}
		})
	}
	wg.Wait()
	cancel()
	background.Wait()
	var all []record.Hash
	for _, m := range made {
		all = append(all, m...)
	}
	if len(all) != workers*rounds {
		t.Fatalf("%d candidates", len(all))
	}
	if err := s.Anchor(t.Context(), 1, all); err != nil {
		t.Fatal(err)
	}
	if got := must(s.Attempts(t.Context(), 1))(t); len(got) != workers*rounds {
		t.Errorf("%d attempts", len(got))
	}
}

// oneCandidate goes the way of a candidate once.
func oneCandidate(t *testing.T, s *gitops.Repo, rng *rand.Rand, n int, head, base record.Hash, tree *record.Hash, made *[]record.Hash) error {
	ctx := t.Context()
	list, err := s.Tree(ctx, *tree)
	if err != nil {
		return err
	}
	path := list.Files()[rng.IntN(len(list.Files()))].Path
	if _, err := list.Read(ctx, path); err != nil {
		return err
	}
	next, err := s.WriteTree(ctx, *tree, []record.Change{write(path, fmt.Sprintln("changed", n))})
	if err != nil {
		return err
	}
	diffs, err := s.DiffTrees(ctx, *tree, next)
	if err != nil {
		return err
	}
	if len(diffs) != 1 || diffs[0].Path != path {
		return fmt.Errorf("%v in place of %q", diffs, path)
	}
	if err := s.CountLines(ctx, diffs); err != nil {
		return err
	}
	c, err := s.WriteCommit(ctx, gitops.CommitSpec{Tree: next, Parents: []record.Hash{head}, Message: fmt.Sprint("candidate ", n), Time: time.Unix(1700000000+int64(n), 0)})
	if err != nil {
		return err
	}
	if err := s.MarkAttempt(ctx, 1, record.JobID(n), c); err != nil {
		return err
	}
	if _, err := s.Changes(ctx, base, next); err != nil {
		return err
	}
	if n%5 == 0 {
		dir, release, err := s.Checkout(ctx, next)
		if err != nil {
			return err
		}
		defer release()
		if got, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(got) != fmt.Sprintln("changed", n) {
			return fmt.Errorf("checkout holds %q: %w", got, err)
		}
		if err := s.Anchor(ctx, 1, []record.Hash{c}); err != nil {
			return err
		}
	}
	*tree, *made = next, append(*made, c)
	return nil
}

func TestReadsGoOnWhenAnotherProcessPacks(t *testing.T) {
	t.Parallel()
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	git := storeGit(t, s)
	var commits []record.Hash
	for i := range 20 {
		next := must(s.WriteTree(ctx, tree, []record.Change{write("n", fmt.Sprint(i))}))(t)
		commits = append(commits, commitTree(t, s, next, i, head))
		switch i % 5 {
		case 1:
			git.run("repack", "-q", "-d", "--geometric=2")
		case 3:
			git.run("repack", "-q", "-a", "-d", "-k") // every old pack goes
		}
		for _, c := range commits {
			info, err := s.Commit(ctx, c)
			if err != nil {
				t.Fatalf("after %d: %v", i, err)
			}
			list, err := s.Tree(ctx, info.Tree)
			if err != nil {
				t.Fatalf("after %d: %v", i, err)
			}
			if _, err := list.Read(ctx, "n"); err != nil {
				t.Fatalf("after %d: %v", i, err)
			}
		}
	}
	if s.Has(ctx, record.Hash{1}) {
		t.Error("the store has what it has not")
	}
}

func TestStoreWithFsync(t *testing.T) {
	t.Parallel()
	r := sample(t)
	base := t.TempDir()
	s, err := gitops.Open(t.Context(), gitops.Options{Dir: filepath.Join(base, "deep/store.git"), Cache: filepath.Join(base, "cache"), Fsync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := t.Context()
	head := must(s.Import(ctx, inspect(t, r.dir), ""))(t)
	info := must(s.Commit(ctx, head))(t)
	tree := must(s.WriteTree(ctx, info.Tree, []record.Change{write("a/b/c", "x")}))(t)
	c := commitTree(t, s, tree, 1, head)
	if err := s.MarkAttempt(ctx, 1, 1, c); err != nil {
		t.Fatal(err)
	}
	storeGit(t, s).run("fsck", "--strict", "--no-dangling")
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), "objects/pack/tmp_*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestClosedStoreSaysSo(t *testing.T) {
	t.Parallel()
	s, head, tree := imported(t, sample(t))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := s.Commit(t.Context(), head); !errors.Is(err, gitops.ErrClosed) {
		t.Errorf("reading: %v", err)
	}
	if _, err := s.WriteTree(t.Context(), tree, []record.Change{write("x", "y")}); !errors.Is(err, gitops.ErrClosed) {
		t.Errorf("writing: %v", err)
	}
}

func TestFsckFindsDamage(t *testing.T) {
	t.Parallel()
	s, _, _ := imported(t, sample(t))
	ctx := t.Context()
	if err := s.Fsck(ctx); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.Dir(), "refs/heads/anchor/1")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("1234567890", 4)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Fsck(ctx); err == nil || !strings.Contains(err.Error(), "1234567890") {
		t.Errorf("a ref to nothing: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func TestOldGitIsRefused(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "git")
	for _, c := range []struct {
		says string
		kind error
	}{
		{"git version 2.17.1", gitops.ErrGitVersion},
		{"hello", gitops.ErrNoGit},
		{"git version 2.x", gitops.ErrNoGit},
		{"git version 2.50.1 (Apple Git-155)", nil},
		{"git version 3.0.rc1.windows", nil},
	} {
		if err := os.WriteFile(fake, []byte("#!/bin/sh\necho '"+c.says+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		s, err := gitops.Open(t.Context(), gitops.Options{Dir: t.TempDir() + "/s", Cache: t.TempDir(), Git: fake})
		if !errors.Is(err, c.kind) {
			t.Errorf("%q: %v, want %v", c.says, err, c.kind)
		}
		if s != nil {
			s.Close()
		}
	}
	if _, err := gitops.Open(t.Context(), gitops.Options{Dir: t.TempDir() + "/s", Cache: t.TempDir(), Git: fake + "-none"}); !errors.Is(err, gitops.ErrNoGit) {
		t.Errorf("no git: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := gitops.Inspect(t.Context(), t.TempDir()); !errors.Is(err, gitops.ErrNoGit) || !strings.Contains(err.Error(), "install git") {
		t.Errorf("no git: %v", err)
	}
}
