package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mattn/go-sqlite3"

	"atoll/config/suitetest"
	"atoll/store"
	"atoll/store/record"
)

// note is one line of what testdata/recorder.c writes, and of acknowledgements.
type note struct {
	kind   byte // Write, Truncate, Sync, Delete; Acknowledged: offset is the job
	file   string
	offset int64
	data   []byte
}

func (n note) encode() []byte {
	var b bytes.Buffer
	b.WriteByte(n.kind)
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(n.file))))
	b.Write(binary.LittleEndian.AppendUint64(nil, uint64(n.offset)))
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(n.data))))
	b.WriteString(n.file)
	b.Write(n.data)
	return b.Bytes()
}

func decodeNotes(b []byte) (list []note) {
	for len(b) >= 15 {
		name, size := int(binary.LittleEndian.Uint16(b[1:])), int(binary.LittleEndian.Uint32(b[11:]))
		n := note{kind: b[0], offset: int64(binary.LittleEndian.Uint64(b[3:])), file: string(b[15 : 15+name]), data: b[15+name : 15+name+size]}
		list, b = append(list, n), b[15+name+size:]
	}
	return list
}

// recorded is a role of this binary: it runs jobs over a layer that notes every write,
// and ends without closing anything.
func recorded(ctx context.Context, path string) error {
	raw, err := (&sqlite3.SQLiteDriver{Extensions: []string{os.Getenv("RECORDER_LIBRARY")}}).Open(":memory:")
	if err != nil {
		return err
	}
	defer raw.Close()
	notes, err := os.OpenFile(os.Getenv("RECORDER"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, path, store.Options{Sync: os.Getenv("STORE_TEST_SYNC")})
	if err != nil {
		return err
	}
	errs := make([]error, 3)
	var all sync.WaitGroup
	for worker := range errs {
		all.Go(func() {
			for range recordedJobs / len(errs) {
				errs[worker] = workOne(ctx, db, fmt.Sprint("w", worker), func(id int) error {
					_, err := notes.Write(note{kind: 'A', offset: int64(id)}.encode())
					return err
				})
				if errs[worker] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	os.Exit(0)
	return nil
}

// recordedJobs is a multiple of the workers.
const recordedJobs = 90

// recorder builds the layer below SQLite.
func recorder(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/mattn/go-sqlite3").Output()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(t.TempDir(), "recorder.so")
	out, err := exec.Command("gcc", "-O1", "-fPIC", "-shared", "-I"+strings.TrimSpace(string(dir)), "-o", library, "testdata/recorder.c").CombinedOutput()
	if err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return library
}

// disk is what a disk holds: what was synced, and what was written since.
type disk struct {
	synced map[string][]byte
	since  map[string][]note
}

func (d *disk) take(n note) {
	switch n.kind {
	case 'W', 'T':
		d.since[n.file] = append(d.since[n.file], n)
	case 'S':
		for _, w := range d.since[n.file] {
			d.synced[n.file] = w.apply(d.synced[n.file])
		}
		delete(d.since, n.file)
	case 'D':
		delete(d.synced, n.file)
		delete(d.since, n.file)
	}
}

// apply makes of b what a file holds after a write or a cut.
func (n note) apply(b []byte) []byte {
	end := int(n.offset) + len(n.data)
	if n.kind == 'T' {
		b = b[:min(end, len(b))]
	}
	if len(b) < end {
		b = append(b, make([]byte, end-len(b))...)
	}
	copy(b[n.offset:], n.data)
	return b
}

// fail writes what is left after the power went: of the writes since the last sync
// all, none, or some, in parts of a sector.
func (d *disk) fail(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	const sector = 512
	share := []float64{0, 1, 0.5, 0.9}[rng.IntN(4)]
	names := map[string]bool{}
	for name := range d.synced {
		names[name] = true
	}
	for name := range d.since {
		names[name] = true
	}
	for name := range names {
		b := bytes.Clone(d.synced[name])
		for _, n := range d.since[name] {
			if n.kind == 'T' || len(n.data) == 0 {
				if rng.Float64() < share {
					b = n.apply(b)
				}
				continue
			}
			for at := 0; at < len(n.data); at += sector {
				if rng.Float64() < share {
					b = note{kind: 'W', offset: n.offset + int64(at), data: n.data[at:min(at+sector, len(n.data))]}.apply(b)
				}
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// inMemory is a folder of the test where syncing costs nothing.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "atoll-store-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestAfterALossOfPowerTheStoreIsWholeAndWhatWasAcknowledgedIsThere(t *testing.T) {
	library := recorder(t)
	cuts := suitetest.Pick(6, 60, 2000)
	for _, mode := range []string{"full", "normal"} {
		t.Run(mode, func(t *testing.T) {
			w := open(t, record.Settings{})
			jobs := make([]record.Job, recordedJobs)
			for i := range jobs {
				jobs[i] = makeJob(record.JobID(i + 1))
			}
			w.add(jobs...)
			w.ok(w.db.Close())
			before, err := os.ReadFile(w.path)
			w.ok(err)
			file := filepath.Join(t.TempDir(), "notes")
			c := command(t, "recorded", w.path, "RECORDER="+file, "RECORDER_LIBRARY="+library, "STORE_TEST_SYNC="+mode)
			c.Stderr = os.Stderr
			w.ok(c.Run())
			text, err := os.ReadFile(file)
			w.ok(err)
			notes := decodeNotes(text)
			lost := 0
			for cut := range cuts {
				rng := rand.New(rand.NewPCG(uint64(cut), 3))
				at := rng.IntN(len(notes) + 1)
				d := &disk{synced: map[string][]byte{filepath.Base(w.path): bytes.Clone(before)}, since: map[string][]note{}}
				acknowledged := map[record.JobID]bool{}
				for _, n := range notes[:at] {
					if n.kind == 'A' {
						acknowledged[record.JobID(n.offset)] = true
					}
					d.take(n)
				}
				dir := inMemory(t)
				d.fail(t, dir, rng)
				lost += afterwards(t, filepath.Join(dir, filepath.Base(w.path)), w.exp, acknowledged, mode == "full")
				w.ok(os.RemoveAll(dir)) // thousands of them would fill the memory
				if t.Failed() {
					t.Fatalf("the power went after %d of %d notes, case %d", at, len(notes), cut)
				}
			}
			t.Logf("%d notes; %d losses of power, %d acknowledged ends were lost", len(notes), cuts, lost)
		})
	}
}

// afterwards opens what is left, goes on with it, and counts the acknowledged ends that
// are not there.
func afterwards(t *testing.T, path string, exp record.ExperimentID, acknowledged map[record.JobID]bool, full bool) (lost int) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Errorf("open: %v", err)
		return 0
	}
	defer db.Close()
	ends := map[record.JobID]int{}
	var last record.Seq
	err = db.FoldLog(ctx, exp, 0, func(r record.FoldRow) error {
		if last >= r.Seq {
			t.Errorf("row %d follows %d", r.Seq, last)
		}
		last = r.Seq
		if r.Kind == record.LogEnd {
			ends[r.Job]++
		}
		return nil
	})
	if err != nil {
		t.Errorf("the log: %v", err)
	}
	if err := db.Integrity(ctx); err != nil {
		t.Errorf("integrity: %v", err)
	}
	for id := range acknowledged {
		if ends[id] == 0 {
			lost++
			if full {
				t.Errorf("job %s was acknowledged and is lost", id)
			}
		}
	}
	// Every job still has exactly one end once all are done.
	if _, err := db.Requeue(ctx, exp); err != nil {
		t.Errorf("go on: %v", err)
	}
	for range recordedJobs - len(ends) {
		if err := workOne(ctx, db, "after", func(id int) error { ends[record.JobID(id)]++; return nil }); err != nil {
			t.Errorf("go on: %v", err)
			break
		}
	}
	for id, n := range ends {
		if n != 1 {
			t.Errorf("job %s has %d ends", id, n)
		}
	}
	if err := db.Integrity(ctx); err != nil {
		t.Errorf("integrity after it went on: %v", err)
	}
	return lost
}
