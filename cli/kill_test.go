package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// killSeed fixes the search and the moments of the kills.
const killSeed = 7

// made is what must not depend on kills in one line of `candidates --json`.
type made struct {
	ID        record.CandidateID
	Job       record.JobID
	Commit    string
	Tree      string
	Status    string
	Reason    string
	Objective *float64
	Metrics   map[string]float64
	Niche     []int
	Parents   []record.ParentRef
}

func (m made) String() string {
	text, _ := json.Marshal(m) // plain fields
	return string(text)
}

// site is a repository with the deceptive example.
type site struct {
	t   *testing.T
	dir string
}

// newSite starts the example and runs its first jobs.
func newSite(t *testing.T, jobs int) *site {
	t.Helper()
	s := &site{t: t, dir: filepath.Join(t.TempDir(), "plant")}
	must(t, t.TempDir(), "demo", "deceptive", "--dir", s.dir, "--headless", "--workers", "1", "--seed", strconv.Itoa(killSeed), "--max-jobs", strconv.Itoa(jobs))
	return s
}

func (s *site) state() string { return filepath.Join(s.dir, ".git", "atoll") }

func (s *site) candidates() []made {
	s.t.Helper()
	var out []made
	for line := range strings.Lines(must(s.t, s.dir, "candidates", "--json")) {
		var m made
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			s.t.Fatalf("%v in %s", err, line)
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b made) int { return int(a.ID - b.ID) })
	return out
}

// status is `status --json` without what tells of time.
func (s *site) status() map[string]any {
	s.t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(must(s.t, s.dir, "status", "--json")), &m); err != nil {
		s.t.Fatal(err)
	}
	for _, key := range []string{"wall_s", "own_ms_per_job", "per_minute", "eta_s"} {
		delete(m, key)
	}
	return m
}

func figure(t *testing.T, m map[string]any, key string) int {
	t.Helper()
	v, ok := m[key].(float64)
	if !ok {
		t.Fatalf("status has no number %q: %v", key, m)
	}
	return int(v)
}

