package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/tuitest"
)

// bar is the last line of the screen.
func (r *rig) bar() string {
	lines := strings.Split(ansi.Strip(r.app.frame()), "\n")
	return lines[len(lines)-1]
}

func TestKeysSayOnHowManyTheyAct(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 200, 60)
	r.keys("r", "space", "space")
	if bar := r.bar(); !strings.Contains(bar, "a approve 2") || !strings.Contains(bar, "x reject 2") {
		t.Errorf("with two marked the keys say %s", bar)
	}
	r.keys("U")
	if bar := r.bar(); !strings.Contains(bar, "a approve  ") {
		t.Errorf("with nothing marked the keys say %s", bar)
	}
}

func TestAPausedExperimentIsResumed(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.State = record.ExperimentPaused
	r := newRig(t, s, 200, 60)
	if bar := r.bar(); !strings.Contains(bar, "P resume") {
		t.Errorf("while it is paused the keys say %s", bar)
	}
}

func TestTheFirstCommandWorks(t *testing.T) {
	for _, screen := range []string{"1", "2", "r"} {
		s := tuitest.Snapshot(8)
		if screen == "r" {
			s.Review, s.Jobs.Held = nil, 0
		}
		r := newRig(t, s, 120, 36)
		r.run(r.app.open(map[string]pane.ID{"1": pane.Niches, "2": pane.Jobs, "r": pane.Review}[screen]))
		off := false
		for _, b := range r.app.keys.Active(append(r.app.Current().Scopes(), "everywhere")) {
			off = off || r.app.off(b) != ""
		}
		if !off {
			t.Errorf("on %s everything works: the case shows nothing", screen)
		}
		r.keys(":", "enter")
		for _, said := range r.app.toasts.shown {
			if said.bad {
				t.Errorf("on %s the first command says %s", screen, said.text)
			}
		}
	}
}

func TestAnEmptyReviewHasNothingToSkip(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.Review, s.Jobs.Held = nil, 0
	r := newRig(t, s, 120, 36)
	r.run(r.app.open(pane.Review))
	for _, id := range []string{"skip", "split", "next-file"} {
		if why := r.app.off(r.app.keys.Get(id)); why == "" {
			t.Errorf("%s seems to work", id)
		}
	}
}

func TestRejectedByTheGateIsCounted(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.Jobs.Rejected = 17
	r := newRig(t, s, 200, 60)
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "rejected 17") {
		t.Errorf("the header does not count them:\n%s", frame)
	}
}
