package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTheTimeOfRunningProcessesIsThatOfAllThatDescendFromOne(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	for _, p := range []struct {
		pid, parent, user, system int
		name                      string
	}{
		{1, 0, 900, 900, "init"},
		{7, 1, 500, 500, "atoll"},
		{8, 7, 100, 20, "box"},
		{9, 8, 3, 2, "a ) name (8 S 1"},
		{10, 1, 40, 40, "stranger"},
	} {
		dir := filepath.Join(proc, fmt.Sprint(p.pid))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%d (%s) S %d 0 0 0 0 0 0 0 0 0 %d %d 0 0\n", p.pid, p.name, p.parent, p.user, p.system)
		if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		proc string
		of   int
		want time.Duration
	}{
		{"its children and theirs, not itself", proc, 7, 1250 * time.Millisecond},
		{"nobody descends from it", proc, 10, 0},
		{"nothing is told", t.TempDir(), 7, 0},
	} {
		if got := running(tt.proc, tt.of); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
