package store_test

import (
	"bufio"
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"atoll/store"
	"atoll/store/fault"
	"atoll/store/record"
)

// command starts this binary in another role on a store.
func command(t testing.TB, role, path string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, path)
	c.Env = append(append(os.Environ(), "STORE_TEST_ROLE="+role), env...)
	return c
}

func TestKillsLoseNoAcknowledgedJobAndDoubleNone(t *testing.T) {
	w := open(t, record.Settings{})
	const jobs = 20_000
	all := make([]record.Job, jobs)
	for i := range all {
		all[i] = makeJob(record.JobID(i + 1))
	}
	w.add(all...)
	rng := rand.New(rand.NewPCG(7, 7))
	acknowledged := map[int]bool{}
	for range 8 {
		for _, id := range killed(t, w.path, rng) {
			if acknowledged[id] {
				t.Fatalf("job #%d ended twice", id)
			}
			acknowledged[id] = true
		}
		w.ok(w.db.Integrity(w.ctx))
	}
	if len(acknowledged) < 50 {
		t.Fatalf("only %d jobs ended, the test says nothing", len(acknowledged))
	}
	ends := map[record.JobID]int{}
	w.ok(w.db.FoldLog(w.ctx, w.exp, 0, func(r record.FoldRow) error {
		if r.Kind == record.LogEnd {
			ends[r.Job]++
			if r.Cand == nil || *r.Cand.Objective != float64(r.Job) {
				t.Errorf("job %s ended with %+v", r.Job, r.Cand)
			}
		}
		return nil
	}))
	for id, n := range ends {
		if n != 1 {
			t.Errorf("job %s has %d ends", id, n)
		}
		texts, err := w.db.EvidenceOf(w.ctx, w.exp, id)
		w.ok(err)
		if len(texts) != 1 {
			t.Errorf("job %s has %d texts", id, len(texts))
		}
	}
	for id := range acknowledged {
		if ends[record.JobID(id)] == 0 {
			t.Errorf("job #%d was acknowledged and is lost", id)
		}
	}
	c := w.counters()
	if got := c.Jobs(record.Make, record.Scored); got != len(ends) || c.Evals != len(ends) {
		t.Errorf("counters say %d ends and %d evaluations, the log %d", got, c.Evals, len(ends))
	}
	t.Logf("%d jobs acknowledged, %d ended", len(acknowledged), len(ends))
}

