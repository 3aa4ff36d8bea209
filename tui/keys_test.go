package tui

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/tuitest"
	"atoll/tui/widget"
)

// golden registers -update.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func TestKeysFile(t *testing.T) {
	const path = "../docs/keys.md"
	a, err := newApp(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := markdown(a.keys.All)
	if updating() {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/keys.md is not what the key table says; run go test ./tui -run KeysFile -update")
	}
}

func TestKeyTableIsWhole(t *testing.T) {
	all := bindings()
	seen := map[string]bool{}
	for _, b := range all {
		if seen[b.ID] {
			t.Errorf("two actions are called %s", b.ID)
		}
		seen[b.ID] = true
		if b.Run == nil || b.Title == "" || len(b.In) == 0 {
			t.Errorf("%s lacks something to do, a title or a place", b.ID)
		}
		if b.Danger && !b.Decides {
			t.Errorf("%s is dangerous and not a decision", b.ID)
		}
		for _, s := range b.In {
			if !slices.Contains(scopes(), s) {
				t.Errorf("%s is in %q, which no page lists", b.ID, s)
			}
		}
		for _, k := range b.Keys {
			if slices.Contains([]string{"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+q"}, k) {
				t.Errorf("%s takes %s from tmux or the terminal", b.ID, k)
			}
		}
	}
	if _, err := keys.NewTable(all, nil); err != nil {
		t.Error(err)
	}
}

// Within one pane no key of a special scope may hide a global one that people
// rely on everywhere.
func TestGlobalKeysAreNotHidden(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(4), 120, 36)
	for id, p := range r.app.panes.ByID {
		for _, key := range []string{"?", ":", "esc", "q", "ctrl+c", "u", "p", "P", "tab", "1", "9", "H", "F", "r", "c", "S"} {
			b := r.app.keys.Find(append(p.Scopes(), keys.InAll), key)
			if b == nil || !slices.Contains(b.In, keys.InAll) {
				t.Errorf("pane %d: %s is hidden by %v", id, key, b)
			}
		}
	}
}

func TestOwnKeys(t *testing.T) {
	m, err := keys.NewTable(bindings(), map[string]string{"freeze": "Z ctrl+f"})
	if err != nil {
		t.Fatal(err)
	}
	if b := m.Find([]keys.Scope{keys.InCandidates}, "Z"); b == nil || b.ID != "freeze" {
		t.Errorf("Z does %v", b)
	}
	if b := m.Find([]keys.Scope{keys.InCandidates}, "f"); b != nil {
		t.Errorf("f still does %s", b.ID)
	}
	for _, c := range []struct {
		name  string
		own   map[string]string
		wants []string // of the error, nil = taken
	}{
		{"an action that is none", map[string]string{"freezz": "Z"}, []string{"freezz"}},
		{"a key of the same screen", map[string]string{"freeze": "a"}, []string{`"a"`, "freeze", "approve"}},
		{"the key of help", map[string]string{"freeze": "?"}, []string{`"?"`, "freeze", "help"}},
		{"the key of the summary", map[string]string{"boost": "F"}, []string{`"F"`, "boost", "summary"}},
		{"a second key that options have", map[string]string{"freeze": "Z", "approve": "a f2"}, []string{`"f2"`, "approve", "options"}},
		{"a key of everywhere that a screen has", map[string]string{"undo": "f"}, []string{`"f"`, "undo"}},
		{"a key of another list of the same screen", map[string]string{"freeze": "j"}, []string{`"j"`, "freeze", "down"}},
		{"a key of the review", map[string]string{"freeze": "s"}, []string{`"s"`, "freeze"}},
		{"a key of a screen where it does not hold", map[string]string{"level": "b"}, nil},
		{"what it had is no clash", map[string]string{"compare-diff": "d"}, nil},
		{"two keys change places", map[string]string{"freeze": "b", "boost": "f"}, nil},
		{"a place that another gives up", map[string]string{"freeze": "F", "summary": "Z"}, nil},
	} {
		_, err := newApp(t.Context(), Options{Console: Console{Keys: c.own}})
		if (err != nil) != (c.wants != nil) || err != nil && !errors.Is(err, ErrKeys) {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, want := range c.wants {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error lacks %s: %v", c.name, want, err)
			}
		}
	}
}

