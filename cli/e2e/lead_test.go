package e2e_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// noisy is an evaluator of a cost in milliseconds that no two runs agree about.
const noisy = `#!/bin/sh
set -eu
cat left.conf right.conf | awk -v noise="$(od -An -N1 -tu1 /dev/urandom)" '
	{ v[$1] = $3 }
	END {
		ms = 10 + (v["a"] - 7)^2 + (v["b"] - 3)^2 + (v["c"] - 5)^2 + noise / 1000
		printf "{\"summary\": \"measured\", \"metrics\": [{\"name\": \"cost\", \"value\": %.4f, \"unit\": \"ms\"}, {\"name\": \"a\", \"value\": %.4f, \"unit\": \"mm\"}, {\"name\": \"b\", \"value\": %.4f, \"unit\": \"kg\"}]}", ms, v["a"], v["b"]
	}' >"$ATOLL_RESULT"
`

// newNoisyLab returns a lab that looks for the least cost, by a map that the words
// of map: say. Nothing is made yet.
func newNoisyLab(t *testing.T, space string) *lab {
	t.Helper()
	l := &lab{t: t, dir: filepath.Join(t.TempDir(), "lab")}
	err := makeRepository(l.dir, ":\n")
	if err == nil {
		head, _, _ := strings.Cut(settings, "map:")
		_, tail, _ := strings.Cut(settings, "search:")
		head = strings.Replace(strings.Replace(head, "maximize", "minimize", 1), "objective: score", "objective: cost", 1)
		err = writeFiles(l.dir, map[string]string{"atoll.yaml": head + "map: " + space + "\nsearch:" + strings.Replace(tail, "jobs: 40", "jobs: 30", 1), "evaluator/evaluate.sh": noisy})
	}
	if err == nil {
		err = commitAll(l.dir, "the least cost")
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBeforeThereIsAMapNothingOfItIsTold(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run with a learned map; tui has TestBeforeThereIsAMapThereIsNoMeanOfIt")
	l := newNoisyLab(t, `{grid: [6, 6], include: ["*.conf"], min_fit: 12, provisional: false}`)
	err := git(l.dir, "checkout", "-q", "-b", "cheat")
	if err == nil {
		err = writeFiles(l.dir, map[string]string{"evaluator/evaluate.sh": "#!/bin/sh\n"})
	}
	if err == nil {
		err = commitAll(l.dir, "another evaluator")
	}
	if err == nil {
		err = git(l.dir, "checkout", "-q", "main")
	}
	if err != nil {
		t.Fatal(err)
	}
	l.atoll("run", "--headless", "--workers", "1", "--max-jobs", "5")
	l.atoll("inject", "cheat")
	l.atoll("run", "--headless", "--workers", "1", "--max-jobs", "6")
	if n := len(l.jobs(record.Rejected)); n != 1 {
		t.Fatalf("%d are rejected by the gate", n)
	}
	c := start(t, l, nil, 200, 60)
	c.all("/6 jobs", "lower is better", "rejected 1", "map after ", "best ")
	if s := c.screen(); strings.Contains(s, "mean ") || strings.Contains(s, "QD ") {
		t.Errorf("mean or QD are told of a map that is not there:\n%s", s)
	}
	c.see("figures of its jobs under their heads", func(s string) bool {
		return regexp.MustCompile(`job +work +value +outcome`).MatchString(s)
	})
}

func TestTheEndOfASearchIsSummedUp(t *testing.T) {
	t.Parallel()
	l := newNoisyLab(t, "{axes: [{metric: a, min: 0, max: 16, bins: 4}, {metric: b, min: 0, max: 16, bins: 4}]}")
	l.atoll("run", "--headless", "--workers", "2")
	if s := l.state(); s != record.ExperimentDone {
		t.Fatalf("the experiment is %s", s)
	}
	c := start(t, l, nil, 160, 44)
	c.all("● done", "30/30 jobs", "lower is better", "a, mm", "b, kg")
	c.lost("ETA")
	c.lost("/min")
	c.press("F")
	c.all("╭ Summary", "done: ", "held-out", " % interval [", "on root", "@@ -", "write it to a branch, verified", "a report for people", "more jobs for this search", "start another one")
	if best := l.atoll("best"); !strings.Contains(best, "cost") {
		t.Errorf("atoll best tells %s", best)
	}
	c.press("D") // of the best: side by side with its parent, each with its interval
	c.all("Compare base ", "n=8 held o", "at a", "at b", "parted at", "steps since", "difference ")
	c.press("esc")
	c.wait("╭ Summary")
	c.press("+")
	c.wait("Make jobs of the whole experiment")
	c.press("backspace")
	c.press("backspace")
	c.text("33")
	c.press("enter")
	c.wait("33/33 jobs")
	c.wait("● done")
}

func TestNewExperimentsBeginWithTheirOwnLayerAndLevel(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several experiments; tui has TestLayerAndLevelBelongToAnExperiment")
	l := newLab(t)
	c := opened(t, l, cols, rows)
	c.press("v")
	c.wait("Niches age")
	c.press("5")
	c.wait("L level")
	c.press("L")
	c.wait("from warn")
	c.press("q")
	if code := c.end(); code != 0 {
		t.Fatalf("ends with %d", code)
	}
	again := opened(t, l, cols, rows)
	again.all("Niches age", "from warn")
	again.press("q")
	again.end()
	l.atoll("run", "--new", "--headless", "--max-jobs", "2", "--workers", "1")
	other := start(t, l, nil, cols, rows)
	other.all("/2 jobs", "╭ 1 Niches ", "from info")
	other.lost("Niches age")
}

func TestALineageIsAGraph(t *testing.T) {
	t.Parallel()
	c := opened(t, newLab(t), cols, rows)
	c.press("T")
	c.all("Lineage of c", "a fifth of the gain", "● root")
	c.see("the way of its values", func(s string) bool { return regexp.MustCompile(`Lineage of c\d+ [▁-█]{4,}`).MatchString(s) })
	c.press("m")
	c.wait("Lineage of all elites")
	c.see("branches, the edges of crossovers, breakthroughs", func(s string) bool {
		return strings.Contains(s, "├─") && regexp.MustCompile(`c\d+ +[─╯╮│]*╯`).MatchString(s) && strings.Contains(s, " × c") && regexp.MustCompile(`\* \+\d`).MatchString(s)
	})
}

func TestThePastIsShownAsItWas(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows)
	best := l.bestOf(c)
	before := l.last().Seq
	c.press("f")
	c.decided(l, before, record.Freeze)
	c.wait("· frozen")
	c.press("H")
	c.wait(" the past ")
	c.all("ada: freeze "+best, "changed: ", "is frozen") // the newest moment
	c.press("{")
	c.all("ada: set: budget.jobs", "jobs at most 400, was 50")
	c.lost("· frozen")
	c.press("home")
	c.see("nothing waits yet, and the best is not known", func(s string) bool {
		return !strings.Contains(s, best+" (") && !strings.Contains(s, "to review") && strings.Contains(s, "nothing waits")
	})
	c.press("f") // nothing is decided in the past
	c.wait("this is the past")
	c.press("end")
	c.all("· frozen", "6 waiting")
}

func TestSteeringShowsWhatTheNextDrawsWouldBe(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows)
	c.press("O")
	c.all("╭ Steering", "chance", "temperature", "before measuring", "before a niche", "inspirations", "#51 ")
	c.see("the first operator", func(string) bool { return strings.Contains(c.selected(), "crossover") })
	chances := func() []string { return regexp.MustCompile(`[\d.]+ %`).FindAllString(c.selected(), -1) }
	c.see("its chance", func(string) bool { return len(chances()) == 1 })
	c.press("right")
	c.wait("draft, not in force")
	c.see("another chance beside it, before the draft is in force", func(string) bool { now := chances(); return len(now) == 2 && now[0] != now[1] })
	if w := l.settings().Operators["crossover"]; w != 0.1 {
		t.Errorf("the draft is in force: %v", w)
	}
	c.press("x")
	c.lost("draft, not in force")
	c.press("esc")
	c.wait("╭ 2 Jobs")
	c.press("z")
	for _, layer := range []string{"age", "tries", "spread", "curiosity", "odds"} {
		c.press("v")
		c.wait("Niches " + layer)
	}
}

