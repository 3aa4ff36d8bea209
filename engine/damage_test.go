package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/backup"
	"atoll/engine/doctor"
	"atoll/engine/fold"
	"atoll/engine/repair"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// wrecks are state directories to damage copies of: one of a run that ended, one as a
// kill leaves it, with the write-ahead log, and a backup of both.
type wrecks struct {
	t             *testing.T
	target        gitops.Target
	ended, killed string
	file          string // the backup
	want          []string
}

func newWrecks(t *testing.T) *wrecks {
	t.Helper()
	l := newLab(t, "budget.jobs=15", "workers=2")
	l.run()
	if err := l.ses.Repo.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.raise(30)
	l.runKept()
	rules := t.TempDir()
	write(t, filepath.Join(rules, "measure.sh"), measure)
	if _, err := engine.SealEvaluator(l.ses.Dir, rules); err != nil {
		t.Fatal(err)
	}
	w := &wrecks{t: t, target: l.ses.Target, want: l.candidates(), file: filepath.Join(t.TempDir(), "all.atoll")}
	w.killed = w.copyOf(l.ses.Dir)
	if _, err := backup.Write(t.Context(), backup.Source{Dir: l.ses.Dir, DB: l.ses.DB, Repo: l.ses.Repo}, w.file, "test", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := l.ses.Close(); err != nil {
		t.Fatal(err)
	}
	w.ended = w.copyOf(l.ses.Dir)
	return w
}

func (w *wrecks) copyOf(dir string) string {
	w.t.Helper()
	to := filepath.Join(inMemory(w.t), "state")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		w.t.Fatal(err)
	}
	return to
}

// inMemory is a folder where waiting for the disk takes no time, if there is one.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "atoll-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// check returns what a deep check finds wrong.
func check(ctx context.Context, dir string) (bad []view.CheckLine) {
	for _, l := range doctor.CheckState(ctx, doctor.StateOptions{Dir: dir, Deep: true}) {
		if !l.OK && !l.Warn {
			bad = append(bad, l)
		}
	}
	return bad
}

