package e2e_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// opened starts the console on a lab and waits until it is filled.
func opened(t *testing.T, l *lab, w, h int, args ...string) *console {
	t.Helper()
	c := start(t, l, nil, w, h, args...)
	c.wait("/400 jobs")
	c.wait("● paused")
	return c
}

// held are the candidates that wait for a person.
func (l *lab) held() (ids []string) {
	l.t.Helper()
	for _, j := range l.jobs(record.Held) {
		ids = append(ids, j.Candidate.String())
	}
	slices.Sort(ids)
	return ids
}

// decided waits for a decision after the one that was the newest.
func (c *console) decided(l *lab, after record.Seq, verb record.Verb) record.Decision {
	c.t.Helper()
	until(c.t, "the decision "+string(verb), patience, func() bool { d := l.last(); return d.Seq > after && d.Verb == verb })
	return l.last()
}

// marks marks the first n rows of the list that has the keys.
func (c *console) marks(n int) {
	c.t.Helper()
	for i := range n {
		c.press("space")
		c.wait(fmt.Sprintf("%d marked", i+1))
	}
}

var flatNiche = regexp.MustCompile(`niche \d`)

func TestAnApprovalThatIsTakenBackWaitsAgain(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	waiting := l.held()
	c := opened(t, l, 160, 44)
	c.press("4")
	c.see("a candidate under the cursor", func(string) bool { return c.picked() != "" })
	c.marks(3)
	before := l.last().Seq
	c.press("a")
	c.decided(l, before, record.Approve)
	until(t, "three go on", patience, func() bool { return len(l.held()) == len(waiting)-3 })
	c.press("u") // one key
	c.wait(" wait again")
	until(t, "all three wait again", patience, func() bool { return slices.Equal(l.held(), waiting) })
	c.wait(fmt.Sprintf("%d waiting", len(waiting)))

	// The same through the verbs.
	l.atoll(append([]string{"approve"}, waiting...)...)
	until(t, "none waits", patience, func() bool { return len(l.held()) == 0 })
	if said := l.atoll("undo"); !strings.Contains(said, "wait again") {
		t.Errorf("atoll undo says %q", said)
	}
	until(t, "all wait again", patience, func() bool { return slices.Equal(l.held(), waiting) })
	if status := l.atoll("show", waiting[0]); !strings.Contains(status, "held") {
		t.Errorf("atoll show tells %s", status)
	}
	c.wait(fmt.Sprintf("%d waiting", len(waiting)))
}

func TestAReasonGivenOnceDoesNotComeBackAsAFinding(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run; TestARejectionAsksForAReasonAndIsSignedByAPerson stands for it")
	l := newLab(t)
	c := opened(t, l, 160, 44)
	c.press("r")
	c.wait("if approved now")
	name := c.picked()
	c.press("x")
	c.wait("╭ Reject " + name)
	c.text("out of sc")
	c.wait("out of scope")
	before := l.last().Seq
	c.press("enter")
	if d := c.decided(l, before, record.Reject); d.Text != "out of scope" {
		t.Errorf("the reason is %q", d.Text)
	}
	c.see("another under the cursor", func(string) bool { return c.picked() != name })
	c.press("u")
	c.wait(name + " is no longer rejected")
	c.lost(name + " is no longer rejected")
	c.see("it waits as before", func(s string) bool { return strings.Contains(s, name) && strings.Contains(s, "6 waiting") })
	c.press("home")
	c.see("it is under the cursor, without the reason", func(s string) bool { return c.picked() == name && !strings.Contains(s, "out of scope") })
	if shown := l.atoll("show", name); strings.Contains(shown, "out of scope") {
		t.Errorf("atoll show tells a reason that was taken back:\n%s", shown)
	}
}

