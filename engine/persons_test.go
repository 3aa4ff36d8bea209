package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/agent"
	"atoll/engine/view"
	"atoll/store/record"
)

// beside is a lab in which a person edits beside the offline agent.
func beside(t *testing.T, person config.Agent, extra ...string) *lab {
	t.Helper()
	person.Name, person.Attempts = "ada", 1
	return agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{person, {Name: "offline", Kind: "offline", Weight: 1, Attempts: 1}}
		c.Search.Operators = map[string]float64{"mutate": 0.5, "crossover": 0.5}
	}, extra...)
}

// waitsFor are the jobs that wait for a person in a snapshot, and how many others run.
func waitsFor(s *view.Snapshot) (jobs []record.JobID, others int) {
	for i := range s.Running {
		if s.Running[i].Stage == agent.StageWaiting {
			jobs = append(jobs, s.Running[i].Job.ID)
		} else if s.Running[i].Job.Agent != "ada" {
			others++
		}
	}
	return jobs, others
}

// giveBack gives every job that waits for a person back, until the context ends.
func giveBack(ctx context.Context, state string) {
	for ctx.Err() == nil {
		tasks, _ := filepath.Glob(filepath.Join(state, "work", "job-*", "ATOLL-TASK.md"))
		for _, task := range tasks {
			_ = os.WriteFile(filepath.Join(filepath.Dir(task), agent.HumanSkip), nil, 0o600)
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestJobsThatWaitForAPersonHoldNoWorker(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run that waits; TestReviewHoldsCandidatesUntilAPersonDecides stands for it")
	for _, c := range []struct {
		name    string
		person  config.Agent
		workers string
		waiting int // at a time
	}{
		{"one at a time, with one worker", config.Agent{Kind: "human", Weight: 3}, "1", 1},
		{"one at a time, with two workers", config.Agent{Kind: "human", Weight: 3}, "2", 1},
		{"as many as parallel says", config.Agent{Kind: "human", Weight: 3, Parallel: 3}, "2", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := beside(t, c.person, "workers="+c.workers, "budget.jobs=30")
			eng, stop := l.startWith(engine.Options{})
			s := l.await(eng, "nothing is left but jobs that wait for a person", func(s *view.Snapshot) bool {
				jobs, others := waitsFor(s)
				if len(jobs) > c.waiting {
					t.Errorf("%d jobs wait for a person at a time", len(jobs))
				}
				return len(jobs) == c.waiting && others == 0 && s.Jobs.Ended() == 30-c.waiting && s.Jobs.Running == c.waiting
			})
			jobs, _ := waitsFor(s)
			if err := os.WriteFile(filepath.Join(agent.HumanTree(l.ses.Dir, jobs[0]), agent.HumanSkip), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			l.await(eng, "what the person gave back has ended", func(s *view.Snapshot) bool { return s.Jobs.Running < c.waiting })
			stop()
			for _, j := range l.jobs() {
				if j.ID == jobs[0] && (j.State != record.Failed || j.Class != record.ClassNoChange) {
					t.Errorf("%s is %s: %s", j.ID, j.State, j.Reason)
				}
			}
		})
	}
}

// Where nobody else edits each worker has one of the person's jobs, as before.
func TestOfPersonsAloneAsManyJobsWaitAsThereAreWorkers(t *testing.T) {
	t.Parallel()
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "ada", Kind: "human", Weight: 1, Attempts: 1}}
	}, "workers=2", "budget.jobs=4")
	eng, stop := l.startWith(engine.Options{})
	l.await(eng, "both workers wait", func(s *view.Snapshot) bool {
		jobs, _ := waitsFor(s)
		if len(jobs) > 2 {
			t.Errorf("%d jobs wait", len(jobs))
		}
		return len(jobs) == 2
	})
	stop()
}

func TestInStrictOrderAPersonIsDrawnAlikeWithAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "the same run several times; TestARunThatHasEnoughMakesTheSameJobsWithAnyNumberOfWorkers stands for it")
	var want []string
	for _, workers := range []string{"1", "4"} {
		l := beside(t, config.Agent{Kind: "human", Weight: 2}, "workers="+workers, "order=strict", "lookahead=6", "budget.jobs=24")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { giveBack(ctx, l.ses.Dir); close(done) }()
		_, err := l.runWith(engine.Options{})
		cancel()
		<-done
		if err != nil {
			t.Fatal(err)
		}
		got := l.ends()
		if want == nil {
			want = got
		} else if diff := same(want, got); diff != "" {
			t.Errorf("with %s workers otherwise than with one:\n%s", workers, diff)
		}
		if all := strings.Join(got, "\n"); !strings.Contains(all, `"agent":"ada"`) || !strings.Contains(all, `"agent":"offline"`) {
			t.Errorf("not both edited:\n%s", all)
		}
	}
}
