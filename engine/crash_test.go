package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
			if s.Jobs.Ended() >= first+more {
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

// crashes is an experiment whose program is killed again and again.
type crashes struct {
	t           *testing.T
	state, repo string
	rng         *rand.Rand
	workers     int
	kills       int
	hit         map[fault.Point]int
	before      ledger
}

// ledger is what a checker reads of the database that must never change again.
type ledger struct {
	candidates map[int]string // commit, tree and, once measured, objective
	samples    map[string]string
	ends       map[int]string
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
	if point == fault.Promote {
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
	c.check(shown, killed && (c.kills%10 == 0 || point == fault.Packed || point == fault.Anchor))
}

// check is the independent checker: it reads the database with SQL and the object
// store with plain git, and holds what it finds against the last time.
func (c *crashes) check(shown int, thorough bool) {
	c.t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(c.state, "atoll.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	one := func(query string) (text string) {
		if err := db.QueryRow(query).Scan(&text); err != nil {
			c.t.Fatalf("%s: %v", query, err)
		}
		return text
	}
	if found := one("PRAGMA integrity_check"); found != "ok" {
		c.t.Fatalf("after %d kills: %s", c.kills, found)
	}
	for what, query := range map[string]string{
		"jobs that ended twice":              "SELECT count(*) FROM (SELECT job FROM log WHERE kind = 'end' GROUP BY job HAVING count(*) > 1)",
		"commits that were written twice":    "SELECT count(*) FROM (SELECT job FROM log WHERE kind = 'made' GROUP BY job HAVING count(*) > 1)",
		"trees that were measured twice":     "SELECT count(*) FROM (SELECT tree_id FROM candidate GROUP BY tree_id HAVING count(*) > 1)",
		"candidates without their job":       "SELECT count(*) FROM candidate c LEFT JOIN job j ON j.id = c.job WHERE j.id IS NULL OR (j.kind = 'make' AND j.candidate <> c.id)",
		"scored candidates without a sample": "SELECT count(*) FROM candidate c WHERE status = 'scored' AND NOT EXISTS (SELECT 1 FROM sample s WHERE s.candidate = c.id)",
		"more samples than were asked for":   "SELECT count(*) FROM (SELECT s.job FROM sample s JOIN job j ON j.id = s.job GROUP BY s.job HAVING count(*) > max(1, max(j.samples)) AND j.kind = 'make')",
		"more samples than evaluations":      "SELECT (SELECT count(*) FROM sample) > (SELECT evals FROM total)",
		"numbers of the log out of order":    "SELECT count(*) FROM log WHERE seq > (SELECT last FROM sequence)",
	} {
		if n := one(query); n != "0" {
			c.t.Fatalf("after %d kills: %s %s", c.kills, n, what)
		}
	}
	if ended, _ := strconv.Atoi(one("SELECT count(*) FROM job WHERE kind = 'make' AND state IN ('placed','scored','rejected','failed','duplicate','cancelled')")); ended < shown {
		c.t.Fatalf("after %d kills: %d jobs had ended before a reader's eyes, %d have", c.kills, shown, ended)
	}
	now := ledger{candidates: map[int]string{}, samples: map[string]string{}, ends: map[int]string{}}
	rows := func(query string, each func(scan func(...any))) {
		r, err := db.Query(query)
		if err != nil {
			c.t.Fatal(err)
		}
		defer r.Close()
		for r.Next() {
			each(func(to ...any) {
				if err := r.Scan(to...); err != nil {
					c.t.Fatal(err)
				}
			})
		}
		if err := r.Err(); err != nil {
			c.t.Fatal(err)
		}
	}
	var commits []string
	rows("SELECT id, commit_id, tree_id FROM candidate", func(scan func(...any)) {
		var id int
		var commit, tree []byte
		scan(&id, &commit, &tree)
		now.candidates[id] = hex.EncodeToString(commit) + " " + hex.EncodeToString(tree)
		commits = append(commits, hex.EncodeToString(commit))
	})
	rows("SELECT candidate || ' ' || version || ' ' || job || ' ' || repeat, objective || ' ' || held_out FROM sample", func(scan func(...any)) {
		var key, value string
		scan(&key, &value)
		now.samples[key] = value
	})
	rows("SELECT job, cast(data AS TEXT) FROM log WHERE kind = 'end'", func(scan func(...any)) {
		var job int
		var data string
		scan(&job, &data)
		now.ends[job] = data
	})
	unchanged(c, "candidate", c.before.candidates, now.candidates)
	unchanged(c, "sample", c.before.samples, now.samples)
	unchanged(c, "end of job", c.before.ends, now.ends)
	c.before = now
	c.git(commits, thorough)
}

func unchanged[K comparable](c *crashes, what string, before, now map[K]string) {
	c.t.Helper()
	for key, value := range before {
		if now[key] != value {
			c.t.Fatalf("after %d kills: %s %v was %q and is %q", c.kills, what, key, value, now[key])
		}
	}
}

// git looks with plain git whether every commit is there and something leads to it.
func (c *crashes) git(commits []string, thorough bool) {
	c.t.Helper()
	dir := filepath.Join(c.state, "store.git")
	check := exec.Command("git", "--git-dir", dir, "cat-file", "--batch-check=%(objecttype)")
	check.Stdin = strings.NewReader(strings.Join(commits, "\n") + "\n")
	out, err := check.CombinedOutput()
	if err != nil || strings.Count(string(out), "commit\n") != len(commits) {
		c.t.Fatalf("after %d kills: of %d commits git finds\n%s%v", c.kills, len(commits), out, err)
	}
	if !thorough {
		return
	}
	reach := map[string]bool{}
	for name := range strings.FieldsSeq(git(c.t, dir, "rev-list", "--all")) {
		reach[name] = true
	}
	for _, name := range commits {
		if !reach[name] {
			c.t.Fatalf("after %d kills: nothing leads to %s", c.kills, name)
		}
	}
	git(c.t, dir, "fsck", "--full", "--strict", "--no-dangling", "--no-progress")
}

// newCrashes is an experiment that would go on for long.
func newCrashes(t *testing.T, workers int, seed uint64) *crashes {
	t.Helper()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
	state := inMemory(t)
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	l.open(state)
	cfg := l.loaded(labYAML, "budget.jobs=100000", "workers="+strconv.Itoa(workers))
	l.begin(cfg)
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	return &crashes{t: t, state: state, repo: l.repo, workers: workers, rng: rand.New(rand.NewPCG(seed, 5)), hit: map[fault.Point]int{}}
}

func TestKillsAtEveryPointAndAtAnyMomentLoseNothing(t *testing.T) {
	kills := suitetest.Pick(25, 25, 100) // for each number of workers
	if suitetest.IsSlow() {
		if n, err := strconv.Atoi(os.Getenv("ATOLL_KILLS")); err == nil {
			kills = n / 2
		}
	}
	for _, workers := range suitetest.Pick([]int{8}, []int{2, 8}, []int{2, 8}) {
		t.Run(fmt.Sprintf("%d workers", workers), func(t *testing.T) {
			t.Parallel()
			c := newCrashes(t, workers, uint64(workers))
			points := []fault.Point{
				fault.Commit, fault.Row, fault.Group, fault.Acknowledge, fault.Measure, fault.Measured,
				fault.Anchor, fault.Anchored, fault.Packed, fault.Seal, fault.Unseal, fault.Promote,
			}
			for try := 0; c.kills < kills; try++ {
				if try > 3*kills {
					t.Fatalf("only %d of %d tries were kills: %v", c.kills, try, c.hit)
				}
				if point := points[try/2%len(points)]; try%2 == 0 {
					if point == fault.Unseal { // of what ended in good order
						c.killedRun("none", 1, 0)
					}
					times := 1
					if try/2/len(points) > 0 && point != fault.Seal && point != fault.Unseal && point != fault.Promote && point != fault.Packed && point != fault.Anchor && point != fault.Anchored {
						times += c.rng.IntN(4)
					}
					c.killedRun(point, times, 0)
				} else {
					c.killedRun("", 0, time.Duration(c.rng.IntN(60_000))*time.Microsecond)
				}
			}
			for _, p := range points {
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
	c := &crashes{t: t, state: state, repo: l.repo, workers: 1, rng: rand.New(rand.NewPCG(9, 9)), hit: map[fault.Point]int{}}
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
