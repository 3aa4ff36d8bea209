package offline_test

import (
	"fmt"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/store/record"
)

// repairJob is a job that repairs failed against the tree it was made from.
func repairJob(n int, failed, before *memory) agent.Job {
	j := newJob(n, record.OpRepair, failed, newTree(map[string]string{"s.py": "OTHER = 1.5\n"}), before)
	j.Parent = agent.Item{ID: 9, Files: failed, Parents: []record.ParentRef{{ID: 2, Role: record.RoleParent}}}
	return j
}

func TestRepairTakesBackOneHunk(t *testing.T) {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("a%d = %d.5", i, i))
	}
	before := newTree(map[string]string{"s.py": strings.Join(lines, "\n") + "\n"})
	for _, at := range []int{3, 15, 30} {
		lines[at] += " + oops"
	}
	failed := newTree(map[string]string{"s.py": strings.Join(lines, "\n") + "\n"})
	taken := map[string]int{}
	for n := range 60 {
		child, res := mustEdit(t, repairJob(n, failed, before), failed)
		if got := strings.Count(child.data["s.py"], "oops"); got != 2 {
			t.Fatalf("%s left %d of 3 hunks", res.Intent, got)
		}
		taken[res.Intent]++
	}
	if len(taken) != 3 {
		t.Errorf("took back %v, want each of three hunks at times", taken)
	}
	named := 0
	for n := range 60 {
		j := repairJob(n, failed, before)
		j.Failures = []agent.Failure{{Text: "Traceback:\n  File \"/tree/s.py\", line 16, in <module>\nNameError: oops"}}
		child, _ := mustEdit(t, j, failed)
		if !strings.Contains(child.data["s.py"], "a15 = 15.5 + oops") {
			named++
		}
	}
	if named < 45 {
		t.Errorf("the hunk that the failure names was taken back in %d of 60", named)
	}
}

func TestRepairOfASingleStepHalvesIt(t *testing.T) {
	before := newTree(map[string]string{"s.py": "X = 0.5\n"})
	failed := newTree(map[string]string{"s.py": "X = 0.9\n"})
	child, res := mustEdit(t, repairJob(1, failed, before), failed)
	if child.data["s.py"] != "X = 0.7\n" {
		t.Errorf("%s gave %q", res.Intent, child.data["s.py"])
	}
}

func TestRepairOfASingleLineTakesBackPartOfIt(t *testing.T) {
	before := newTree(map[string]string{"s.py": "x = a + b + c + d\n"})
	failed := newTree(map[string]string{"s.py": "x = a - b * c - d\n"})
	for n := range 20 {
		child, res := mustEdit(t, repairJob(n, failed, before), failed)
		if got := child.data["s.py"]; got == before.data["s.py"] || got == failed.data["s.py"] || len(got) != len(before.data["s.py"]) {
			t.Errorf("%s gave %q", res.Intent, got)
		}
	}
}

func TestRepairWithoutTheParentMutates(t *testing.T) {
	failed := newTree(map[string]string{"s.py": "X = 0.9\n"})
	child, res := mustEdit(t, newJob(1, record.OpRepair, failed), failed)
	if child.data["s.py"] == failed.data["s.py"] || strings.HasPrefix(res.Intent, "take back") {
		t.Errorf("%s gave %q", res.Intent, child.data["s.py"])
	}
}