func TestCostResourcesAndYieldsAreTold(t *testing.T) {
	t.Parallel()
	c := opened(t, newLab(t), cols, rows)
	c.all(" cpu ", "memory ", "disk ", "requests ", "cost $0.00", "took a niche ", "failed ")
	c.press("7")
	c.all("╭ 7 Yields", "lately", "Cost and resources", "took a niche ")
	c.see("yields over time", func(s string) bool { return regexp.MustCompile(`tune .*[▁-█]{5,}`).MatchString(s) })
	c.press("6")
	c.all("╭ 6 Failures", "refused: c is above 13")
}

func TestNewsReachAPersonWhoLooksElsewhere(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	heard := filepath.Join(l.dir + ".heard")
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'" + heard + "'\n"
	if err := os.WriteFile(l.dir+".hear", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	l.atoll("set", "budget.jobs", "50")
	c := start(t, l, nil, cols, rows, "--set", "console.notify=[bell, osc9, osc777]", "--set", "console.news=[best, review, pause, end]", "--set", "console.notify_command=["+l.dir+".hear]")
	c.wait("● paused")
	c.wait("/50 jobs")
	c.press("r")
	c.wait("if approved now")
	name := c.picked()
	before := l.last().Seq
	c.press("a")
	c.decided(l, before, record.Approve)
	c.press("P")
	for _, text := range []string{"\x1b]9;atoll dials: new best " + name, "\x1b]777;notify;atoll;atoll dials: new best " + name, "\x1b]9;atoll dials: done"} {
		until(t, "the notification "+text[2:], patience, func() bool { return strings.Contains(c.output(), text) })
	}
	until(t, "the person's own command is told", patience, func() bool {
		data, _ := os.ReadFile(heard) // not there yet: nothing heard
		return strings.Contains(string(data), "new best "+name)
	})
}

// osc are the notifications of terminals; they end with a bell of their own.
var osc = regexp.MustCompile(`\x1b\][^\a\x1b]*\a`)

func TestReviewsPausesAndTheEndAreNews(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run; TestNewsReachAPersonWhoLooksElsewhere stands for it")
	l := paced.copy(t)
	c := start(t, l, nil, cols, rows, "--set", "console.notify=[bell, osc9, osc777]", "--set", "console.news=[review, pause, end]")
	c.wait("● paused")
	c.wait("/400 jobs")
	told := func(what string) {
		t.Helper()
		for _, how := range []string{"\x1b]9;atoll dials: ", "\x1b]777;notify;atoll;atoll dials: "} {
			news := regexp.MustCompile(regexp.QuoteMeta(how) + what)
			until(t, what+" by "+how[2:5], patience, func() bool { return news.MatchString(c.output()) })
		}
	}
	bells := func() int { return strings.Count(osc.ReplaceAllString(c.output(), ""), "\a") }
	c.press("P")
	c.wait("● running")
	told(`\d+ to review\a`)
	until(t, "a bell", patience, func() bool { return bells() > 0 })
	rung := bells()
	c.press("P")
	told("paused by ada\a")
	until(t, "a bell for the pause", patience, func() bool { return bells() > rung })
	c.wait("● paused")
	c.see("nothing runs", func(s string) bool { return strings.Contains(s, "2 Jobs 0 running") })
	l.atoll("set", "budget.jobs", "41") // fewer than were made: nothing is left to do
	c.wait("/41 jobs")
	c.press("P")
	told("done: [^\a]*\a")
	if strings.Contains(c.output(), "new best c") {
		t.Error("news that nobody asked for are told")
	}
}

func TestKeysOfOnesOwnAreTakenOrTheConflictIsTold(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows, "--set", "console.keys.freeze=ctrl+f")
	before := l.last().Seq
	c.press("ctrl+f")
	c.decided(l, before, record.Freeze)
	c.press("q")
	c.end()
	clash := start(t, l, nil, cols, rows, "--set", "console.keys.freeze=b")
	if code := clash.end(); code == 0 {
		t.Error("two actions on one key are accepted")
	}
	until(t, "the conflict is told", patience, func() bool {
		out := clash.output()
		return strings.Contains(out, "freeze") && strings.Contains(out, "boost")
	})
}

