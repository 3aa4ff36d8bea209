package e2e_test

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"atoll/config/suitetest"
)

// pressed collects the keys that were pressed and found to do what they say,
// by the heading of docs/keys.md under which they stand.
type pressed struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (p *pressed) add(scope, key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys[scope+" "+key] = true
}

// tour is a console with the list of what was pressed.
type tour struct {
	*console
	lab   *lab
	scope string
	done  *pressed
}

// key presses one key and counts it once what follows was seen.
func (t *tour) key(key string, follows func()) {
	t.t.Helper()
	t.press(key)
	follows()
	t.done.add(t.scope, key)
}

// shows presses a key after which a text must be on the screen that was not
// there before.
func (t *tour) shows(key, text string) {
	t.t.Helper()
	t.lost(text)
	t.key(key, func() { t.t.Helper(); t.wait(text) })
}

// hides presses a key after which a text must be gone.
func (t *tour) hides(key, text string) {
	t.t.Helper()
	t.wait(text)
	t.key(key, func() { t.t.Helper(); t.lost(text) })
}

// changes presses a key after which the figure that find returns must differ.
func (t *tour) changes(key string, find func(screen string) string) string {
	t.t.Helper()
	old := find(t.screen())
	t.key(key, func() {
		t.t.Helper()
		t.see("another "+old+" after "+key, func(s string) bool { f := find(s); return f != "" && f != old })
	})
	return find(t.screen())
}

// decides presses a key after which the newest decision must fit.
func (t *tour) decides(key string, ok func() bool) {
	t.t.Helper()
	t.key(key, func() { t.t.Helper(); until(t.t, "the decision of "+key, patience, ok) })
}

// selected returns the text of the row under the cursor, drawn reversed.
func (c *console) selected() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, h := c.vt.Size()
	best, most := "", 0
	for y := range h {
		var b strings.Builder
		n := 0
		for x := range w {
			g := c.vt.Cell(x, y)
			if g.BG == defaultFG {
				n++
				b.WriteRune(g.Char)
			}
		}
		if n > most {
			best, most = b.String(), n
		}
	}
	return strings.TrimSpace(best)
}

// TestEveryKey presses every key of docs/keys.md on the real program.
func TestEveryKey(t *testing.T) {
	done := &pressed{keys: map[string]bool{}}
	parts := []struct {
		name, scope string
		run         func(t *tour)
	}{
		{"keys that work everywhere", "Everywhere", everywhere},
		{"keys of the past", "The past", past},
		{"keys of lists", "Lists", lists},
		{"keys of the grid", "Niches", grid},
		{"keys on a candidate", "Candidates", candidates},
		{"keys on a job", "Jobs", jobs},
		{"keys of the review", "Review", review},
		{"keys of a comparison", "Compare", compares},
		{"keys of a lineage", "Lineage", lineage},
		{"keys of a difference", "Differences", differences},
		{"keys of a long text", "Long texts", texts},
		{"keys of one job's screen", "One job", oneJob},
		{"keys of the curves", "Curves", curves},
		{"keys of the log", "Log", logs},
		{"keys of goal and notes", "Notes and goal", notes},
		{"keys of steering", "Steering", steering},
		{"keys of the settings", "Settings", settingsScreen},
		{"keys on a target", "Targets", targets},
		{"keys of the doctor", "Doctor", doctor},
		{"keys of the summary", "Finished", summary},
		{"keys of the options", "Options", options},
		{"keys of the machines", "Fleet", machines},
	}
	ok := t.Run("scopes", func(t *testing.T) {
		for _, p := range suitetest.Every(3, parts) {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				var args []string
				if p.scope == "Fleet" {
					args = []string{"run", "--fleet", "listen:127.0.0.1:0", "--set", "budget.jobs=1"}
				}
				c := start(t, l, []string{"PAGER=" + marker(t, l, "pager"), "EDITOR="}, cols, rows, args...)
				c.wait(" jobs")
				if args == nil {
					c.wait("● paused")
				}
				p.run(&tour{console: c, lab: l, scope: p.scope, done: done})
			})
		}
	})
	if !ok || len(done.keys) == 0 || !suitetest.IsFull() {
		return
	}
	for _, k := range pageKeys(t) {
		if !done.keys[k] {
			t.Errorf("no step presses %q of docs/keys.md", k)
		}
	}
}

// pageKeys lists the keys of docs/keys.md as "heading key".
func pageKeys(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("../../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	heading := ""
	row := regexp.MustCompile("`([^`]+)`")
	for _, l := range strings.Split(string(data), "\n") {
		if h, ok := strings.CutPrefix(l, "## "); ok {
			heading = h
		}
		if !strings.HasPrefix(l, "| `") {
			continue
		}
		for _, m := range row.FindAllStringSubmatch(strings.SplitN(l, " | ", 2)[0], -1) {
			out = append(out, heading+" "+m[1])
		}
	}
	if len(out) < 80 {
		t.Fatalf("only %d keys were found on the page", len(out))
	}
	return out
}

// marker writes a program that copies its input or its argument to a file
// beside it, and returns its path.
func marker(t *testing.T, l *lab, name string) string {
	t.Helper()
	path := l.dir + "." + name
	script := "#!/bin/sh\nif [ $# -gt 0 ]; then cat \"$1\"; else cat; fi > '" + path + ".seen.part'\nmv '" + path + ".seen.part' '" + path + ".seen'\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func seen(l *lab, name string) string {
	data, _ := os.ReadFile(l.dir + "." + name + ".seen") // not there yet: not seen
	return string(data)
}