func TestNichesAreNamedAsOnTheMap(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run; tui has niches in its golden screens")
	l := newLab(t)
	c := opened(t, l, 160, 44)
	before := l.last().Seq
	c.press("b")
	c.decided(l, before, record.Boost)
	c.wait("boost niche (0,2,0) x2") // in the log
	c.press("9")
	c.all("╭ 9 Decisions", "(0,2,0)")
	if s := c.screen(); flatNiche.MatchString(s) {
		t.Errorf("a niche has a flat number:\n%s", s)
	}
	c.press("u")
	c.wait("(0,2,0) is no longer")
	for _, args := range [][]string{{"boost", "best", "--by", "3"}, {"undo"}, {"niches"}, {"events"}} {
		if out := l.atoll(args...); flatNiche.MatchString(out) {
			t.Errorf("atoll %v names a niche by %q", args, flatNiche.FindString(out))
		}
	}
}

// queued is a row of the review queue.
type queued struct {
	name, words string
	gain        float64
}

var queueRow = regexp.MustCompile(`^│[ ▸](c\d+) +[a-z]+ +-?[\d.]+ +([+-][\d.]+|0|-)`)

// queue reads the review queue at the left of the screen.
func queue(screen string) (rows []queued) {
	lines := strings.Split(screen, "\n")
	for i, l := range lines[:max(0, len(lines)-1)] {
		if m := queueRow.FindStringSubmatch(l); m != nil {
			gain, _ := strconv.ParseFloat(m[2], 64)
			below := []rune(lines[i+1])
			rows = append(rows, queued{m[1], strings.Trim(string(below[:min(len(below), 50)]), "│ "), gain})
		}
	}
	return rows
}

func TestTheReviewTellsWhatAnApprovalDoesNow(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	all := len(l.held())
	l.atoll("set", "budget.jobs", "50")
	c := start(t, l, nil, 200, 60)
	c.all("/50 jobs", "● paused")
	c.press("P") // what is approved goes on
	c.wait("● done")
	c.press("r")
	c.see("the whole queue", func(s string) bool { return len(queue(s)) == all })
	rows := queue(c.screen())
	var leads []float64
	for _, r := range rows {
		if !strings.Contains(r.words, "first in") {
			leads = append(leads, -r.gain)
		}
	}
	if len(leads) < 2 || !slices.IsSorted(leads) {
		t.Fatalf("the queue is not in order of gain: %v", rows)
	}
	best := rows[0]
	niche := regexp.MustCompile(`\(\d,\d,\d\)`).FindString(best.words)
	var rivals []string
	for _, r := range rows[1:] {
		if strings.Contains(r.words, niche) {
			rivals = append(rivals, r.name)
		}
	}
	if len(rivals) == 0 {
		t.Fatalf("nobody else waits for the niche of %v", best)
	}
	before := l.last().Seq
	c.press("a")
	c.decided(l, before, record.Approve)
	names := func(s string) (out []string) {
		for _, r := range queue(s) {
			out = append(out, r.name)
		}
		return out
	}
	c.see("who would lose now is folded away", func(s string) bool {
		n := names(s)
		return strings.Contains(s, "no longer better; v lists them") && !slices.ContainsFunc(rivals, func(r string) bool { return slices.Contains(n, r) })
	})
	c.press("v")
	c.see("who would lose, and against whom", func(s string) bool {
		n := 0
		for _, r := range queue(s) {
			if slices.Contains(rivals, r.name) && strings.HasPrefix(r.words, "no better than "+best.name+" in "+niche) {
				n++
			}
		}
		return n == len(rivals)
	})
	c.press("/")
	c.wait("enter keep")
	c.text(rivals[0])
	c.see("the one that fits", func(s string) bool { return slices.Equal(names(s), rivals[:1]) })
	c.press("enter")
	c.lost("enter keep")
	c.press("backspace")
	c.see("all that wait", func(s string) bool { return len(queue(s)) == all-1 })
	c.press("u")
	c.see("the best waits again, first of all", func(s string) bool { n := names(s); return len(n) == all && n[0] == best.name })
}