func TestAKeyOfTheBarDoesWhatItSaysOnThatScreen(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(4), 300, 80)
	for _, scopes := range r.app.panes.Scopes() {
		whole := append(scopes[:len(scopes):len(scopes)], keys.InAll)
		show := offered(r.app.keys, scopes, nil)
		if len(show) < 5 {
			t.Errorf("%v: only %d keys are offered", scopes, len(show))
		}
		for _, b := range show {
			if does := r.app.keys.Find(whole, b.Keys[0]); does != b {
				t.Errorf("%v: the bar says %s %s, and the key does %s", scopes, b.Keys[0], b.Title, does.ID)
			}
		}
	}
	r.keys("4")
	if lines := strings.Split(ansi.Strip(r.app.frame()), "\n"); !strings.Contains(lines[len(lines)-1], "H back in time") {
		t.Fatalf("the bar is %q", lines[len(lines)-1])
	}
	r.keys("H")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, " the past ") {
		t.Errorf("in the review H does something else:\n%s", frame)
	}
}

func TestAKeyIsNamedInHelpOnlyWhereItWorks(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 60)
	r.keys("F", "?")
	for _, line := range strings.Split(ansi.Strip(r.app.frame()), "\n") {
		if strings.Contains(line, " larger pane") && strings.Contains(line, "+") {
			t.Errorf("in the summary + is more jobs, and help says %q", line)
		}
	}
}

func TestTextsNameThePersonsOwnKeys(t *testing.T) {
	r := newRig(t, finished(), 160, 40, func(o *Options) { o.Console.Keys = map[string]string{"summary": "Z"} })
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "Z sums it up") {
		t.Errorf("the state line names another key:\n%s", frame)
	}
}

func verbs(ds []record.Decision) string {
	var out []string
	for _, d := range ds {
		out = append(out, string(d.Verb))
	}
	return strings.Join(out, " ")
}

func TestKeysBecomeDecisions(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want string
		on   record.CandidateID
		text string
	}{
		{"freeze the best", []string{"f"}, "freeze", 298, ""},
		{"boost it", []string{"b"}, "boost", 298, ""},
		{"pin it", []string{"*"}, "pin", 298, ""},
		{"measure it again", []string{"V"}, "measure", 298, ""},
		{"approve the oldest that waits", []string{"r", "a"}, "approve", 281, ""},
		{"skip, then approve the second", []string{"r", "s", "a"}, "approve", 288, ""},
		{"approving twice takes both", []string{"r", "a", "a"}, "approve approve", 281, ""},
		{"reject with a reason from the list", []string{"r", "x", "down", "down", "enter"}, "reject", 281, "games the metric"},
		{"reject without a reason", []string{"r", "x", "enter"}, "reject", 281, ""},
		{"pause the experiment", []string{"P"}, "pause", record.NoCandidate, ""},
		{"cancel asks, and esc keeps", []string{"2", "X", "enter"}, "", 0, ""},
		{"cancel asks, and c cancels", []string{"2", "X", "c"}, "cancel", record.NoCandidate, ""},
		{"of what ended nothing is cancelled", []string{"2", "j", "j", "X", "c"}, "", 0, ""},
		{"nor in the list of candidates", []string{"c", "X", "c"}, "", 0, ""},
		{"marked candidates that wait have their jobs cancelled together", []string{"r", "space", "space", "esc", "2", "X", "c"}, "cancel cancel", record.NoCandidate, ""},
		{"of marked ones that ended nothing is cancelled", []string{"2", "j", "j", "space", "k", "k", "X", "c"}, "", 0, ""},
		{"marked jobs are tried again together", []string{"2", "j", "j", "space", "space", "R"}, "retry retry", record.NoCandidate, ""},
		{"retry what failed", []string{"2", "j", "j", "j", "j", "R"}, "retry", record.NoCandidate, ""},
		{"the best does not wait, so a does nothing", []string{"a"}, "", 0, ""},
		{"marked niches are frozen together", []string{"space", "left", "left", "space", "f"}, "freeze freeze", 298, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(16), 120, 36)
			r.keys(c.keys...)
			ds := r.ctl.Decisions()
			if got := verbs(ds); got != c.want {
				t.Fatalf("decided %q, want %q", got, c.want)
			}
			if len(ds) > 0 && (ds[0].Candidate != c.on || ds[0].Text != c.text) {
				t.Errorf("decided %+v", ds[0])
			}
		})
	}
}