func TestThemesAndTablesAreChosen(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "every theme; TestAThemeOfOnesOwnIsAFile has one, tui has TestOptionsHoldAtOnceAndInLaterRuns")
	l := newLab(t)
	drawn := map[string]bool{}
	for _, theme := range []string{"dark", "light", "contrast-dark", "contrast-light"} {
		c := opened(t, l, 160, 44, "--set", "console.theme="+theme)
		c.wait("╭ 2 Jobs")
		look := c.looks("2 Jobs")
		drawn[strings.Join(look, " ")+strings.Join(c.looks("paused"), " ")] = true
		c.press("c")
		c.wait("╭ Candidates")
		c.press("o")
		c.wait("╭ Sort by")
		c.text("value")
		c.press("enter")
		c.wait("value↓")
		c.press("/")
		c.wait("enter keep")
		c.text("tune")
		c.press("enter")
		c.lost("enter keep")
		c.lost(" mutate ")
		c.press("enter") // a screen over it, with the way that led there
		c.wait("Candidates > c")
		c.press("esc")
		c.wait("╭ Candidates")
		c.wait("/tune") // the filter stays
		c.press("q")
		c.end()
	}
	if len(drawn) < 4 {
		t.Errorf("four themes draw in %d ways", len(drawn))
	}
}

