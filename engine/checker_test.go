package engine_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// checker knows nothing of atoll: it reads the database with SQL and the object store
// with plain git, and holds what it finds against what it found before.
type checker struct {
	state   string
	repeats int // samples of each candidate, 0 = 1
	before  ledger
}

// ledger is what a checker reads of the database that must never change again.
type ledger struct {
	candidates map[int]string // commit and tree
	samples    map[string]string
	ends       map[int]string
	decisions  map[int]string
}

// counted are queries that find nothing in a store that lost and doubled nothing.
var counted = map[string]string{
	"jobs that ended twice":              "SELECT count(*) FROM (SELECT job FROM log WHERE kind = 'end' GROUP BY job HAVING count(*) > 1)",
	"ends of jobs that are not logged":   "SELECT count(*) FROM job j WHERE kind = 'make' AND state IN ('placed','scored','rejected','failed','duplicate','done') AND NOT EXISTS (SELECT 1 FROM log l WHERE l.job = j.id AND l.kind = 'end')",
	"ends in the log of jobs that go on": "SELECT count(*) FROM log l JOIN job j ON j.id = l.job WHERE l.kind = 'end' AND j.state IN ('queued','editing','committed','gated','evaluating')",
	"commits that were written twice":    "SELECT count(*) FROM (SELECT job FROM log WHERE kind = 'made' GROUP BY job HAVING count(*) > 1)",
	"trees that were measured twice":     "SELECT count(*) FROM (SELECT tree_id FROM candidate GROUP BY tree_id HAVING count(*) > 1)",
	"candidates without their job":       "SELECT count(*) FROM candidate c LEFT JOIN job j ON j.id = c.job WHERE j.id IS NULL OR (j.kind = 'make' AND j.candidate <> c.id)",
	"scored candidates without a sample": "SELECT count(*) FROM candidate c WHERE status = 'scored' AND NOT EXISTS (SELECT 1 FROM sample s WHERE s.candidate = c.id)",
	"more samples than were asked for":   "SELECT count(*) FROM (SELECT s.job FROM sample s JOIN job j ON j.id = s.job GROUP BY s.job HAVING count(*) > max(REPEATS, max(j.samples)) AND j.kind = 'make')",
	"more samples than evaluations":      "SELECT (SELECT count(*) FROM sample) > (SELECT evals FROM total)",
	"more jobs begun than the budget":    "SELECT (SELECT count(*) FROM job WHERE kind = 'make' AND attempt > 0) > (SELECT max_jobs FROM settings)",
	"a count of begun jobs that is off":  "SELECT (SELECT count(*) FROM job WHERE kind = 'make' AND (attempt > 0 OR state NOT IN ('queued','cancelled'))) <> (SELECT begun FROM total)",
	"evaluations counted beside jobs":    "SELECT (SELECT sum(evals) FROM job) <> (SELECT evals FROM total)",
	"numbers of the log out of order":    "SELECT count(*) FROM log WHERE seq > (SELECT last FROM sequence)",
	"gaps in the numbers of the log":     "SELECT (SELECT count(*) FROM log) <> (SELECT last FROM sequence)",
	"values that are no number":          "SELECT count(*) FROM sample WHERE NOT objective BETWEEN -1e308 AND 1e308",
}

// find returns what is wrong, one line each. shown is how many make jobs a reader saw
// ended; thorough looks at every object and whether refs lead to it.
func (c *checker) find(ctx context.Context, shown int, thorough bool) (wrong []string, err error) {
	db, err := sql.Open("sqlite3", filepath.Join(c.state, "atoll.db"))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	one := func(query string) (text string) {
		if e := db.QueryRowContext(ctx, query).Scan(&text); e != nil && err == nil {
			err = fmt.Errorf("%s: %w", query, e)
		}
		return text
	}
	if found := one("PRAGMA integrity_check"); found != "ok" {
		wrong = append(wrong, found)
	}
	for _, what := range slices.Sorted(maps.Keys(counted)) {
		if n := one(strings.ReplaceAll(counted[what], "REPEATS", strconv.Itoa(max(1, c.repeats)))); n != "0" {
			wrong = append(wrong, n+" "+what)
		}
	}
	ended, _ := strconv.Atoi(one("SELECT count(*) FROM job WHERE kind = 'make' AND state IN ('placed','scored','rejected','failed','duplicate','cancelled')"))
	if ended < shown {
		wrong = append(wrong, fmt.Sprintf("%d jobs had ended before a reader's eyes, %d have", shown, ended))
	}
	if err != nil {
		return wrong, err
	}
	now, commits, err := ledgerOf(ctx, db)
	if err != nil {
		return wrong, err
	}
	wrong = append(wrong, changed("candidate", c.before.candidates, now.candidates)...)
	wrong = append(wrong, changed("sample", c.before.samples, now.samples)...)
	wrong = append(wrong, changed("end of job", c.before.ends, now.ends)...)
	wrong = append(wrong, changed("decision", c.before.decisions, now.decisions)...)
	c.before = now
	return append(wrong, c.objects(ctx, commits, thorough)...), nil
}

