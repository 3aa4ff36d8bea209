package tui

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/engine"
	"atoll/engine/query"
	"atoll/engine/view"
	"atoll/examples"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// film is a real run of the circle packing example, as it was at one moment. The
// program ran it with a fixed seed in strict order; only its clock is another: every
// job begins and ends at a time that follows from its number, so that the same run
// gives the same pictures.
type film struct {
	snap   *view.Snapshot
	reader *query.Reader
	now    time.Time
}

const (
	filmJobs  = 220 // of the whole run
	filmHeld  = 185 // from here on what would take a niche waits for a person
	filmStill = 200 // this job and the next take so long that their run can be copied
	filmStep  = 1600 * time.Millisecond
)

// filmBegan is when the root is measured.
var filmBegan = time.Date(2026, 3, 14, 13, 55, 40, 0, time.UTC)

// began and ended are the times of a job.
func began(job int) record.Millis {
	return record.Millis(filmBegan.Add(time.Duration(max(0, job)) * filmStep).UnixMilli())
}

func ended(job int) record.Millis {
	return began(job) + record.Millis(1900+job*7919%700)
}

// rig opens a console on it.
func (f film) rig(t *testing.T, w, h int, edit ...func(o *Options)) *rig {
	return newRig(t, f.snap, w, h, append([]func(o *Options){func(o *Options) {
		o.Reader, o.Now, o.Who = f.reader, func() time.Time { return f.now }, "ada"
	}}, edit...)...)
}

// filmed runs the program and returns the run while jobs are under way, and when it
// is done.
func filmed(t *testing.T) (running, done film) {
	t.Helper()
	dir := t.TempDir()
	s := &set{t: t, binary: filepath.Join(dir, "atoll"), repo: filepath.Join(dir, "circle-packing")}
	if out, err := exec.Command("go", "build", "-o", s.binary, "atoll").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	s.build()
	s.atoll("run", "--headless", "--workers", "2", "--order", "strict", "--max-jobs", fmt.Sprint(filmHeld))
	elites := s.ids("niches", "elite")
	s.atoll("freeze", elites[len(elites)/3])
	s.atoll("boost", elites[len(elites)/2])
	s.atoll("note", "Nudge neighbours together: one circle moved alone mostly overlaps another.")
	s.atoll("set", "review.niche", "all")
	still := filepath.Join(dir, "still")
	rest := s.start("run", "--headless", "--max-jobs", fmt.Sprint(filmJobs))
	s.copyWhenStill(still)
	if err := rest.Wait(); err != nil {
		t.Fatalf("the rest of the run: %v", err)
	}
	s.decideAll()
	running = s.develop(still, filmStill+1, began(filmStill+1)+900)
	done = s.develop(s.state(), filmJobs, ended(filmJobs)+41_000)
	return running, done
}

// set is where a film is made.
type set struct {
	t            *testing.T
	binary, repo string
}

func (s *set) state() string { return filepath.Join(s.repo, ".git", "atoll") }

// build makes the repository: the example, with an evaluator that takes long for two
// of the jobs.
func (s *set) build() {
	s.t.Helper()
	if err := examples.Copy("circle-packing", s.repo); err != nil {
		s.t.Fatal(err)
	}
	config := filepath.Join(s.repo, "atoll.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		s.t.Fatal(err)
	}
	const command = `[python3, -I, -S, -B, "{dir}/evaluate.py"]`
	slow := strings.NewReplacer(command, `[sh, "{dir}/paced.sh"]`, "timeout: 20s", "timeout: 5m").Replace(string(text))
	if !strings.Contains(slow, "paced.sh") || !strings.Contains(slow, "timeout: 5m") {
		s.t.Fatalf("the example's atoll.yaml is another: %s", text)
	}
	paced := fmt.Sprintf("grep -Eq '\"job\": ?(%d|%d)[,}]' \"$ATOLL_CONTEXT\" && sleep 10\nexec python3 -I -S -B \"$(dirname \"$0\")/evaluate.py\"\n", filmStill, filmStill+1)
	for path, text := range map[string]string{config: slow, filepath.Join(s.repo, "evaluator", "paced.sh"): paced} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "Start of the example circle-packing"}} {
		s.run("git", args...)
	}
}

func (s *set) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	const date = "2026-03-14T13:00:00Z"
	cmd.Dir = s.repo
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.repo + ".home", "USER=ada", "LANG=C.UTF-8", "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE=" + date,
	}
	return cmd
}

