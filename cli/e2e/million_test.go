package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // copies rows by plain SQL

	"atoll/config/suitetest"
	"atoll/store"
	"atoll/store/record"
)

// multiplied is how many jobs are made by the store's own transactions; a larger store
// repeats their rows, with other numbers, parents and values. Their commits are those of the lab, so that jobs can go on from them.
const multiplied = 1000

// large returns a paused lab whose store holds some n more measured candidates, each
// with half a kilobyte of evidence. A folder that ATOLL_GROWN names is used instead, and is
// filled where it is missing: a million takes minutes to write.
func large(t *testing.T, n int) *lab {
	t.Helper()
	kept := os.Getenv("ATOLL_GROWN")
	if kept != "" {
		if _, err := os.Stat(filepath.Join(kept, ".git", "atoll", "atoll.db")); err == nil {
			return &lab{t: t, dir: kept}
		}
	}
	l := newLab(t)
	if kept != "" {
		if err := os.CopyFS(kept, os.DirFS(l.dir)); err != nil {
			t.Fatal(err)
		}
		l.dir = kept
	}
	path := filepath.Join(l.dir, ".git", "atoll", "atoll.db")
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := db.NextJobID(ctx, 1)
	if err == nil {
		err = grow(ctx, db, min(n, multiplied))
	}
	if err = errors.Join(err, db.Close()); err == nil {
		err = multiply(ctx, path, first, n/multiplied)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// multiply repeats the jobs from a number on, with all their rows, until they are there
// so many times.
func multiply(ctx context.Context, path string, first record.JobID, times int) error {
	if err := os.RemoveAll(path + ".sums"); err != nil { // what is written past the program is no damage
		return err
	}
	db, err := sql.Open("sqlite3", path+"?_busy_timeout=5000&_synchronous=OFF&_cache_size=-1000000") // kB: the indexes fit
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var last int64
	var from int64 // of the log
	if err := db.QueryRowContext(ctx, "SELECT max(id) FROM job").Scan(&last); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "SELECT min(seq) FROM log WHERE job >= ?", first).Scan(&from); err != nil {
		return err
	}
	var end int64
	if err := db.QueryRowContext(ctx, "SELECT last FROM sequence").Scan(&end); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO evidence (experiment, job, attempt, kind, cut, size, packed, text)
		SELECT 1, id, 1, 'log', 0, 512, 0, CAST(printf('%.512c', 'x') AS BLOB) FROM job WHERE id >= ?`, first); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `UPDATE candidate SET (commit_id, tree_id) = (SELECT commit_id, tree_id FROM candidate real
		WHERE real.id BETWEEN 1 AND :first - 1 ORDER BY real.id = 1 + candidate.id % (:first - 1) DESC LIMIT 1) WHERE id >= :first`, sql.Named("first", int64(first))); err != nil {
		return err
	}
	for round := 1; round < times; round++ {
		jobs, rows := int64(round)*(last-int64(first)+1), int64(round)*(end-from+1)
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for _, table := range []string{"job", "candidate", "descent", "metric", "sample", "evidence", "log"} {
			text, err := repeated(ctx, tx, table)
			if err == nil {
				_, err = tx.ExecContext(ctx, text, sql.Named("jobs", jobs), sql.Named("rows", rows), sql.Named("first", int64(first)), sql.Named("last", last), sql.Named("from", from), sql.Named("end", end))
			}
			if err != nil {
				return errors.Join(fmt.Errorf("repeat the rows of %s: %w", table, err), tx.Rollback())
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	for _, text := range []string{
		"UPDATE sequence SET last = (SELECT max(seq) FROM log)",
		"DELETE FROM job_count", "INSERT INTO job_count SELECT experiment, kind, state, count(*) FROM job GROUP BY 1, 2, 3",
		"UPDATE total SET begun = (SELECT count(*) FROM job WHERE kind = 'make'), evals = (SELECT sum(evals) FROM job)",
		`UPDATE settings SET max_jobs = (SELECT begun FROM total) + 10,
			data = CAST(json_set(data, '$.max_jobs', (SELECT begun FROM total) + 10) AS BLOB)`,
		"PRAGMA wal_checkpoint(TRUNCATE)",
	} {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// repeated is the statement that copies the rows of a table that speak of the jobs from
// :first to :last, :jobs numbers and :rows positions of the log later.
func repeated(ctx context.Context, tx *sql.Tx, table string) (string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	later := func(column string) string { return fmt.Sprintf("iif(%[1]s >= :first, %[1]s + :jobs, %[1]s)", column) }
	numbers, where := map[string]bool{"job": true, "candidate": true, "parent": true, "child": true}, "job"
	switch table {
	case "job", "candidate":
		numbers["id"], where = true, "id"
	case "descent":
		where = "child"
	case "metric":
		where = "candidate"
	}
	var names, values []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		value := name
		switch {
		case numbers[name]:
			value = later(name)
		case name == "id": // SQLite gives it
			continue
		case name == "seq":
			value = "seq + :rows"
		case name == "objective":
			value = "objective - abs(random() % 1000) / 500.0"
		}
		names, values = append(names, name), append(values, value)
	}
	filter := where + " BETWEEN :first AND :last"
	if table == "log" {
		filter += " AND seq BETWEEN :from AND :end"
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s WHERE %s ORDER BY %s", table, strings.Join(names, ", "), strings.Join(values, ", "), table, filter, where), rows.Err()
}

// started runs a verb and returns what it printed and how long it took: by the clock, and on
// the processor.
func (l *lab) started(args ...string) (text string, clock, processor time.Duration) {
	l.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = l.dir, environment("HOME="+l.dir+".home")
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("atoll %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), time.Since(began), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// watched runs a verb and returns how long it took, and the most memory, in kB, that its
// process had.
func (l *lab) watched(args ...string) (clock, processor time.Duration, peak int) {
	l.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = l.dir, environment("HOME="+l.dir+".home")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case err := <-ended:
			tick.Stop()
			if err != nil {
				l.t.Fatalf("atoll %s: %v\n%s", strings.Join(args, " "), err, &out)
			}
			return time.Since(began), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak
		case <-tick.C:
			if kb, err := memoryOf(cmd.Process.Pid, "VmHWM:"); err == nil {
				peak = max(peak, kb)
			}
		}
	}
}

// TestALargeExperimentIsReadFromItsKeptFold measures how long readers of many candidates
// wait. docs/benchmarks.md has the figures.
func TestALargeExperimentIsReadFromItsKeptFold(t *testing.T) {
	suitetest.Slow(t, "a million candidates take ten minutes to write; TestAReaderOfAKeptFoldSeesWhatTheLogSays stands for it every day")
	n := 1_000_000
	l := large(t, n)
	kept := filepath.Join(l.dir, ".git", "atoll", "folds")
	if err := os.RemoveAll(kept); err != nil {
		t.Fatal(err)
	}
	most := fmt.Sprint(l.settings().MaxJobs + 100) // the settings of a store that was used before leave nothing to do
	for _, from := range []string{"without a kept fold", "with one"} {
		clock, processor, peak := l.watched("run", "--headless", "--for", "2s", "--max-jobs", most)
		t.Logf("a run that ends after two seconds, %s: %s, processor %s, memory %d kB at most", from, clock.Round(time.Millisecond), processor, peak)
		if peak > 350_000 {
			t.Errorf("a run %s holds %d kB", from, peak)
		}
	}
	var clocks []time.Duration
	var said string
	for range 5 {
		var clock, processor time.Duration
		said, clock, processor = l.started("status")
		clocks = append(clocks, clock)
		t.Logf("status: %s, processor %s", clock.Round(time.Millisecond), processor)
	}
	if slices.Sort(clocks); clocks[2] > suitetest.Stretched(t, 150*time.Millisecond) {
		t.Errorf("status takes %s", clocks[2])
	}
	l.openings(t, 100*time.Millisecond, 5*time.Second)
	if err := os.Rename(kept, kept+".aside"); err != nil {
		t.Fatal(err)
	}
	fresh, clock, processor := l.started("status")
	t.Logf("status that folds the log: %s, processor %s", clock.Round(time.Millisecond), processor)
	if err := os.Rename(kept+".aside", kept); err != nil {
		t.Fatal(err)
	}
	if said != fresh {
		t.Errorf("from the kept fold status says\n%s\nfrom the log\n%s", said, fresh)
	}
}

// openings opens the console five times and leaves it at once, while it still folds the log
// behind what it shows. The first frame and the whole screen are held to bounds.
func (l *lab) openings(t *testing.T, first, filled time.Duration) {
	t.Helper()
	// The newest that ended stands among the recent jobs; what waits for a person does not.
	last := slices.MaxFunc(l.jobs(record.Placed, record.Scored, record.Rejected, record.Failed, record.Duplicate), func(a, b record.Job) int { return cmp.Compare(a.Ended, b.Ended) }).ID.String()
	var firsts, fulls []time.Duration
	for range 5 {
		began := time.Now()
		c := start(t, l, nil, 200, 60)
		pid := c.cmd.Process.Pid
		c.see("a complete frame", func(s string) bool {
			lines := strings.Split(s, "\n")
			return len(lines) >= 60 && strings.Contains(lines[0], "dials") && strings.Contains(lines[59], "? help")
		})
		one, cpuOne := time.Since(began), processorOf(t, pid)
		c.wait(last)
		all, cpuAll, memory := time.Since(began), processorOf(t, pid), resident(t, pid)
		began = time.Now()
		c.press("q")
		c.end()
		left := time.Since(began)
		t.Logf("console: first frame %s, processor %s; whole %s, processor %s; memory %d kB; left after %s", one.Round(time.Millisecond), cpuOne, all.Round(time.Millisecond), cpuAll, memory, left.Round(time.Millisecond))
		firsts, fulls = append(firsts, one), append(fulls, cpuAll)
		if memory > 350_000 {
			t.Errorf("the console holds %d kB", memory)
		}
	}
	slices.Sort(firsts)
	slices.Sort(fulls)
	if firsts[2] > suitetest.Stretched(t, first) {
		t.Errorf("the first frame comes after %s", firsts[2])
	}
	if fulls[2] > filled {
		t.Errorf("the whole screen takes %s of the processor", fulls[2])
	}
}

// processorOf is the time that a running process took on processors, in steps of 10 ms.
func processorOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	total := time.Duration(0)
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		total += time.Duration(n) * 10 * time.Millisecond
	}
	return total
}
