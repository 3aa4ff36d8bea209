package engine_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/engine"
	"atoll/engine/doctor"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
)

// drop removes an object that is not packed.
func (l *lab) drop(object string) {
	l.t.Helper()
	if err := os.Remove(filepath.Join(l.ses.Dir, "store.git/objects", object[:2], object[2:])); err != nil {
		l.t.Fatal(err)
	}
}

func TestAMissingObjectFailsAJobAndNotTheSearch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rev  string // of the best candidate's commit: what goes missing
		back bool   // it can be made again
	}{
		{"a commit is written again", "", true},
		{"a file is not, and its candidate is rejected", ":program.txt", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, "budget.jobs=8")
			first := l.run()
			best := first.Best.ID
			commit := strings.Fields(l.candidates()[best])[1]
			gone := git(t, filepath.Join(l.ses.Dir, "store.git"), "rev-parse", commit+c.rev)
			l.drop(gone)
			l.reopen()
			l.raise(24)
			s := l.run()
			if s.State != record.ExperimentDone || s.Jobs.Ended() != 24 {
				t.Fatalf("state %s %s, jobs %+v", s.State, s.Reason, s.Jobs)
			}
			if lost := l.jobs(record.Failed); c.back && slices.ContainsFunc(lost, func(j record.Job) bool { return j.Class == record.ClassInternal }) {
				t.Errorf("a job is lost for a commit that was written again: %+v", lost)
			}
			rejected := strings.Contains(l.candidates()[best], string(record.StatusRejected))
			if rejected == c.back {
				t.Errorf("the candidate is %s", l.candidates()[best])
			}
			if h, _ := record.ParseHash(gone); l.ses.Repo.Has(t.Context(), h) != c.back {
				t.Errorf("the object is there again: %v, want %v", !c.back, c.back)
			}
			if err := l.state().CheckArchive(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestADeepCheckFindsObjectsThatAreGone(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=4")
	l.run()
	c := strings.Fields(l.candidates()[1])[1]
	report := func() (said string, ok bool) {
		for _, line := range engine.Doctor(t.Context(), doctor.Options{Target: l.ses.Target, State: l.ses.Dir, Deep: true, ConfigErr: errors.New("not asked")}) {
			if line.Group == "store" && line.Name == "git" {
				return line.Detail, line.OK
			}
		}
		return "", false
	}
	if said, ok := report(); !ok {
		t.Fatalf("of a whole store it says %q", said)
	}
	tree := git(t, filepath.Join(l.ses.Dir, "store.git"), "rev-parse", c+":program.txt")
	l.drop(tree)
	if said, ok := report(); ok || !strings.Contains(said, tree) {
		t.Errorf("it says %q, want it to name %s", said, tree)
	}
}

func TestWhatNoAnchorHoldsIsAnchoredAtTheStart(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=6")
	l.run()
	store := filepath.Join(l.ses.Dir, "store.git")
	git(t, store, "update-ref", "-d", "refs/heads/anchor/1")
	l.reopen()
	l.raise(12)
	l.run()
	git(t, store, "gc", "-q", "--prune=now")
	l.reopen()
	for _, c := range l.candidates() {
		h, err := record.ParseHash(strings.Fields(c)[1])
		if err == nil {
			err = l.ses.Repo.Whole(context.Background(), h)
		}
		if err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
}

func TestCheckoutsLieWhereNobodyElseCanLookAndGoWithTheRun(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	cache := gitops.CacheDir(state)
	l := newLab(t)
	target := l.ses.Target
	ses, err := engine.OpenSession(t.Context(), engine.SessionOptions{Dir: state, Target: target, Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := ses.Lock(); err != nil {
		t.Fatal(err)
	}
	root, err := ses.Repo.Import(t.Context(), target, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	info, err := ses.Repo.Commit(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	dir, release, err := ses.Repo.Checkout(t.Context(), info.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(dir, cache+"/") {
		t.Errorf("a checkout lies in %s, want it below %s", dir, cache)
	}
	if fi, err := os.Stat(filepath.Dir(cache)); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v %v", filepath.Dir(cache), fi.Mode(), err)
	}
	release()
	if err := ses.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(cache); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the run there is still %s: %v", cache, err)
	}
}

func TestACommitThatIsGoneBeforeItsAnchorDoesNotStopTheRun(t *testing.T) {
	l := newLab(t, "budget.jobs=6")
	l.run()
	store := filepath.Join(l.ses.Dir, "store.git")
	commit := strings.Fields(l.candidates()[2])[1]
	git(t, store, "update-ref", "-d", "refs/heads/anchor/1")
	l.drop(commit)
	write(t, filepath.Join(store, "refs/atoll/1/attempt/2"), commit+"\n")
	l.reopen()
	l.raise(12)
	if s := l.run(); s.State != record.ExperimentDone || s.Jobs.Ended() != 12 {
		t.Errorf("state %s %s, jobs %+v", s.State, s.Reason, s.Jobs)
	}
	if refs := git(t, store, "for-each-ref", "refs/atoll/1/attempt"); refs != "" {
		t.Errorf("attempts are left: %s", refs)
	}
}

func TestGitCollectsNothingFromTheStoreOfARun(t *testing.T) {
	l := newLab(t, "budget.jobs=100000", "budget.evaluations=0")
	store := filepath.Join(l.ses.Dir, "store.git")
	eng, stop := l.start()
	l.await(eng, "a candidate", func(s *view.Snapshot) bool { return s.Jobs.Ended() > 0 })
	out, err := exec.Command("git", "-C", store, "gc", "--prune=now").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "already running") {
		t.Errorf("during the run git says %s, %v", out, err)
	}
	stop()
	git(t, store, "gc", "-q", "--prune=now")
}
