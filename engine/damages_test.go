package engine_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/mattn/go-sqlite3" // changes databases as a stranger would
)

// inTurn does one thing to a wreck after the other.
func inTurn(all ...func(*wreck)) func(*wreck) {
	return func(w *wreck) {
		for _, do := range all {
			do(w)
		}
	}
}

// changeRows changes what is in the database, behind the back of the sums of its pages, as of a
// store that a kill left.
func changeRows(statement string) func(*wreck) {
	return func(w *wreck) {
		w.t.Helper()
		gone("atoll.db.sums")(w)
		db, err := sql.Open("sqlite3", filepath.Join(w.dir, "atoll.db"))
		if err != nil {
			w.t.Fatal(err)
		}
		defer db.Close()
		result, err := db.Exec(statement)
		if err != nil {
			w.t.Fatal(err)
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 && !strings.HasPrefix(statement, "DROP") && !strings.HasPrefix(statement, "CREATE") {
			w.t.Fatalf("%s changes nothing: %v", statement, err)
		}
	}
}

// newFile writes a file, and the folders above it.
func newFile(rel, text string) func(*wreck) {
	return func(w *wreck) { write(w.t, filepath.Join(w.dir, rel), text) }
}

// gitDoes runs git in the object store.
func gitDoes(args ...string) func(*wreck) {
	return func(w *wreck) { git(w.t, filepath.Join(w.dir, "store.git"), args...) }
}

// held are commits that the newest anchor holds.
func (w *wreck) held() []string {
	w.t.Helper()
	return strings.Fields(git(w.t, filepath.Join(w.dir, "store.git"), "rev-list", "--no-walk", "refs/heads/anchor/1^@"))
}

// another puts the bytes of another whole object in place of a loose one of a kind.
func another(kind string) func(*wreck) {
	return loose(kind, func(rel string) func(*wreck) {
		return func(w *wreck) {
			w.change(rel, func(was []byte) []byte {
				list, err := filepath.Glob(filepath.Join(w.dir, "store.git/objects/[0-9a-f][0-9a-f]/*"))
				if err != nil {
					w.t.Fatal(err)
				}
				for _, path := range list {
					if data, err := os.ReadFile(path); err == nil && !bytes.Equal(data, was) {
						return data
					}
				}
				w.t.Fatal("there is no other object")
				return nil
			})
		}
	})
}

// anotherLog puts the write-ahead log of another database in the place of that of a store.
func anotherLog(w *wreck) {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "db")
	db, err := sql.Open("sqlite3", path+"?_journal_mode=WAL")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE other (n); INSERT INTO other VALUES (zeroblob(100000))"); err != nil {
		w.t.Fatal(err)
	}
	data, err := os.ReadFile(path + "-wal")
	if err != nil || len(data) == 0 {
		w.t.Fatalf("%d bytes, %v", len(data), err)
	}
	gone("atoll.db-shm")(w)
	newFile("atoll.db-wal", string(data))(w)
}

// hotJournal has SQLite write zeros over the second page of a database.
func hotJournal() string {
	be := binary.BigEndian
	head := []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
	for _, n := range []uint32{1, 0x01020304, 2, 512, 4096} { // pages, nonce, pages of the database before, sector, size of a page
		head = be.AppendUint32(head, n)
	}
	data := append(head, make([]byte, 512-len(head))...)
	data = be.AppendUint32(data, 2)
	data = append(data, make([]byte, 4096)...)
	return string(be.AppendUint32(data, 0x01020304)) // the sum of zeros is the nonce
}