func TestOwnWordsReject(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	r.keys("r", "x")
	r.typing("zqj no")
	r.keys("enter")
	if ds := r.ctl.Decisions(); len(ds) != 1 || ds[0].Text != "zqj no" {
		t.Errorf("decided %+v", ds)
	}
}

func TestReadOnlyDecidesNothing(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36, func(o *Options) { o.ReadOnly = true })
	for _, b := range r.app.keys.All {
		if b.Decides && r.app.off(b) == "" {
			t.Errorf("%s works in a read-only console", b.ID)
		}
	}
	r.tells([]string{"read-only"}, "")
	r.keys("2")
	if bar := r.bar(); !strings.Contains(bar, "X cancel") || !strings.Contains(bar, "R retry") {
		t.Errorf("it does not show what is off: %s", bar)
	}
	r.keys("1", "f", "b", "P", "u", "r", "a")
	if bar := r.bar(); !strings.HasPrefix(bar, " a approve  x reject") {
		t.Errorf("it does not show what is off: %s", bar)
	}
	if ds := r.ctl.Decisions(); len(ds) > 0 {
		t.Errorf("decided %s", verbs(ds))
	}
	if !strings.Contains(ansi.Strip(r.app.frame()), "read-only") {
		t.Error("the key does not say why it is off")
	}
}

func TestErrorsAreShownAndTheQueueStays(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	r.ctl.Err = errors.New("the disk is full")
	r.keys("r", "a")
	frame := ansi.Strip(r.app.frame())
	if !strings.Contains(frame, "the disk is full") {
		t.Error("the error is not shown")
	}
	if !strings.Contains(frame, "c281") {
		t.Error("the candidate left the queue though nothing was decided")
	}
}

func TestWhatIsTakenBackBeforeTheFeedTellsOfItStandsInTheQueueAgain(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	r.keys("r")
	first := r.order()
	r.keys("a")
	if got := r.order(); len(got) != len(first)-1 {
		t.Fatalf("the queue was %v and is %v", first, got)
	}
	r.keys("u")
	if got := r.order(); !slices.Equal(got, first) {
		t.Errorf("the queue was %v and is %v", first, got)
	}
}

func TestEveryActionRunsEverywhere(t *testing.T) {
	for _, name := range []string{"full", "empty"} {
		t.Run(name, func(t *testing.T) {
			s := tuitest.Snapshot(8)
			if name == "empty" {
				s = tuitest.Loading()
			}
			for _, screen := range []pane.ID{pane.None, pane.Jobs, pane.Review, pane.Candidate, pane.Job, pane.Lineage, pane.Settings, pane.Candidates, pane.Notes} {
				r := newRig(t, s, 100, 30)
				for _, b := range bindings() {
					if b.ID == "pager" || b.ID == "editor" || b.ID == "suspend" {
						continue // these leave the screen to another program
					}
					r.app.at.stack, r.app.dialogs, r.app.leaving.stage = nil, nil, 0
					if screen != pane.None {
						r.run(r.app.open(screen))
					}
					r.run(r.app.run(r.app.keys.Get(b.ID)))
					exact(t, b.ID, r.app.frame(), 100, 30)
					if r.app.crash != nil {
						t.Fatalf("%s on screen %d: %v", b.ID, screen, r.app.crash)
					}
				}
			}
		})
	}
}

