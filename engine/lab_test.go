package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

func TestMain(m *testing.M) {
	if state := os.Getenv("ENGINE_TEST_STATE"); state != "" { // this binary is the program that is killed
		if err := runToBeKilled(state, os.Getenv("ENGINE_TEST_REPO")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	suitetest.SystemFirst()
	os.Exit(suitetest.InMemory(func() int { return suitetest.RunAtOnce(m, "6") }))
}

// lab is a repository with a measurable program and a state directory.
type lab struct {
	t    *testing.T
	repo string
	ses  *engine.Session
	exp  record.Experiment
}

// program is what the experiments of these tests evolve: numbers whose sum
// should come near 10, laid out by the first two of them.
const program = "a = 1.5\nb = 2.5\nc = 0.5\nd = 3.25\n"

// measure adds the numbers up: closer to 10 is better.
const measure = `#!/bin/sh
awk '{s+=$3; v[NR]=$3} END {d=s-10; if (d<0) d=-d; printf "score=%.9f\nfirst=%.9f\nsecond=%.9f\n", -d, v[1], v[2]}' program.txt
`

// labHead is how every experiment of the program is measured; maps, operators
// and budgets follow it.
const labHead = `goal: come near ten
workers: 1
evaluator:
  command: [sh, measure.sh]
  output: name=value
  objective: score
  protected: [measure.sh]
  root_repeats: 2
`

const labYAML = labHead + `
map:
  axes:
    - {metric: first, min: 0, max: 4, bins: 6}
    - {metric: second, min: 0, max: 4, bins: 6}
search:
  operators: {tune: 0.7, crossover: 0.3}
budget: {jobs: 24}
`

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@localhost"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newLab opens a new experiment of the small program with labYAML and what
// extra says on top of it, each "key=value".
func newLab(t *testing.T, extra ...string) *lab {
	t.Helper()
	return scriptLab(t, measure, extra...)
}

// scriptLab is newLab with another evaluator script.
func scriptLab(t *testing.T, script string, extra ...string) *lab {
	t.Helper()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": script})
	l.create(extra...)
	return l
}

// bareLab is a repository of some files with an open state and no experiment.
func bareLab(t *testing.T, files map[string]string) *lab {
	t.Helper()
	l := &lab{t: t, repo: t.TempDir()}
	for name, text := range files {
		write(t, filepath.Join(l.repo, name), text)
	}
	git(t, l.repo, "init", "-q", "-b", "main")
	git(t, l.repo, "add", "-A")
	git(t, l.repo, "commit", "-q", "-m", "start")
	l.open(t.TempDir())
	return l
}

func (l *lab) open(state string) {
	l.t.Helper()
	target, err := gitops.Inspect(l.t.Context(), l.repo)
	if err != nil {
		l.t.Fatal(err)
	}
	ses, err := engine.OpenSession(l.t.Context(), engine.SessionOptions{Dir: state, Target: target, Cache: filepath.Join(state, "cache"), Create: true})
	if err != nil {
		l.t.Fatal(err)
	}
	l.ses = ses
	l.t.Cleanup(func() {
		if err := ses.Close(); err != nil {
			l.t.Errorf("close the session: %v", err)
		}
	})
}

// create starts an experiment from labYAML.
func (l *lab) create(extra ...string) {
	l.t.Helper()
	l.begin(l.loaded(labYAML, extra...))
}

// loaded reads a configuration file with settings on top, each "key=value".
func (l *lab) loaded(yaml string, extra ...string) config.Config {
	l.t.Helper()
	o := config.LoadOptions{Dir: l.repo, File: config.FileName, Data: []byte(yaml)}
	for _, e := range extra {
		k, v, _ := strings.Cut(e, "=")
		o.Flags = append(o.Flags, config.Flag{Key: k, Value: v, Name: "--set"})
	}
	loaded, err := config.Load(o)
	if err != nil {
		l.t.Fatal(err)
	}
	return loaded.Config
}

// begin starts an experiment at the repository's present commit.
func (l *lab) begin(cfg config.Config) {
	l.t.Helper()
	root, err := l.ses.Repo.Import(l.t.Context(), l.ses.Target, "HEAD")
	if err != nil {
		l.t.Fatal(err)
	}
	if l.exp, err = engine.Create(l.t.Context(), l.ses, engine.Plan{Config: cfg, Root: root, Branch: "main"}); err != nil {
		l.t.Fatal(err)
	}
}

// deadline bounds every wait of these tests.
const deadline = 4 * time.Minute

// run runs the experiment to its end and returns the last snapshot.
func (l *lab) run() *view.Snapshot {
	l.t.Helper()
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true})
	ctx, cancel := context.WithTimeout(l.t.Context(), deadline)
	defer cancel()
	if err := eng.Run(ctx); err != nil {
		l.t.Fatalf("run: %v", err)
	}
	return eng.Feed().Latest()
}

// start runs the experiment in the background. stop drains it and waits.
func (l *lab) start() (eng *engine.Engine, stop func()) {
	l.t.Helper()
	return l.startWith(engine.Options{})
}

func (l *lab) startWith(opt engine.Options) (eng *engine.Engine, stop func()) {
	l.t.Helper()
	opt.Who = "tester"
	eng = engine.New(l.ses, l.exp.ID, opt)
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(l.t.Context(), deadline)
	go func() { done <- eng.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		eng.Drain()
		if err := <-done; err != nil {
			l.t.Errorf("run: %v", err)
		}
		cancel()
	}
	l.t.Cleanup(stop)
	return eng, stop
}

// await waits for a snapshot that holds, and fails with what was last seen.
func (l *lab) await(eng *engine.Engine, what string, holds func(*view.Snapshot) bool) *view.Snapshot {
	l.t.Helper()
	return l.awaitFor(eng, deadline, what, holds)
}

// awaitFor is await with a bound of its own.
func (l *lab) awaitFor(eng *engine.Engine, limit time.Duration, what string, holds func(*view.Snapshot) bool) *view.Snapshot {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), limit)
	defer cancel()
	var version uint64
	for {
		s, err := eng.Feed().Wait(ctx, version)
		if !s.Loading && holds(s) {
			return s
		}
		if err != nil {
			l.t.Fatalf("waiting until %s: %v; jobs %+v, state %s %s, fatal %q", what, err, s.Jobs, s.State, s.Reason, s.Fatal)
		}
		version = s.Version
	}
}

func (l *lab) state() *fold.State {
	l.t.Helper()
	st, err := fold.LoadState(l.t.Context(), l.ses.DB, l.exp.ID)
	if err != nil {
		l.t.Fatal(err)
	}
	return st
}

// candidates tells every candidate in one line each, by number.
func (l *lab) candidates() []string {
	l.t.Helper()
	st := l.state()
	var out []string
	err := l.ses.DB.EachCandidate(l.t.Context(), l.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		d := *c
		st.TellStatus(&d)
		niche, _ := st.Place(c.ID)
		obj := "-"
		if c.Objective != nil {
			obj = fmt.Sprint(*c.Objective)
		}
		out = append(out, fmt.Sprintf("%s %s %s %s %v", c.ID, c.Commit, d.Status, obj, niche))
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

func (l *lab) jobs(states ...record.JobState) []record.Job {
	l.t.Helper()
	list, err := l.ses.DB.Jobs(l.t.Context(), l.exp.ID, store.JobFilter{States: states, Limit: 1000})
	if err != nil {
		l.t.Fatal(err)
	}
	return list
}

func same(a, b []string) string {
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("%s\nagainst\n%s", x, y)
		}
	}
	return ""
}