// levels reads the numbers at the left of the curves: values by row of the screen.
// That of the root is left out, as it need not be round.
func levels(screen string) (rows []int, values []float64) {
	for i, l := range strings.Split(screen, "\n") {
		m := regexp.MustCompile(`││ *(-?[\d.]+)┤`).FindStringSubmatch(l)
		if m == nil || m[1] == "-28.75" {
			continue
		}
		if v, err := strconv.ParseFloat(m[1], 64); err == nil {
			rows, values = append(rows, i), append(values, v)
		}
	}
	return rows, values
}

func TestChartsHaveRoundNumbersAtEvenDistances(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, size := range [][2]int{{120, 36}, {120, 44}, {200, 60}} {
		c := opened(t, l, size[0], size[1])
		c.see("numbers, as far apart as their rows are", func(s string) bool {
			rows, values := levels(s)
			if len(values) < 2 {
				return false
			}
			unit := (values[0] - values[1]) / float64(rows[1]-rows[0])
			for i := 1; i < len(rows); i++ {
				if math.Abs(values[i-1]-values[i]-unit*float64(rows[i]-rows[i-1])) > 1e-6 {
					return false
				}
			}
			return unit > 0
		})
		c.see("whole counts", func(s string) bool {
			return regexp.MustCompile(`└[─┴]*\d+[─┴\d]+ measured`).MatchString(s)
		})
		c.press("q")
		c.end()
	}
}

func TestEverySizeUsesItsRoomAndKeepsWhatDecides(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "every pane at every size; TestSizes stands for it")
	l := newLab(t)
	for _, s := range []struct {
		w, h  int
		keys  []string
		there []string
		not   string
	}{
		{60, 16, []string{"r"}, []string{"a approve", "x reject"}, ""},
		{80, 24, []string{"r"}, []string{"a approve", "x reject", "50.2210 +8.7486", "takes (0,2,0) from c41 · +1 -1"}, "+8.74…"},
		{120, 36, []string{"r"}, []string{"50.2210 +8.7486", "takes (0,2,0) from c41 ", "takes (0,3,0) from c32 · +1 -1"}, "(0,2,0…"},
		{300, 80, nil, []string{"╭ 1 Niches", "╭ 2 Jobs", "╭ 3 Fitness", "╭ 4 Review", "╭ 5 Log", "QD score", "Coverage, %", "takes (0,2,0) from c41"}, ""},
		{80, 24, nil, []string{"job ", "work ", "value outcome"}, ""},
		{300, 80, nil, []string{"job ", "parent ", "agent ", "edit ", "measure ", "on parent "}, ""},
		{300, 80, []string{"2", "z"}, []string{"job", "state", "work", "parent", "made", "agent", "edit", "measure", "cost", "value", "result", "#1 ", "stages", "atoll itself"}, ""},
	} {
		t.Run(fmt.Sprintf("%dx%d %s", s.w, s.h, strings.Join(s.keys, " ")), func(t *testing.T) {
			c := start(t, l, nil, s.w, s.h)
			c.wait("/400 jobs")
			c.wait("● paused")
			if len(s.keys) > 0 {
				c.press(s.keys[0])
				c.wait("4 Review", "2 Jobs")
			}
			for _, k := range s.keys[min(1, len(s.keys)):] {
				c.press(k)
			}
			c.all(s.there...)
			if screen := c.screen(); s.not != "" && strings.Contains(screen, s.not) {
				t.Errorf("%q is there:\n%s", s.not, screen)
			}
			c.press("q")
			c.end()
		})
	}
}