func TestPaletteFindsActionsAndObjects(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(8), 120, 36)
	r.keys(":")
	r.typing("settings")
	r.keys("enter")
	if r.app.at.screen() != pane.Settings {
		t.Errorf("the palette opened %d", r.app.at.screen())
	}
	r.keys(":")
	r.typing("#341")
	r.keys("enter")
	if p := r.app.panes.Job; r.app.at.screen() != pane.Job || p.Job != 341 {
		t.Errorf("screen %d, job %s", r.app.at.screen(), p.Job)
	}
	r.keys("esc", "esc")
	if r.app.at.screen() != pane.None {
		t.Errorf("esc leads to %d", r.app.at.screen())
	}
}

func TestFilterNarrowsAndInverts(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(8), 120, 36)
	r.keys("2", "z", "/")
	r.typing("failed")
	r.keys("enter")
	p := r.app.panes.ByID[pane.Jobs]
	shown := func() (n int) {
		_, right := p.Title()
		_, said, _ := strings.Cut(ansi.Strip(right), " · ")
		if _, err := fmt.Sscanf(said, "%d shown", &n); err != nil {
			t.Fatalf("the title says %q", said)
		}
		return n
	}
	if n := shown(); n != 1 || p.Selected().Job != 339 {
		t.Errorf("%d failed jobs, the first is %s", n, p.Selected().Job)
	}
	for _, there := range [][]string{{"esc", "z"}, {"c", "esc"}, {"9", "2"}} { // leaves, looks elsewhere, comes back
		r.keys(there...)
		r.app.frame()
		if n := shown(); n != 1 {
			t.Errorf("after %v the list has %d rows: the filter did not stay", there, n)
		}
	}
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "2 Jobs /failed backspace clears") {
		t.Errorf("the filter that stayed is not shown:\n%s", frame)
	}
	r.keys("backspace")
	if all := shown(); all < 20 {
		t.Errorf("backspace leaves %d jobs", all)
	}
	if widget.Fits("!tune", "tune") || !widget.Fits("!tune", "mutate") || !widget.Fits("TUNE off", "tune", "offline") {
		t.Error("words or inversion do not hold")
	}
}

func TestAnEscEndsWhatWasNotMeantToStay(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(8), 120, 36)
	for _, c := range []struct {
		name string
		keys []string
	}{
		{"a search in a text", []string{"1", "enter", "/", "x", "enter"}},
		{"the log of one job", []string{"2", "l"}},
	} {
		r.keys(c.keys...)
		if text, _ := r.app.Current().Filter(); text == "" {
			t.Fatalf("%s: nothing is searched for", c.name)
		}
		on := r.app.at.screen()
		r.keys("esc")
		if text, _ := r.app.Current().Filter(); text != "" || r.app.at.screen() != on {
			t.Errorf("%s: after esc %q is searched for on screen %d", c.name, text, r.app.at.screen())
		}
		r.keys("esc")
	}
}

func TestTheTitleSaysFromWhereOneCame(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		keys []string
		want string // "" = the title begins with the screen's own
	}{
		{"a screen on the dashboard has no trail", 120, 36, []string{"c"}, ""},
		{"three screens deep", 120, 36, []string{"c", "enter", "T"}, "╭ Candidates > c341 > Lineage of c341"},
		{"a job names itself", 120, 36, []string{"2", "enter", "c"}, "╭ #342 > Candidates"},
		{"on the smallest screen", 60, 16, []string{"c", "enter", "T"}, "╭ Candidates > c341 > Lineage of c341"},
		{"where there is no room the title stays whole", 60, 16, []string{"2", "enter", "c", "enter", "T", "d", "D"}, "╭ Compare base c315"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, tuitest.Snapshot(16), c.w, c.h)
			r.keys("1")
			r.keys(c.keys...)
			top := strings.Split(ansi.Strip(r.app.frame()), "\n")[2]
			if c.want == "" && strings.Contains(top, ">") || !strings.Contains(top, c.want) || strings.Contains(top, "…") {
				t.Errorf("the title is %q", top)
			}
			r.keys("esc")
			if left := strings.Split(ansi.Strip(r.app.frame()), "\n")[2]; left == top {
				t.Errorf("one screen back the title is still %q", left)
			}
		})
	}
}

