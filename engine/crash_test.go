package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // the checker reads with plain SQL

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/gitops"
	"atoll/store/fault"
	"atoll/store/record"
)

// runToBeKilled runs the experiment of a state directory until so many jobs ended,
// and packs; a line of its output says how many have, whenever a reader can see it.
func runToBeKilled(state, repo string) error {
	ctx := context.Background()
	target, err := gitops.Locate(ctx, repo)
	if err != nil {
		return err
	}
	ses, err := engine.OpenSession(ctx, engine.SessionOptions{Dir: state, Target: target, Cache: filepath.Join(state, "cache")})
	if err != nil {
		return err
	}
	more, err := strconv.Atoi(os.Getenv("ENGINE_TEST_JOBS"))
	if err != nil {
		return err
	}
	eng := engine.New(ses, 1, engine.Options{
		Who: "tester", Unattended: true, Gateway: patient(), Getenv: func(string) string { return plantedKey },
	})
	budget := os.Getenv("ENGINE_TEST_END") == "budget"
	room := 100_000
	if budget {
		room = more
	}
	if err := raiseBudget(ctx, ses, room); err != nil {
		return err
	}
	if os.Getenv("ENGINE_TEST_REFIT") != "" {
		if _, err := ses.DB.AppendDecision(ctx, 1, record.Decision{Who: "tester", Verb: record.Refit}); err != nil {
			return err
		}
	}
	done := make(chan error, 1)
	go func() { done <- eng.Run(ctx) }()
	first, seen := -1, uint64(0)
	for {
		wait, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		s, err := eng.Feed().Wait(wait, seen)
		cancel()
		if err == nil && !s.Loading {
			seen = s.Version
			fmt.Println(s.Jobs.Ended())
			if first < 0 {
				first = s.Jobs.Ended()
			}
			if !budget && s.Jobs.Ended() >= first+more {
				eng.Drain()
			}
		}
		select {
		case err := <-done:
			if err == nil {
				err = ses.Repo.Maintain(ctx)
			}
			if err == nil && os.Getenv("ENGINE_TEST_PROMOTE") != "" {
				_, _, err = engine.Promote(ctx, ses, 1, record.Root, fmt.Sprintf("try-%d", os.Getpid()), "", "tester")
			}
			if err := ses.Close(); err != nil {
				return err
			}
			return err
		default:
		}
	}
}

// raiseBudget allows so many jobs more than were begun.
func raiseBudget(ctx context.Context, ses *engine.Session, more int) error {
	set, err := ses.DB.Settings(ctx, 1)
	if err != nil {
		return err
	}
	have, err := ses.DB.Counters(ctx, 1)
	if err != nil {
		return err
	}
	set.MaxJobs = have.Begun + more
	_, err = ses.DB.PutSettings(ctx, 1, set)
	return err
}

// crashes is an experiment whose program is killed again and again.
type crashes struct {
	checker
	t        *testing.T
	repo     string
	rng      *rand.Rand
	workers  int
	named    bool // its axes are those of labYAML
	budgeted bool // about half of its runs end because their budget is used up
	kills    int
	hit      map[fault.Point]int
}

