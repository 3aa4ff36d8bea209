package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/tui/tuitest"
)

func TestKeysOfADifferenceChangeIt(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 160, 44)
	r.run(r.app.openCandidate(298))
	before := ansi.Strip(r.app.frame())
	if !strings.Contains(before, "difference to parent") {
		t.Fatalf("no difference:\n%s", before)
	}
	r.keys("m")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "difference to root") {
		t.Errorf("m does not compare with the root:\n%s", frame)
	}
	r.keys("m")
	for _, key := range []string{"t", "}", "]"} {
		before = ansi.Strip(r.app.frame())
		r.keys(key)
		if key != "}" && ansi.Strip(r.app.frame()) == before {
			t.Errorf("%s changes nothing:\n%s", key, before)
		}
	}
	r.keys("y")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "metrics") {
		t.Errorf("the metrics are not among what can be copied:\n%s", frame)
	}
}
