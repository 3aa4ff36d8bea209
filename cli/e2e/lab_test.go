package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/store"
	"atoll/store/record"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(suitetest.InMemory(func() int { return testAll(m) })) }

// testAll builds the program and runs the tests.
func testAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "atoll-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "atoll")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "atoll")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	suitetest.SystemFirst("cargo")
	code := suitetest.RunAtOnce(m, "4")
	for _, b := range []*original{&base, &paced} {
		if b.dir != "" {
			_ = os.RemoveAll(b.dir)
			_ = os.RemoveAll(b.dir + ".home")
		}
	}
	return code
}

// lab is a repository with an experiment.
type lab struct {
	t   *testing.T
	dir string
}

const evaluator = `#!/bin/sh
set -eu
. "$(dirname "$0")/pace.sh"
result=$(cat left.conf right.conf | awk '
	!/^[a-z]+ = -?[0-9.]+$/ { print "refused: " $0 > "/dev/stderr"; exit 3 }
	{ v[$1] = $3 }
	END {
		score = 100 - (v["a"] - 7)^2 - (v["b"] - 3)^2 - (v["c"] - 5)^2
		if (v["c"] > 13) { print "refused: c is above 13" > "/dev/stderr"; exit 3 }
		printf "{\"summary\": \"measured\", \"metrics\": [{\"name\": \"score\", \"value\": %.4f}, {\"name\": \"a\", \"value\": %.4f}, {\"name\": \"b\", \"value\": %.4f}, {\"name\": \"c\", \"value\": %.4f}]}", score, v["a"], v["b"], v["c"]
	}')
printf '%s\n' "$result" >"$ATOLL_RESULT"
`

// settings name the whole of the search: what the lab holds is part of the tests,
// and does not change with a default.
const settings = `name: dials
goal: Set the dials so that the score is as large as possible.
seed: 35
evaluator:
  command: [sh, "{dir}/evaluate.sh"]
  dir: evaluator
  objective: score
  direction: maximize
  root_repeats: 2
  timeout: 10m
  protected: ["evaluator/**"]
targets:
  - {name: left, files: [left.conf]}
  - {name: right, files: [right.conf]}
map:
  axes:
    - {metric: a, min: 0, max: 16, bins: 4}
    - {metric: b, min: 0, max: 16, bins: 4}
    - {metric: c, min: 0, max: 16, bins: 3}
search:
  operators: {tune: 0.8, mutate: 0.1, crossover: 0.1}
  selection: rank
  evolve: 0
budget:
  jobs: 40
`

// original is a lab that others are copied from, made when it is first asked
// for: forty measured jobs, a few candidates that wait for review, two queued
// jobs, and paused.
type original struct {
	pace string // what an evaluation does first
	once sync.Once
	dir  string
	err  error
}

// Evaluations of base take no time, those of paced long enough to be seen.
var base, paced = original{pace: ":"}, original{pace: "sleep 0.1"}

// newLab returns a copy of the base lab.
func newLab(t *testing.T) *lab { t.Helper(); return base.copy(t) }

func (o *original) copy(t *testing.T) *lab {
	t.Helper()
	o.once.Do(func() { o.dir, o.err = makeBase(o.pace + "\n") })
	if o.err != nil {
		t.Fatal(o.err)
	}
	l := &lab{t: t, dir: filepath.Join(t.TempDir(), "lab")}
	if err := os.CopyFS(l.dir, os.DirFS(o.dir)); err != nil {
		t.Fatal(err)
	}
	return l
}

// slowLab returns a lab whose jobs take a while, with two workers and nothing
// made yet.
func slowLab(t *testing.T, seconds string) *lab {
	t.Helper()
	l := &lab{t: t, dir: filepath.Join(t.TempDir(), "lab")}
	if err := makeRepository(l.dir, "sleep "+seconds+"\n"); err != nil {
		t.Fatal(err)
	}
	many := strings.Replace(settings, "jobs: 40", "jobs: 4000", 1)
	if err := writeFiles(l.dir, map[string]string{"atoll.yaml": many}); err != nil {
		t.Fatal(err)
	}
	if err := commitAll(l.dir, "more jobs than there is time for"); err != nil {
		t.Fatal(err)
	}
	return l
}

