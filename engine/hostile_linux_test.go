package engine_test

import (
	"os"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// TestHostileCandidatesOfAnOrdinaryUser runs the hostile candidates again as nobody:
// rights of the superuser hide mistakes, and other kernel rules apply.
func TestHostileCandidatesOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "every attack once more, as nobody")
	if testing.Short() {
		t.Skip("attacks a second time; not with -short")
	}
	nobody := suitetest.AsNobody(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := nobody.Command(t.Context(), nobody.Program(t, exe, "engine.test"), []string{"-test.v", "-test.run=^TestHostileCandidates$"}, "ATOLL_FULL=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	tried := 0
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--- PASS: TestHostileCandidates/") {
			tried++
			t.Log("as nobody:", line)
		} else if strings.Contains(line, "does not give the rung") {
			t.Log(line)
		}
	}
	if tried == 0 {
		t.Skip("this machine gives nobody a rung that isolates")
	}
}
