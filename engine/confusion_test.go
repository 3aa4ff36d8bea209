package engine_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store"
	"atoll/store/record"
)

// confusions are damages in which each file could be read by itself: what is there is
// another's, of another kind, of another time, or leads in circles.
func confusions() []damage {
	list := []damage{
		{name: "a byte in the middle of the kept fold", do: flip("folds/1", 0.5), kept: true, mended: true},
		{name: "half of the kept fold", full: true, do: cut("folds/1", 0.5), kept: true, mended: true},
		{name: "no kept fold", full: true, do: gone("folds"), harmless: true},

		{name: "the write-ahead log of another database beside one that was closed", do: foreignLog, kept: true, mended: true},
		{name: "the write-ahead log of another database in place of its own", killed: true, do: foreignLog, mended: true},
		{name: "an earlier write-ahead log of its own", full: true, do: func(w *wreck) {
			data, err := os.ReadFile(filepath.Join(w.killed, "atoll.db-wal"))
			w.ok(err)
			w.ok(os.WriteFile(filepath.Join(w.dir, "atoll.db-wal"), data, 0o600))
		}, kept: true, mended: true},

		{name: "packs that swapped their names", do: swapPacks, kept: true, mended: true},
		{name: "an index of another pack", full: true, do: func(w *wreck) {
			packs := w.twoPacks()
			data, err := os.ReadFile(packs[0] + ".idx")
			w.ok(err)
			w.ok(os.Remove(packs[1] + ".idx"))
			w.ok(os.WriteFile(packs[1]+".idx", data, 0o600))
		}, kept: true, mended: true},
		{name: "a list of all packs that is none", do: laid("store.git/objects/pack/multi-pack-index", "MIDX\x01\x01\x04\x00none"), kept: true, mended: true},
		{name: "a graph of commits that is none", full: true, do: laid("store.git/objects/info/commit-graph", "CGPH\x01\x01\x00none"), kept: true, mended: true},
		{name: "objects that are said to be elsewhere, in a circle", full: true, do: func(w *wreck) {
			laid("store.git/objects/info/alternates", filepath.Join(w.dir, "store.git/objects")+"\n/nowhere\n")(w)
		}, harmless: true},

		{name: "an anchor's ref that leads to a file", do: leads("refs/heads/anchor/1", ":program.txt"), kept: true, mended: true},
		{name: "an attempt's ref that leads to a folder", full: true, do: leads("refs/atoll/1/attempt/9", "^{tree}"), kept: true, mended: true},
		{name: "an empty HEAD", do: cut("store.git/HEAD", 0), kept: true, mended: true},
		{name: "an end of the history that is none", full: true, do: laid("store.git/shallow", "here\n"), kept: true, mended: true},

		{name: "a layout of an atoll to come", do: statements("PRAGMA user_version = 99"), refused: true},
		{name: "a layout that is said to be an older one", do: statements("PRAGMA user_version = 4"), mended: true},
		{name: "rows that lead nowhere", full: true, killed: true, do: statements("PRAGMA foreign_keys = OFF; DELETE FROM candidate WHERE id = 3"), mended: true},
		{name: "a folded log with a hole", full: true, killed: true, do: statements("DELETE FROM log WHERE seq = (SELECT seq FROM log WHERE kind = 'end' LIMIT 1 OFFSET 10)"), mended: true},
	}
	for i, part := range []string{"TABLE evidence", "TABLE sample", "TABLE meta", "INDEX job_queue"} {
		list = append(list, damage{name: "no " + part, killed: true, do: statements("PRAGMA foreign_keys = OFF; DROP " + part), mended: true, full: i > 0})
	}
	for _, d := range []struct {
		name     string
		harmless bool // nothing is lost, and nothing to find
		lost     bool // what was there is in a backup only
		full     bool
	}{
		{"atoll.db", false, true, false},
		{"atoll.db-wal", false, false, true},
		{"atoll.db.sums", true, false, true},
		{"store.git/HEAD", false, false, false},
		{"store.git/config", false, false, true},
		{"store.git/packed-refs", false, false, true},
		{"store.git/refs/heads/anchor/1", false, false, true},
		{"store.git/objects/pack/*.idx", false, false, true},
		{"store.git/objects/pack/*.pack", false, true, true},
		{"evaluators/*.sum", false, true, true},
		{"folds/1", false, false, true},
	} {
		list = append(list,
			damage{name: "a folder in the place of " + d.name, do: replaced(d.name, func(path string) error { return os.MkdirAll(filepath.Join(path, "inside"), 0o700) }), harmless: d.harmless, kept: !d.lost, mended: true, full: d.full},
			damage{name: "a symlink to itself in the place of " + d.name, do: replaced(d.name, circle), harmless: d.harmless, kept: !d.lost, mended: true, full: d.full},
		)
	}
	for i, name := range []string{"store.git", "store.git/objects", "store.git/refs", "evaluators", "folds"} {
		list = append(list,
			damage{name: "a file in the place of the folder " + name, do: replaced(name, func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }), kept: i > 1, mended: true, full: i > 0},
			damage{name: "a symlink to itself in the place of the folder " + name, do: replaced(name, circle), kept: i > 1, mended: true, full: true},
		)
	}
	return list
}