// tell lists the candidates of a state directory as lab.candidates does.
func (w *wrecks) tell(dir string) []string {
	w.t.Helper()
	ses, err := engine.OpenSession(w.t.Context(), engine.SessionOptions{Dir: dir, Target: w.target, Cache: filepath.Join(w.t.TempDir(), "cache")})
	if err != nil {
		w.t.Fatal(err)
	}
	defer ses.Close()
	exp, err := ses.Find(w.t.Context(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	l := &lab{t: w.t, ses: ses, exp: exp}
	return l.candidates()
}

// damage is one thing that goes wrong with a state directory.
type damage struct {
	name   string
	killed bool // it befalls what a kill left
	do     func(w *wreck)
	// harmless: nothing is lost and nothing to find.
	harmless bool
	// kept: nothing is lost even without a backup.
	kept bool
	// mended: a backup brings everything back.
	mended bool
	// refused: nothing is changed, a backup or not, and it says why.
	refused bool
	// full: another damage to the same thing stands for it every day.
	full bool
}

// wreck is a state directory to be damaged.
type wreck struct {
	t      *testing.T
	dir    string
	killed string // the directory as a kill would have left it
}

func (w *wreck) path(rel string) string {
	w.t.Helper()
	list, err := filepath.Glob(filepath.Join(w.dir, rel))
	if err != nil || len(list) == 0 {
		w.t.Fatalf("there is no %s: %v", rel, err)
	}
	return list[0]
}

// change rewrites a file in place, as rot does: its time stays.
func (w *wreck) change(rel string, fn func([]byte) []byte) {
	w.t.Helper()
	path := w.path(rel)
	info, err := os.Stat(path)
	if err != nil {
		w.t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = os.Chmod(path, 0o600)
	if err := os.WriteFile(path, fn(data), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		w.t.Fatal(err)
	}
}

// flip changes one byte at a share of the file, from 0 to 1.
func flip(rel string, at float64) func(*wreck) {
	return func(w *wreck) {
		w.change(rel, func(data []byte) []byte {
			data[min(int(at*float64(len(data))), len(data)-1)] ^= 0x41
			return data
		})
	}
}

// flipAt changes the byte at a place, from the end when it is negative.
func flipAt(rel string, at int) func(*wreck) {
	return func(w *wreck) {
		w.change(rel, func(data []byte) []byte {
			data[(at+len(data))%len(data)] ^= 0x41
			return data
		})
	}
}

func cut(rel string, share float64) func(*wreck) {
	return func(w *wreck) {
		w.change(rel, func(data []byte) []byte { return data[:int(share*float64(len(data)))] })
	}
}

func text(rel, text string) func(*wreck) {
	return func(w *wreck) { w.change(rel, func([]byte) []byte { return []byte(text) }) }
}

func gone(rel string) func(*wreck) {
	return func(w *wreck) {
		if err := os.RemoveAll(w.path(rel)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// frame does something in the middle of a page of the write-ahead log, at a share of
// the frames that count.
func frame(share float64, fn func(rel string, at int) func(*wreck)) func(*wreck) {
	return func(w *wreck) {
		wal, err := store.CheckWAL(filepath.Join(w.dir, "atoll.db"))
		if err != nil || wal.Frames < 20 {
			w.t.Fatalf("%+v, %v", wal, err)
		}
		const header, size = 32, 24 + 4096
		fn("atoll.db-wal", header+int(share*float64(wal.Frames))*size+9+2000)(w)
	}
}

// loose does something to the last loose object of a kind: commit, tree or blob.
func loose(kind string, fn func(rel string) func(*wreck)) func(*wreck) {
	return func(w *wreck) {
		dir := filepath.Join(w.dir, "store.git")
		tip := git(w.t, dir, "rev-list", "--no-walk", "refs/heads/anchor/1^@")
		for name := range strings.FieldsSeq(tip) {
			object := name
			switch kind {
			case "tree":
				object = git(w.t, dir, "rev-parse", name+"^{tree}")
			case "blob":
				object = git(w.t, dir, "rev-parse", name+":program.txt")
			}
			rel := filepath.Join("store.git/objects", object[:2], object[2:])
			if _, err := os.Stat(filepath.Join(w.dir, rel)); err == nil {
				fn(rel)(w)
				return
			}
		}
		w.t.Fatalf("no %s is loose", kind)
	}
}

// packed flips a byte of an object in a pack.
func packed(object string) func(*wreck) {
	return func(w *wreck) {
		pack := "store.git/objects/pack/*.pack"
		dir := filepath.Join(w.dir, "store.git")
		for line := range strings.Lines(git(w.t, dir, "verify-pack", "-v", w.path(pack))) {
			if f := strings.Fields(line); len(f) == 5 && f[0] == object { // name, kind, size, size there, offset
				at, err := strconv.Atoi(f[4])
				if err != nil {
					w.t.Fatal(err)
				}
				flipAt(pack, at+3)(w)
				return
			}
		}
		w.t.Fatalf("%s is in no pack", object)
	}
}

func damages() []damage {
	list := []damage{
		{name: "the first byte of the database", do: flipAt("atoll.db", 0), mended: true},
		{name: "the page size in the database", full: true, do: flipAt("atoll.db", 16), mended: true},
		{name: "the schema in the database", do: flipAt("atoll.db", 3000), mended: true},
		{name: "the last byte of the database", full: true, do: flipAt("atoll.db", -1), mended: true},
		{name: "the database cut in half", do: cut("atoll.db", 0.5), mended: true},
		{name: "a database of no bytes", do: cut("atoll.db", 0), mended: true},
		{name: "no database", do: gone("atoll.db"), mended: true},
		{name: "a text for a database", full: true, do: text("atoll.db", "# notes\n"), mended: true},
		{name: "no sums of the pages", do: gone("atoll.db.sums"), harmless: true},
		{name: "torn sums of the pages", full: true, do: cut("atoll.db.sums", 0.5), harmless: true},
		{name: "the header of the write-ahead log", killed: true, do: flipAt("atoll.db-wal", 5)},
		{name: "an early page of the write-ahead log", full: true, killed: true, do: frame(0.1, flipAt)},
		{name: "a page in the middle of the write-ahead log", killed: true, do: frame(0.5, flipAt)},
		{name: "the salt of a frame of the write-ahead log", full: true, killed: true, do: frame(0.3, func(rel string, at int) func(*wreck) { return flipAt(rel, at-2000) })},
		{name: "most of the write-ahead log is cut off", killed: true, do: frame(0.15, func(rel string, at int) func(*wreck) {
			return func(w *wreck) { w.change(rel, func(data []byte) []byte { return data[:at] }) }
		})},
		{name: "no write-ahead log", killed: true, do: gone("atoll.db-wal")},
		{name: "the write-ahead log of another database", killed: true, do: anotherLog},
		{name: "the shared memory beside the write-ahead log", killed: true, do: flipAt("atoll.db-shm", 50), harmless: true},
		{name: "the header of a pack", full: true, do: flipAt("store.git/objects/pack/*.pack", 2), mended: true},
		{name: "a byte in a pack", do: flip("store.git/objects/pack/*.pack", 0.5), mended: true},
		{name: "the empty tree in a pack", do: packed("4b825dc642cb6eb9a060e54bf8d69288fbee4904"), mended: true},
		{name: "an early byte in a pack", full: true, do: flip("store.git/objects/pack/*.pack", 0.02), mended: true},
		{name: "the end of a pack", full: true, do: flipAt("store.git/objects/pack/*.pack", -3), mended: true},
		{name: "half a pack", do: cut("store.git/objects/pack/*.pack", 0.5), mended: true},
		{name: "no pack", do: gone("store.git/objects/pack/*.pack"), mended: true},
		{name: "the header of an index", full: true, do: flipAt("store.git/objects/pack/*.idx", 1), kept: true, mended: true},
		{name: "a name in an index", do: flip("store.git/objects/pack/*.idx", 0.4), kept: true, mended: true},
		{name: "the end of an index", full: true, do: flipAt("store.git/objects/pack/*.idx", -1), kept: true, mended: true},
		{name: "half an index", full: true, do: cut("store.git/objects/pack/*.idx", 0.5), kept: true, mended: true},
		{name: "no index", do: gone("store.git/objects/pack/*.idx"), kept: true, mended: true},
		{name: "the anchor's ref is gone", do: gone("store.git/refs/heads/anchor/1"), kept: true, mended: true},
		{name: "the anchor's ref is a text", full: true, do: text("store.git/refs/heads/anchor/1", "nothing\n"), kept: true, mended: true},
		{name: "the anchor's ref leads nowhere", do: text("store.git/refs/heads/anchor/1", strings.Repeat("ab", 20)+"\n"), kept: true, mended: true},
		{name: "an attempt's ref is a text", do: func(w *wreck) {
			write(w.t, filepath.Join(w.dir, "store.git/refs/atoll/1/attempt/9"), "x")
		}, kept: true, mended: true},
		{name: "packed refs that lead nowhere", do: func(w *wreck) {
			write(w.t, filepath.Join(w.dir, "store.git/packed-refs"), strings.Repeat("cd", 20)+" refs/heads/anchor/9\n")
		}, kept: true, mended: true},
		{name: "no HEAD", do: gone("store.git/HEAD"), kept: true, mended: true},
		{name: "a HEAD that is none", full: true, do: text("store.git/HEAD", "\x00\x00\x00"), kept: true, mended: true},
		{name: "no configuration", do: gone("store.git/config"), kept: true, mended: true},
		{name: "a configuration that is none", full: true, do: text("store.git/config", "[core\nbare"), kept: true, mended: true},
		{name: "a configuration that lets git prune", do: text("store.git/config", "[core]\n\tbare = true\n"), kept: true, mended: true},
		{name: "no refs", do: gone("store.git/refs"), kept: true, mended: true},
		{name: "no objects at all", full: true, do: gone("store.git/objects"), mended: true},
		{name: "no object store", do: gone("store.git"), mended: true},
		{name: "a file in the copy of the evaluator", do: flip("evaluators/*/measure.sh", 0.5), mended: true},
		{name: "no sum of the copy of the evaluator", do: gone("evaluators/*.sum"), mended: true},
		{name: "no copy of the evaluator", do: gone("evaluators/*[0-9a-f]"), mended: true},
	}
	list = append(list, moreDamages()...)
	for i := range 8 {
		at := 0.1 + 0.1*float64(i)
		list = append(list, damage{name: fmt.Sprintf("the database at %.1f", at), do: flip("atoll.db", at), mended: true, full: i != 4})
	}
	for _, kind := range []string{"commit", "tree", "blob"} {
		list = append(
			list,
			damage{name: "a byte in a loose " + kind, do: loose(kind, func(rel string) func(*wreck) { return flip(rel, 0.7) }), kept: kind == "commit", mended: true},
			damage{name: "half a loose " + kind, do: loose(kind, func(rel string) func(*wreck) { return cut(rel, 0.5) }), kept: kind == "commit", mended: true, full: true},
			damage{name: "an empty loose " + kind, do: loose(kind, func(rel string) func(*wreck) { return cut(rel, 0) }), kept: kind == "commit", mended: true, full: true},
			damage{name: "no loose " + kind, do: loose(kind, gone), kept: kind == "commit", mended: true},
		)
	}
	return list
}

func TestADamagedStateDirectory(t *testing.T) {
	w := newWrecks(t)
	t.Run("ends in words and not in a panic where bytes change without their sums", w.bytesChange)
	list := damages()
	if len(list) < 40 {
		t.Fatalf("only %d damages", len(list))
	}
	w.everyDamageIsFoundAndRepairedOrNamed(list)
}

func (w *wrecks) everyDamageIsFoundAndRepairedOrNamed(list []damage) {
	t := w.t
	t.Helper()
	if bad := check(t.Context(), w.ended); len(bad) > 0 {
		t.Fatalf("of a whole directory it says %+v", bad)
	}
	if bad := check(t.Context(), w.killed); len(bad) > 0 {
		t.Fatalf("of what a kill left it says %+v", bad)
	}
	for i, d := range suitetest.Every(4, list) {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			if d.full {
				suitetest.Full(t, "one more damage to the same thing")
			}
			w := *w
			w.t = t
			from := w.ended
			if d.killed {
				from = w.killed
			}
			dir := w.copyOf(from)
			d.do(&wreck{t, dir, w.killed})
			bad := check(t.Context(), dir)
			if d.harmless {
				if diff := same(w.tell(dir), w.want); len(bad) > 0 || diff != "" {
					t.Errorf("%+v %s", bad, diff)
				}
				return
			}
			if len(bad) == 0 {
				t.Fatal("the check finds nothing")
			}
			for _, l := range bad {
				if !strings.Contains(l.Cure, "`") {
					t.Errorf("no command is named that cures %q: %q", l.Detail, l.Cure)
				}
			}
			w.countsAlike(d, bad, w.alone(d, dir))
			if d.kept || !d.mended && !d.refused {
				return
			}
			dir = w.copyOf(from)
			d.do(&wreck{t, dir, w.killed})
			source := w.ended
			if i%5 == 0 {
				source = w.file
			}
			r, err := repair.Run(t.Context(), repair.Options{Dir: dir, From: []string{source}, Target: w.target, Now: time.Now})
			if d.refused {
				if !errors.Is(err, repair.ErrLost) || len(r.Steps) != 1 || r.Aside != "" {
					t.Errorf("with a backup: %v, %+v", err, r.Steps)
				}
				return
			}
			if err != nil || !r.Whole() {
				t.Fatalf("with a backup: %v, %+v, %+v", err, r.Steps, r.After)
			}
			if diff := same(w.tell(dir), w.want); diff != "" {
				t.Errorf("with a backup: %s\n%+v", diff, r.Steps)
			}
		})
	}
}

// unusable is how many candidates a check counts that lack some of their files.
func unusable(lines []view.CheckLine) (n int) {
	for _, l := range lines {
		if m := regexp.MustCompile(`([0-9]+) candidates? (without all|that nobody can)`).FindStringSubmatch(l.Detail); m != nil {
			k, _ := strconv.Atoi(m[1])
			n += k
		}
	}
	return n
}

// countsAlike holds a repair to what the check before it counted: it names no more
// candidates as lost, and names all of them unless it brought something back, as it does
// with what can still be read of a pack that it puts aside. Where it refuses, because
// rows are of no experiment of this directory, there is nothing to count.
func (w *wrecks) countsAlike(d damage, before []view.CheckLine, r repair.Report) {
	w.t.Helper()
	lost, back := 0, false
	for _, s := range r.Steps {
		back = back || strings.Contains(s.What, "again") || strings.Contains(s.What, "took ") || strings.Contains(s.What, "set aside of the object store: pack")
		if s.Lost && strings.HasPrefix(s.What, "c") {
			lost++
		}
	}
	if counted := unusable(before); lost > counted || lost < counted && !back && !d.kept {
		w.t.Errorf("the check counts %d candidates that lack files, the repair %d: %+v\n%+v", counted, lost, before, r.Steps)
	}
	if after := unusable(r.After); r.Whole() && after != lost {
		w.t.Errorf("the repair names %d candidates as lost, and the check afterwards counts %d: %+v", lost, after, r.After)
	}
}

// alone repairs without a backup: what is left is the same as before, or named as lost.
func (w *wrecks) alone(d damage, dir string) (r repair.Report) {
	w.t.Helper()
	r, err := repair.Run(w.t.Context(), repair.Options{Dir: dir, Target: w.target, Now: time.Now})
	if err != nil && !errors.Is(err, repair.ErrLost) {
		w.t.Fatal(err)
	}
	named := slices.ContainsFunc(r.Steps, func(s repair.Step) bool { return s.Lost })
	if (err == nil) != (r.Whole() && !named) {
		w.t.Fatalf("%v, and the check finds %+v", err, r.After)
	}
	if !r.Whole() {
		if !named || d.kept {
			w.t.Errorf("refused, and it names no loss: %+v\n%+v", r.Steps, r.After)
		}
		return r
	}
	if again, err := repair.Run(w.t.Context(), repair.Options{Dir: dir, Target: w.target, Now: time.Now}); err != nil || len(again.Steps) > 0 {
		w.t.Errorf("the next repair: %v, %+v", err, again.Steps)
	}
	now := w.tell(dir)
	if d.kept || !named {
		if diff := same(now, w.want); diff != "" || named {
			w.t.Errorf("%s\n%+v", diff, r.Steps)
		}
		return r
	}
	wanted := map[string]string{} // by candidate: a row may be lost and a later one be there
	for _, c := range w.want {
		wanted[strings.Fields(c)[0]] = c
	}
	for _, c := range now { // no row tells another story
		fields := strings.Fields(c)
		if want := wanted[fields[0]]; c != want && !strings.Contains(c, string(record.StatusRejected)) {
			was := strings.Fields(want)
			if len(was) < 4 || fields[1] != was[1] || fields[3] != was[3] && fields[3] != "-" {
				w.t.Errorf("%s\nagainst\n%s\n%+v", c, want, r.Steps)
			}
		}
	}
	w.leavesTheHouse(dir, now)
	return r
}

// leavesTheHouse: what lacks files that are lost can be packed, copied and restored as
// what is whole.
func (w *wrecks) leavesTheHouse(dir string, told []string) {
	t := w.t
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(dir, "atoll.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: filepath.Join(dir, "store.git"), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if err := repo.Compact(t.Context()); err != nil {
		t.Errorf("it cannot be packed: %v", err)
	}
	file, again := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "state")
	if _, err := backup.Write(t.Context(), backup.Source{Dir: dir, DB: db, Repo: repo}, file, "test", time.Now()); err != nil {
		t.Fatalf("it cannot be backed up: %v", err)
	}
	if _, err := backup.Restore(t.Context(), file, again); err != nil {
		t.Fatalf("its backup cannot be restored: %v", err)
	}
	if diff := same(w.tell(again), told); diff != "" {
		t.Errorf("restored it is another: %s", diff)
	}
	if bad := check(t.Context(), again); len(bad) > 0 {
		t.Errorf("of what was restored the check says %+v", bad)
	}
}

func (w *wrecks) bytesChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	whole, err := os.ReadFile(filepath.Join(w.ended, "atoll.db"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range suitetest.Pick(20, 60, 60) {
		data := bytes.Clone(whole)
		for range 1 + i%4 {
			data[100+rng.IntN(len(data)-100)] = byte(rng.IntN(256))
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "atoll.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if lines := doctor.CheckState(t.Context(), doctor.StateOptions{Dir: dir}); len(lines) == 0 {
			t.Error("the check says nothing")
		}
		db, err := store.Open(t.Context(), path, store.Options{ReadOnly: true})
		if err != nil {
			continue
		}
		_, _ = fold.LoadState(t.Context(), db, 1) // it may not be possible
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
