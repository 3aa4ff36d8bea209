package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	_ "github.com/mattn/go-sqlite3" // driver of the files of other programs

	"atoll/store"
	"atoll/store/record"
)

func TestExperimentsOfOneFileAreApart(t *testing.T) {
	w := open(t, record.Settings{MaxJobs: 1})
	first := w.exp
	w.addMakes(1, 2)
	w.through(100, 1)
	second := w.experiment(record.Settings{})
	w.exp = second
	w.addMakes(1, 1)
	w.through(100, 2) // the same tree is new in another experiment
	all, err := w.db.Experiments(w.ctx)
	w.ok(err)
	if len(all) != 2 || all[0].Name != "main" || all[1].Name != "main-2" || all[1].Seed != 1<<63 || all[0].ID != first {
		t.Errorf("got %+v", all)
	}
	for i, e := range all {
		w.exp = e.ID
		if c := w.candidate(1); *c.Objective != float64(i+1) {
			t.Errorf("%s: got %v", e.Name, *c.Objective)
		}
		for _, k := range w.kinds()[1:] {
			if k == record.LogExperiment {
				t.Error("a row of the other experiment")
			}
		}
	}
	if _, err := w.db.Experiment(w.ctx, 77); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := w.db.Counters(w.ctx, 77); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestAStoreIsFoundAgain(t *testing.T) {
	for _, name := range []string{"atoll.db", "with space #1 100%?.db", "ünï.db"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new", "directory", name)
			db := mustOpen(t, path, store.Options{})
			e, err := db.CreateExperiment(t.Context(), record.Experiment{Name: "x"}, record.Settings{Goal: "go"})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); err != nil {
				t.Fatal(err)
			}
			db = mustOpen(t, path, store.Options{ReadOnly: true})
			s, err := db.Settings(t.Context(), e.ID)
			if err != nil || s.Goal != "go" {
				t.Errorf("got %+v, %v", s, err)
			}
		})
	}
}

func TestFilesThatAreNoStoreAreRefusedAndLeftAsTheyAre(t *testing.T) {
	foreign := func(text string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			db, err := sql.Open("sqlite3", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(text); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(content string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	newer := func(t *testing.T, path string) {
		w := open(t, record.Settings{})
		w.ok(w.db.Do("PRAGMA user_version = 99"))
		w.ok(w.db.Backup(w.ctx, path))
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"a text", write("hello, I am a text and long enough"), store.ErrNotADatabase},
		{"a short text", write("hi"), store.ErrNotADatabase},
		{"tables of another program", foreign("CREATE TABLE mine (x)"), store.ErrNotADatabase},
		{"the id of another program", foreign("PRAGMA application_id = 42"), store.ErrNotADatabase},
		{"a newer layout", newer, store.ErrNewer},
		{"a broken header", write("SQLite format 3\x00 and then nonsense" + strings.Repeat("x", 5000)), store.ErrNotADatabase},
	} {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, ", read-only ", readOnly), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "f")
				c.make(t, path)
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				_, err = store.Open(t.Context(), path, store.Options{ReadOnly: readOnly})
				wants(t, err, c.want)
				after, err := os.ReadFile(path)
				if err != nil || !bytes.Equal(before, after) {
					t.Errorf("the file was changed (%v)", err)
				}
			})
		}
	}
}

func TestADirectoryIsNoStore(t *testing.T) {
	if _, err := store.Open(t.Context(), t.TempDir(), store.Options{}); err == nil {
		t.Error("it was opened")
	}
}

func TestNetworkFileSystemsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	o := store.Options{}.WithFilesystem(func(string) (string, error) { return "NFS", nil })
	_, err := store.Open(t.Context(), path, o)
	wants(t, err, store.ErrNetwork)
	if !strings.Contains(err.Error(), "NFS") || !strings.Contains(err.Error(), "--state") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
}

func TestReadingWhatIsNotThere(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "s.db"), filepath.Join(t.TempDir(), "no", "directory", "s.db")} {
		_, err := store.Open(t.Context(), path, store.Options{ReadOnly: true})
		wants(t, err, store.ErrNotFound)
		if _, err := os.Stat(path); err == nil {
			t.Error("a file was made")
		}
	}
}

func TestAReadOnlyStoreWritesNothingAndSeesAll(t *testing.T) {
	w := open(t, record.Settings{})
	look := mustOpen(t, w.path, store.Options{ReadOnly: true})
	w.addMakes(1, 1)
	w.through(100, 4)
	c, err := look.Candidate(w.ctx, w.exp, 1)
	w.ok(err)
	if *c.Objective != 4 || !look.ReadOnly() || w.db.ReadOnly() {
		t.Errorf("got %+v", c)
	}
	wants(t, look.PutMeta(w.ctx, w.exp, "k", "v"), store.ErrReadOnly)
	wants(t, look.SetSync(true), store.ErrReadOnly)
	_, err = look.Lease(w.ctx, w.exp, "w", 1e9)
	wants(t, err, store.ErrReadOnly)
	w.ok(look.Integrity(w.ctx))
}

