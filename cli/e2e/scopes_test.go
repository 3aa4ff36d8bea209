package e2e_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hinshun/vt10x"

	"atoll/store/record"
)

const defaultFG = vt10x.DefaultFG

func everywhere(t *tour) {
	t.shows("?", "╭ Keys here")
	t.press("bare esc")
	t.lost("╭ Keys here")
	t.shows("f1", "╭ Keys here")
	t.press("esc")
	t.shows(":", "╭ Command")
	t.press("esc")
	t.shows("ctrl+p", "╭ Command")
	t.press("esc")
	t.lost("╭ Command")
	t.shows("6", "╭ 6 Failures")
	t.hides("esc", "╭ 6 Failures")
	t.shows("7", "╭ 7 Yields")
	t.shows("8", "╭ 8 Goal and notes")
	t.shows("9", "╭ 9 Decisions")
	t.shows("1", "╭ 1 Niches")
	t.shows("2", "╭ 2 Jobs")
	t.shows("3", "╭ 3 Fitness")
	t.shows("4", "╭ 4 Review")
	t.shows("5", "╭ 5 Log")
	t.shows("c", "> Candidates")
	t.shows("S", "> Settings")
	t.shows("O", "> Steering")
	t.shows("F", "> Summary")
	t.shows("f2", "> Options")
	t.home()
	t.shows("Q", "nothing counts beside the objective here")
	t.home()
	t.shows("r", "difference to")
	t.home()
	t.hides("+", "╭ 3 Fitness")
	t.shows("_", "╭ 3 Fitness")
	t.hides("=", "╭ 3 Fitness")
	t.press("_")
	t.hides("z", "╭ 2 Jobs")
	t.press("z")
	t.wait("╭ 2 Jobs")
	t.shows("tab", "R retry")
	t.hides("shift+tab", "R retry")
	t.shows("p", "view paused")
	t.press("p")
	t.shows("C", "colours: ")
	t.shows("H", " the past ")
	t.press("H")
	t.lost(" the past ")
	before := len(t.output())
	t.key("ctrl+l", func() { t.see("a whole new screen", func(string) bool { return len(t.output())-before > 3000 }) })
	t.press("space")
	t.wait("1 marked")
	t.hides("U", "1 marked")
	t.press("f")
	t.wait("frozen c")
	frozen := t.lab.last()
	t.decides("u", func() bool { d := t.lab.last(); return d.Undoes == frozen.Seq && d.Verb == record.Release })
	t.decides("ctrl+r", func() bool { d := t.lab.last(); return d.Verb == record.Freeze && d.Undoes != 0 })
	t.inject()
	t.shows("P", "● running")
	t.decides("P", func() bool { return t.lab.state() == record.ExperimentPaused })
	t.leave()
}

// inject takes a branch of the repository as a candidate.
func (t *tour) inject() {
	t.t.Helper()
	if err := bigBranch(t.lab.dir, "other", 2); err != nil {
		t.t.Fatal(err)
	}
	t.shows("I", "Inject a commit")
	t.text("other")
	t.press("enter")
	until(t.t, "the injected commit is a queued job", patience, func() bool {
		for _, j := range t.lab.jobs(record.Queued) {
			if j.Operator == record.OpManual {
				return true
			}
		}
		return false
	})
}

// leave quits by q; nothing runs, so it does not ask. Another console is ended
// by ctrl+c and one is suspended in other tests.
func (t *tour) leave() {
	t.t.Helper()
	t.see("nothing runs", func(s string) bool {
		return strings.Contains(s, "● paused") && strings.Contains(s, "2 Jobs 0 running") && !slices.ContainsFunc(t.lab.jobs(), func(j record.Job) bool { return j.State.Running() })
	})
	t.press("q")
	if code := t.end(); code != 0 {
		t.t.Errorf("q ends with %d", code)
	}
	t.restored()
	for _, key := range []string{"q", "ctrl+c", "ctrl+z"} { // TestInterrupt, TestSuspend
		t.done.add(t.scope, key)
	}
}

