package steer_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/steer"
	"atoll/tui/tuitest"
	"atoll/tui/widget"
)

// at is a pane whose cursor stands on something.
type at struct {
	pane.Pane
	pane.Selection
}

func (p at) Selected() pane.Selection { return p.Selection }

// person is somebody at a console whose cursor the test moves.
type person struct {
	pane.Host
	*steer.Actions
	t       *testing.T
	ctl     *tuitest.Controller
	on      pane.Selection
	asked   widget.Dialog
	decided []record.CandidateID
}

func (d *person) Current() pane.Pane                                  { return at{Selection: d.on} }
func (d *person) Decided(ids ...record.CandidateID)                   { d.decided = append(d.decided, ids...) }
func (d *person) Ask(q widget.Dialog) tea.Cmd                         { d.asked = q; return nil }
func (d *person) Say(string, bool) tea.Cmd                            { return nil }
func (d *person) Edit(_, _, _ string, _ func(string) tea.Cmd) tea.Cmd { return nil }
func (d *person) Decide(said string, undo bool, ds ...record.Decision) tea.Cmd {
	return d.Actions.Decide(said, undo, ds...)
}

func newPerson(t *testing.T) *person {
	t.Helper()
	s := pane.NewShared(t.Context(), nil, plot.Braille, true, "")
	s.Take(tuitest.Snapshot(16))
	d := &person{t: t, ctl: &tuitest.Controller{}, on: pane.Nothing()}
	d.Actions = &steer.Actions{D: s, Host: d, Ctl: d.ctl, Who: "ada", Dir: t.TempDir()}
	return d
}

// select has the cursor on a candidate, and on its niche where it holds one.
func (d *person) stand(id record.CandidateID) {
	d.on = pane.Nothing()
	d.on.Candidate, d.on.Job, d.on.Cell = id, record.JobID(id), d.D.Grid.CellOf(id)
}

// row is the row of a key.
func (d *person) row(id string) *keys.Binding {
	d.t.Helper()
	for _, b := range slices.Concat(d.CandidateKeys(), d.JobKeys(), d.ExperimentKeys()) {
		if b.ID == id {
			return b
		}
	}
	d.t.Fatalf("there is no key %q", id)
	return nil
}

// press does what a key does, or says why it does nothing now.
func (d *person) press(id string) (done steer.Done, why string) {
	d.t.Helper()
	b := d.row(id)
	if b.Off != nil {
		if why := b.Off(); why != "" {
			return done, why
		}
	}
	return d.ended(b.Run()), ""
}

// ended runs a command that an action gave.
func (d *person) ended(cmd tea.Cmd) steer.Done {
	d.t.Helper()
	if cmd == nil {
		return steer.Done{}
	}
	done, ok := cmd().(steer.Done)
	if !ok {
		d.t.Fatal("an action ended without saying how")
	}
	return done
}

// where finds a cell of the snapshot.
func (d *person) where(want func(view.Cell) bool) record.CandidateID {
	d.t.Helper()
	for _, c := range d.D.Snap.Grid.Cells {
		if c.Elite > 0 && d.D.Grid.CellOf(c.Elite) == c.Index && want(c) {
			return c.Elite
		}
	}
	d.t.Fatal("the snapshot has no such niche")
	return 0
}

func frozen(c view.Cell) bool  { return c.Frozen }
func boosted(c view.Cell) bool { return c.Boost == 2 && !c.Frozen }
func plain(c view.Cell) bool   { return c.Boost == 1 && !c.Frozen }