func TestACleanEndLeavesNoWriteAheadLog(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	w.through(100, 1)
	w.candidate(1) // a reader that is still there at the end
	w.ok(w.db.Close())
	for _, name := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(w.path + name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", w.path+name, err)
		}
	}
}

// TestAReadOnlyDirectoryIsExplained runs as another user, because the
// administrator may write everywhere.
func TestAReadOnlyDirectoryIsExplained(t *testing.T) {
	w := open(t, record.Settings{})
	w.ok(w.db.Close()) // no write-ahead log is left
	w.ok(os.Chmod(w.path, 0o644))
	dir := filepath.Dir(w.path)
	run := func() (string, error) {
		c := command(t, "look", w.path)
		asOrdinary(t, c, dir)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	w.ok(os.Chmod(dir, 0o555))
	t.Cleanup(func() { w.ok(os.Chmod(dir, 0o755)) })
	if out, err := run(); err != nil || out != "1\n" {
		t.Errorf("of a store that nobody writes: %v: %s", err, out)
	}
	w.ok(os.Chmod(dir, 0o755))
	w.ok(os.WriteFile(w.path+"-wal", nil, 0o644)) // somebody has it open
	w.ok(os.WriteFile(w.path+"-shm", nil, 0o000))
	w.ok(os.Chmod(dir, 0o555))
	out, err := run()
	if err == nil || !strings.Contains(out, "write-ahead log") || !strings.Contains(out, dir) || !strings.Contains(out, "copy all files") {
		t.Errorf("got %v: %s", err, out)
	}
	w.ok(os.Chmod(dir, 0o777))
	w.ok(errors.Join(os.Remove(w.path+"-wal"), os.Remove(w.path+"-shm")))
	if out, err := run(); err != nil || out != "1\n" {
		t.Errorf("in a directory that it may write: %v: %s", err, out)
	}
}

// TestACopyWithoutSharedMemoryIsReadWithItsLog runs as another user, because the
// administrator may write everywhere.
func TestACopyWithoutSharedMemoryIsReadWithItsLog(t *testing.T) {
	w := open(t, record.Settings{})
	dir := t.TempDir()
	copied := filepath.Join(dir, "atoll.db")
	for _, ext := range []string{"", "-wal"} { // the store is open: its rows are in the log
		data, err := os.ReadFile(w.path + ext)
		w.ok(err)
		w.ok(os.WriteFile(copied+ext, data, 0o444))
	}
	w.ok(os.Chmod(dir, 0o555))
	t.Cleanup(func() { w.ok(os.Chmod(dir, 0o755)) })
	c := command(t, "look", copied)
	scratch := t.TempDir()
	w.ok(os.Chmod(scratch, 0o777))
	c.Env = append(c.Environ(), "TMPDIR="+scratch)
	asOrdinary(t, c, dir, scratch)
	if out, err := c.CombinedOutput(); err != nil || string(out) != "1\n" {
		t.Errorf("of a store with a log that nobody has open: %v: %s", err, out)
	}
	left, err := os.ReadDir(scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// asOrdinary has a command run as a user who is not the administrator and can reach
// the folders.
func asOrdinary(t *testing.T, c *exec.Cmd, folders ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	c.Path = copyOfSelf(t, c.Path)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	for _, from := range folders {
		for d := filepath.Dir(from); d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// copyOfSelf puts this binary where every user may run it.
func copyOfSelf(t *testing.T, self string) string {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, "store.test")
	in, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// layouts are the migrations as they are, and their number.
func layouts(t *testing.T) (int64, fstest.MapFS) {
	t.Helper()
	files := fstest.MapFS{}
	names, err := filepath.Glob("[0-9][0-9][0-9]_*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	return int64(len(names)), files
}

func TestAnExperimentOfTheFirstLayoutGoesOn(t *testing.T) {
	_, files := layouts(t)
	w := openWith(t, record.Settings{}, store.Options{}.WithMigrations(fstest.MapFS{"001_tables.sql": files["001_tables.sql"]}))
	w.ok(w.db.Close())
	// A job as that layout had it.
	old, err := sql.Open("sqlite3", w.path)
	w.ok(err)
	_, err = old.Exec(fmt.Sprintf(`INSERT INTO job (experiment, id, kind, state, priority, lane, purpose, island, parent, inspirations, operator, agent,
			target, goal, candidate, duplicate, retry_of, repeat, samples, created)
		VALUES (%[1]d, 1, 'make', 'queued', 0, 0, '', '', 0, '', 'tune', 'offline', '', '', -1, -1, 0, 0, 0, 1);
		INSERT INTO job_count VALUES (%[1]d, 'make', 'queued', 1)`, w.exp))
	w.ok(err)
	w.ok(old.Close())
	w.db = mustOpen(t, w.path, store.Options{})
	w.through(100, 1)
	c := w.candidate(1)
	if c.Dev != 0 || c.Objective == nil {
		t.Errorf("got %+v", c)
	}
}

func TestAnOlderLayoutIsCopiedThenMigrated(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	w.through(100, 1)
	w.ok(w.db.Close())
	now, next := layouts(t)
	next[fmt.Sprintf("%03d_colour.sql", now+1)] = &fstest.MapFile{Data: []byte("-- later\nALTER TABLE experiment ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';")}
	next[fmt.Sprintf("%03d_shape.sql", now+2)] = &fstest.MapFile{Data: []byte("CREATE TABLE shape (x INTEGER) STRICT;")}
	_, err := store.Open(w.ctx, w.path, store.Options{ReadOnly: true}.WithMigrations(next))
	wants(t, err, store.ErrReadOnly)
	if err != nil && !strings.Contains(err.Error(), "copy the state directory") {
		t.Errorf("it does not say what to do: %v", err)
	}
	w.db = mustOpen(t, w.path, store.Options{}.WithMigrations(next))
	if version, err := w.db.Pragma("user_version"); version != now+2 || err != nil {
		t.Errorf("layout %d, %v", version, err)
	}
	if c := w.candidate(1); *c.Objective != 1 {
		t.Errorf("got %+v", c)
	}
	w.ok(w.db.Do("INSERT INTO shape VALUES (1)"))
	old := mustOpen(t, fmt.Sprintf("%s.v%d", w.path, now), store.Options{})
	if version, err := old.Pragma("user_version"); version != now || err != nil {
		t.Errorf("the copy has layout %d, %v", version, err)
	}
	if _, err := old.Candidate(w.ctx, w.exp, 1); err != nil {
		t.Error(err)
	}
	_, err = store.Open(w.ctx, w.path, store.Options{})
	wants(t, err, store.ErrNewer)
}

func TestABrokenMigrationChangesNothing(t *testing.T) {
	w := open(t, record.Settings{})
	w.ok(w.db.Close())
	now, broken := layouts(t)
	name := fmt.Sprintf("%03d_broken.sql", now+1)
	broken[name] = &fstest.MapFile{Data: []byte("CREATE TABLE half (x INTEGER) STRICT; CREATE TABLE job (x INTEGER);")}
	if _, err := store.Open(w.ctx, w.path, store.Options{}.WithMigrations(broken)); err == nil || !strings.Contains(err.Error(), name) {
		t.Fatalf("got %v", err)
	}
	w.db = mustOpen(t, w.path, store.Options{})
	if version, err := w.db.Pragma("user_version"); version != now || err != nil {
		t.Errorf("layout %d, %v", version, err)
	}
	w.ok(w.db.Do("CREATE TABLE half (x INTEGER) STRICT"))
}

func TestABackupIsAStoreOfItsOwn(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 2)
	w.through(100, 1)
	path := filepath.Join(t.TempDir(), "copy.db")
	w.ok(w.db.Backup(w.ctx, path))
	wants(t, w.db.Backup(w.ctx, path), store.ErrExists)
	w.through(101, 2)
	copied := mustOpen(t, path, store.Options{})
	w.ok(copied.Integrity(w.ctx))
	if _, err := copied.Candidate(w.ctx, w.exp, 1); err != nil {
		t.Error(err)
	}
	_, err := copied.Candidate(w.ctx, w.exp, 2)
	wants(t, err, store.ErrNotFound)
}

func TestDamageIsFound(t *testing.T) {
	for name, text := range map[string]string{
		"a wrong total": "UPDATE total SET evals = 5",
		"a wrong count": "UPDATE job_count SET n = 7 WHERE state = 'scored'",
		"a lost job":    "DELETE FROM job WHERE id = 1",
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, ctx: t.Context(), path: filepath.Join(t.TempDir(), "s.db")}
			w.db = mustOpen(t, w.path, store.Options{})
			w.exp = w.experiment(record.Settings{})
			w.addMakes(1, 1)
			w.through(100, 1)
			w.ok(w.db.Integrity(w.ctx))
			w.ok(w.db.Do(text))
			wants(t, w.db.Integrity(w.ctx), store.ErrDamaged)
		})
	}
}
