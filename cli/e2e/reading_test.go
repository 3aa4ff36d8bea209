package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"atoll/store"
	"atoll/store/record"
)

func review(t *tour) {
	t.press("r")
	t.wait("if approved now")
	picked := func(string) string { return t.picked() }
	t.see("a candidate under the cursor", func(string) bool { return t.picked() != "" })
	t.changes("s", picked)
	if strings.Contains(t.screen(), "no longer better") {
		t.shows("v", "no better than")
	} else {
		t.done.add(t.scope, "v") // all that waits is welcome: TestTheReviewIsTrueAsOfNow
	}
	best := regexp.MustCompile(`best of each niche \((\d+)\)`)
	t.press("?")
	t.wait("╭ Keys here")
	m := best.FindStringSubmatch(t.screen())
	t.press("esc")
	if m == nil {
		t.t.Fatalf("the bulk approval does not say on how many it acts:\n%s", t.screen())
	}
	t.decides("A", func() bool { return t.lab.last().Verb == record.Approve })
	t.wait("the best of each niche")
	step := 0
	for _, d := range t.lab.decisions(20) {
		if last := t.lab.last(); d.Verb == record.Approve && (d.Seq == last.Seq || d.Group != 0 && d.Group == last.Group) {
			step++
		}
	}
	if fmt.Sprint(step) != m[1] {
		t.t.Errorf("the key said %s, and %d were approved in one step", m[1], step)
	}
}

// picked is the candidate of the row under the cursor, "" while a frame is half
// drawn.
func (c *console) picked() string {
	row := c.selected()
	if len(row) < 20 {
		return ""
	}
	return regexp.MustCompile(`\bc\d+\b`).FindString(row)
}

// top is the first line of the difference beside the card.
func (c *console) top() string {
	lines := strings.Split(c.screen(), "\n")
	if len(lines) < 4 {
		return ""
	}
	r := []rune(lines[3])
	return string(r[min(len(r), 46):])
}

func differences(t *tour) {
	t.goTo(t.lab.manual())
	t.wait("notes.txt")
	at := func(string) string { return t.top() }
	t.see("the difference", func(string) bool { return strings.Contains(t.top(), "notes.txt") })
	start := at("")
	t.changes("]", at)
	if got := t.changes("[", at); got != start {
		t.t.Errorf("[ after ] shows %q, not %q", got, start)
	}
	first := t.changes("J", at)
	t.changes("J", at)
	if got := t.changes("K", at); got != first {
		t.t.Errorf("K after J shows %q, not %q", got, first)
	}
	t.press("g")
	t.see("the start", func(string) bool { return at("") == start })
	hunk := func(s string) string { return regexp.MustCompile(`@@ -\d+,\d+`).FindString(s) }
	t.changes("}", hunk)
	t.changes("{", hunk)
	third := func(string) string { l := strings.Split(t.screen(), "\n"); return l[7] }
	t.key("L", func() { t.see("lines that are cut", func(s string) bool { return strings.Contains(s, "…") }) })
	t.changes("right", third)
	t.changes("left", third)
	t.changes("l", third)
	t.changes("h", third)
	t.changes("l", third)
	t.changes("0", third)
	t.changes("t", third)
	t.press("t")
	t.press("m")
	t.wait("difference to root")
	t.done.add(t.scope, "m")
	count := func() int { return strings.Count(t.screen(), "line  141") }
	t.press("/")
	t.text("line  141")
	t.press("enter", "n")
	t.see("the line that differs in white space", func(string) bool { return count() > 0 })
	all := t.screen()
	t.key("W", func() { t.see("fewer changes", func(s string) bool { return s != all }) })
	t.key("ctrl+t", func() {
		until(t.t, "the difftool ran", patience, func() bool { return strings.Contains(seen(t.lab, "pager"), "notes.txt") || difftoolRan(t) })
	})
}

// difftoolRan reports whether git's tool was started: without one that is set
// git names those it would try, or says that none is there.
func difftoolRan(t *tour) bool {
	out := t.output()
	return strings.Contains(out, "diff.tool") || strings.Contains(out, "difftool")
}