func TestAKeyWritesItsDecisionOrSaysWhyNot(t *testing.T) {
	for _, c := range []struct {
		name, key string
		on        func(d *person)
		verb      record.Verb
		value     float64
		said, why string
	}{
		{"a plain elite is frozen", "freeze", func(d *person) { d.stand(d.where(plain)) }, record.Freeze, 0, "frozen ", ""},
		{"a frozen one is released by the same key", "freeze", func(d *person) { d.stand(d.where(frozen)) }, record.Release, 0, "released ", ""},
		{"what holds no niche cannot be frozen", "freeze", func(d *person) { d.stand(288) }, "", 0, "", "holds no niche"},
		{"an empty niche neither", "freeze", func(*person) {}, "", 0, "", "empty"},
		{"a boost doubles", "boost", func(d *person) { d.stand(d.where(plain)) }, record.Boost, 2, "boosted x2", ""},
		{"and doubles what is there", "boost", func(d *person) { d.stand(d.where(boosted)) }, record.Boost, 4, "boosted x4", ""},
		{"the other key halves", "boost-down", func(d *person) { d.stand(d.where(boosted)) }, record.Boost, 1, "boosted x1", ""},
		{"only what is held in some way is released", "release", func(d *person) { d.stand(d.where(plain)) }, "", 0, "", "neither frozen nor boosted"},
		{"a boost is released", "release", func(d *person) { d.stand(d.where(boosted)) }, record.Release, 0, "released ", ""},
		{"who waits is approved", "approve", func(d *person) { d.stand(281) }, record.Approve, 0, "approved c281", ""},
		{"who does not wait is not", "approve", func(d *person) { d.stand(d.where(plain)) }, "", 0, "", "does not wait"},
		{"in an empty review nothing is", "approve", func(d *person) { d.D.Snap.Review = nil }, "", 0, "", "nothing waits for a decision"},
		{"where no row is chosen neither", "approve", func(*person) {}, "", 0, "", "no candidate is selected"},
		{"the root is not rejected", "reject", func(d *person) { d.stand(record.Root) }, "", 0, "", "the root stays"},
		{"a candidate is pinned", "pin", func(d *person) { d.stand(12) }, record.Pin, 0, "pinned c12", ""},
		{"and unpinned by the same key", "pin", func(d *person) { d.stand(12); d.on.Pinned = true }, record.Unpin, 0, "unpinned c12", ""},
		{"who waits before it is measured has no value to verify", "measure", func(d *person) { d.D.Snap.Review[1].Candidate.Objective = nil; d.stand(288) }, "", 0, "", "c288 is not measured yet"},
		{"who waits before its niche has one that does not count yet", "measure", func(d *person) { d.stand(288) }, "", 0, "", "c288 is measured and waits for a decision"},
		{"nor does a job start from it", "start-job", func(d *person) { d.stand(288) }, "", 0, "", "c288 is measured and waits for a decision"},
		{"where no engine runs it is told that it waits", "pin", func(d *person) { d.D.Snap.Owner = false; d.stand(12) }, record.Pin, 0, "no engine runs", ""},
		{"the root becomes no branch", "promote", func(d *person) { d.stand(record.Root) }, "", 0, "", "does not differ from itself"},
		{"a queued job comes sooner", "sooner", func(d *person) { d.stand(12); d.on.State = record.Queued; d.on.Priority = 3 }, record.Prioritise, 4, "priority of #12: 4", ""},
		{"one that runs does not", "later", func(d *person) { d.stand(12); d.on.State = record.Editing }, "", 0, "", "only queued jobs"},
		{"one that ended is tried again", "retry", func(d *person) { d.stand(12); d.on.State = record.Failed }, record.Retry, 0, "queued a new try of #12", ""},
		{"one that ended is not cancelled", "cancel", func(d *person) { d.stand(12); d.on.State = record.Failed }, "", 0, "", "#12 has ended"},
		{"without a job none is", "cancel", func(*person) {}, "", 0, "", "no job is selected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newPerson(t)
			c.on(d)
			done, why := d.press(c.key)
			ds := d.ctl.Decisions()
			if c.why != "" {
				if !strings.Contains(why, c.why) || len(ds) > 0 {
					t.Errorf("it says %q and writes %+v", why, ds)
				}
				return
			}
			if why != "" || len(ds) != 1 {
				t.Fatalf("it says %q and writes %+v", why, ds)
			}
			if ds[0].Verb != c.verb || ds[0].Value != c.value || ds[0].Who != "ada" || !strings.Contains(done.Text, c.said) {
				t.Errorf("%s with %g by %q, told as %q", ds[0].Verb, ds[0].Value, ds[0].Who, done.Text)
			}
		})
	}
}

func TestMarkedCandidatesAreDecidedAboutInOneStep(t *testing.T) {
	d := newPerson(t)
	one, two, ice := d.where(plain), d.where(boosted), d.where(frozen)
	for _, id := range []record.CandidateID{one, two} {
		d.D.Mark(id)
	}
	done, why := d.press("boost")
	ds := d.ctl.Decisions()
	if why != "" || len(ds) != 2 || ds[0].Value != 2 || ds[1].Value != 4 || d.ctl.Steps() != 1 {
		t.Fatalf("%q, %+v in %d steps", why, ds, d.ctl.Steps())
	}
	if strings.Contains(done.Text, "x4") || !strings.Contains(done.Text, "of what each had") || len(d.D.Marks) > 0 {
		t.Errorf("told as %q, marks %v", done.Text, d.D.Marks)
	}

	// One that is frozen among others: the others are frozen, and it stays so.
	for _, id := range []record.CandidateID{ice, one} {
		d.D.Mark(id)
	}
	if _, why := d.press("freeze"); why != "" {
		t.Fatal(why)
	}
	if ds := d.ctl.Decisions()[2:]; len(ds) != 1 || ds[0].Verb != record.Freeze || ds[0].Candidate != one {
		t.Errorf("%+v", ds)
	}
}