func TestFrozenBoostedAndWaitingShowInTheCellAndBelowTheMap(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, value := l.best()
	c := opened(t, l, cols, rows)
	c.press("f")
	c.wait("· frozen")
	c.press("b")
	c.all("· frozen · boost x2 · 4 waiting", "# frozen  + boosted  ? waits", value)
	c.see("all three marks in one cell", func(s string) bool {
		return slices.ContainsFunc(strings.Split(s, "\n"), func(l string) bool {
			return strings.Contains(l, "[") && strings.Contains(l, "#+?")
		})
	})
}

// looks are how the cells of a text on the screen are drawn, cell by cell; nil
// where it is not there.
func (c *console) looks(text string) (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, h := c.vt.Size()
	want := []rune(text)
	for y := range h {
		line := make([]rune, w)
		for x := range w {
			line[x] = c.vt.Cell(x, y).Char
		}
		for x := 0; x+len(want) <= w; x++ {
			if string(line[x:x+len(want)]) != text {
				continue
			}
			for i := range want {
				g := c.vt.Cell(x+i, y)
				out = append(out, fmt.Sprint(g.FG, g.BG, g.Mode))
			}
			return out
		}
	}
	return nil
}

func TestAChangeIsSeenInItsDifference(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows)
	on := &tour{console: c, lab: l}
	on.goTo(l.manual())
	const line = "line 20 is lively and"
	c.wait(line)
	at := strings.Index(line, "lively")
	c.see("the word that changed stands out", func(string) bool {
		look := c.looks(line)
		return look != nil && look[at] != look[0] && look[at] == look[at+len("lively")-1] && look[len(look)-1] == look[0]
	})
	c.wait("difference to parent")
	c.wait("metric ") // the card
	c.press("d")
	c.lost("metric ")
	c.all("d its figures", "notes.txt", line)
	c.press("d")
	c.wait("metric ")
}

func TestADifferenceBeginsAtItsFirstChangeAlsoToTheRight(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run; tui has TestADifferenceKeepsItsStartWhenTheTerminalChanges")
	l := &lab{t: t, dir: t.TempDir()}
	err := makeRepository(l.dir, ":\n")
	if err == nil {
		err = git(l.dir, "checkout", "-q", "-b", "far")
	}
	if err == nil {
		text := prose(0)["notes.txt"]
		lines := strings.SplitAfter(text, "\n")
		lines[100] = strings.TrimSuffix(lines[100], "long \n") + "FAR\n"
		err = writeFiles(l.dir, map[string]string{"notes.txt": strings.Join(lines, "")})
	}
	if err == nil {
		err = commitAll(l.dir, "a change at the end of a long line")
	}
	if err == nil {
		err = git(l.dir, "checkout", "-q", "main")
	}
	if err != nil {
		t.Fatal(err)
	}
	l.atoll("run", "--headless", "--workers", "1", "--max-jobs", "1")
	l.atoll("inject", "far")
	l.atoll("run", "--headless", "--workers", "1", "--max-jobs", "2")
	c := start(t, l, nil, cols, rows)
	c.wait("/2 jobs")
	on := &tour{console: c, lab: l}
	on.goTo(l.manual())
	c.wait("FAR") // on the rows below its line's beginning
	c.wait("line 100 is")
	c.press("L") // cut
	c.lost("FAR")
	c.press("esc")
	c.press("c")
	c.wait("╭ Candidates")
	c.press("end")
	c.see("the root", func(string) bool { return strings.HasPrefix(c.selected(), "root") })
	c.press("enter")
	c.wait("the root has no parent")
	if s := c.screen(); strings.Contains(s, "notes.txt") {
		t.Errorf("the root has the files of another:\n%s", s)
	}
	c.home()
	on.goTo(l.manual())
	c.wait("FAR")
	c.press("0")
	c.lost("FAR")
}

