package e2e_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// station is one screen of a walk: the keys that lead there from the dashboard
// with the grid in focus, and what the screen says when it is there.
// "row" is no key: the list of all jobs shows one.
type station struct {
	name  string
	keys  []string
	there string
}

var rowOfAll = regexp.MustCompile(`(?m)^[│|] #\d`)

var stations = []station{
	{"dashboard", nil, "1 Niches"},
	{"niches", []string{"z"}, "1 Niches"},
	{"jobs", []string{"2", "z"}, "2 Jobs"},
	{"job", []string{"2", "z", "row", "enter"}, "parent"},
	{"curves", []string{"3", "z"}, "3 Fitness"},
	{"review", []string{"r"}, "difference to"},
	{"log", []string{"5", "z"}, "5 Log"},
	{"failures", []string{"6"}, "6 Failures"},
	{"yields", []string{"7"}, "Agents"},
	{"notes", []string{"8"}, "goal"},
	{"decisions", []string{"9"}, "9 Decisions"},
	{"candidates", []string{"c"}, "shown"},
	{"settings", []string{"S"}, "workers"},
	{"options", []string{"f2"}, "heat map"},
	{"steering", []string{"O"}, "chance"},
	{"compare", []string{"D"}, "Compare"},
	{"summary", []string{"F"}, "niches filled"},
	{"candidate", []string{"enter"}, "difference to"},
	{"lineage", []string{"T"}, "Lineage of"},
	{"help", []string{"?"}, "Keys here"},
	{"palette", []string{":"}, "Command"},
}

// look is a kind of terminal, or of console.
type look struct {
	name string
	env  []string
	set  []string // console settings
	// What must not be written: colours, characters beyond ASCII, braille.
	noColour, ascii, noBraille bool
}

var looks = []look{
	{name: "256 colours", env: []string{"TERM=xterm-256color"}},
	{name: "true colour", env: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}},
	{name: "NO_COLOR", env: []string{"TERM=xterm-256color", "NO_COLOR=yes"}, noColour: true},
	{name: "the Linux console", env: []string{"TERM=linux"}, noBraille: true},
	{name: "16 colours", env: []string{"TERM=xterm-16color"}},
	{name: "a light theme", env: []string{"TERM=xterm-256color"}, set: []string{"console.theme=light"}},
	{name: "plain characters", env: []string{"TERM=xterm-256color"}, set: []string{"console.ascii=true"}, ascii: true},
	{name: "strong colours for the colour-blind", env: []string{"TERM=xterm-256color"}, set: []string{"console.palette=cividis", "console.theme=contrast-dark"}},
}

// TestEveryScreenOnEveryTerminal walks through all screens of the program while
// an experiment runs, at several sizes and on several kinds of terminal.
func TestEveryScreenOnEveryTerminal(t *testing.T) {
	sizes := [][2]int{{60, 16}, {80, 24}, {120, 40}, {200, 60}}
	for i, lk := range looks {
		for k, size := range sizes {
			// Every day every second look at one size; at the full level every look, and the first at all.
			if !suitetest.IsSlow() && (i%len(sizes) != k && (i > 0 || !suitetest.IsFull()) || i%2 == 1 && !suitetest.IsFull()) {
				continue
			}
			t.Run(fmt.Sprintf("%s at %dx%d", lk.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				l := paced.copy(t)
				l.atoll("set", "budget.jobs", "9000") // it runs as long as the walk, however busy the machine is
				var args []string
				for _, s := range lk.set {
					args = append(args, "--set", s)
				}
				c := start(t, l, lk.env, size[0], size[1], args...)
				c.all("/9000 jobs", " paused")
				c.press("P")
				until(t, "the experiment runs", patience, func() bool { return l.state() == record.ExperimentRunning })
				walk(t, c, lk, size[0], size[1])
			})
		}
	}
}

func walk(t *testing.T, c *console, lk look, w, h int) {
	t.Helper()
	for _, s := range stations {
		for _, k := range s.keys {
			if k != "row" {
				c.press(k)
				continue
			}
			c.see("a row of all jobs", func(screen string) bool { return !strings.Contains(screen, "Recent") && rowOfAll.MatchString(screen) })
		}
		var bad string
		c.see(s.name+" drawn whole", func(screen string) bool {
			bad = ""
			if !strings.Contains(screen, s.there) {
				return false
			}
			bad = flaw(screen, w, h)
			return bad == ""
		})
		for range len(s.keys) + 1 {
			c.press("esc")
		}
		c.press("1")
		c.see("the dashboard", func(screen string) bool { return strings.Contains(screen, "1 Niches") && flaw(screen, w, h) == "" })
	}
	out := c.output()
	colour := regexp.MustCompile(`\x1b\[[0-9;:]*\b(3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)\b[0-9;:]*m`)
	switch {
	case lk.noColour && colour.MatchString(out):
		t.Errorf("colours are written: %q", colour.FindString(out))
	case lk.ascii:
		for _, r := range out {
			if r > 0x7e {
				t.Errorf("%q is no ASCII", r)
				break
			}
		}
	case lk.noBraille && strings.ContainsFunc(out, func(r rune) bool { return r >= 0x2800 && r <= 0x28ff }):
		t.Error("braille is written")
	}
}

// flaw says what is wrong with a screen of w x h cells, "" for nothing: every
// line between header and help must end with the border of a box, and header,
// titles and help must not be cut.
func flaw(screen string, w, h int) string {
	lines := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
	if len(lines) != h {
		return fmt.Sprintf("%d lines", len(lines))
	}
	const borders = "│╮╯┤┐┘|+'"
	for i, l := range lines {
		if n := utf8.RuneCountInString(l); n > w {
			return fmt.Sprintf("line %d has %d cells: %s", i, n, l)
		}
		r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(l, " "))
		switch {
		case i < 2 || i == h-1 || i == h-2 && strings.HasPrefix(l, " cpu "): // that tells what the run takes
			if r == '…' || r == '~' {
				return "cut: " + l
			}
		default:
			if !strings.ContainsRune(borders, r) || utf8.RuneCountInString(strings.TrimRight(l, " ")) != w {
				return fmt.Sprintf("line %d does not end with a border: %s", i, l)
			}
		}
	}
	if help := lines[h-1]; !strings.Contains(help, "help") || !slices.Contains(strings.Fields(help), "?") {
		return "no help at the bottom: " + help
	}
	return ""
}