// killedRun starts the program and kills it: at a point, or after a time.
func (c *crashes) killedRun(point fault.Point, times int, after time.Duration) {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "ENGINE_TEST_STATE="+c.state, "ENGINE_TEST_REPO="+c.repo, "ENGINE_TEST_JOBS="+strconv.Itoa(1+c.rng.IntN(6)))
	if point != "" {
		cmd.Env = append(cmd.Env, fmt.Sprintf("ATOLL_FAULT=%s:%d", point, times))
	}
	if c.budgeted && c.rng.IntN(2) == 0 { // else it is drained
		cmd.Env = append(cmd.Env, "ENGINE_TEST_END=budget")
	}
	switch point {
	case fault.Refit, fault.Refitted:
		cmd.Env = append(cmd.Env, "ENGINE_TEST_REFIT=1")
	case fault.Promote:
		cmd.Env = append(cmd.Env, "ENGINE_TEST_PROMOTE=1")
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	var timer *time.Timer
	shown := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		shown, _ = strconv.Atoi(lines.Text())
		if timer == nil && point == "" {
			timer = time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	err = cmd.Wait()
	if timer != nil {
		timer.Stop()
	}
	killed := err != nil && cmd.ProcessState.ExitCode() == -1
	if err != nil && !killed {
		c.t.Fatalf("the program failed by itself: %v\n%s", err, errs.String())
	}
	if killed {
		c.kills++
		c.hit[point]++
	}
	c.check(shown, killed && (c.kills%10 == 0 || point == fault.Packed || point == fault.Anchor || point == fault.Anchored))
}

// check fails with what the checker finds.
func (c *crashes) check(shown int, thorough bool) {
	c.t.Helper()
	wrong, err := c.find(c.t.Context(), shown, thorough)
	if err == nil && thorough && c.named {
		var more []string
		more, err = c.niches(c.t.Context())
		wrong = append(wrong, more...)
	}
	if err != nil || len(wrong) > 0 {
		c.t.Fatalf("after %d kills: %v\n%s", c.kills, err, strings.Join(wrong, "\n"))
	}
}

// newCrashes is an experiment that would go on for long.
func newCrashes(t *testing.T, yaml string, workers int, seed uint64) *crashes {
	t.Helper()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
	state := inMemory(t)
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	l.open(state)
	cfg := l.loaded(yaml, "budget.jobs=100000", "workers="+strconv.Itoa(workers))
	l.begin(cfg)
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	return &crashes{
		checker: checker{state: state}, t: t, repo: l.repo, workers: workers, named: yaml == labYAML, rng: rand.New(rand.NewPCG(seed, 5)), hit: map[fault.Point]int{},
	}
}

// each are points that a run comes to with every job; others it comes to once.
var each = []fault.Point{fault.Commit, fault.Row, fault.Group, fault.Acknowledge, fault.Measure, fault.Measured}

func TestKillsAtEveryPointAndAtAnyMomentLoseNothing(t *testing.T) {
	kills := suitetest.Pick(28, 110, 500) // for each number of workers
	if suitetest.IsSlow() {
		if n, err := strconv.Atoi(os.Getenv("ATOLL_KILLS")); err == nil {
			kills = n / 2
		}
	}
	once := []fault.Point{fault.Anchor, fault.Anchored, fault.Packed, fault.Seal, fault.Unseal, fault.Promote}
	kinds := map[int]struct {
		yaml   string
		points []fault.Point
	}{
		2: {strings.Replace(kindsYAML, "min_fit: 12", "min_fit: 12, refit_every: 10", 1), slices.Concat(each, once, []fault.Point{fault.Refit, fault.Refitted})},
		8: {labYAML, slices.Concat(each, once)},
	}
	for _, workers := range suitetest.Pick([]int{8}, []int{2, 8}, []int{2, 8}) {
		t.Run(fmt.Sprintf("%d workers", workers), func(t *testing.T) {
			t.Parallel()
			k := kinds[workers]
			c := newCrashes(t, k.yaml, workers, uint64(workers))
			c.budgeted = true
			for try := 0; c.kills < kills; try++ {
				if try > 3*kills {
					t.Fatalf("only %d of %d tries were kills: %v", c.kills, try, c.hit)
				}
				if try%2 > 0 {
					c.killedRun("", 0, time.Duration(c.rng.IntN(60_000))*time.Microsecond)
					continue
				}
				point, times := k.points[try/2%len(k.points)], 1
				if point == fault.Unseal { // of what ended in good order
					c.killedRun("none", 1, 0)
				}
				if try/2/len(k.points) > 0 && slices.Contains(each, point) {
					times += c.rng.IntN(4)
				}
				c.killedRun(point, times, 0)
			}
			for _, p := range k.points {
				if c.hit[p] == 0 {
					t.Errorf("no kill at %s: %v", p, c.hit)
				}
			}
			c.settle()
		})
	}
}

// settle runs to a good end and checks everything, atoll's own checks included.
func (c *crashes) settle() {
	c.t.Helper()
	kills := c.kills
	c.killedRun("none", 1, 0)
	if c.kills != kills {
		c.t.Fatal("the last run was killed")
	}
	c.check(0, true)
	if bad := check(c.t.Context(), c.state); len(bad) > 0 {
		c.t.Errorf("the deep check finds %+v", bad)
	}
	db, err := sql.Open("sqlite3", filepath.Join(c.state, "atoll.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	var evals, samples, failed int
	if err := db.QueryRow(`SELECT (SELECT evals FROM total), (SELECT count(*) FROM sample), (SELECT count(*) FROM job WHERE state = 'failed')`).Scan(&evals, &samples, &failed); err != nil {
		c.t.Fatal(err)
	}
	c.t.Logf("%d kills (%v), %d candidates, %d evaluations for %d samples", c.kills, c.hit, len(c.before.candidates), evals, samples)
	if most := samples + failed + c.kills*c.workers; evals > most {
		c.t.Errorf("%d evaluations for %d samples and %d failures after %d kills: something was measured twice", evals, samples, failed, c.kills)
	}
}

func TestWhatAModelWasPaidForIsNeverAskedForAgain(t *testing.T) {
	m := newFakeModel(t)
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
	state := inMemory(t)
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	l.open(state)
	cfg := l.loaded(labYAML, "budget.jobs=100000")
	cfg.Agents = []config.Agent{m.agent("model")}
	cfg.Prices = []config.Price{{Model: "fake-1", Input: 0.5, Output: 2}}
	cfg.Budget.CostUSD = 100
	l.begin(cfg)
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	c := &crashes{checker: checker{state: state}, t: t, repo: l.repo, workers: 1, named: true, rng: rand.New(rand.NewPCG(9, 9)), hit: map[fault.Point]int{}}
	for range 2 {
		for _, p := range []fault.Point{fault.Row, fault.Measure, fault.Measured} {
			c.killedRun(p, 1+c.rng.IntN(2), 0)
		}
	}
	c.settle()
	db, err := sql.Open("sqlite3", filepath.Join(state, "atoll.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var jobs int
	if err := db.QueryRow("SELECT count(*) FROM job WHERE kind = 'make' AND attempt > 0").Scan(&jobs); err != nil {
		t.Fatal(err)
	}
	if asked := len(m.asked()); asked != jobs {
		t.Errorf("%d requests were paid for %d jobs after %d kills", asked, jobs, c.kills)
	}
}
