package cli

import (
	"bytes"
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestTheTableOfMachinesHasEachInItsColumnsAndEachReasonOnce(t *testing.T) {
	t.Parallel()
	why := "it measures the root as 30, the run as 10"
	machines := []view.Machine{
		{Name: "lurker", State: "set aside", Why: "refused: it asks for tasks and does not join", Refused: 5},
		{Name: "rack1", State: "busy", Pool: "any", Slots: 8, Jobs: []record.JobID{1, 2, 3, 4, 5, 6}, PerMinute: 31, Done: 120, Rung: 1, Root: 1.02, Version: "v1"},
		{Name: "rack2", State: "set aside", Pool: "any", Slots: 8, Why: why, Done: 1, Faults: 2, Rung: 1, Version: "v1"},
		{Name: "rack3", State: "set aside", Pool: "any", Slots: 8, Why: why, Rung: 1, Version: "v1"},
		{Name: "soon", State: "invited"},
	}
	var out bytes.Buffer
	if err := writeMachines(&out, machines); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 8 {
		t.Fatalf("it has %d lines:\n%s", len(lines), &out)
	}
	for i, m := range machines {
		line := lines[1+i]
		for head, want := range map[string]string{"MACHINE": m.Name, "STATE": m.State, "REFUSED": map[bool]string{true: "5", false: "0"}[m.Refused == 5]} {
			if at := strings.Index(lines[0], head); len(line) <= at || !strings.HasPrefix(line[at:], want+" ") {
				t.Errorf("%s of %s is not %q below its head:\n%s", head, m.Name, want, &out)
			}
		}
	}
	if got := lines[6] + "\n" + lines[7]; got != "lurker: refused: it asks for tasks and does not join\nrack2, rack3: "+why {
		t.Errorf("below it is told:\n%s", got)
	}
}
