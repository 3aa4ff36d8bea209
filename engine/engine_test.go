package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestAnExperimentRunsToItsBudgetAndEveryJobIsAccountedFor(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := l.run()
	if s.State != record.ExperimentDone || s.Jobs.Ended() != 24 || s.Jobs.Queued+s.Jobs.Running+s.Jobs.Held != 0 {
		t.Fatalf("state %s, jobs %+v", s.State, s.Jobs)
	}
	if s.Root.ID != record.Root || s.Root.Samples != 2 || s.Noisy {
		t.Errorf("root %+v, noisy %v", s.Root, s.Noisy)
	}
	if s.Best.Objective <= s.Root.Objective || s.Best.Percent <= 0 {
		t.Errorf("best %+v is no better than the root %+v", s.Best, s.Root)
	}
	if s.Grid.Filled < 2 {
		t.Errorf("%d niches filled", s.Grid.Filled)
	}
	if err := l.state().CheckArchive(); err != nil {
		t.Errorf("the archive is not the fold: %v", err)
	}
	for _, c := range l.candidates() {
		hash := strings.Fields(c)[1]
		git(t, filepath.Join(l.ses.Dir, "store.git"), "cat-file", "-e", hash+"^{commit}")
	}
	if refs := git(t, filepath.Join(l.ses.Dir, "store.git"), "for-each-ref", "refs/atoll"); strings.Contains(refs, "attempt") {
		t.Errorf("attempt refs are left behind:\n%s", refs)
	}
	git(t, filepath.Join(l.ses.Dir, "store.git"), "fsck", "--strict", "--connectivity-only")
}

func TestARunThatIsStoppedAtOnceGoesOnAsIfNothingHappened(t *testing.T) {
	t.Parallel()
	whole := newLab(t, "seed=3")
	whole.run()
	broken := newLab(t, "seed=3")
	for i := range 6 {
		eng := engine.New(broken.ses, broken.exp.ID, engine.Options{Who: "tester"})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- eng.Run(ctx) }()
		broken.await(eng, "some more jobs ended", func(s *view.Snapshot) bool {
			return s.Jobs.Ended() >= 3*(i+1) || s.State == record.ExperimentDone
		})
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped run: %v", err)
		}
	}
	s := broken.run()
	if s.Jobs.Ended() != 24 {
		t.Errorf("jobs %+v", s.Jobs)
	}
	if diff := same(whole.candidates(), broken.candidates()); diff != "" {
		t.Errorf("differs from the run that was not stopped:\n%s", diff)
	}
}

func TestTheUsersRepositoryStaysAsItIs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	before := footprint(t, l.repo)
	l.run()
	if after := footprint(t, l.repo); before != after {
		t.Errorf("the repository changed:\n%s\nagainst\n%s", before, after)
	}
	name, _, err := engine.Promote(t.Context(), l.ses, l.exp.ID, l.state().Snapshot().Best.ID, "better", "", "tester")
	if err != nil || name == "" {
		t.Fatalf("promote: %q, %v", name, err)
	}
	refs := git(t, l.repo, "for-each-ref", "--format=%(refname)")
	if refs != "refs/heads/better\nrefs/heads/main" {
		t.Errorf("refs after promote:\n%s", refs)
	}
	if _, _, err := engine.Promote(t.Context(), l.ses, l.exp.ID, 0, "better", "", "tester"); err == nil {
		t.Error("a branch that exists was overwritten")
	}
}

// footprint tells everything of a repository that a run must not touch.
func footprint(t *testing.T, repo string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(git(t, repo, "rev-parse", "HEAD") + git(t, repo, "for-each-ref") + git(t, repo, "status", "--porcelain", "--ignored"))
	for _, name := range []string{".git/HEAD", ".git/index", ".git/config"} {
		data, err := os.ReadFile(filepath.Join(repo, name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %x\n", name, data)
	}
	return b.String()
}

func TestBudgetsAreNeverOverrun(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{5, 9} {
		l := newLab(t, "budget.jobs=0", fmt.Sprintf("budget.evaluations=%d", limit), "workers=3")
		s := l.run()
		if s.Evals > limit {
			t.Errorf("%d evaluations against a budget of %d", s.Evals, limit)
		}
		if s.State != record.ExperimentDone || !strings.Contains(s.Reason, "budget") {
			t.Errorf("ended %s: %s", s.State, s.Reason)
		}
	}
}

func TestARootThatFailsOnceIsMeasuredOnceMore(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	l := scriptLab(t, "#!/bin/sh\n[ -e "+seen+" ] || { touch "+seen+"; echo it was slow >&2; exit 1; }\n"+measure, "sandbox.mode=unsafe", "budget.jobs=4")
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Unattended: true})
	if err := eng.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := eng.Feed().Latest()
	said := slices.ContainsFunc(s.Log, func(line view.LogLine) bool { return strings.Contains(line.Text, "it is measured once more") })
	if s.State != record.ExperimentDone || s.Root.Samples != 2 || !said {
		t.Errorf("state %s, root %+v, told: %v", s.State, s.Root, said)
	}
}

