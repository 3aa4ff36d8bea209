package widget

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func pressed(s string) tea.KeyPressMsg {
	switch s {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "pgdown":
		return tea.KeyPressMsg{Code: tea.KeyPgDown}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	}
	return tea.KeyPressMsg{Code: rune(s[0]), Text: s}
}

func TestAMenuIsChosenFromByKeys(t *testing.T) {
	for _, c := range []struct {
		name  string
		keys  string
		does  string // "" = nothing
		why   string
		close bool
	}{
		{"enter takes the first", "enter", "freeze a niche", "", true},
		{"down and enter the next", "down enter", "undo", "", true},
		{"up from the first stays", "up enter", "freeze a niche", "", true},
		{"a page down ends on the last", "pgdown pgdown enter", "open niches", "", true},
		{"what is off says why and stays open", "down down enter", "", "redo: nothing was undone", false},
		{"typed letters leave what has them", "u n d enter", "undo", "", true},
		{"typing begins at the closest again", "down down n i c h e enter", "open niches", "", true},
		{"nothing that fits is nothing that is done", "x y z enter", "", "", false},
		{"esc closes", "down esc", "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			did := ""
			item := func(title, off string) Item {
				return Item{Title: title, Off: off, Run: func() tea.Cmd { did = title; return nil }}
			}
			m := NewMenu("do", []Item{item("freeze a niche", ""), item("undo", ""), item("redo", "nothing was undone"), item("open niches", "")})
			m.View(NewStyles(true, colorprofile.ASCII), 80, 30)
			var got Answer
			for _, k := range strings.Fields(c.keys) {
				got = m.Key(pressed(k))
			}
			if got.Run != nil {
				got.Run()
			}
			if did != c.does || got.Why != c.why || got.Close != c.close {
				t.Errorf("did %q, said %q, closed %v", did, got.Why, got.Close)
			}
		})
	}
}

func TestAMenuWithoutAChoiceDoesWhatEnterAloneMeans(t *testing.T) {
	did := ""
	run := func(what string) func() tea.Cmd { return func() tea.Cmd { did = what; return nil } }
	m := NewMenu("why", []Item{{Title: "too slow", Run: run("slow")}})
	m.Unchosen(Item{Title: "no reason", Run: run("none")})
	m.View(NewStyles(true, colorprofile.ASCII), 80, 30)
	m.Key(pressed("enter")).Run()
	if did != "none" {
		t.Errorf("enter alone does %q", did)
	}
	m.Key(pressed("down"))
	m.Key(pressed("enter")).Run()
	if did != "slow" {
		t.Errorf("the first line does %q", did)
	}
}

func TestAClickOnAHeadingChoosesNothing(t *testing.T) {
	did := 0
	m := NewMenu("go", []Item{{Group: "one", Title: "a", Run: func() tea.Cmd { did = 1; return nil }}, {Group: "two", Title: "b", Run: func() tea.Cmd { did = 2; return nil }}})
	lines := m.View(NewStyles(true, colorprofile.ASCII), 80, 30)
	at := func(text string) int {
		return slices.IndexFunc(lines, func(l string) bool { return strings.Contains(ansi.Strip(l), " "+text+" ") })
	}
	m.Click(2, at("two"))
	if m.cur != 0 {
		t.Errorf("the cursor went to %d", m.cur)
	}
	if a := m.Click(2, at("b")); a.Close || m.cur != 1 {
		t.Errorf("the first click: closed %v, cursor on %d", a.Close, m.cur)
	}
	a := m.Click(2, at("b"))
	if !a.Close || a.Run == nil {
		t.Fatal("the second click does nothing")
	}
	if a.Run(); did != 2 {
		t.Errorf("it does %d", did)
	}
}

func TestLettersFindTextsTheClosestFirst(t *testing.T) {
	texts := []string{"freeze a niche", "release", "open niches", "undo"}
	for _, c := range []struct {
		pattern string
		want    []int
	}{
		{"niche", []int{2, 0}}, // both begin a word; the earlier is closer
		{"UNDO", []int{3}},
		{"fan", []int{0}}, // letters in order, not side by side
		{"naf", nil},
		{"xyz", nil},
	} {
		if got := rankBy(len(texts), c.pattern, func(i int) string { return texts[i] }); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%q finds %v, want %v", c.pattern, got, c.want)
		}
	}
}

func TestALongNoteOfAMenuIsToldInTwoLines(t *testing.T) {
	note := "measures it on main as it is now, in turn with it, and refuses where the gain does not hold"
	m := NewMenu("write", []Item{{Title: "verify", Note: note}, {Title: "leave", Note: "no"}})
	rows := func() []string { return m.View(NewStyles(true, colorprofile.ASCII), 80, 24) }
	before := rows()
	if text := ansi.Strip(strings.Join(before, "\n")); !strings.Contains(text, "refuses where the") || !strings.Contains(text, "gain does not hold") {
		t.Errorf("the note is cut:\n%s", text)
	}
	m.step(1)
	if n := len(rows()); n != len(before) {
		t.Errorf("the menu has %d lines on one row and %d on another", len(before), n)
	}
}

func TestANoteIsToldInClausesBesideItsRowAndWholeBelow(t *testing.T) {
	m := NewMenu("Write c39 to a new branch", []Item{
		{Title: "verify, then write atoll/dials/c39", Note: "measures it on main as it is now, in turn with it; refuses where the gain does not hold"},
		{Title: "write atoll/dials/c39 unverified", Note: "one branch is added, nothing else changes; its gain was not measured on main as it is now"},
		{Title: "call it otherwise than by the name that is longest of them all", Note: "which says nothing here"},
	})
	for range 2 {
		lines := m.View(NewStyles(true, colorprofile.ASCII), 80, 24)
		for i, l := range lines {
			lines[i] = strings.TrimRight(strings.Trim(ansi.Strip(l), "│"), " ")
		}
		text := strings.Join(lines, "\n")
		for _, want := range []string{"c39  measures it on main as it is now\n", "unverified  one branch is added\n", "longest of them all\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not told:\n%s", want, text)
			}
		}
		if whole := strings.Join(strings.Fields(text), " "); !strings.Contains(whole, m.items[m.cur].Note) {
			t.Errorf("the row under the cursor is not told whole:\n%s", text)
		}
		m.Key(pressed("down"))
	}
}

func TestARowOfAMenuTellsItsNoteInLittleRoom(t *testing.T) {
	items := []Item{{Key: "shift+tab", Title: "release", Note: "end the freeze and the boost"}, {Key: "$", Title: "to the end of the row"}}
	for _, w := range []int{60, 80, 120} {
		rows := strings.Join(NewMenu("Keys here", items).View(NewStyles(true, colorprofile.ASCII), w, 20)[:4], "\n")
		if rows = ansi.Strip(rows); !strings.Contains(rows, "end the freeze") {
			t.Errorf("in %d cells:\n%s", w, rows)
		}
	}
}