// moreDamages are those of programs other than atoll, of files that git keeps beside
// objects, and of single rows of the database.
func moreDamages() []damage {
	const newest = "(SELECT max(id) FROM candidate WHERE objective IS NOT NULL)"
	graph, many := "store.git/objects/info/commit-graph", "store.git/objects/pack/multi-pack-index"
	return []damage{
		{name: "half an index of many packs", full: true, do: inTurn(gitDoes("multi-pack-index", "write"), cut(many, 0.5)), kept: true, mended: true},
		{name: "a byte in an index of many packs", do: inTurn(gitDoes("multi-pack-index", "write"), flip(many, 0.6)), kept: true, mended: true},
		{name: "a byte in a commit graph", full: true, do: inTurn(gitDoes("commit-graph", "write", "--reachable"), flip(graph, 0.7)), kept: true, mended: true},
		{name: "half a commit graph", do: inTurn(gitDoes("commit-graph", "write", "--reachable"), cut(graph, 0.4)), kept: true, mended: true},
		{name: "a torn line in packed refs", do: inTurn(gitDoes("pack-refs", "--all"), func(w *wreck) {
			w.change("store.git/packed-refs", func(data []byte) []byte { return data[:len(data)-7] })
		}), kept: true, mended: true},
		{name: "half of packed refs", full: true, do: inTurn(gitDoes("pack-refs", "--all"), cut("store.git/packed-refs", 0.6)), kept: true, mended: true},
		{name: "packed refs of zeros", full: true, do: inTurn(gitDoes("pack-refs", "--all"), text("store.git/packed-refs", strings.Repeat("\x00", 300))), kept: true, mended: true},
		{name: "the anchor's ref leads to a candidate", do: func(w *wreck) { newFile("store.git/refs/heads/anchor/1", w.held()[0]+"\n")(w) }, kept: true, mended: true},
		{name: "the anchor's ref leads to a tree", full: true, do: func(w *wreck) {
			newFile("store.git/refs/heads/anchor/1", git(w.t, filepath.Join(w.dir, "store.git"), "rev-parse", "refs/heads/anchor/1^{tree}")+"\n")(w)
		}, kept: true, mended: true},
		{name: "a file for the folder of refs", full: true, do: inTurn(gone("store.git/refs"), newFile("store.git/refs", "x")), kept: true, mended: true},
		{name: "alternates that lead nowhere", do: newFile("store.git/objects/info/alternates", "/nowhere/objects\n"), harmless: true},
		{name: "a ref that replaces one commit by another", do: func(w *wreck) {
			gitDoes("update-ref", "refs/replace/"+w.held()[0], w.held()[1])(w)
		}, harmless: true},
		{name: "locks that a killed git left", do: inTurn(newFile("store.git/packed-refs.lock", ""), newFile("store.git/HEAD.lock", ""), newFile("store.git/config.lock", ""), newFile("store.git/gc.pid", "1 here\n")), harmless: true},
		{name: "another whole object in place of a commit", do: another("commit"), kept: true, mended: true},
		{name: "another whole object in place of a file", full: true, do: another("blob"), mended: true},
		{name: "a byte in the kept fold", do: flip("folds/1", 0.5), kept: true, mended: true},
		{name: "half of the kept fold", full: true, do: cut("folds/1", 0.5), kept: true, mended: true},
		{name: "a folder for the kept fold", full: true, do: inTurn(gone("folds/1"), newFile("folds/1/x", "x")), kept: true, mended: true},
		{name: "garbage in the shared memory", full: true, killed: true, do: text("atoll.db-shm", strings.Repeat("garbage", 5000)), harmless: true},
		{name: "a text for a rollback journal", full: true, do: newFile("atoll.db-journal", "garbage of a rollback journal"), kept: true, mended: true},
		{name: "a rollback journal of something else", do: newFile("atoll.db-journal", hotJournal()), kept: true, mended: true},
		{name: "a rollback journal of something else, after a kill", full: true, killed: true, do: newFile("atoll.db-journal", hotJournal()), kept: true, mended: true},
		{name: "a folder for the database", full: true, do: inTurn(gone("atoll.db"), newFile("atoll.db/x", "x")), mended: true},
		{name: "a database without a table", do: changeRows("DROP TABLE sample"), mended: true},
		{name: "a database without an index", full: true, do: changeRows("DROP INDEX candidate_tree"), mended: true},
		{name: "a trigger of somebody else", do: changeRows("CREATE TRIGGER more AFTER INSERT ON candidate BEGIN DELETE FROM metric; END"), mended: true},
		{name: "a view of somebody else", full: true, do: changeRows("CREATE VIEW more AS SELECT 1"), mended: true},
		{name: "no experiment among the rows", full: true, do: changeRows("DELETE FROM experiment"), mended: true},
		{name: "no settings among the rows", full: true, do: changeRows("DELETE FROM settings"), mended: true},
		{name: "settings that are none", full: true, do: changeRows("UPDATE settings SET data = x'00ff'"), mended: true},
		{name: "the configuration of the experiment is torn", do: changeRows(`UPDATE experiment SET config = CAST('{"evaluator": ' AS BLOB)`), mended: true},
		{name: "no configuration of the experiment", full: true, do: changeRows("UPDATE experiment SET config = x''"), mended: true},
		{name: "a job without its row", full: true, do: changeRows("DELETE FROM job WHERE id = 7"), mended: true},
		{name: "a candidate without its row", full: true, do: changeRows("DELETE FROM candidate WHERE id = " + newest), mended: true},
		{name: "another value of a candidate", do: changeRows("UPDATE candidate SET objective = objective + 100 WHERE id = " + newest), mended: true},
		{name: "the end of a job is not in the log", full: true, do: changeRows("DELETE FROM log WHERE kind = 'end' AND job = 7"), mended: true},
		{name: "the log ends early", do: changeRows("DELETE FROM log WHERE seq > 20"), mended: true},
		{name: "a row of the log that cannot be read", full: true, do: changeRows("UPDATE log SET data = x'00ff' WHERE kind = 'end' AND job = 7"), mended: true},
		{name: "the counter of the log is behind", do: changeRows("UPDATE sequence SET last = 3"), mended: true},
		{name: "totals that are none", full: true, do: changeRows("UPDATE total SET evals = 0, begun = 0"), mended: true},
	}
}