func TestKeysTellWhatTheyWouldDo(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, 200, 60)
	c.wait("P resume")
	c.press("r")
	c.wait("if approved now")
	c.marks(2)
	c.all("a approve 2", "x reject 2")
	c.press("U")
	c.lost("a approve 2")
	c.press("esc")
	c.wait("╭ 2 Jobs")
	// The first entry of the palette is one that works.
	c.press(":")
	c.wait("╭ Command")
	c.press("enter")
	c.lost("╭ Command")
	if s := c.screen(); strings.Contains(s, "does not wait") || strings.Contains(s, ": no") {
		t.Errorf("the first command does not work:\n%s", s)
	}
	c.home()
	l.atoll(append([]string{"reject"}, l.held()...)...)
	until(t, "nothing waits", patience, func() bool { return len(l.held()) == 0 })
	c.lost(" to review")
	c.press("r")
	c.wait("review queue: nothing waits for review")
	c.press("4")
	c.see("the keys of an empty queue", func(s string) bool { return strings.Contains(s, " s skip") })
	c.see("skip is dim", func(string) bool {
		skip, zoom := c.looks("skip"), c.looks("zoom")
		return skip != nil && zoom != nil && skip[0] != zoom[0]
	})
	c.press("s")
	c.wait("skip: nothing waits")
	c.press("z")
	c.wait(":review-niche and :review-measure change that")
	c.press("t")
	c.wait("side by side: ")
	c.press("]")
	c.wait("next file: ")
}

func TestARejectionAsksForAReasonAndIsSignedByAPerson(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, 160, 44)
	best := l.bestOf(c)
	c.press("x")
	c.all("╭ Reject "+best+" because", "breaks behaviour", "enter without a choice")
	if row := c.selected(); strings.Contains(row, "breaks behaviour") {
		t.Errorf("a reason is chosen already: %s", row)
	}
	before := l.last().Seq
	c.press("enter")
	d := c.decided(l, before, record.Reject)
	if d.Text != "" || d.Who != "ada" {
		t.Errorf("%q by %q, not no reason by ada", d.Text, d.Who)
	}
	c.wait("rejected " + best + ", no reason given")
	line := "ada: reject " + best
	c.wait(line)
	c.press("5")
	c.press("z")
	c.wait("> Log", "╭ 5 Log")
	c.lost("rejected " + best)
	c.see("the decision once", func(s string) bool { return strings.Count(s, "reject "+best) == 1 && strings.Contains(s, line) })
	c.press("esc")
	c.press("9")
	c.see("who decided", func(s string) bool { return strings.Contains(s, "╭ 9 Decisions") && strings.Contains(s, " ada ") })
}

func TestAJobTellsWhyItWasDrawn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows)
	best := l.bestOf(c)
	made, _ := l.best()
	c.press("i") // of the best
	c.all("╭ #", "why", " is 1 of ", string(made.Operator)+" with a chance of ", "offline, there was no other", "atoll itself", "stage measure, run 1: ended well", "measured")
	s := c.screen()
	for _, bad := range []string{" own ", "order completion", "no niche\n"} {
		if strings.Contains(s, bad) {
			t.Errorf("a stranger cannot know %q:\n%s", bad, s)
		}
	}
	if why, texts := strings.Index(s, "why"), strings.Index(s, "stages"); why < 0 || why > texts {
		t.Errorf("where it comes from is not told first:\n%s", s)
	}
	if shown := l.atoll("show", "#"+strings.TrimPrefix(best, "c")); !strings.Contains(shown, " is 1 of ") {
		t.Errorf("atoll show does not tell why:\n%s", shown)
	}
}

