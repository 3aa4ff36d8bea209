package cli

import (
	"os"
	"path/filepath"
	"testing"

	"atoll/store/record"
)

func TestSlotsAreReadFromTheLogOfTheRun(t *testing.T) {
	state := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(state, "logs"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, "logs", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	jobs := []record.Job{{Ended: 1_000_000}, {Ended: 2_000_000}} // 00:33:20
	if said := slotsSaid(state, jobs); len(said) != 0 {
		t.Errorf("without a log: %v", said)
	}
	write(logName+".1", `{"time":"1970-01-01T00:01:00Z","level":"INFO","msg":"rack1 joined with 2 slots","job":-1}
{"time":"1970-01-01T00:01:01Z","level":"INFO","msg":"rack2 joined with 1 slot","job":-1}
`)
	write(logName, `{"time":"1970-01-01T00:20:00Z","level":"WARN","msg":"rack1 joined again, in the place of its worker before, whose 2 tasks go to others, with 4 slots","job":-1}
half a line joined {
{"time":"1970-01-01T00:20:01Z","level":"INFO","msg":"c7 says: rack9 joined with 3 slots","job":7}
{"time":"1970-01-01T09:00:00Z","level":"INFO","msg":"rack2 joined with 64 slots","job":-1}
`)
	if said := slotsSaid(state, jobs); len(said) != 2 || said["rack1"] != 4 || said["rack2"] != 1 {
		t.Errorf("said are %v", said)
	}
}
