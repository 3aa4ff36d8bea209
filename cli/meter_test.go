package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAMeterReadsWhatAProcessTakes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "log"), make([]byte, 5000), 0o644); err != nil {
		t.Fatal(err)
	}
	m := &meter{dir: dir, now: time.Now}
	first, err := m.read(t.Context(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < 50*time.Millisecond; { // takes processor time
	}
	then, err := m.read(t.Context(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if first.Disk != 5000 || first.Memory < 1<<20 || first.Free <= 0 || then.CPU < first.CPU {
		t.Errorf("%+v, then %+v", first, then)
	}
}