// Of marked ones those are decided about that allow it; the key says how many, and the
// word after it that others are left.
func TestOfMixedMarksThoseAreDecidedAboutThatCanBe(t *testing.T) {
	for _, c := range []struct {
		key, now string
		verb     record.Verb
		on       record.CandidateID
	}{
		{"approve", "approve 1", record.Approve, 281},
		{"measure", "measure again 2", record.Measure, 12},
		{"retry", "retry 1", record.Retry, 12},
	} {
		d := newPerson(t)
		ice := d.where(frozen)
		for _, id := range []record.CandidateID{12, ice, 281} {
			d.D.Mark(id)
		}
		if c.key == "retry" {
			d.D.Unmark()
			d.D.Mark(281)
			d.D.Mark(ice)
			c.on = ice
		}
		if now := d.row(c.key).Now(len(d.D.Marks)); now != c.now {
			t.Errorf("the key says %q, not %q", now, c.now)
		}
		done, why := d.press(c.key)
		ds := d.ctl.Decisions()
		if why != "" || len(ds) == 0 || ds[0].Verb != c.verb || ds[0].Candidate != c.on && ds[0].Job != record.JobID(c.on) {
			t.Fatalf("%s: %q, %+v", c.key, why, ds)
		}
		if !strings.Contains(done.Text, "1 other marked one is left") && !strings.Contains(done.Text, "2 other marked ones are left") {
			t.Errorf("%s is told as %q", c.key, done.Text)
		}
	}
}

func TestTheKeyOfFreezingSaysThatItReleases(t *testing.T) {
	d := newPerson(t)
	d.stand(d.where(plain))
	if now := d.row("freeze").Now(0); now != "freeze" {
		t.Errorf("on a niche that is free it says %q", now)
	}
	d.stand(d.where(frozen))
	if now := d.row("freeze").Now(0); now != "release" {
		t.Errorf("on a frozen niche it says %q", now)
	}
}

func TestApprovalsCarryTheirJobAndMoveTheReviewOn(t *testing.T) {
	d := newPerson(t)
	d.D.Mark(281)
	d.D.Mark(288)
	done, why := d.press("approve")
	ds := d.ctl.Decisions()
	if why != "" || len(ds) != 2 || ds[0].Job != 281 || ds[1].Job != 288 || !done.Undo || !done.Logged {
		t.Fatalf("%q, %+v, %+v", why, ds, done)
	}
	if !slices.Equal(d.decided, []record.CandidateID{281, 288}) {
		t.Errorf("the review moves past %v", d.decided)
	}
}

func TestWhatCannotBeWrittenIsToldAndNotAsDone(t *testing.T) {
	d := newPerson(t)
	d.ctl.Err = errors.New("the disk is full")
	d.stand(d.where(plain))
	if done, _ := d.press("freeze"); !errors.Is(done.Err, d.ctl.Err) || done.Text != "" {
		t.Errorf("%+v", done)
	}
	d.Ctl = nil
	if cmd := d.Decide("frozen", true, pane.Decision(record.Freeze)); cmd != nil {
		t.Error("something is decided without an experiment")
	}
	if _, why := d.press("export"); why != "no experiment is attached" {
		t.Errorf("it says %q", why)
	}
}

func TestAPatchReplacesNoFile(t *testing.T) {
	d := newPerson(t)
	d.stand(12)
	name := filepath.Join(d.Dir, "circle-packing-c12.patch")
	export := func() steer.Done {
		t.Helper()
		if _, why := d.press("export"); why != "" {
			t.Fatal(why)
		}
		answer := d.asked.Key(tea.KeyPressMsg{Code: tea.KeyEnter})
		if answer.Run == nil {
			t.Fatalf("the name is not taken: %+v", answer)
		}
		return d.ended(answer.Run())
	}
	if done := export(); done.Err != nil || !strings.Contains(done.Text, name) {
		t.Fatalf("%+v", done)
	}
	if err := os.WriteFile(name, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if done := export(); !errors.Is(done.Err, os.ErrExist) {
		t.Errorf("%+v", done)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

func TestStoppingIsAskedForAndSaysWhatBecomesOfTheQueue(t *testing.T) {
	d := newPerson(t)
	if cmd := d.StopEngine(); cmd != nil {
		t.Fatal("it stops without a question")
	}
	told := strings.Join(d.asked.View(d.D.St, 70, 20), " ")
	if !strings.Contains(told, "3 queued wait") {
		t.Errorf("it asks\n%s", told)
	}
	if a := d.asked.Key(tea.KeyPressMsg{Code: tea.KeyEscape}); a.Run != nil || len(d.ctl.Decisions()) > 0 {
		t.Error("esc stops it")
	}
	a := d.asked.Key(tea.KeyPressMsg{Code: 's', Text: "s"})
	if a.Run == nil {
		t.Fatalf("s does nothing: %+v", a)
	}
	d.ended(a.Run())
	if ds := d.ctl.Decisions(); len(ds) != 1 || ds[0].Verb != record.Stop {
		t.Errorf("%+v", ds)
	}
}
