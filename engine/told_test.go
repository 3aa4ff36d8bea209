package engine_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/store/fault"
	"atoll/store/record"
)

// heeding has a model answer by every word that it is told, and by nothing else, after a
// while that nobody knows. Some answers fail when they are measured, and some change nothing.
func heeding(m *fakeModel) {
	m.reply = func(prompt string) string {
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, prompt)
		x := h.Sum64()
		v := func(shift uint) float64 { return float64(x>>shift&0xfff) / 1024 }
		program := fmt.Sprintf("a = %.3f\nb = %.3f\nc = %.3f\nd = %.3f\n", v(0), v(12), v(24), v(36))
		if x%4 == 1 {
			program += fmt.Sprintf("spoiled = %d\n", x%5)
		}
		return fmt.Sprintf("INTENT: try %x\nprogram.txt\n```\n%s```\n", x, program)
	}
}

// choosy refuses some programs in words that tell them apart.
const choosy = "#!/bin/sh\nif grep spoiled program.txt >&2; then exit 3; fi\n" + `awk '{s+=$3; v[NR]=$3} END {d=s-10; if (d<0) d=-d; printf "score=%.9f\nfirst=%.9f\nsecond=%.9f\n", -d, v[1], v[2]}' program.txt
`

// heeded is a lab in strict order whose agent heeds what it is told.
func heeded(t *testing.T, m *fakeModel, workers int, extra ...string) *lab {
	t.Helper()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": choosy})
	l.createWith(func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Search.Operators = map[string]float64{"mutate": 0.5, "crossover": 0.2, "repair": 0.3}
	}, append(extra, "order=strict", "search.epoch=6", fmt.Sprintf("workers=%d", workers))...)
	return l
}

// told are the prompts of the make jobs, by number.
func (l *lab) told() []string {
	l.t.Helper()
	var out []string
	for _, j := range l.jobs() {
		all, err := l.ses.DB.EvidenceOf(l.t.Context(), l.exp.ID, j.ID)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, e := range all {
			if j.Kind == record.Make && e.Kind == "prompt" {
				out = append(out, fmt.Sprintf("%s of %d\n%s", j.ID, len(l.jobs()), e.Text))
			}
		}
	}
	return out
}

func TestAnAgentThatHeedsEveryWordMakesTheSameWithAnyNumberOfWorkers(t *testing.T) {
	suitetest.Full(t, "runs an experiment for each number of workers; TestARunThatHasEnoughMakesTheSameJobsWithAnyNumberOfWorkers stands for it")
	t.Parallel()
	m := newFakeModel(t)
	heeding(m)
	var made, told, ends []string
	for _, workers := range suitetest.Pick([]int{1, 8}, []int{1, 3, 8}, []int{1, 2, 4, 8, 16}) {
		l := heeded(t, m, workers, fmt.Sprintf("budget.jobs=%d", suitetest.Pick(32, 60, 120)))
		if _, err := l.runWith(engine.Options{}); err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			made, told, ends = l.candidates(), l.told(), l.ends()
			whole := strings.Join(told, "\n")
			for _, want := range []string{"Jobs that run now try the following", "spoiled", "Best so far: ", "last version that worked", "- Jobs 0 to 5: best score"} {
				if !strings.Contains(whole, want) {
					t.Errorf("no prompt says %q, so that it is not looked at", want)
				}
			}
			continue
		}
		if diff := same(told, l.told()); diff != "" {
			t.Errorf("with %d workers a job is told\n%s", workers, diff)
		}
		if diff := same(made, l.candidates()); diff != "" {
			t.Errorf("%d workers make other candidates than one:\n%s", workers, diff)
		}
		if diff := same(ends, l.ends()); diff != "" {
			t.Errorf("with %d workers a job ends otherwise than with one:\n%s", workers, diff)
		}
	}
}

func TestAnAgentThatHeedsEveryWordMakesTheSameAfterKills(t *testing.T) {
	suitetest.Full(t, "a dozen kills; TestAnAgentThatHeedsEveryWordMakesTheSameWithAnyNumberOfWorkers stands for it every day")
	t.Parallel()
	const compared = 40
	m := newFakeModel(t)
	heeding(m)
	whole := heeded(t, m, 1, fmt.Sprintf("budget.jobs=%d", compared))
	if _, err := whole.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	want := whole.commits(compared)
	l := heeded(t, m, 8, "budget.jobs=100000")
	state := l.ses.Dir
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	c := &crashes{checker: checker{state: state}, t: t, repo: l.repo, workers: 8, rng: rand.New(rand.NewPCG(3, 3)), hit: map[fault.Point]int{}}
	for tries := 0; ; tries++ {
		// Longer and longer: on a busy machine little more than the start fits in 200 ms.
		c.killedRun("", 0, time.Duration(c.rng.IntN(200+5*tries))*time.Millisecond)
		l.open(state)
		folded := l.state().FoldCount()
		got := l.commits(compared)
		if err := l.ses.Close(); err != nil {
			t.Fatal(err)
		}
		if folded > compared {
			if diff := same(want, got); diff != "" {
				t.Errorf("after %d kills other candidates were made:\n%s", c.kills, diff)
			}
			break
		}
		if tries > 200 {
			t.Fatalf("%d jobs after %d tries", folded, tries)
		}
	}
	if c.kills < 3 {
		t.Errorf("%d kills show nothing", c.kills)
	}
}

// commits are the candidates up to a number.
func (l *lab) commits(most int) []string {
	l.t.Helper()
	var out []string
	err := l.ses.DB.EachCandidate(l.t.Context(), l.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		if c.ID <= record.CandidateID(most) {
			out = append(out, fmt.Sprintf("%s %s", c.ID, c.Commit))
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}