func texts(t *tour) {
	id := t.lab.manual()
	t.goTo(id)
	t.wait("notes.txt")
	at := func(string) string { return t.top() }
	t.see("the difference", func(string) bool { return strings.Contains(t.top(), "notes.txt") })
	for _, pair := range [][2]string{{"down", "up"}, {"j", "k"}, {"pgdown", "pgup"}, {"ctrl+d", "ctrl+u"}, {"pgdown", ","}, {"end", "home"}, {"G", "g"}, {">", "<"}} {
		was := at("")
		t.changes(pair[0], at)
		if got := t.changes(pair[1], at); got != was {
			t.t.Errorf("%s after %s shows %q, not %q", pair[1], pair[0], got, was)
		}
	}
	third := func(string) string { l := strings.Split(t.screen(), "\n"); return l[7] }
	t.press("L")
	t.wait("…│") // long lines are cut
	t.changes("right", third)
	t.changes("left", third)
	t.changes("l", third)
	t.changes("h", third)
	t.changes("l", third)
	t.changes("0", third)
	t.shows("/", "enter keep")
	t.text("lively")
	t.press("enter")
	t.lost("enter keep")
	t.changes("n", at)
	t.changes("n", at)
	t.changes("N", at)
	t.hides("backspace", "/lively")
	t.key("o", func() {
		until(t.t, "the pager got the text", patience, func() bool { return strings.Contains(seen(t.lab, "pager"), "lively") })
	})
	t.see("the console again", func(string) bool { return strings.Count(t.output(), "\x1b[?1049h") == 2 })
	t.press("q")
	t.end()
	t.console = start(t.t, t.lab, []string{"EDITOR=" + marker(t.t, t.lab, "editor")}, cols, rows)
	t.wait("● paused")
	t.goTo(id)
	t.see("the difference", func(string) bool { return strings.Contains(t.top(), "notes.txt") })
	t.key("e", func() {
		until(t.t, "the editor got the text", patience, func() bool { return strings.Contains(seen(t.lab, "editor"), "lively") })
	})
}

// twoTexts returns a job with more than one text.
func (l *lab) twoTexts() (id record.JobID) {
	l.t.Helper()
	list := l.jobs()
	l.read(func(ctx context.Context, db *store.DB, exp record.ExperimentID) error {
		for _, j := range list {
			if ev, err := db.EvidenceOf(ctx, exp, j.ID); err != nil {
				return err
			} else if len(ev) > 1 {
				id = j.ID
				return nil
			}
		}
		return errors.New("no job has two texts")
	})
	return id
}

func oneJob(t *tour) {
	t.press(":")
	t.wait("╭ Command")
	t.text("#" + fmt.Sprint(int64(t.lab.twoTexts())))
	t.wait("open job")
	t.press("enter")
	t.wait("stages")
	tabs := func(string) string { return t.top() }
	t.see("the texts of the job", func(string) bool { return strings.TrimSpace(t.top()) != "" })
	third := func(string) string { l := strings.Split(t.screen(), "\n"); return strings.Join(l[5:9], "\n") }
	_ = tabs
	t.changes("]", third)
	t.changes("[", third)
	t.wait("why")
	t.shows("W", "no person is asked to edit")
	t.lost("no person is asked to edit")
	t.shows("!", "no person is asked to edit")
}

func summary(t *tour) {
	t.press("F")
	t.wait("╭ Summary")
	t.wait("not verified on main")
	t.shows("+", "Make jobs of the whole experiment")
	t.press("esc")
	t.shows("O", "╭ Report as one HTML file")
	t.press("enter")
	t.wait("wrote ")
	if files, err := filepath.Glob(filepath.Join(t.lab.dir, "dials-report.html")); err != nil || len(files) != 1 {
		t.t.Errorf("the report is %v, %v", files, err)
	}
	t.shows("N", "run --new`")
	t.press("w")
	t.wait("verify, then write atoll/dials-c")
	name := regexp.MustCompile(`atoll/dials-c\d+`).FindString(t.screen())
	if out, err := command(t.lab.dir, "git", "branch", name).CombinedOutput(); err != nil { // somebody was quicker
		t.t.Fatalf("git branch %s: %s, %v", name, out, err)
	}
	t.press("enter")
	t.wait("enter goes back to the console")
	t.press("enter")
	t.wait("it exists; choose another name")
	t.wait("not verified on main")
	t.press("w")
	t.wait("verify, then write " + name + "-2")
	t.press("enter")
	t.wait("branch " + name + "-2 is c")
	t.press("enter")
	t.wait("added branch " + name + "-2, verified")
	t.wait("verified by promote on main at ")
	t.lost("not verified on main")
}