func (s *set) run(name string, args ...string) string {
	s.t.Helper()
	cmd := s.command(name, args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, errs.String())
	}
	return string(out)
}

func (s *set) atoll(args ...string) string { s.t.Helper(); return s.run(s.binary, args...) }

// ids are the candidates that a verb lists, by the name of their field.
func (s *set) ids(verb, field string, args ...string) (out []string) {
	s.t.Helper()
	for line := range strings.Lines(s.atoll(append([]string{verb, "--json"}, args...)...)) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			s.t.Fatalf("%s: %v in %q", verb, err, line)
		}
		out = append(out, fmt.Sprintf("c%v", row[field]))
	}
	return out
}

func (s *set) start(args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := s.command(s.binary, args...)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// copyWhenStill waits until the two long jobs are all that goes on, and copies the
// state of the experiment as it is then.
func (s *set) copyWhenStill(to string) {
	s.t.Helper()
	db := s.sql(s.state())
	defer db.Close()
	rows := func() (log int) {
		var long, other, newest int
		const ask = `SELECT count(*) FILTER (WHERE state = 'evaluating' AND id >= ?1), count(*) FILTER (WHERE state IN ('editing', 'committed', 'gated') OR state = 'evaluating' AND id < ?1), max(id), (SELECT last FROM sequence) FROM job`
		if err := db.QueryRow(ask, filmStill).Scan(&long, &other, &newest, &log); err != nil {
			s.t.Fatal(err)
		}
		if long != 2 || other > 0 || newest < filmStill+7 {
			return -1
		}
		return log
	}
	same := 0
	for last, began := -1, time.Now(); same < 10; {
		if time.Since(began) > 3*time.Minute {
			s.t.Fatal("the run does not come to its long jobs")
		}
		log := rows()
		if log >= 0 && log == last {
			same++
		} else {
			same = 0
		}
		last = log
		time.Sleep(100 * time.Millisecond)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if _, err := db.Exec("VACUUM INTO ?", filepath.Join(to, "atoll.db")); err != nil {
		s.t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(to, "store.git"), os.DirFS(filepath.Join(s.state(), "store.git"))); err != nil {
		s.t.Fatal(err)
	}
	if rows() < 0 {
		s.t.Fatal("the long jobs ended while the run was copied: the machine is too busy")
	}
}

// decideAll approves the first of what waits and rejects the others, until nothing
// waits.
func (s *set) decideAll() {
	s.t.Helper()
	for turn := 0; ; turn++ {
		held := s.ids("candidates", "id", "--status", "held")
		if len(held) == 0 {
			break
		}
		for i, c := range held {
			if i == 0 {
				s.atoll("approve", c)
			} else {
				s.atoll("reject", "-m", "no longer better", c)
			}
		}
		s.atoll("run", "--headless")
		if turn > 20 {
			s.t.Fatalf("still waiting: %v", held)
		}
	}
}

func (s *set) sql(state string) *sql.DB {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(state, "atoll.db.sums")); err != nil { // what is written past the program is no damage
		s.t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(state, "atoll.db")+"?_busy_timeout=10000")
	if err != nil {
		s.t.Fatal(err)
	}
	return db
}

// develop gives a run its clock and opens it as the console does.
func (s *set) develop(state string, last int, now record.Millis) film {
	s.t.Helper()
	s.setClock(state)
	f := film{now: time.UnixMilli(int64(now)).UTC()}
	ctx, cancel := context.WithCancel(context.Background())
	clock := func() time.Time { return f.now }
	ses, err := engine.OpenSession(ctx, engine.SessionOptions{Dir: state, Target: gitops.Target{}, Now: clock})
	if err != nil {
		s.t.Fatal(err)
	}
	exp, err := ses.Find(ctx, "")
	if err != nil {
		s.t.Fatal(err)
	}
	eng := engine.New(ses, exp.ID, engine.Options{Who: "ada", Now: clock, Look: true, KeepState: true})
	over := make(chan error, 1)
	go func() { over <- eng.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		<-over
		_ = ses.Close()
	})
	for f.snap == nil {
		got, err := eng.Feed().Wait(ctx, 0)
		if err != nil {
			s.t.Fatal(err)
		}
		if !got.Loading {
			c := *got
			f.snap = &c
		}
	}
	f.reader = eng.Reader()
	s.asIfHere(ses.DB, exp.ID, f)
	return f
}

