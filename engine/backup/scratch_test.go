package backup

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"atoll/store"
)

func TestABackupClearsAwayWhatOthersLeftThatWereKilled(t *testing.T) {
	in, state := t.TempDir(), t.TempDir()
	killed := filepath.Join(in, scratchName+"1")
	fileAt(t, filepath.Join(killed, scratchLock), "")
	fileAt(t, filepath.Join(killed, "atoll.db"), "half of it")
	early := filepath.Join(in, scratchName+"2") // killed before it was locked
	before := time.Now().Add(-time.Hour)
	if err := errors.Join(os.Mkdir(early, 0o700), os.Chtimes(early, before, before)); err != nil {
		t.Fatal(err)
	}
	locking := filepath.Join(in, scratchName+"4") // killed while it was being locked
	fileAt(t, filepath.Join(locking, earlyLock), "")
	if err := os.Chtimes(locking, before, before); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(in, ".backup-3")
	fileAt(t, filepath.Join(foreign, "photos"), "of somebody else")
	under, end, err := scratch(in, time.Now()) // has swept already
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{killed: false, early: false, locking: false, foreign: true, under: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	db, err := store.Open(t.Context(), filepath.Join(state, "atoll.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fileAt(t, filepath.Join(killed, scratchLock), "")
	fileAt(t, filepath.Join(killed, "atoll.db"), "again")
	if _, err := Write(t.Context(), Source{Dir: state, DB: db}, filepath.Join(in, "all.atoll"), "test", time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(in, scratchName+"*")); len(left) != 1 || left[0] != under {
		t.Errorf("beside the backup are %v, want that which is being written", left)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(in, scratchName+"*")); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

func TestABackupThatIsBeingWrittenIsNeverSweptAway(t *testing.T) {
	in := t.TempDir()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				Sweep(in, time.Now())
			}
		}
	}()
	for range 100 {
		dir, end, err := scratch(in, time.Now())
		if err != nil {
			t.Error(err)
			break
		}
		fileAt(t, filepath.Join(dir, "part"), "of it")
		if _, err := os.Stat(filepath.Join(dir, scratchLock)); err != nil {
			t.Errorf("it was taken away: %v", err)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-done
}