func TestTasksTakeFewKeysOnTheRealProgram(t *testing.T) {
	t.Parallel()
	for _, task := range []struct {
		name  string
		open  []string // with what there, not counted
		keys  []string
		shown string
		did   record.Verb
	}{
		{"approve the best that waits", []string{"r", "if approved now"}, []string{"a"}, "approved c", record.Approve},
		{"see the exact change", nil, []string{"d"}, "@@ -", ""},
		{"compare with the parent", nil, []string{"D"}, "Compare base ", ""},
		{"freeze", nil, []string{"f"}, "frozen c", record.Freeze},
		{"promote", nil, []string{"w", "enter"}, " on top of main", ""},
		{"why this parent", nil, []string{"i"}, " is 1 of ", ""},
	} {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			c := opened(t, l, cols, rows)
			if task.open != nil {
				c.press(task.open[0])
				c.wait(task.open[1])
			}
			before := l.last().Seq
			for i, k := range task.keys {
				if i > 0 {
					c.wait("verify, then write")
				}
				c.press(k)
			}
			c.wait(task.shown)
			if task.did != "" {
				c.decided(l, before, task.did)
			}
		})
	}
}

func TestACommandThatIsCopiedWorksWhereTheConsoleWasStarted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, 160, 44, "-C", "../lab")
	c.press("F")
	c.wait("╭ Summary")
	c.press("N")
	c.wait(" -C ../lab run --new`")
}

func TestKeysThatClashWithThoseOfEverywhereAreRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for own, says := range map[string]string{
		`{freeze: "?", boost: F}`:  `"?" would do freeze in candidates, where it does help`,
		`{freeze: Z, approve: f2}`: `"f2" would do approve in candidates, where it does options`,
	} {
		c := start(t, l, nil, 120, 36, "--set", "console.keys="+own)
		until(t, own+": the program says "+says, patience, func() bool { return strings.Contains(c.output(), says) })
		if code := c.end(); code == 0 {
			t.Errorf("%s is taken", own)
		}
	}
}

func TestAJobThatHasEndedIsNotCancelled(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, 160, 44)
	before := l.last().Seq
	ended := l.jobs(record.Scored, record.Placed)[0]
	c.press("c")
	c.wait("╭ Candidates")
	c.press("/")
	c.wait("enter keep")
	c.text(ended.Candidate.String())
	c.press("enter")
	c.lost("enter keep")
	c.see("it is under the cursor", func(string) bool { return strings.HasPrefix(c.selected(), ended.Candidate.String()+" ") })
	c.press("X")
	c.wait(ended.ID.String() + " has ended")
	if d := l.last(); d.Seq != before {
		t.Errorf("a decision was written: %+v", d)
	}

	// Marked ones are tried again together, and the bar says how many.
	c.press("backspace")
	c.see("all candidates", func(s string) bool { return !strings.Contains(s, "/"+ended.Candidate.String()) })
	c.press("m")
	c.wait("best first")
	c.press("/") // what waits for the person may be among the best, and has not ended
	c.wait("enter keep")
	c.text("scored")
	c.press("enter")
	c.lost("enter keep")
	c.see("a scored one under the cursor", func(string) bool { return strings.Contains(c.selected(), " scored ") })
	c.marks(2)
	c.wait("R retry 2")
	c.press("R")
	c.wait("queued a new try of #")
	c.decided(l, before, record.Retry)
	ds := l.decisions(2)
	if ds[1].Verb != record.Retry || ds[0].Job == ds[1].Job || ds[0].Group != ds[1].Group {
		t.Errorf("not two jobs by one step: %+v", ds)
	}
}

func TestAConsoleThatStillReadsTheLogEndsAtOnce(t *testing.T) {
	suitetest.Full(t, "a large store takes a while to write")
	t.Parallel()
	l := large(t, 60_000)
	for _, key := range []string{"q", "ctrl+c"} {
		c := start(t, l, nil, cols, rows)
		c.wait("reading the log, ")
		began := time.Now()
		c.press(key)
		if code := c.end(); code != 0 {
			t.Errorf("%s ends with %d", key, code)
		}
		took := time.Since(began)
		t.Logf("%s: %s", key, took)
		if most := suitetest.Stretched(t, 2*time.Second); took > most {
			t.Errorf("%s takes %s, more than %s", key, took, most)
		}
	}
}
