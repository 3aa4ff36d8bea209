package e2e_test

import (
	"regexp"
	"strings"
)

// compares lays the best beside its parent, and three marked ones side by side.
func compares(t *tour) {
	t.press("c")
	t.wait("newest first")
	t.press("m")
	t.wait("best first")
	t.press("space", "space", "space")
	t.wait("3 marked")
	t.press("D")
	t.wait("Compare base c")
	t.wait("steps since")
	at := func(s string) string {
		for _, l := range strings.Split(s, "\n") {
			if strings.Contains(l, "Compare base c") {
				return l
			}
		}
		return ""
	}
	t.changes("m", at)
	t.changes("s", at)
	t.hides("d", "steps since")
	t.press("d")
	t.wait("steps since")
}

// lineage folds the family of the best and goes through it.
func lineage(t *tour) {
	t.press("T")
	t.wait("Lineage of c")
	t.wait("step") // of the answer
	t.shows("m", "Lineage of all elites")
	t.wait("a fifth of the gain")
	t.press("home")
	row := func(string) string { return t.selected() }
	t.see("the root under the cursor", func(string) bool { return strings.Contains(t.selected(), "root") })
	t.changes("left", row)
	t.changes("right", row)
	t.changes("h", row)
	t.changes("l", row)
	t.changes("]", row)
	at := t.selected()
	t.press("end")
	t.see("the last row under the cursor", func(string) bool { return t.selected() != at })
	t.changes("[", row)
	t.shows("v", "▸ ")
	t.press("v")
	t.lost("▸ ")
	t.press("m")
	t.wait("Lineage of c")
	t.wait("step")
	t.press("home")
	t.see("the root under the cursor", func(string) bool { return strings.Contains(t.selected(), "root") })
	t.changes(".", row)
	t.shows("%", "it has one parent alone")
}

var momentOf = regexp.MustCompile(`(\d+) of (\d+)  `)

var playsIn = regexp.MustCompile(`the whole log plays in \S+`)

// past goes back in time, step by step and by decisions, and comes back.
func past(t *tour) {
	t.press("H")
	t.wait(" the past ")
	at := func(s string) string { return momentOf.FindString(s) }
	t.see("the newest moment", func(s string) bool { m := momentOf.FindStringSubmatch(s); return m != nil && m[1] == m[2] })
	t.changes("[", at)
	t.changes("]", at)
	t.changes("<", at)
	t.changes(">", at)
	t.changes("{", at)
	t.changes("home", at)
	t.changes("}", at)
	t.changes("end", at)
	said := func(s string) string { return strings.Join(playsIn.FindAllString(s, -1), ", ") }
	t.changes("-", said)
	t.changes("+", said)
	t.shows("space", "playing")
	t.press("esc")
	t.lost(" the past ")
}

// steering changes a weight in a draft, drops it, and makes another so.
func steering(t *tour) {
	t.press("O")
	t.wait("╭ Steering")
	row := func(string) string { return t.selected() }
	t.changes("right", row)
	t.wait("draft, not in force")
	t.hides("x", "draft, not in force")
	t.changes("l", row)
	t.changes("h", row)
	t.changes("left", row)
	t.decides("enter", func() bool { return strings.Contains(t.lab.last().Text, "weights of operators: crossover ") })
	until(t.t, "crossover is drawn less", patience, func() bool { return t.lab.settings().Operators["crossover"] == 0.05 })
	t.shows("e", "Goal of the draft")
	t.text(" Soon.")
	t.press("enter")
	t.wait("Soon.")
	t.press("enter")
	until(t.t, "the goal is a setting", patience, func() bool { return strings.HasSuffix(t.lab.settings().Goal, " Soon.") })
	t.shows("n", "╭ New note")
	t.text("c first")
	t.press("enter")
	until(t.t, "the note is written", patience, func() bool { return strings.Contains(string(t.lab.last().Args), "c first") })
	t.lost("╭ New note")
	t.wait("c first") // in its row
	first := t.selected()
	t.press("G")
	t.see("the last row", func(string) bool { return t.selected() != first })
	for !strings.Contains(t.selected(), "c first") { // the newest stands above those of the search
		at := t.selected()
		t.press("k")
		t.see("the row above", func(string) bool { return t.selected() != at })
	}
	t.shows("E", "╭ Change the note ")
	t.text(" of all")
	t.press("enter")
	until(t.t, "the note is changed", patience, func() bool { return strings.Contains(string(t.lab.last().Args), "c first of all") })
	t.see("the changed note", func(string) bool { return strings.Contains(t.selected(), "c first of") })
	t.decides("X", func() bool { return strings.Contains(string(t.lab.last().Args), `"gone":true`) })
}