// asIfHere makes of a console that looks on one that runs the jobs.
func (s *set) asIfHere(db *store.DB, exp record.ExperimentID, f film) {
	s.t.Helper()
	f.snap.Owner = true
	f.snap.WallMS = f.now.Sub(filmBegan).Milliseconds()
	jobs, err := db.Jobs(context.Background(), exp, store.JobFilter{States: []record.JobState{record.Evaluating}, Limit: 10})
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range jobs {
		j := jobs[len(jobs)-1-i]
		since := time.UnixMilli(int64(j.Started))
		f.snap.Running = append(f.snap.Running, view.Running{Job: j, Stage: "measuring", Since: since.Add(200 * time.Millisecond), Started: since})
	}
	if len(jobs) > 0 {
		f.snap.State = record.ExperimentRunning
		f.snap.PerMinute = float64(time.Minute) / float64(filmStep)
		f.snap.ETA = time.Duration(f.snap.Jobs.Max-f.snap.Jobs.Ended()) * filmStep
	}
}

// setClock gives every row the time that follows from its job.
func (s *set) setClock(state string) {
	s.t.Helper()
	db := s.sql(state)
	defer db.Close()
	step, first := filmStep.Milliseconds(), filmBegan.UnixMilli()
	began := func(job string) string { return fmt.Sprintf("(%d + max(0, %s) * %d)", first, job, step) }
	ended := func(job string) string { return "(" + began(job) + fmt.Sprintf(" + 1900 + %s * 7919 %% 700)", job) }
	// Rows of no job came when the last job had ended; where jobs ran meanwhile, the
	// last ten.
	after := "(SELECT coalesce(max(e.job), 0) / iif(log.kind = 'note', 10, 1) * iif(log.kind = 'note', 10, 1) FROM log e WHERE e.kind = 'end' AND e.seq < log.seq)"
	for _, change := range []string{
		"UPDATE log SET at = CASE WHEN job < 0 THEN " + ended(after) + " WHEN kind = 'job' THEN " + began("job - 8") + " WHEN kind = 'lease' THEN " + began("job") + " WHEN kind = 'made' OR data LIKE '%evaluating%' THEN " + began("job") + " + 120 ELSE " + ended("job") + " END",
		"UPDATE log SET at = max(at, coalesce((SELECT max(d.at) FROM log d WHERE d.kind = 'decision' AND d.seq < log.seq), 0)) WHERE job >= 0",
		"UPDATE job SET created = " + began("id - 8") + ", started = CASE WHEN started > 0 THEN " + began("id") + " ELSE 0 END, ended = CASE WHEN ended > 0 THEN " + ended("id") + " ELSE 0 END, edit_ms = CASE WHEN candidate > 0 THEN 9 ELSE 0 END, eval_ms = CASE WHEN eval_ms > 0 THEN 1650 + id * 7919 % 700 ELSE 0 END, own_ms = 8.5",
		"UPDATE job SET ended = max(ended, (SELECT max(at) FROM log WHERE log.job = job.id)) WHERE ended > 0",
		"UPDATE candidate SET created = " + began("job") + " + 120, scored = CASE WHEN scored > 0 THEN " + ended("job") + " ELSE 0 END",
		"UPDATE sample SET at = " + ended("job") + ", wall_ms = 1650 + job * 7919 % 700, load = NULL",
		"UPDATE evidence SET text = CAST(json_set(text, '$.wall_ms', 1650 + job * 7919 % 700, '$.cpu_ms', 1400 + job * 7919 % 500, '$.max_rss', 27262976) AS BLOB) WHERE kind = 'evaluation' AND packed = 0",
		"UPDATE note SET at = " + ended("(SELECT coalesce(max(e.job), 0) / 10 * 10 FROM log e WHERE e.kind = 'end' AND e.seq < (SELECT l.seq FROM log l WHERE l.kind IN ('note', 'decision') AND instr(l.data, substr(note.text, 1, 20)) > 0))"),
		fmt.Sprintf("UPDATE experiment SET created = %d, repository = '~/circle-packing'", first-4000),
		"DELETE FROM meta WHERE key = 'digest'",
	} {
		if _, err := db.Exec(change); err != nil {
			s.t.Fatalf("%s: %v", change, err)
		}
	}
}
