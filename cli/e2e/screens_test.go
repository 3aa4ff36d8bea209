package e2e_test

import (
	"slices"
	"strings"

	"atoll/store/record"
)

func curves(t *tour) {
	t.press("3")
	t.shows("t", "minutes")
	title := func(s string) string {
		for _, l := range strings.Split(s, "\n") {
			if strings.Contains(l, "3 Fitness") {
				return l
			}
		}
		return ""
	}
	t.shows("]", "Fitness a ")
	t.hides("[", "Fitness a ")
	t.changes("v", title)
	t.changes("m", title)
}

func logs(t *tour) {
	t.press("5")
	t.shows("L", "from warn")
	t.press("L", "L", "L")
	t.wait("from info")
	for range 30 { // more lines than the pane has
		t.press("C")
	}
	t.wait("colours")
	t.press("up", "up")
	t.wait("stopped, ")
	t.hides("f", "stopped, ")
}

func notes(t *tour) {
	t.press("8")
	t.wait("Goal and notes")
	t.shows("e", "╭ Goal ")
	t.text(" Now.")
	t.press("enter")
	until(t.t, "the goal is a setting", patience, func() bool { return strings.HasSuffix(t.lab.settings().Goal, " Now.") })
	t.shows("n", "╭ New note")
	t.text("b matters most")
	t.press("enter")
	t.wait("noted")
	until(t.t, "the note is written", patience, func() bool {
		return strings.Contains(string(t.lab.last().Args), "b matters most")
	})
	t.wait("· b matters most")
	t.press("/")
	t.text("b matters")
	t.press("enter", "down")
	t.shows("E", "╭ Change the note ")
	t.text(" of all")
	t.press("enter")
	t.wait("· b matters most of all")
	t.decides("X", func() bool { return strings.Contains(string(t.lab.last().Args), `"gone":true`) })
	t.see("no such note", func(s string) bool { return !strings.Contains(s, "· b matters most") })
	t.press("u")
	t.wait("· b matters most of all")
	t.press("u")
	t.see("the note as it was written first", func(s string) bool {
		return strings.Contains(s, "· b matters most") && !strings.Contains(s, "· b matters most of all")
	})
	t.press("u")
	t.see("no such note", func(s string) bool { return !strings.Contains(s, "· b matters most") })
}

func settingsScreen(t *tour) {
	t.press("S")
	t.wait("bright values")
	t.press("/")
	t.text("workers")
	t.press("enter")
	t.see("the row of the workers", func(string) bool { return strings.HasPrefix(t.selected(), "workers") })
	t.shows("e", "╭ workers")
	t.press("backspace")
	t.text("3")
	t.press("enter")
	until(t.t, "the workers are three", patience, func() bool { return t.lab.settings().Workers == 3 })
	t.press("u")
	until(t.t, "the workers are one again", patience, func() bool { return t.lab.settings().Workers == 1 })
	t.home()
	t.command("review-measure")
	t.wait("Hold before measuring")
	t.text("risky")
	t.press("enter")
	until(t.t, "risky ones wait", patience, func() bool { return t.lab.settings().Review == "risky" })
}

func targets(t *tour) {
	t.press("7")
	t.wait("Targets")
	t.see("a target under the cursor", func(string) bool { return strings.TrimSpace(t.selected()) != "" })
	for range 12 {
		if strings.HasPrefix(t.selected(), "left") {
			break
		}
		at := t.selected()
		t.press("j")
		t.see("the next row", func(string) bool { return t.selected() != at })
	}
	last := func(v record.Verb, value float64) func() bool {
		return func() bool { d := t.lab.last(); return d.Verb == v && d.Value == value && d.Text == "left" }
	}
	t.decides("f", last(record.Freeze, 0))
	t.press("u")
	until(t.t, "the target is released", patience, last(record.Release, 0))
	t.decides("b", last(record.Boost, 2))
	t.see("the row of the target with its boost", func(s string) bool { // the line of messages tells it before the row has it
		return slices.ContainsFunc(strings.Split(s, "\n"), func(line string) bool {
			return strings.HasPrefix(strings.TrimLeft(line, "│ "), "left ") && strings.Contains(line, " x2 ")
		})
	})
	t.decides("B", last(record.Boost, 1))
}

func doctor(t *tour) {
	t.command("doctor")
	t.wait("checks, ")
	t.see("an answer", func(s string) bool { return !strings.Contains(s, "0 checks") })
	t.shows("R", ", run 2")
}

// options changes the look of the console, which it remembers.
func options(t *tour) {
	t.press("f2")
	t.wait("╭ Options")
	row := func(string) string { return t.selected() }
	t.see("the first option", func(string) bool { return strings.Contains(t.selected(), "theme") })
	first := t.selected()
	t.changes("right", row)
	t.changes("left", row)
	t.changes("l", row)
	t.changes("h", row)
	if t.selected() != first {
		t.t.Errorf("there and back leads from %q to %q", first, t.selected())
	}
	t.changes("enter", row)
	t.wait("chosen here")
	t.hides("x", "chosen here")
}

// machines has a machine invited.
func machines(t *tour) {
	t.command("fleet")
	t.wait("no machine")
	t.shows("a", "Add a machine")
	t.text("rack1")
	t.press("enter")
	t.wait("Paste this on rack1")
	t.press("esc")
	t.lost("Paste this on rack1")
	for _, key := range []string{"d", "X"} { // they need a machine that has joined: tui/fleet_test.go
		t.done.add(t.scope, key)
	}
}
