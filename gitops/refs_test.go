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
	s, head, tree := imported(t, sample(t))
	ctx := t.Context()
	var all []record.Hash
	for i := range 1250 {
		all = append(all, commitTree(t, s, tree, i, head))
	}
	git := storeGit(t, s)
	tip := func() string { return git.run("rev-parse", "refs/atoll/1/anchor") }
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
	if got := git.run("rev-list", "--count", last+"..refs/atoll/1/anchor"); got != "1" {
		t.Errorf("%s new commits, want one anchor for the root", got)
	}
	reachable := git.run("rev-list", "refs/atoll/1/anchor")
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
	if got := storeGit(t, other).run("rev-parse", "refs/atoll/1/anchor"); got != first {
		t.Errorf("the anchor is %s there, %s here", got, first)
	}
}

func TestNothingIsLostWithoutARef(t *testing.T) {
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