// killed runs a worker process, kills it after some acknowledgements and
// returns them.
func killed(t *testing.T, path string, rng *rand.Rand) []int {
	t.Helper()
	c := command(t, "work", path)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var ids []int
	after := 5 + rng.IntN(60)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		id, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		if len(ids) == after {
			// What follows in the pipe was acknowledged, too.
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.Wait(); err == nil || len(ids) < after {
		t.Fatalf("the worker was not killed: %v, %s", err, stderr.String())
	}
	return ids
}

func TestOtherProcessesWriteBetweenTheGroups(t *testing.T) {
	w := open(t, record.Settings{})
	const n = 60
	first := command(t, "decide", w.path, fmt.Sprint("STORE_TEST_COUNT=", n))
	second := command(t, "decide", w.path, fmt.Sprint("STORE_TEST_COUNT=", n))
	for _, c := range []*exec.Cmd{first, second} {
		c.Stderr = os.Stderr
		w.ok(c.Start())
	}
	w.fill(1, 400, 4)
	w.ok(first.Wait())
	w.ok(second.Wait())
	decisions, err := w.db.Decisions(w.ctx, w.exp, 1000)
	w.ok(err)
	if len(decisions) != 2*n {
		t.Errorf("%d decisions, want %d", len(decisions), 2*n)
	}
	w.kinds() // checks the order
}

func TestChangedSeesCommitsOfThisAndOfOtherProcesses(t *testing.T) {
	w := open(t, record.Settings{})
	look := mustOpen(t, w.path, store.Options{ReadOnly: true})
	changed := func(db *store.DB) uint64 {
		n, err := db.Changed(w.ctx)
		w.ok(err)
		return n
	}
	mine, theirs := changed(w.db), changed(look)
	if changed(w.db) != mine || changed(look) != theirs {
		t.Error("it changed by looking")
	}
	w.ok(w.db.PutMeta(w.ctx, w.exp, "k", "v"))
	if a, b := changed(w.db), changed(look); a <= mine || b <= theirs {
		t.Errorf("own commit: %d after %d, %d after %d", a, mine, b, theirs)
	}
	mine, theirs = changed(w.db), changed(look)
	w.ok(command(t, "decide", w.path, "STORE_TEST_COUNT=1").Run())
	if a, b := changed(w.db), changed(look); a <= mine || b <= theirs {
		t.Errorf("commit of another process: %d after %d, %d after %d", a, mine, b, theirs)
	}
}

func TestManyProcessesCreateTheSameStore(t *testing.T) {
	path := t.TempDir() + "/atoll.db"
	var all []*exec.Cmd
	for range 4 {
		c := command(t, "create", path)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	db := mustOpen(t, path, store.Options{})
	list, err := db.Experiments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, e := range list {
		names += e.Name + " "
	}
	if names != "same same-2 same-3 same-4 " {
		t.Errorf("got %q", names)
	}
}

func TestAFailingDeviceIsToldAndLosesNothing(t *testing.T) {
	w := open(t, record.Settings{})
	c := command(t, "limited", w.path)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err == nil {
		t.Fatal("files grew beyond the limit")
	}
	if !strings.Contains(stderr.String(), store.ErrIO.Error()) && !strings.Contains(stderr.String(), store.ErrFull.Error()) {
		t.Errorf("got %q", stderr.String())
	}
	n, err := strconv.Atoi(strings.TrimSpace(stdout.String()))
	if err != nil || n == 0 {
		t.Fatalf("got %q", stdout.String())
	}
	for id := range n {
		texts, err := w.db.EvidenceOf(w.ctx, w.exp, record.JobID(id))
		w.ok(err)
		if len(texts) != 1 {
			t.Fatalf("text %d of %d is lost", id, n)
		}
	}
	w.ok(w.db.PutMeta(w.ctx, w.exp, "still", "writable"))
}

// TestOpenIsQuick holds the time to the first page of a list far below what a
// person notices: that of the processor, which does not depend on what else runs.
func TestOpenIsQuick(t *testing.T) {
	w := open(t, record.Settings{})
	w.fill(1, 500, 4)
	best := time.Hour
	for range 5 {
		before := cpu(t)
		db, err := store.Open(w.ctx, w.path, store.Options{ReadOnly: true})
		w.ok(err)
		_, err = db.Jobs(w.ctx, w.exp, store.JobFilter{Limit: 50})
		w.ok(err)
		best = min(best, cpu(t)-before)
		w.ok(db.Close())
	}
	if best > 50*time.Millisecond {
		t.Errorf("the first page took %s of the processor", best)
	}
}

func TestAKillWhileTheLayoutChangesLeavesTheOldOneAndTheNextStartGoesOn(t *testing.T) {
	now, files := layouts(t)
	w := openWith(t, record.Settings{}, store.Options{}.WithMigrations(fstest.MapFS{"001_tables.sql": files["001_tables.sql"]}))
	w.ok(w.db.Close())
	for range 2 { // the copy of the layout before is there the second time
		err := command(t, "work", w.path, "ATOLL_FAULT="+string(fault.Layout)).Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("it was not killed: %v", err)
		}
		plain, err := sql.Open("sqlite3", w.path)
		w.ok(err)
		var version int64
		w.ok(plain.QueryRow("PRAGMA user_version").Scan(&version))
		w.ok(plain.Close())
		if version != 1 {
			t.Fatalf("after the kill the layout is %d", version)
		}
	}
	w.db = mustOpen(t, w.path, store.Options{})
	if version, err := w.db.Pragma("user_version"); version != now || err != nil {
		t.Errorf("layout %d, %v", version, err)
	}
	w.ok(w.db.Integrity(w.ctx))
	w.addMakes(1, 1)
	w.through(100, 1)
}