func (w *wreck) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// laid writes a file that may not have been there.
func laid(rel, text string) func(*wreck) {
	return func(w *wreck) { write(w.t, filepath.Join(w.dir, rel), text) }
}

// replaced puts something else in the place of a file or folder, there or not.
func replaced(rel string, by func(path string) error) func(*wreck) {
	return func(w *wreck) {
		path := filepath.Join(w.dir, rel)
		if strings.Contains(rel, "*") {
			path = w.path(rel)
		}
		w.ok(os.RemoveAll(path))
		w.ok(by(path))
	}
}

func circle(path string) error { return os.Symlink(filepath.Base(path), path) }

// leads has a ref point to what is no commit.
func leads(ref, what string) func(*wreck) {
	return func(w *wreck) {
		dir := filepath.Join(w.dir, "store.git")
		tip := strings.Fields(git(w.t, dir, "rev-list", "--no-walk", "refs/heads/anchor/1^@"))[0]
		laid(filepath.Join("store.git", ref), git(w.t, dir, "rev-parse", tip+what)+"\n")(w)
	}
}

// statements runs statements on the database as another program would.
func statements(text string) func(*wreck) {
	return func(w *wreck) {
		db, err := sql.Open("sqlite3", filepath.Join(w.dir, "atoll.db"))
		w.ok(err)
		db.SetMaxOpenConns(1)
		_, err = db.Exec(text)
		w.ok(err)
		w.ok(db.Close())
	}
}

// foreignLog puts the write-ahead log of another store in the place of the one that is
// there, or beside one that has none.
func foreignLog(w *wreck) {
	path := filepath.Join(w.t.TempDir(), "atoll.db")
	db, err := store.Open(w.t.Context(), path, store.Options{})
	w.ok(err)
	for range 5 {
		_, err = db.CreateExperiment(w.t.Context(), record.Experiment{Name: "another", Objective: 1, State: record.ExperimentRunning}, record.Settings{})
		w.ok(err)
	}
	data, err := os.ReadFile(path + "-wal")
	w.ok(err)
	w.ok(db.Close())
	_ = os.Remove(filepath.Join(w.dir, "atoll.db-shm")) // it may not be there
	w.ok(os.WriteFile(filepath.Join(w.dir, "atoll.db-wal"), data, 0o600))
}

// twoPacks packs what is loose and returns the packs, without their endings.
func (w *wreck) twoPacks() []string {
	git(w.t, filepath.Join(w.dir, "store.git"), "repack", "-q")
	packs, err := filepath.Glob(filepath.Join(w.dir, "store.git/objects/pack/*.pack"))
	w.ok(err)
	if len(packs) < 2 {
		w.t.Fatalf("there are %d packs", len(packs))
	}
	for i := range packs {
		packs[i] = strings.TrimSuffix(packs[i], ".pack")
	}
	return packs
}

func swapPacks(w *wreck) {
	packs := w.twoPacks()
	a, b := packs[0]+".pack", packs[1]+".pack"
	w.ok(os.Rename(a, a+".swap"))
	w.ok(os.Rename(b, a))
	w.ok(os.Rename(a+".swap", b))
}

func TestAConfusedStateDirectory(t *testing.T) {
	suitetest.Full(t, "a wreck for each confusion; TestADamagedStateDirectory stands for it")
	w := newWrecks(t)
	w.everyDamageIsFoundAndRepairedOrNamed(confusions())
}