func TestARootThatCannotBeMeasuredEndsTheRunBeforeAnythingIsSpent(t *testing.T) {
	suitetest.Full(t, "waits for timeouts; TestWithoutLeaveAChangedEvaluatorStopsTheRun stands for it")
	t.Parallel()
	for name, command := range map[string]string{
		"exit code":        "sh -c 'echo broken >&2; exit 3'",
		"no result":        "true",
		"not finite":       "echo score=nan",
		"no axis":          "echo score=1",
		"missing program":  "./nothing.sh",
		"a bad last word":  "echo score=many",
		"no metric at all": "echo other=1",
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, "evaluator.command="+command)
			eng := engine.New(l.ses, l.exp.ID, engine.Options{Unattended: true})
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			err := eng.Run(ctx)
			if !errors.Is(err, engine.ErrBroken) || !strings.Contains(err.Error(), "root") {
				t.Errorf("err %v", err)
			}
			if s := eng.Feed().Latest(); s.Jobs.Ended() != 0 || s.State != record.ExperimentBroken {
				t.Errorf("state %s, jobs %+v", s.State, s.Jobs)
			}
		})
	}
}

func TestAConsoleThatOpensABrokenExperimentSaysThatAndResumingItMeasuresTheRootAgain(t *testing.T) {
	t.Parallel()
	l := newLab(t, "evaluator.command=sh -c 'echo the data is gone >&2; exit 3'", "budget.jobs=1")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := engine.New(l.ses, l.exp.ID, engine.Options{Unattended: true}).Run(ctx); !errors.Is(err, engine.ErrBroken) {
		t.Fatalf("run: %v", err)
	}
	eng, stop := l.startWith(engine.Options{KeepState: true})
	defer stop()
	l.await(eng, "it is broken still", func(s *view.Snapshot) bool {
		return s.Owner && !s.Loading && s.State == record.ExperimentBroken && strings.Contains(s.Reason, "the data is gone")
	})
	if _, err := eng.Decide(ctx, record.NewDecision(record.Resume)); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "the root was measured again, and it is broken again", func(s *view.Snapshot) bool {
		return len(s.Recent) == 2 && s.State == record.ExperimentBroken
	})
}

func TestARootThatFailsWithSubmodulesSaysThatTheyAreEmpty(t *testing.T) {
	t.Parallel()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": "cat libs/tree/tree.h"})
	module := filepath.Join(l.repo, "libs", "tree")
	write(t, filepath.Join(module, "tree.h"), "int height;\n")
	git(t, module, "init", "-q")
	git(t, module, "add", "-A")
	git(t, module, "commit", "-q", "-m", "start")
	git(t, l.repo, "add", "-A")
	git(t, l.repo, "commit", "-q", "-m", "add a library")
	l.create()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	err := engine.New(l.ses, l.exp.ID, engine.Options{Unattended: true}).Run(ctx)
	for _, want := range []string{"tree.h: No such file", "; the submodule libs/tree is empty where candidates are measured"} {
		if !errors.Is(err, engine.ErrBroken) || !strings.Contains(err.Error(), want) {
			t.Errorf("err %v, want %q", err, want)
		}
	}
}

func TestOneEngineAtATimeRunsAStateDirectory(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=0")
	eng, stop := l.start()
	defer stop()
	l.await(eng, "the engine has the lock", func(s *view.Snapshot) bool { return s.Owner })
	other, err := engine.OpenSession(t.Context(), engine.SessionOptions{Dir: l.ses.Dir, Target: l.ses.Target, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Lock(); !errors.Is(err, engine.ErrLocked) {
		t.Errorf("second lock: %v", err)
	}
}

func TestABranchIsToldWithWhatItsGainWasVerifiedOn(t *testing.T) {
	suitetest.Full(t, "runs an experiment; TestAnExperimentRunsToItsBudgetAndEveryJobIsAccountedFor stands for it")
	t.Parallel()
	l := newLab(t)
	l.run()
	eng, stop := l.start()
	defer stop()
	best := l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner }).Best.ID
	var names []string
	for range 2 {
		name, err := eng.FreeBranch(t.Context(), best)
		if err == nil {
			name, err = eng.Promote(t.Context(), best, name)
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if want := "atoll/" + l.exp.Name + "-" + best.String(); names[0] != want || names[1] != want+"-2" {
		t.Errorf("the branches are %v, not %s and the same with -2", names, want)
	}
	c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, best)
	if err != nil {
		t.Fatal(err)
	}
	how := record.Promotion{Base: "main", Onto: "27016f5"}
	if err := engine.PromoteCommit(t.Context(), l.ses, l.exp.ID, c.Commit, record.NewPromotion(best, "sure", how)); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "the promotions are folded", func(s *view.Snapshot) bool { return len(s.Decisions) == 3 })
	d, err := eng.Reader().Candidate(t.Context(), best)
	if err != nil {
		t.Fatal(err)
	}
	want := []view.Branch{{Name: names[0], Of: best}, {Name: names[1], Of: best}, {Name: "sure", Of: best, Promotion: how}}
	if !slices.Equal(d.Branches, want) {
		t.Errorf("the branches are told as %+v, not %+v", d.Branches, want)
	}
}