func TestQuitting(t *testing.T) {
	owner := func(drained, aborted *int) func(o *Options) {
		return func(o *Options) {
			o.Quit = Quit{Drain: func() { *drained++ }, Abort: func() { *aborted++ }}
		}
	}
	t.Run("an idle console quits at once", func(t *testing.T) {
		s := tuitest.Snapshot(4)
		s.Running, s.State = nil, record.ExperimentPaused
		var d, ab int
		r := newRig(t, s, 100, 30, owner(&d, &ab))
		r.keys("q")
		if !r.quit || d+ab > 0 {
			t.Errorf("quit %v, drained %d, aborted %d", r.quit, d, ab)
		}
	})
	t.Run("one that only looks on quits at once", func(t *testing.T) {
		s := tuitest.Snapshot(4)
		s.Owner = false
		var d, ab int
		r := newRig(t, s, 100, 30, owner(&d, &ab))
		r.keys("ctrl+c")
		if !r.quit || d+ab > 0 {
			t.Errorf("quit %v, drained %d, aborted %d", r.quit, d, ab)
		}
	})
	t.Run("ctrl+c drains and leaves when the last job ended", func(t *testing.T) {
		var d, ab int
		r := newRig(t, tuitest.Snapshot(4), 100, 30, owner(&d, &ab))
		r.keys("ctrl+c")
		if r.quit || d != 1 || !strings.Contains(ansi.Strip(r.app.frame()), "draining 2 jobs, ctrl+c again to end them") {
			t.Fatalf("quit %v, drained %d:\n%s", r.quit, d, ansi.Strip(r.app.frame()))
		}
		next := tuitest.Snapshot(4)
		next.Version, next.Running, next.Jobs.Running = 8, nil, 0
		r.send(snapMsg{next})
		if !r.quit || r.app.leaving.aborted {
			t.Errorf("quit %v, aborted %v", r.quit, r.app.leaving.aborted)
		}
	})
	t.Run("ctrl+c twice ends them, even over a dialog", func(t *testing.T) {
		var d, ab int
		r := newRig(t, tuitest.Snapshot(4), 100, 30, owner(&d, &ab))
		r.keys("ctrl+c", "?", "ctrl+c")
		if !r.quit || d != 1 || ab != 1 || !r.app.leaving.aborted {
			t.Errorf("quit %v, drained %d, aborted %d", r.quit, d, ab)
		}
	})
	t.Run("q asks while jobs run", func(t *testing.T) {
		var d, ab int
		r := newRig(t, tuitest.Snapshot(4), 100, 30, owner(&d, &ab))
		r.keys("q", "enter")
		if r.quit || d+ab > 0 {
			t.Errorf("the default leaves: quit %v, drained %d, aborted %d", r.quit, d, ab)
		}
		r.keys("q", "d")
		if d != 1 {
			t.Errorf("drained %d", d)
		}
	})
	idle := func(s *view.Snapshot) { s.Running, s.Jobs.Running, s.State = nil, 0, record.ExperimentDone }
	for _, c := range []struct {
		name         string
		view         []string // keys before q
		change       func(s *view.Snapshot)
		says         string
		pick         string
		quit, drains bool
	}{
		{"the question tells that the last job ended behind it", nil, idle, "Nothing runs any more", "d", true, false},
		{"and under a paused view", []string{"p"}, idle, "Nothing runs any more", "d", true, false},
		{"and that the engine died", nil, func(s *view.Snapshot) { s.Fatal = "the disk is full" }, "Nothing runs any more", "d", true, false},
		{"a cursor on the last choice stays on one", nil, idle, "Nothing runs any more", "enter", true, false},
		{"the question tells that it is between two jobs", nil, func(s *view.Snapshot) { s.Running = nil }, "No job runs at this moment", "d", false, true},
		{"the question counts the jobs of now", nil, func(s *view.Snapshot) { s.Running = s.Running[:1] }, "1 job is running", "d", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d, ab int
			r := newRig(t, tuitest.Snapshot(4), 100, 30, owner(&d, &ab))
			r.keys(c.view...)
			r.keys("q", "right", "right")
			if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "2 jobs are running") {
				t.Fatalf("it does not ask:\n%s", frame)
			}
			next := tuitest.Snapshot(4)
			next.Version = 8
			c.change(next)
			r.send(snapMsg{next})
			if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, c.says) || strings.Contains(frame, "2 jobs are running") {
				t.Errorf("it does not say %q:\n%s", c.says, frame)
			}
			if r.quit {
				t.Error("it leaves unasked")
			}
			r.keys(c.pick)
			if r.quit != c.quit || (d == 1) != c.drains || ab != 0 {
				t.Errorf("%s: quit %v, drained %d, aborted %d", c.pick, r.quit, d, ab)
			}
		})
	}
}