func lists(t *tour) {
	t.press("c")
	t.wait("╭ Candidates")
	at := func(string) string { // nothing while a frame is half drawn
		f := strings.Fields(t.selected())
		if len(f) == 0 || f[0] != "root" && !strings.HasPrefix(f[0], "c") {
			return ""
		}
		return f[0]
	}
	t.see("a row under the cursor", func(s string) bool { return strings.HasPrefix(at(s), "c") })
	first := at("")
	second := t.changes("down", at)
	t.changes("up", at)
	if got := t.changes("j", at); got != second {
		t.t.Errorf("j goes to %s, down to %s", got, second)
	}
	t.changes("k", at)
	for _, pair := range [][2]string{{"pgdown", "pgup"}, {"ctrl+d", "ctrl+u"}, {"pgdown", ","}, {"end", "home"}, {"G", "g"}, {">", "<"}} {
		t.changes(pair[0], at)
		if got := t.changes(pair[1], at); got != first {
			t.t.Errorf("%s after %s goes to %s, not to %s", pair[1], pair[0], got, first)
		}
	}
	t.shows("/", "enter keep")
	t.text("mutate")
	t.see("rows that fit", func(s string) bool { return strings.Contains(s, "/mutate") && !strings.Contains(s, " tune ") })
	t.press("enter")
	t.key("backspace", func() { t.wait(" tune ") })
	t.shows("o", "╭ Sort by")
	t.text("value")
	t.press("enter")
	t.wait("value↓")
	t.shows("enter", "difference to")
}

var nicheAt = regexp.MustCompile(`  niche \((\d+,\d+,\d+)\)`)

func grid(t *tour) {
	t.press("z")
	t.see("the niche in words", func(s string) bool { return nicheAt.MatchString(s) })
	at := func(s string) string {
		if m := nicheAt.FindStringSubmatch(s); m != nil {
			return m[1]
		}
		return ""
	}
	best := at(t.screen())
	t.changes("right", at)
	t.changes("left", at)
	t.changes("l", at)
	t.changes("h", at)
	t.changes("$", at)
	t.changes("0", at)
	t.changes("up", at)
	t.changes(".", at)
	if got := at(t.screen()); got != best {
		t.t.Errorf(". goes to %s, the best is in %s", got, best)
	}
	t.shows("v", "Niches age")
	t.press("v", "v")
	t.shows("v", "Niches curiosity")
	t.shows("v", "Niches odds")
	t.press("v")
	t.shows("m", "Niches by rank")
	t.press("m")
	t.lost("Niches by rank")
	axes := regexp.MustCompile(`→ [abc]  ↑ [abc] · best over [abc]`)
	at = func(s string) string { return axes.FindString(s) }
	t.changes("X", at)
	t.changes("Y", at)
	slice := regexp.MustCompile(`[abc] \d/\d`)
	at = func(s string) string { return slice.FindString(s) }
	t.changes("A", at)
	t.changes("]", at)
	t.changes("[", at)
	t.shows("s", "one axis is hidden at most")
	t.press("A", ".")
	t.press("f")
	until(t.t, "the freeze", patience, func() bool { return t.lab.last().Verb == record.Freeze })
	t.wait("· frozen ·") // in the words of the grid: the card may know it before release is possible
	t.decides("R", func() bool { return t.lab.last().Verb == record.Release })
}

// manual returns the injected candidate.
func (l *lab) manual() record.CandidateID {
	l.t.Helper()
	for _, j := range l.jobs() {
		if j.Operator == record.OpManual && j.Candidate >= 0 {
			return j.Candidate
		}
	}
	l.t.Fatal("the lab has no injected candidate")
	return record.NoCandidate
}

// goTo opens a candidate by its number in the palette.
func (t *tour) goTo(id record.CandidateID) {
	t.t.Helper()
	t.press(":")
	t.wait("╭ Command")
	t.text(id.String())
	t.wait("open candidate " + id.String())
	t.press("up", "enter")
	t.wait("╭ " + id.String() + " ")
}

