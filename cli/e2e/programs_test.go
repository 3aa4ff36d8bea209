package e2e_test

import (
	"os/exec"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// TestRealEditorsAndPagers opens programs that people use over the console of a
// running experiment: its jobs go on, and the terminal comes back.
func TestRealEditorsAndPagers(t *testing.T) {
	const added = "Keep every dial above zero."
	for _, c := range []struct {
		name, program, variable string
		open                    []string // keys on the console
		there                   string   // what the program shows
		work                    func(c *console)
		goal                    bool // the goal is changed
	}{
		{"vim", "vim", "EDITOR=vim -u NONE -N", []string{"8", "e"}, "~", func(c *console) {
			c.press("G", "o")
			c.wait("-- INSERT --")
			c.text(added)
			c.press("bare esc")
			c.lost("-- INSERT --")
			c.text(":wq")
			c.press("enter")
		}, true},
		{"nano", "nano", "EDITOR=nano --ignorercfiles", []string{"8", "e"}, "GNU nano", func(c *console) {
			c.press("down")
			c.text(added)
			c.wait(added)
			c.press("ctrl+o")
			c.wait("File Name to Write", "Write to File")
			c.press("enter")
			c.wait("Wrote")
			c.press("ctrl+x")
		}, true},
		{"less", "less", "PAGER=less -R", []string{"enter", "o"}, "(END)", func(c *console) { c.press("q") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not installed", c.program)
			}
			if c.name == "nano" {
				suitetest.Full(t, "a second editor; vim stands for it")
			}
			t.Parallel()
			l := paced.copy(t)
			con := start(t, l, []string{c.variable}, cols, rows)
			con.wait("● paused")
			con.press("P")
			con.wait("measuring")
			ended := func() int {
				return len(l.jobs(record.Placed, record.Scored, record.Held, record.Duplicate, record.Failed))
			}
			con.press(c.open[0])
			con.wait("╭ 8 Goal and notes", "difference to")
			con.press(c.open[1])
			con.see(c.name, func(s string) bool { return strings.Contains(s, c.there) && !strings.Contains(s, "│") })
			before := ended()
			until(t, "jobs go on while "+c.name+" is open", patience, func() bool { return ended() > before+3 })
			c.work(con)
			con.see("the console again", func(s string) bool { return flaw(s, cols, rows) == "" })
			if c.goal {
				until(t, "the goal is changed", patience, func() bool { return strings.Contains(l.settings().Goal, added) })
			}
			for range 2 {
				con.press("esc")
			}
			con.press("1")
			con.see("the dashboard", func(s string) bool { return strings.Contains(s, "╭ 2 Jobs") && flaw(s, cols, rows) == "" })
			con.press("q")
			con.wait("drain and quit")
			con.press("d")
			if code := con.end(); code != 0 {
				t.Errorf("ends with %d", code)
			}
			con.restored()
		})
	}
}