// counters are the totals of the experiment, read beside whoever runs it.
func (s *site) counters() (c store.Counters) {
	s.t.Helper()
	db, err := store.Open(s.t.Context(), filepath.Join(s.state(), "atoll.db"), store.Options{ReadOnly: true})
	if err == nil {
		c, err = db.Counters(s.t.Context(), 1)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// ended counts the make jobs that came to an end.
func (s *site) ended() int {
	s.t.Helper()
	return s.counters().Jobs(record.Make, record.Placed, record.Scored, record.Rejected, record.Failed, record.Duplicate)
}

// killed runs the program and kills it as soon as enough is true, unless it ended
// before.
func (s *site) killed(enough func() bool, args ...string) (ended bool) {
	s.t.Helper()
	cmd := command(s.t, s.dir, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for tick := time.NewTicker(2 * time.Millisecond); !enough(); {
		select {
		case err := <-done:
			if err != nil {
				s.t.Fatalf("atoll %v: %v\n%s", args, err, out.String())
			}
			return true
		case <-tick.C:
		}
	}
	if err := cmd.Process.Kill(); err != nil && err != os.ErrProcessDone {
		s.t.Fatal(err)
	}
	err := <-done
	var exit *exec.ExitError
	if err != nil && !asExit(err, &exit) {
		s.t.Fatal(err)
	}
	if strings.Contains(out.String(), "panic:") || strings.Contains(out.String(), "goroutine ") {
		s.t.Fatalf("a stack trace:\n%s", out.String())
	}
	return false
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*to = e
	return ok
}

// orphan does what a kill between a commit and its row leaves behind: for the
// next job of the queue it takes the commit that the undisturbed search made
// and marks it as that job's attempt. It reports whether there was such a job.
func (s *site) orphan(from *site, want []made) bool {
	s.t.Helper()
	ctx := s.t.Context()
	db, err := store.Open(ctx, filepath.Join(s.state(), "atoll.db"), store.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	repo, err := gitops.Open(ctx, gitops.Options{Dir: filepath.Join(s.state(), "store.git"), Cache: s.t.TempDir()})
	if err != nil {
		s.t.Fatal(err)
	}
	defer repo.Close()
	jobs, err := db.Jobs(ctx, 1, store.JobFilter{Kind: record.Make, States: []record.JobState{record.Queued, record.Editing}, Limit: 10})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.SortFunc(jobs, func(a, b record.Job) int { return int(a.ID - b.ID) })
	attempts, err := repo.Attempts(ctx, 1)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, j := range jobs {
		i, ok := slices.BinarySearchFunc(want, j.ID, func(m made, id record.JobID) int { return int(m.Job - id) })
		if _, marked := attempts[j.ID]; !ok || marked || j.Candidate != record.NoCandidate {
			continue
		}
		commit, err := record.ParseHash(want[i].Commit)
		if err != nil {
			s.t.Fatal(err)
		}
		s.take(from, commit)
		if err := repo.MarkAttempt(ctx, 1, j.ID, commit); err != nil {
			s.t.Fatal(err)
		}
		return true
	}
	return false
}

// take copies a commit and what it needs from another site's object store.
func (s *site) take(from *site, commit record.Hash) {
	s.t.Helper()
	pack := exec.Command("git", "--git-dir", filepath.Join(from.state(), "store.git"), "pack-objects", "--revs", "--stdout", "-q")
	pack.Stdin = strings.NewReader(commit.String() + "\n")
	data, err := pack.Output()
	if err != nil {
		s.t.Fatalf("pack %s: %v", commit, err)
	}
	unpack := exec.Command("git", "--git-dir", filepath.Join(s.state(), "store.git"), "unpack-objects", "-q")
	unpack.Stdin = bytes.NewReader(data)
	if out, err := unpack.CombinedOutput(); err != nil {
		s.t.Fatalf("unpack %s: %v\n%s", commit, err, out)
	}
}

// keeps fails when a measured candidate of before is gone or told differently.
func (s *site) keeps(before, after []made) {
	s.t.Helper()
	byID := map[record.CandidateID]made{}
	for _, m := range after {
		if _, twice := byID[m.ID]; twice {
			s.t.Errorf("c%d is listed twice", m.ID)
		}
		byID[m.ID] = m
	}
	for _, m := range before {
		now, ok := byID[m.ID]
		switch {
		case !ok:
			s.t.Errorf("%v is gone", m)
		case m.Commit != now.Commit || m.Tree != now.Tree:
			s.t.Errorf("%v is another commit now: %v", m, now)
		case m.Objective != nil && (now.Objective == nil || *m.Objective != *now.Objective):
			s.t.Errorf("%v has another value now: %v", m, now)
		}
	}
}

// sound fails unless store and object store are whole.
func (s *site) sound() {
	s.t.Helper()
	ctx := s.t.Context()
	db, err := store.Open(ctx, filepath.Join(s.state(), "atoll.db"), store.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := db.Integrity(ctx); err != nil {
		s.t.Errorf("the store: %v", err)
	}
	if err := db.Close(); err != nil {
		s.t.Error(err)
	}
	out, err := exec.Command("git", "--git-dir", filepath.Join(s.state(), "store.git"), "fsck", "--full", "--strict", "--no-dangling").CombinedOutput()
	if err != nil {
		s.t.Errorf("git fsck: %v\n%s", err, out)
	}
	if doc := atoll(s.t, s.dir, "doctor"); doc.code != 0 || strings.Contains(doc.out, "FAIL") {
		s.t.Errorf("doctor: exit %d\n%s%s", doc.code, doc.out, doc.err)
	}
}

// left returns the processes that run this program's file, or have a mark in
// their command line.
func left(t *testing.T, mark string) []string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(dirs) == 0 {
		t.Skip("processes are listed from /proc, which is not there")
	}
	var out []string
	for _, dir := range dirs {
		if filepath.Base(dir) == strconv.Itoa(os.Getpid()) {
			continue
		}
		exe, _ := os.Readlink(filepath.Join(dir, "exe")) // of another user, or gone
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if strings.TrimSuffix(exe, " (deleted)") == program(t) || mark != "" && bytes.Contains(args, []byte(mark)) {
			out = append(out, fmt.Sprintf("%s %s %q", filepath.Base(dir), exe, args))
		}
	}
	return out
}

// gone waits until no process is left.
func gone(t *testing.T, mark string) {
	t.Helper()
	until(t, "no process is left", func() bool { return len(left(t, mark)) == 0 })
}

func TestKillsLoseNothingAndDoubleNothing(t *testing.T) {
	suitetest.Full(t, "many kills of the whole program; TestAKillEndsWhatRunsInTheSandbox kills it once, store and engine kill their part at every point")
	kills, jobs := suitetest.Pick(4, 8, 50), suitetest.Pick(80, 160, 3000)
	calm := newSite(t, jobs)
	want, wanted := calm.candidates(), calm.status()
	s := newSite(t, 1)
	rng := rand.New(rand.NewPCG(killSeed, 1))
	seen := s.candidates()
	orphans, did := 0, 0
	for did < kills {
		more := s.ended() + rng.IntN(jobs/(2*kills))
		if s.killed(func() bool { return s.ended() >= more }, "run", "--headless", "--max-jobs", strconv.Itoa(jobs)) {
			break
		}
		did++
		now := s.candidates()
		s.keeps(seen, now)
		seen = now
		before := s.status()
		if (did%3 == 0 || orphans == 0) && s.orphan(calm, want) {
			orphans++
		}
		if after := s.status(); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("status before and after a look:\n%v\n%v", before, after)
		}
	}
	must(t, s.dir, "run", "--headless", "--max-jobs", strconv.Itoa(jobs))
	got, status := s.candidates(), s.status()
	s.keeps(seen, got)
	t.Logf("%d kills, %d commits without a row, %d candidates, %d evaluations against %d", did, orphans, len(got), figure(t, status, "evaluations"), figure(t, wanted, "evaluations"))
	if did < kills || orphans == 0 {
		t.Errorf("only %d kills and %d commits without a row: the experiment is too short for this test", did, orphans)
	}
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i].String() != got[i].String() {
			t.Fatalf("candidate %d differs: %v\nundisturbed: %v", i, pick(got, i), pick(want, i))
		}
	}
	evals, least := figure(t, status, "evaluations"), figure(t, wanted, "evaluations")
	if evals < least || evals > least+did {
		t.Errorf("%d evaluations after %d kills; the undisturbed search took %d", evals, did, least)
	}
	delete(status, "evaluations")
	delete(wanted, "evaluations")
	if fmt.Sprint(status) != fmt.Sprint(wanted) {
		t.Errorf("status differs:\n%v\nundisturbed:\n%v", status, wanted)
	}
	s.sound()
	gone(t, "")
}

func pick(list []made, i int) string {
	if i < len(list) {
		return list[i].String()
	}
	return "none"
}

func TestAKillEndsWhatRunsInTheSandbox(t *testing.T) {
	s := &site{t: t, dir: t.TempDir()}
	mark := fmt.Sprintf("300.%d", os.Getpid()) // how long its commands sleep
	for path, text := range map[string]string{
		"dial.txt":   "a = 1\nb = 2\n",
		"measure.sh": "sleep " + mark + " & sleep " + mark + "\n",
		"atoll.yaml": "goal: wait\nevaluator: {command: [sh, measure.sh], output: name=value, objective: score, protected: [measure.sh], timeout: 400s}\n",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, s.dir, "init", "-q", "-b", "main")
	git(t, s.dir, "add", "-A")
	git(t, s.dir, "commit", "-q", "-m", "start")
	cmd := command(t, s.dir, "run", "--headless")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sleeps := func() int {
		n := 0
		for _, p := range left(t, mark) {
			if strings.Contains(p, mark) {
				n++
			}
		}
		return n
	}
	until(t, "the evaluator sleeps", func() bool { return sleeps() >= 2 })
	if err := syscall.Kill(cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	gone(t, mark)
}
