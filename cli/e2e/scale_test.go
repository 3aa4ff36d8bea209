package e2e_test

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/store"
	"atoll/store/record"
)

// grown returns a paused lab whose store holds n more measured candidates.
func grown(t *testing.T, n int) *lab {
	t.Helper()
	l := newLab(t)
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(l.dir, ".git", "atoll", "atoll.db"), store.Options{})
	if err == nil {
		err = grow(ctx, db, n)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func grow(ctx context.Context, db *store.DB, n int) error {
	const exp, batch, writers = record.ExperimentID(1), 500, 8
	next, err := db.NextJobID(ctx, exp)
	if err != nil {
		return err
	}
	set, err := db.Settings(ctx, exp)
	if err != nil {
		return err
	}
	budget := set.MaxJobs
	set.MaxJobs = 0
	if _, err := db.PutSettings(ctx, exp, set); err != nil {
		return err
	}
	for done := 0; done < n; done += batch {
		var jobs []record.Job
		for i := range min(batch, n-done) {
			id := next + record.JobID(done+i)
			jobs = append(jobs, record.Job{
				Experiment: exp, ID: id, Kind: record.Make, State: record.Queued, Island: "main", Operator: record.OpTune, Agent: "offline", Priority: 9,
				Candidate: record.NoCandidate, Duplicate: record.NoCandidate,
			})
		}
		if err := db.AddJobs(ctx, jobs); err != nil {
			return err
		}
		errs := make(chan error, writers)
		for w := range writers {
			go func() {
				for i := w; i < len(jobs); i += writers {
					if err := one(ctx, db, exp); err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		for range writers {
			err = errors.Join(err, <-errs)
		}
		if err != nil {
			return err
		}
	}
	set.MaxJobs = budget + n
	_, err = db.PutSettings(ctx, exp, set)
	return err
}

// one takes one job to its end as the engine does.
func one(ctx context.Context, db *store.DB, exp record.ExperimentID) error {
	l, err := db.Lease(ctx, exp, "w1", time.Minute)
	if err != nil {
		return err
	}
	h := func(kind string) record.Hash { return record.Hash(sha1.Sum(fmt.Append(nil, kind, l.Job.ID))) }
	c := record.Candidate{
		Commit: h("commit"), Tree: h("tree"), Operator: l.Job.Operator, Agent: l.Job.Agent, Intent: "tune 2 literals in left.conf",
		Parents: []record.ParentRef{{ID: record.Root, Role: record.RoleParent}},
	}
	if _, _, err := db.Made(ctx, *l, c); err != nil {
		return err
	}
	for _, step := range [][2]record.JobState{{record.Committed, record.Gated}, {record.Gated, record.Evaluating}} {
		if err := db.Stage(ctx, *l, step[0], step[1]); err != nil {
			return err
		}
	}
	n := float64(l.Job.ID)
	value, m := n/5000-28, []float64{float64(int(n)%160) / 10, float64(int(n/7)%160) / 10, float64(int(n/13)%160) / 10}
	_, err = db.Finish(ctx, *l, store.Outcome{
		State: record.Scored, Evals: 1, EditMS: 1, EvalMS: 20, OwnMS: 4,
		Candidate: &record.Candidate{
			Objective: &value, Samples: 1, Version: 1, Measures: m,
			Metrics: []record.Metric{{Name: "score", Value: value}, {Name: "a", Value: m[0]}, {Name: "b", Value: m[1]}, {Name: "c", Value: m[2]}},
		},
		Samples: []record.Sample{{Objective: value, Version: 1}},
	})
	return err
}

// TestTheFirstFrameDoesNotWaitForTheStore measures from the start of the
// process to the first complete frame, on a terminal that answers no query.
func TestTheFirstFrameDoesNotWaitForTheStore(t *testing.T) {
	runs := suitetest.Pick(3, 5, 5)
	n, first := suitetest.Pick(2000, 2000, 100_000), suitetest.Pick[time.Duration](400, 400, 100)*time.Millisecond // on a busy machine
	l := grown(t, n)
	defer l.lock().Close()
	last := l.jobs()[0].ID.String()
	var firsts, fulls []time.Duration
	var memory int
	for range runs {
		began := time.Now()
		c := start(t, l, nil, 200, 60)
		c.see("a complete frame", func(s string) bool {
			lines := strings.Split(s, "\n")
			return len(lines) >= 60 && strings.Contains(lines[0], "dials") && strings.Contains(lines[57]+lines[58], "╯") && strings.Contains(lines[59], "? help")
		})
		if n > 10_000 {
			if s := c.screen(); !strings.Contains(s, "loading") && !strings.Contains(s, "reading the log") {
				t.Errorf("the first frame waits for the log:\n%s", s)
			}
		}
		firsts = append(firsts, time.Since(began))
		c.wait(last)
		fulls = append(fulls, time.Since(began))
		memory = resident(t, c.cmd.Process.Pid)
		c.press("q")
		c.end()
	}
	sort.Slice(firsts, func(i, j int) bool { return firsts[i] < firsts[j] })
	sort.Slice(fulls, func(i, j int) bool { return fulls[i] < fulls[j] })
	ms := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	t.Logf("%d candidates: first frame after %s to %s, %s in the middle of %d; filled after %s to %s, %s in the middle; memory %d kB", n, ms(firsts[0]), ms(firsts[runs-1]), ms(firsts[runs/2]), runs, ms(fulls[0]), ms(fulls[runs-1]), ms(fulls[runs/2]), memory)
	if firsts[runs/2] > suitetest.Stretched(t, first) {
		t.Errorf("the first frame comes after %s, more than %s", firsts[runs/2], first)
	}
}

// lock has consoles look on, as beside another process that runs the jobs: the
// trees of candidates that were only written into the store do not exist.
func (l *lab) lock() *os.File {
	l.t.Helper()
	f, err := os.OpenFile(filepath.Join(l.dir, ".git", "atoll", "engine.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return f
}

// TestListsReachTheWholeHistory looks for an old candidate and an old job among
// more than a list begins with.
func TestListsReachTheWholeHistory(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "thousands of rows; tui has TestAHundredThousandRowsScrollSortAndFilterAtOnce")
	l := grown(t, 2500)
	defer l.lock().Close()
	c := start(t, l, nil, 120, 36)
	c.wait(l.jobs()[0].ID.String())
	for _, list := range [][]string{{"c"}, {"2", "z"}} {
		c.press(list...)
		c.wait("500 shown, there are more")
		c.press("G")
		c.wait(" c1 ")
		c.press("g", "/")
		c.text("c234")
		c.press("enter")
		c.wait(" c234 ")
		c.see("nothing but what fits", func(s string) bool { return !strings.Contains(s, " c2345 ") || strings.Contains(s, "11 shown") })
		c.press("backspace", "esc", "esc")
		c.wait("1 Niches")
	}
}

// TestSoak prints memory and the 99th percentile of the time from a key to the
// frame that shows it while an experiment runs as fast as it can. It runs for
// ATOLL_SOAK, for example 1h, and reports every twelfth part of it. Neither may
// grow: the last part is compared with the first, but for a third of what caches
// and other programs of the machine make of it.
func TestSoak(t *testing.T) {
	span, err := time.ParseDuration(os.Getenv("ATOLL_SOAK"))
	if err != nil || span <= 0 {
		t.Skip("ATOLL_SOAK=1h runs it")
	}
	l := &lab{t: t, dir: filepath.Join(t.TempDir(), "lab")}
	if err := makeRepository(l.dir, ":\n"); err != nil {
		t.Fatal(err)
	}
	c := start(t, l, nil, 200, 60, "run", "--workers", "2", "--max-jobs", "10000000")
	c.wait("best ")
	c.press("2", "z")
	c.wait("all · ")
	type reading struct {
		kb  int
		p99 time.Duration
	}
	var parts []reading
	var all []time.Duration
	began, report := time.Now(), span/12
	for next := report; time.Since(began) < span; {
		all = append(all, c.keyToFrame())
		time.Sleep(200 * time.Millisecond)
		if time.Since(began) < next {
			continue
		}
		next += report
		sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
		now := reading{resident(t, c.cmd.Process.Pid), all[len(all)*99/100]}
		t.Logf("%s: memory %d kB, key to frame %s in the middle, %s at 99 %% of %d, %d jobs", time.Since(began).Round(time.Second), now.kb,
			all[len(all)/2].Round(100*time.Microsecond), now.p99.Round(100*time.Microsecond), len(all), l.ended())
		parts, all = append(parts, now), all[:0]
	}
	first, last := parts[0], parts[len(parts)-1]
	if last.kb > first.kb*4/3 {
		t.Errorf("memory grew from %d kB to %d kB", first.kb, last.kb)
	}
	if last.p99 > first.p99*4/3+33*time.Millisecond { // one frame more
		t.Errorf("the time to a frame at 99 %% grew from %s to %s", first.p99, last.p99)
	}
}

// ended returns how many make jobs came to an end.
func (l *lab) ended() (n int) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) error {
		c, err := db.Counters(ctx, exp)
		n = c.Jobs(record.Make, record.Placed, record.Scored, record.Failed, record.Duplicate)
		return err
	})
	return n
}

// keyToFrame switches between two screens and returns how long the new one
// takes to be there.
func (c *console) keyToFrame() time.Duration {
	c.t.Helper()
	key, text := "6", "╭ 6 Failures"
	if strings.Contains(c.screen(), text) {
		key, text = "7", "╭ 7 Yields"
	}
	began := time.Now()
	c.press(key)
	for !strings.Contains(c.screen(), text) {
		if time.Since(began) > patience {
			c.t.Fatalf("%s does not come:\n%s", text, c.screen())
		}
		time.Sleep(500 * time.Microsecond)
	}
	return time.Since(began)
}

// resident returns the resident memory of a process in kB as the system tells
// it.
func resident(t *testing.T, pid int) int {
	t.Helper()
	kb, err := memoryOf(pid, "VmRSS:")
	if err != nil {
		t.Fatal(err)
	}
	return kb
}

// memoryOf is what the system tells under a name of the memory of a process, in kB.
func memoryOf(pid int, name string) (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for _, l := range strings.Split(string(data), "\n") {
		if v, ok := strings.CutPrefix(l, name); ok {
			return strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(v), " kB"))
		}
	}
	return 0, fmt.Errorf("the system does not tell %s", name)
}