func TestPausedViewHoldsStill(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(4), 120, 36)
	r.keys("p")
	next := tuitest.Snapshot(4)
	next.Version, next.Jobs.Scored = 8, 400
	r.send(snapMsg{next})
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "341/500") || !strings.Contains(frame, "paused") {
		t.Error("the view moved, or does not say that it is paused")
	}
	r.keys("p")
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, "522/500") {
		t.Errorf("the view does not catch up:\n%s", frame)
	}
}

func TestEngineEventsOpenNoDialog(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(4), 120, 36)
	r.keys("n", "8", "n")
	r.typing("half a no")
	next := tuitest.Snapshot(4)
	next.Version, next.Fatal = 8, "the disk is full"
	next.Review = append(next.Review, view.Held{Candidate: tuitest.Candidate(300)})
	r.send(snapMsg{next})
	r.typing("te")
	r.keys("enter")
	if ds := r.ctl.Decisions(); len(ds) != 1 || ds[0].Text != "half a note" {
		t.Errorf("typing was disturbed: %+v", ds)
	}
	if !strings.Contains(ansi.Strip(r.app.frame()), "the disk is full") {
		t.Error("a fatal error is not shown")
	}
}

// scopes is the order of documentation and help.
func scopes() []keys.Scope {
	return []keys.Scope{keys.InAll, keys.InTime, keys.InList, keys.InNiches, keys.InCandidates, keys.InJobs, keys.InReview, keys.InCompare, keys.InLineage, keys.InDiff, keys.InText, keys.InJob, keys.InCurves, keys.InLog, keys.InNotes, keys.InDecisions, keys.InSettings, keys.InSteering, keys.InFinished, keys.InOptions, keys.InTargets, keys.InDoctor, keys.InFleet}
}

// markdown is docs/keys.md.
func markdown(all []*keys.Binding) string {
	var b strings.Builder
	b.WriteString("# Keys\n\nWritten from the key table of the console (`go test ./tui -run KeysFile -update`).\n" +
		"Every action is also in the palette (`:`), and keys can be changed in atoll.yaml:\n\n" +
		"```yaml\nconsole:\n  keys:\n    freeze: Z\n    zoom-in: + ctrl+o\n```\n\n" +
		"A key that cannot do anything now is dim in the help bar and says why when pressed.\n" +
		"Actions marked *decides* change the experiment and are off with `--read-only`;\nthose marked *asks* name what is lost and ask first.\n")
	for _, s := range scopes() {
		fmt.Fprintf(&b, "\n## %s\n\n| key | action | what it does |\n|---|---|---|\n", strings.ToUpper(string(s)[:1])+string(s)[1:])
		for _, k := range all {
			if !slices.Contains(k.In, s) {
				continue
			}
			what := k.Title
			if k.Doc != "" {
				what += ": " + k.Doc
			}
			if k.Decides {
				what += " *decides*"
			}
			if k.Danger {
				what += " *asks*"
			}
			names := make([]string, len(k.Keys))
			for i, n := range k.Keys {
				names[i] = "`" + strings.ReplaceAll(n, "|", "\\|") + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(names, " "), k.ID, what)
		}
	}
	return b.String()
}
