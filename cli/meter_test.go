package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The files are added up at once again where that is quick, and seldom where it is slow.
func TestAMeterWeighsAsOftenAsThatIsCheap(t *testing.T) {
	dir := t.TempDir()
	grow := func(n int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "log"), make([]byte, n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	clock, step := time.Unix(0, 0), time.Millisecond
	m := &meter{dir: dir, now: func() time.Time { clock = clock.Add(step); return clock }}
	grow(400)
	_ = m.weigh(t.Context())
	grow(4000)
	clock = clock.Add(2 * time.Second)
	if n := m.weigh(t.Context()); n != 4000 {
		t.Errorf("two seconds later %d bytes are told", n)
	}
	step = time.Second
	clock = clock.Add(weighEvery)
	_ = m.weigh(t.Context())
	grow(40)
	clock = clock.Add(2 * time.Second)
	if n := m.weigh(t.Context()); n != 4000 {
		t.Errorf("what takes long to add up is added up again at once: %d bytes", n)
	}
	clock = clock.Add(weighEvery)
	if n := m.weigh(t.Context()); n != 40 {
		t.Errorf("after a while %d bytes are told", n)
	}
}

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