// ledgerOf reads the rows that stay as they are, and all commits.
func ledgerOf(ctx context.Context, db *sql.DB) (now ledger, commits []string, err error) {
	now = ledger{candidates: map[int]string{}, samples: map[string]string{}, ends: map[int]string{}, decisions: map[int]string{}}
	var id int
	var key, text string
	var commit, tree []byte
	for _, r := range []struct {
		query string
		to    []any
		keep  func()
	}{
		{"SELECT id, commit_id, tree_id FROM candidate", []any{&id, &commit, &tree}, func() {
			now.candidates[id] = hex.EncodeToString(commit) + " " + hex.EncodeToString(tree)
			commits = append(commits, hex.EncodeToString(commit))
		}},
		{"SELECT candidate || ' ' || version || ' ' || job || ' ' || repeat, objective || ' ' || held_out FROM sample", []any{&key, &text}, func() { now.samples[key] = text }},
		{"SELECT job, cast(data AS TEXT) FROM log WHERE kind = 'end'", []any{&id, &text}, func() { now.ends[id] = text }},
		{"SELECT seq, cast(data AS TEXT) FROM log WHERE kind = 'decision'", []any{&id, &text}, func() { now.decisions[id] = text }},
	} {
		rows, err := db.QueryContext(ctx, r.query)
		if err != nil {
			return now, nil, err
		}
		for err == nil && rows.Next() {
			if err = rows.Scan(r.to...); err == nil {
				r.keep()
			}
		}
		if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
			return now, nil, err
		}
	}
	return now, commits, nil
}

func changed[K comparable](what string, before, now map[K]string) (wrong []string) {
	for key, value := range before {
		if now[key] != value {
			wrong = append(wrong, fmt.Sprintf("%s %v was %q and is %q", what, key, value, now[key]))
		}
	}
	return wrong
}

// objects looks with plain git whether every commit is there and something leads to it.
func (c *checker) objects(ctx context.Context, commits []string, thorough bool) (wrong []string) {
	git := func(stdin string, args ...string) string {
		cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir", filepath.Join(c.state, "store.git")}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("git %s: %v: %s", args[0], err, out))
		}
		return string(out)
	}
	if out := git(strings.Join(commits, "\n")+"\n", "cat-file", "--batch-check=%(objecttype)"); strings.Count(out, "commit\n") != len(commits) {
		wrong = append(wrong, fmt.Sprintf("of %d commits git finds\n%s", len(commits), out))
	}
	if !thorough {
		return wrong
	}
	reach := map[string]bool{}
	for name := range strings.FieldsSeq(git("", "rev-list", "--all")) {
		reach[name] = true
	}
	for _, name := range commits {
		if !reach[name] {
			wrong = append(wrong, "nothing leads to "+name)
		}
	}
	git("", "fsck", "--full", "--strict", "--no-dangling", "--no-progress")
	return wrong
}

