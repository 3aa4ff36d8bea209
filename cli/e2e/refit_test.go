package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store"
	"atoll/store/record"
)

// maps returns the learned maps of a lab, oldest first.
func (l *lab) maps() (list []record.Space) {
	l.t.Helper()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) (err error) {
		list, err = db.Spaces(ctx, exp)
		return err
	})
	return list
}

// TestAskedForANewMap fits learned maps again from the palette: that of a small
// target, and that of the bin-packing example.
func TestAskedForANewMap(t *testing.T) {
	t.Parallel()
	learned := func(t *testing.T) *lab {
		l := &lab{t: t, dir: filepath.Join(t.TempDir(), "lab")}
		if err := makeRepository(l.dir, ":\n"); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(settings, "map:")
		_, tail, _ := strings.Cut(settings, "search:")
		text := head + "map: {grid: [6, 6], include: [\"*.conf\"], min_fit: 12}\nsearch:" + tail
		if err := os.WriteFile(filepath.Join(l.dir, "atoll.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := commitAll(l.dir, "a learned map"); err != nil {
			t.Fatal(err)
		}
		l.atoll("run", "--headless", "--workers", "1")
		return l
	}
	packing := func(t *testing.T) *lab {
		suitetest.Full(t, "forty jobs that compile; the small target is every day's")
		if _, err := exec.LookPath("go"); err != nil {
			t.Skip("the example is built with the go command, which is not here")
		}
		l := &lab{t: t, dir: filepath.Join(t.TempDir(), "lab")}
		if err := os.MkdirAll(l.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		l.atoll("demo", "bin-packing", "--dir", l.dir, "--headless", "--max-jobs", "50", "--workers", "2")
		for most := 100; len(l.maps()) == 0 && most <= 200; most += 50 { // a busy machine breaks some off
			l.atoll("run", "--headless", "--max-jobs", strconv.Itoa(most), "--workers", "2")
		}
		return l
	}
	for _, c := range []struct {
		name string
		lab  func(t *testing.T) *lab
	}{{"a small target", learned}, {"the bin-packing example", packing}} {
		t.Run(c.name, func(t *testing.T) {
			l := c.lab(t)
			before := len(l.maps())
			if before == 0 {
				t.Fatal("no map was learned")
			}
			con := start(t, l, nil, cols, rows)
			con.wait("● done")
			con.command("refit")
			con.wait("asked for a new map")
			until(t, "a new map", patience, func() bool { return len(l.maps()) > before })
			if v := l.last().Verb; v != record.Refit {
				t.Errorf("the store says %s", v)
			}
			con.press("5", "z")
			con.wait("(asked): ")
			con.press("q")
			if code := con.end(); code != 0 {
				t.Errorf("ends with %d", code)
			}
		})
	}
}
