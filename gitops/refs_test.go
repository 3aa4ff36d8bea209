package gitops_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/gitops"
	"atoll/store/record"
)

func TestAttemptsSurviveUntilTheyAreCleared(t *testing.T) {
	t.Parallel()
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	if err := s.MarkAttempt(ctx, 1, 5, record.Hash{1}); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("a commit that is not there: %v", err)
	}
	a, b := commitTree(t, s, tree, 1, head), commitTree(t, s, tree, 2, head)
	for _, m := range []struct {
		exp record.ExperimentID
		job record.JobID
		c   record.Hash
	}{{1, 5, a}, {1, 5, b}, {1, 12, a}, {2, 5, a}} {
		if err := s.MarkAttempt(ctx, m.exp, m.job, m.c); err != nil {
			t.Fatal(err)
		}
	}
	// What a crash in the middle of writing leaves is no attempt.
	if err := os.WriteFile(filepath.Join(s.Dir(), "refs/atoll/1/attempt/77.123.lock"), []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	again := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
	defer again.Close()
	if got, want := fmt.Sprint(must(again.Attempts(ctx, 1))(t)), fmt.Sprint(map[record.JobID]record.Hash{5: b, 12: a}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := s.ClearAttempt(ctx, 1, 5); err != nil {
		t.Fatal(err)
	}
	if err := s.ClearAttempt(ctx, 1, 5); err != nil {
		t.Errorf("clearing twice: %v", err)
	}
	if got := must(s.Attempts(ctx, 1))(t); len(got) != 1 || got[12] != a {
		t.Errorf("after clearing: %v", got)
	}
	if got := must(s.Attempts(ctx, 9))(t); len(got) != 0 {
		t.Errorf("of an experiment without: %v", got)
	}
}

func TestAnchorKeepsCandidatesReachable(t *testing.T) {
	t.Parallel()
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	var all []record.Hash
	for i := range 1250 {
		all = append(all, commitTree(t, s, tree, i, head))
	}
	git := storeGit(t, s)
	tip := func() string { return git.run("rev-parse", "refs/heads/anchor/1") }
	if err := s.Anchor(ctx, 1, all[:100]); err != nil {
		t.Fatal(err)
	}
	first := tip()
	if err := s.Anchor(ctx, 1, all[50:100]); err != nil {
		t.Fatal(err)
	}
	if tip() != first {
		t.Error("anchoring again moved the anchor")
	}
	if err := s.Anchor(ctx, 1, all); err != nil {
		t.Fatal(err)
	}
	last := tip()
	if n := len(strings.Fields(git.run("rev-list", "--first-parent", "-1", "--parents", last+"~1"))); n != 1002 {
		t.Errorf("an anchor has %d parents, want 1001", n-1)
	}
	// Another process starts from what is on disk.
	again := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
	defer again.Close()
	if err := again.Anchor(ctx, 1, append(all, head)); err != nil {
		t.Fatal(err)
	}
	if got := git.run("rev-list", "--count", last+"..refs/heads/anchor/1"); got != "1" {
		t.Errorf("%s new commits, want one anchor for the root", got)
	}
	reachable := git.run("rev-list", "refs/heads/anchor/1")
	for _, c := range all {
		if !strings.Contains(reachable, c.String()) {
			t.Fatalf("%s is not reachable", c)
		}
	}
	// Equal candidates make equal anchors, in another experiment's store too.
	other, _, _ := imported(t, sample(t))
	for i := range 100 {
		commitTree(t, other, tree, i, head)
	}
	if err := other.Anchor(ctx, 1, all[:100]); err != nil {
		t.Fatal(err)
	}
	if got := storeGit(t, other).run("rev-parse", "refs/heads/anchor/1"); got != first {
		t.Errorf("the anchor is %s there, %s here", got, first)
	}
}

// gc is what somebody does to the store from outside.
func gc(git repository) {
	git.run("gc", "-q")
	git.run("gc", "-q", "--prune=now")
}

func TestAnOutsideGarbageCollectionLosesNothing(t *testing.T) {
	t.Parallel()
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	git := storeGit(t, s)
	make20 := func(from int) (made []record.Hash) {
		for i := from; i < from+20; i++ {
			next := must(s.WriteTree(ctx, tree, []record.Change{write("n", fmt.Sprint(i))}))(t)
			made = append(made, commitTree(t, s, next, i, head))
		}
		return made
	}
	first := make20(0)
	if err := s.Anchor(ctx, 1, first); err != nil {
		t.Fatal(err)
	}
	pending := make20(20)
	for i, c := range pending {
		if err := s.MarkAttempt(ctx, 1, record.JobID(20+i), c); err != nil {
			t.Fatal(err)
		}
	}
	gc(git)
	again := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
	defer again.Close()
	if got := must(again.Attempts(ctx, 1))(t); len(got) != 20 || got[20] != pending[0] {
		t.Errorf("%d attempts are known, want 20: %v", len(got), got)
	}
	if err := again.Anchor(ctx, 1, pending); err != nil {
		t.Fatal(err)
	}
	for i := range pending {
		if err := again.ClearAttempt(ctx, 1, record.JobID(20+i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := must(again.Attempts(ctx, 1))(t); len(got) != 0 {
		t.Errorf("after clearing: %v", got)
	}
	gc(git)
	for _, c := range append(first, pending...) {
		if err := again.Whole(ctx, c); err != nil {
			t.Errorf("lost: %v", err)
		}
	}
	t.Run("a clone and a bundle carry every candidate", func(t *testing.T) {
		dir := t.TempDir()
		if _, err := try(dir, nil, "clone", "-q", "--bare", s.Dir(), "clone.git"); err != nil {
			t.Fatal(err)
		}
		if _, err := try(s.Dir(), nil, "bundle", "create", "-q", dir+"/all.bundle", "--branches"); err != nil {
			t.Fatal(err)
		}
		if _, err := try(dir, nil, "clone", "-q", "--bare", "all.bundle", "bundle.git"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"clone.git", "bundle.git"} {
			for _, c := range append(first, pending...) {
				if _, err := try(dir+"/"+name, nil, "cat-file", "-e", c.String()+"^{tree}"); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
}

func TestAnchorsAreMadeAnewForWhatNoneHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, s *gitops.Repo)
	}{
		{"the anchor's ref is gone", func(t *testing.T, s *gitops.Repo) { remove1(t, s.Dir()+"/refs/heads/anchor/1") }},
		{"the newest anchor is gone", func(t *testing.T, s *gitops.Repo) {
			tip := storeGit(t, s).run("rev-parse", "refs/heads/anchor/1")
			remove1(t, s.Dir()+"/objects/"+tip[:2]+"/"+tip[2:])
		}},
		{"an anchor below is gone", func(t *testing.T, s *gitops.Repo) {
			below := storeGit(t, s).run("rev-parse", "refs/heads/anchor/1~1")
			remove1(t, s.Dir()+"/objects/"+below[:2]+"/"+below[2:])
		}},
		{"nothing", func(*testing.T, *gitops.Repo) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, head, tree := imported(t, sample(t))
			ctx := t.Context()
			var all []record.Hash
			for i := range 6 {
				all = append(all, commitTree(t, s, tree, i, head))
				if err := s.Anchor(ctx, 1, all[i:]); err != nil {
					t.Fatal(err)
				}
			}
			c.spoil(t, s)
			lost := record.Hash{1}
			again := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
			defer again.Close()
			added, gone, err := again.Reanchor(ctx, 1, append(all, lost))
			if err != nil || len(gone) != 1 || gone[0] != lost {
				t.Fatalf("added %d, lost %v, %v", added, gone, err)
			}
			if (added > 0) != (c.name != "nothing") {
				t.Errorf("%d were anchored", added)
			}
			reachable := storeGit(t, s).run("rev-list", "--missing=allow-any", "refs/heads/anchor/1")
			for _, c := range all {
				if !strings.Contains(reachable, c.String()) {
					t.Errorf("%s is not reachable", c)
				}
			}
			if added, _, err := again.Reanchor(ctx, 1, all); added != 0 || err != nil {
				t.Errorf("once more %d were anchored, %v", added, err)
			}
		})
	}
}

// What was anchored between the list of commits and the new chain is on no list, and has no
// mark any more.
func TestANewChainOfAnchorsKeepsWhatTheOldOneHolds(t *testing.T) {
	t.Parallel()
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	var made []record.Hash
	for i := range 3 {
		c := commitTree(t, s, tree, i, head)
		made = append(made, c)
		if err := s.Anchor(ctx, 1, []record.Hash{c}); err != nil {
			t.Fatal(err)
		}
	}
	git := storeGit(t, s)
	first := strings.TrimSpace(git.run("rev-parse", "refs/heads/anchor/1^^"))
	if err := os.Remove(s.Dir() + "/objects/" + first[:2] + "/" + first[2:]); err != nil {
		t.Fatal(err)
	}
	again := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
	defer again.Close()
	if added, gone, err := again.Reanchor(ctx, 1, made[:1]); added != 1 || len(gone) != 0 || err != nil {
		t.Fatalf("added %d, lost %v, %v", added, gone, err)
	}
	reachable := git.run("rev-list", "refs/heads/anchor/1")
	for i, c := range made {
		if !strings.Contains(reachable, c.String()) {
			t.Errorf("commit %d is not reachable", i)
		}
	}
}

func TestAnEmptiedObjectCanBeWrittenAgain(t *testing.T) {
	t.Parallel()
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	c := commitTree(t, s, tree, 1, head)
	name := s.Dir() + "/objects/" + c.String()[:2] + "/" + c.String()[2:]
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	again := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
	defer again.Close()
	if again.Has(ctx, c) || again.Whole(ctx, c) == nil {
		t.Error("an empty file passes for a commit")
	}
	if got := commitTree(t, again, tree, 1, head); got != c {
		t.Errorf("made %s, want %s again", got, c)
	}
	if err := again.Whole(ctx, c); err != nil {
		t.Error(err)
	}
}

// remove1 removes a file that is there.
func remove1(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsLostWithoutARef(t *testing.T) {
	t.Parallel()
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	var all []record.Hash
	for i := range 300 {
		next := must(s.WriteTree(ctx, tree, []record.Change{write("n", fmt.Sprint(i))}))(t)
		all = append(all, commitTree(t, s, next, i, head))
		if i%100 == 99 {
			// Two or three new objects for each commit, spread by their names.
			if n := must(s.Loose())(t); n > 2000 {
				t.Errorf("about %d loose objects after 100 commits", n)
			}
			if err := s.Maintain(ctx); err != nil {
				t.Fatal(err)
			}
			if n := must(s.Loose())(t); n != 0 {
				t.Errorf("about %d loose objects after packing", n)
			}
		}
	}
	if loose := storeGit(t, s).run("count-objects"); !strings.HasPrefix(loose, "0 objects") {
		t.Errorf("after packing there are %s loose", loose)
	}
	for _, c := range all {
		info, err := s.Commit(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		must(s.Tree(ctx, info.Tree))(t)
	}
}