func makeRepository(dir, pace string) error {
	files := map[string]string{
		"left.conf": "a = 1.5\nb = 9.5\n", "right.conf": "c = 12.5\n", "atoll.yaml": settings,
		"evaluator/evaluate.sh": evaluator, "evaluator/pace.sh": pace,
	}
	if err := writeFiles(dir, files); err != nil {
		return err
	}
	if err := writeFiles(dir, prose(0)); err != nil {
		return err
	}
	if err := git(dir, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	return commitAll(dir, "dials")
}

// prose returns two long texts; a variant changes a line in every forty, one
// of them in its white space alone.
func prose(variant int) map[string]string {
	files := map[string]string{}
	for _, name := range []string{"notes.txt", "story.txt"} {
		var b strings.Builder
		for i := range 240 {
			word := "quiet"
			if variant > 0 && i%40 == 20 {
				word = []string{"", "lively", "merry"}[variant]
			}
			fmt.Fprintf(&b, "%s line %d is %s %s\n", name, i, word, strings.Repeat("and long ", 20))
			if variant > 0 && i == 101 {
				b.WriteString("\n")
			}
		}
		text := b.String()
		if variant > 0 {
			text = strings.Replace(text, "line 141 is", "line  141  is", 1)
		}
		files[name] = text
	}
	return files
}

func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func git(dir string, args ...string) error {
	if out, err := command(dir, "git", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}

func commitAll(dir, message string) error {
	if err := git(dir, "add", "-A"); err != nil {
		return err
	}
	return git(dir, "commit", "-q", "-m", message)
}

// bigBranch adds a branch that rewrites the prose of a lab.
func bigBranch(dir, name string, variant int) error {
	if err := git(dir, "checkout", "-q", "-b", name); err != nil {
		return err
	}
	if err := writeFiles(dir, prose(variant)); err != nil {
		return err
	}
	if err := commitAll(dir, "livelier prose"); err != nil {
		return err
	}
	return git(dir, "checkout", "-q", "main")
}

func makeBase(pace string) (string, error) {
	dir, err := os.MkdirTemp("", "atoll-e2e-lab-")
	if err != nil {
		return "", err
	}
	if err := makeRepository(dir, pace); err != nil {
		return dir, err
	}
	if err := bigBranch(dir, "big", 1); err != nil {
		return dir, err
	}
	for _, args := range [][]string{
		{"run", "--headless", "--workers", "1"},
		{"inject", "big"},
		{"run", "--headless", "--workers", "1", "--max-jobs", "42"},
		{"set", "review.niche", "all"},
		{"run", "--headless", "--workers", "1", "--max-jobs", "50"},
		{"pause"},
		{"set", "budget.jobs", "400"},
	} {
		if out, err := command(dir, binary, args...).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("atoll %v: %w\n%s", args, err, out)
		}
	}
	return dir, nil
}

// environment is what every process gets: nothing of this machine but PATH.
func environment(extra ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "USER=ada", "LANG=C.UTF-8", "SHELL=/bin/sh",
		"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=ada@example.org",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "PAGER=cat",
	}
	return append(env, extra...)
}

func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, environment("TERM=dumb", "HOME="+dir+".home")
	return cmd
}

// atoll runs a verb in a process of its own.
func (l *lab) atoll(args ...string) string {
	l.t.Helper()
	cmd := command(l.dir, binary, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("atoll %v: %v\n%s%s", args, err, out, errs.String())
	}
	return string(out)
}

// read opens the store beside the program and answers from it.
func (l *lab) read(fn func(ctx context.Context, db *store.DB, exp record.ExperimentID) error) {
	l.t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(l.dir, ".git", "atoll", "atoll.db"), store.Options{ReadOnly: true})
	if err == nil {
		err = fn(ctx, db, 1)
		if cerr := db.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// last returns the newest decision, the zero value before the first.
func (l *lab) last() (d record.Decision) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) error {
		ds, err := db.Decisions(ctx, exp, 1)
		if len(ds) > 0 {
			d = ds[0]
		}
		return err
	})
	return d
}

// decisions returns the newest ones, newest first.
func (l *lab) decisions(n int) (ds []record.Decision) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) (err error) {
		ds, err = db.Decisions(ctx, exp, n)
		return err
	})
	return ds
}

func (l *lab) job(id record.JobID) (j record.Job) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) (err error) {
		j, err = db.Job(ctx, exp, id)
		return err
	})
	return j
}

func (l *lab) jobs(states ...record.JobState) (list []record.Job) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) (err error) {
		list, err = db.Jobs(ctx, exp, store.JobFilter{States: states, Limit: 1000})
		return err
	})
	return list
}

func (l *lab) candidate(id record.CandidateID) (c record.Candidate) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) (err error) {
		c, err = db.Candidate(ctx, exp, id)
		return err
	})
	return c
}

// best is the best candidate, and the beginning of its value as a cell of the map has it.
func (l *lab) best() (c record.Candidate, cell string) {
	l.t.Helper()
	var best struct{ ID record.CandidateID }
	if err := json.Unmarshal([]byte(l.atoll("best", "--json")), &best); err != nil {
		l.t.Fatal(err)
	}
	c = l.candidate(best.ID)
	return c, fmt.Sprintf("%.4f", *c.Objective)[:5]
}

func (l *lab) settings() (s record.Settings) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) (err error) {
		s, err = db.Settings(ctx, exp)
		return err
	})
	return s
}

func (l *lab) state() (s record.ExperimentState) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) error {
		all, err := db.Experiments(ctx)
		if len(all) > 0 {
			s = all[0].State
		}
		return err
	})
	return s
}

// until waits for a condition and returns how long it took.
func until(t *testing.T, what string, limit time.Duration, ok func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !ok() {
		if time.Since(began) > limit {
			t.Fatalf("not within %s: %s%s", limit, what, told(t))
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began)
}