func candidates(t *tour) {
	t.press("z")
	t.wait("niche (")
	t.shows("space", "1 marked")
	t.press("U")
	last := func(v record.Verb, value float64) func() bool {
		return func() bool { d := t.lab.last(); return d.Verb == v && d.Value == value }
	}
	t.decides("f", last(record.Freeze, 0))
	t.press("u")
	until(t.t, "the freeze is undone", patience, last(record.Release, 0))
	t.decides("b", last(record.Boost, 2))
	t.wait("boost x2")
	t.decides("B", last(record.Boost, 1))
	t.decides("*", func() bool { return t.lab.last().Verb == record.Pin && t.lab.candidate(t.lab.last().Candidate).Pinned })
	t.decides("V", func() bool {
		d := t.lab.last()
		return d.Verb == record.Measure && slices.ContainsFunc(t.lab.jobs(), func(j record.Job) bool {
			return j.Kind == record.Evaluate && j.Purpose == record.PurposeVerify && j.Candidate == d.Candidate
		})
	})
	t.shows("d", "difference to")
	t.press("esc")
	t.shows("D", "Compare base ")
	t.press("esc")
	t.shows("T", "Lineage of")
	t.press("esc")
	t.shows("i", "stages")
	t.press("esc")
	t.wait("niche (")
	t.shows("y", "╭ Copy")
	t.press("enter")
	t.see("OSC 52", func(string) bool { return strings.Contains(t.output(), "\x1b]52;c;") })
	t.shows("E", "as a patch")
	t.press("enter")
	t.wait("wrote ")
	if files, err := filepath.Glob(filepath.Join(t.lab.dir, "dials-c*.patch")); err != nil || len(files) != 1 {
		t.t.Errorf("exported %v, %v", files, err)
	} else if out, err := command(t.lab.dir, "git", "apply", "--check", files[0]).CombinedOutput(); err != nil {
		t.t.Errorf("git does not take the patch: %s", out)
	}
	t.startOne()
	t.shows("w", "to a new branch")
	t.wait("verify, then write")
	t.press("down", "enter")
	t.wait("added branch")
	if out, err := command(t.lab.dir, "git", "branch", "--list", "atoll/*").Output(); err != nil || !strings.Contains(string(out), "atoll/dials-c") {
		t.t.Errorf("branches: %s, %v", out, err)
	}
	t.home()
	t.press("4")
	t.see("a candidate that waits", func(string) bool { return t.picked() != "" })
	first := t.picked()
	t.decides("a", func() bool { d := t.lab.last(); return d.Verb == record.Approve && d.Candidate.String() == first })
	until(t.t, "the job is no longer held", patience, func() bool { return t.lab.job(record.JobID(t.lab.last().Candidate)).State != record.Held })
	t.see("the next that waits", func(string) bool { return t.picked() != "" && t.picked() != first })
	second := t.picked()
	t.shows("x", "Reject "+second)
	t.press("enter")
	until(t.t, "the job is rejected", patience, func() bool {
		d := t.lab.last()
		return d.Verb == record.Reject && d.Candidate.String() == second && t.lab.job(record.JobID(d.Candidate)).State == record.Rejected
	})
}

// startOne makes a job from the selected candidate.
func (t *tour) startOne() {
	t.t.Helper()
	n := len(t.lab.jobs(record.Queued))
	t.shows("M", ": operator")
	t.text("mutate")
	t.press("enter")
	t.wait(": agent")
	t.press("enter")
	t.wait(": goal")
	t.text("be bold")
	t.press("enter")
	until(t.t, "the job is queued with its goal", patience, func() bool {
		list := t.lab.jobs(record.Queued)
		return len(list) == n+1 && list[0].Goal == "be bold" && list[0].Operator == record.OpMutate
	})
}

func jobs(t *tour) {
	t.press("2", "z")
	t.wait("all · ")
	t.shows("s", "running · ")
	t.press("s")
	t.wait("queued · ")
	t.see("a queued job under the cursor", func(string) bool { return strings.Contains(t.selected(), "queued") })
	queued := t.lab.jobs(record.Queued)
	id := queued[0].ID
	priority := func(n int) func() bool { return func() bool { return t.lab.job(id).Priority == n } }
	t.decides("K", priority(1))
	t.wait("priority 1")
	t.decides("J", priority(0))
	t.lost("priority 1")
	t.shows("y", "╭ Copy")
	t.press("esc")
	t.shows("X", "Cancel "+id.String())
	t.press("c")
	until(t.t, "the job is cancelled", patience, func() bool { return t.lab.job(id).State == record.Cancelled })
	t.press("s", "s") // took a niche
	t.wait("took a niche · ")
	t.see("a placed job under the cursor", func(string) bool { return strings.Contains(t.selected(), "placed") })
	t.decides("R", func() bool { return t.lab.last().Verb == record.Retry })
	until(t.t, "a new try is queued", patience, func() bool {
		list := t.lab.jobs(record.Queued)
		return len(list) > 0 && list[0].RetryOf == t.lab.last().Job
	})
	t.shows("l", "5 Log /#")
	t.press("esc", "esc", "c")
	t.wait("newest first")
	t.shows("m", "best first")
}