// niches computes from rows alone who holds which niche on the axes of labYAML, and returns
// where the archive of a fold says otherwise.
func (c *checker) niches(ctx context.Context) (wrong []string, err error) {
	const bins, most = 6, 4.0
	plain, err := sql.Open("sqlite3", filepath.Join(c.state, "atoll.db"))
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	rows, err := plain.QueryContext(ctx, `SELECT c.id, c.objective, m.data FROM candidate c JOIN metric m ON m.candidate = c.id
		WHERE c.status = 'scored' ORDER BY c.objective DESC, c.samples DESC, c.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	want := map[int]record.CandidateID{}
	for rows.Next() {
		var id record.CandidateID
		var objective, first, second float64
		var data []byte
		if err := rows.Scan(&id, &objective, &data); err != nil {
			return nil, err
		}
		if err := plain.QueryRowContext(ctx, `SELECT (SELECT json_extract(value, '$.value') FROM json_each(?1) WHERE json_extract(value, '$.name') = 'first'),
			(SELECT json_extract(value, '$.value') FROM json_each(?1) WHERE json_extract(value, '$.name') = 'second')`, string(data)).Scan(&first, &second); err != nil {
			return nil, fmt.Errorf("%w in %s", err, data)
		}
		bin := func(v float64) int { return max(0, min(bins-1, int(v/most*bins))) }
		cell := bin(first)*bins + bin(second)
		if _, taken := want[cell]; !taken {
			want[cell] = id
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, filepath.Join(c.state, "atoll.db"), store.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	st, err := fold.LoadState(ctx, db, 1)
	if err != nil {
		return nil, err
	}
	got := map[int]record.CandidateID{}
	for _, cell := range st.Snapshot().Grid.Cells {
		got[cell.Index] = cell.Elite
	}
	if !maps.Equal(got, want) {
		wrong = append(wrong, fmt.Sprintf("the niches are held by %v, and should be by %v", got, want))
	}
	return wrong, nil
}

// TestTheCheckerOfKillsFindsWhatAKillCouldDo plants what a store looks like that lost or
// doubled something: a checker that finds nothing must be one that would.
func TestTheCheckerOfKillsFindsWhatAKillCouldDo(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=16")
	l.run()
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	sqlIn := func(text string) func(t *testing.T, state string) {
		return func(t *testing.T, state string) {
			db, err := sql.Open("sqlite3", filepath.Join(state, "atoll.db"))
			if err == nil {
				_, err = db.Exec(text)
			}
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	const last = "(SELECT max(id) FROM candidate)"
	for name, c := range map[string]struct {
		plant func(t *testing.T, state string)
		says  string
	}{
		"a whole store":                     {func(*testing.T, string) {}, ""},
		"a lost end of a job":               {sqlIn("DELETE FROM log WHERE kind = 'end' AND job = 3"), "end of job 3 was"},
		"a job that ended twice":            {sqlIn("INSERT INTO log (experiment, fold, seq, at, kind, job, candidate, data) SELECT experiment, fold, (SELECT last FROM sequence) + 1, at, kind, job, candidate, data FROM log WHERE kind = 'end' AND job = 3; UPDATE sequence SET last = last + 1"), "jobs that ended twice"},
		"a job that a reader saw ended":     {sqlIn("UPDATE job SET state = 'queued' WHERE kind = 'make'"), "before a reader's eyes"},
		"a sample that is gone":             {sqlIn("DELETE FROM sample WHERE candidate = " + last), "without a sample"},
		"a sample with another value":       {sqlIn("UPDATE sample SET objective = objective + 1 WHERE candidate = " + last), "sample "},
		"a tree that was measured twice":    {sqlIn("UPDATE candidate SET tree_id = (SELECT tree_id FROM candidate WHERE id = 1) WHERE id = " + last), "trees that were measured twice"},
		"another commit":                    {sqlIn("UPDATE candidate SET commit_id = (SELECT commit_id FROM candidate WHERE id = 1) WHERE id = " + last), "candidate "},
		"a commit that is not there":        {sqlIn("UPDATE candidate SET commit_id = x'00112233445566778899aabbccddeeff00112233' WHERE id = " + last), "git finds"},
		"an evaluation that is not counted": {sqlIn("UPDATE total SET evals = evals - 1"), "evaluations"},
		"a budget that was overdrawn":       {sqlIn("UPDATE settings SET max_jobs = 15"), "than the budget"},
		"a wrong holder of a niche":         {sqlIn("UPDATE log SET value = NULL; UPDATE candidate SET measures = zeroblob(16) WHERE id > 0"), "the niches are held by"},
		"refs that are gone": {func(t *testing.T, state string) {
			dir := filepath.Join(state, "store.git")
			for name := range strings.FieldsSeq(git(t, dir, "for-each-ref", "--format=%(refname)")) {
				git(t, dir, "update-ref", "-d", name)
			}
		}, "nothing leads to"},
	} {
		t.Run(name, func(t *testing.T) {
			k := &checker{state: l.copyOf(t)}
			shown := 16
			if wrong, err := k.find(t.Context(), shown, true); err != nil || len(wrong) > 0 {
				t.Fatalf("before anything is planted: %q %v", wrong, err)
			}
			c.plant(t, k.state)
			wrong, err := k.find(t.Context(), shown, true)
			if err != nil {
				t.Fatal(err)
			}
			more, err := k.niches(t.Context())
			if err != nil && c.says == "" {
				t.Fatal(err)
			}
			all := strings.Join(append(wrong, more...), "\n")
			if c.says == "" && all != "" || !strings.Contains(all, c.says) {
				t.Errorf("it says %q", all)
			}
		})
	}
}

// copyOf returns a copy of the closed state directory.
func (l *lab) copyOf(t *testing.T) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "state")
	if out, err := exec.Command("cp", "-a", l.ses.Dir, to).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return to
}
