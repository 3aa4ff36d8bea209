package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// decided is what a decision may take until database and screen show it: a
// second, and three where the machine builds and tests beside it. The time is
// logged.
const decided = 3 * time.Second

func TestDecisionsReachStoreAndScreenAtOnce(t *testing.T) {
	l := newLab(t)
	c := start(t, l, nil, cols, rows)
	c.wait("● paused")
	c.wait("/400 jobs")
	timed := func(what string, ok func() bool) {
		t.Helper()
		t.Logf("%s after %s", what, until(t, what, suitetest.Stretched(t, decided), ok).Round(time.Millisecond))
	}
	sees := func(text string) func() bool { return func() bool { return strings.Contains(c.screen(), text) } }
	c.press("f")
	timed("the niche is frozen on the screen", sees("· frozen"))
	if v := l.last().Verb; v != record.Freeze {
		t.Errorf("the store says %s", v)
	}
	c.press("u")
	timed("the freeze is undone", func() bool { return !sees("· frozen")() })
	c.press("b")
	timed("the niche is boosted", sees("boost x2"))
	c.press("u")
	timed("the boost is undone", func() bool { return !sees("boost x2")() })
	best := l.bestOf(c)
	c.press("x")
	c.wait("Reject " + best)
	c.press("enter")
	timed("another is the best", func() bool { s := c.screen(); return !strings.Contains(s, "best ") || l.bestOf(c) != best })
	c.press("u")
	timed("the rejected one is the best again", func() bool { return l.bestOf(c) == best })
	c.press("4", "a") // the queue is in order of gain
	timed("the approval is in the store", func() bool { return l.last().Verb == record.Approve })
	held := l.last().Candidate
	timed("the approved one goes on", func() bool { return l.job(record.JobID(held)).State != record.Held })
	c.press("u")
	timed("the approved one waits again", func() bool { return l.job(record.JobID(held)).State == record.Held })
	timed("the screen says so", sees(held.String()+" waits again"))
	l.atoll("approve", held.String()) // the cursor of the console has moved on
	timed("it is approved again", func() bool { return l.job(record.JobID(held)).State != record.Held })
}

// bestOf returns the name of the best candidate from the header.
func (l *lab) bestOf(c *console) string {
	lines := strings.SplitN(c.screen(), "\n", 3)
	for _, w := range strings.Fields(lines[min(1, len(lines)-1)]) {
		if len(w) > 1 && w[0] == 'c' && w[1] >= '0' && w[1] <= '9' {
			return w
		}
	}
	return ""
}

func TestVerbsOfAnotherProcessShowInARunningConsole(t *testing.T) {
	l := newLab(t)
	c := start(t, l, nil, cols, rows)
	c.wait("● paused")
	c.wait("/400 jobs")
	for _, s := range []struct{ text, args string }{
		{"· frozen", "freeze best"}, {"boost niche", "boost best --by 4"}, {"0/77 jobs", "set budget.jobs 77"}, {"note: mind the dials", "note mind the dials"},
	} {
		text := s.text
		if strings.HasPrefix(text, "0/") {
			text = text[1:]
		}
		l.atoll(strings.Fields(s.args)...)
		took := c.wait(text)
		t.Logf("%s shows after %s", s.args, took.Round(time.Millisecond))
		if took > suitetest.Stretched(t, decided) {
			t.Errorf("atoll %s shows after %s", s.args, took)
		}
	}
	l.atoll("resume")
	c.wait("● ")
	until(t, "the experiment runs", patience, func() bool { s := l.state(); return s == record.ExperimentRunning || s == record.ExperimentDone })
}

func TestARunBesideAConsoleThatRestsIsToldHowToGoOn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	start(t, l, nil, cols, rows).wait("● paused")
	out, err := command(l.dir, binary, "run", "--headless").CombinedOutput()
	if text := string(out); err == nil || !strings.Contains(text, "a console that is open here") || !strings.Contains(text, "resume` has it go on there") {
		t.Errorf("it says %q, %v", text, err)
	}
}

func TestASecondConsoleLooksOn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	a := start(t, l, nil, cols, rows)
	a.wait("● paused")
	b := start(t, l, nil, cols, rows)
	b.wait("/400 jobs")
	b.press("f")
	a.wait("· frozen")
	b.press("q")
	if code := b.end(); code != 0 {
		t.Errorf("the onlooker ends with %d", code)
	}
	a.press("u")
	a.lost("· frozen")
}

func TestSizes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := start(t, l, nil, 80, 24)
	c.wait("● paused")
	c.wait("╭ 2 Jobs")
	for _, s := range []struct {
		w, h int
		text string
	}{{120, 40, "╭ 3 Fitness"}, {200, 60, "╭ 5 Log"}, {60, 16, "╭ 1 Niches"}, {59, 16, "59 x 16, atoll needs 60 x 16"}, {20, 5, "60x16"}, {90, 50, "╭ 4 Review"}, {80, 24, "╭ 2 Jobs"}} {
		c.mu.Lock()
		c.vt.Resize(s.w, s.h)
		c.mu.Unlock()
		if err := pty.Setsize(c.ptmx, &pty.Winsize{Cols: uint16(s.w), Rows: uint16(s.h)}); err != nil {
			t.Fatal(err)
		}
		c.wait(s.text)
	}
}

func TestColoursAndCharacters(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "every setting of a terminal; TestAThemeOfOnesOwnIsAFile has one")
	l := newLab(t)
	for _, s := range []struct {
		name string
		env  []string
		none []string
		some string
	}{
		{"no colours with NO_COLOR=yes", []string{"NO_COLOR=yes"}, []string{`\x1b\[[0-9;]*[34]8;[0-9;]*m`, `\x1b\[(3|4|9|10)[0-7]m`}, "╭"},
		{"sixteen colours and no braille on the Linux console", []string{"TERM=linux"}, []string{`[34]8;2;`, "[⠁-⣿]", "╭"}, "┌"},
		{"true colours where the terminal says so", []string{"COLORTERM=truecolor"}, nil, "38;2;"},
	} {
		t.Run(s.name, func(t *testing.T) {
			c := start(t, l, s.env, cols, rows)
			c.wait("● paused", "* paused")
			c.press("3")
			c.press("q")
			if code := c.end(); code != 0 {
				t.Errorf("ends with %d", code)
			}
			out := c.output()
			for _, bad := range s.none {
				if m := regexp.MustCompile(bad).FindString(out); m != "" {
					t.Errorf("%q is written", m)
				}
			}
			if !strings.Contains(out, s.some) {
				t.Errorf("%q is never written", s.some)
			}
			c.restored()
		})
	}
}

func TestAReadOnlyConsoleDecidesAndStartsNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.atoll("resume") // for the next one that runs it
	before, state, jobs := l.last().Seq, l.state(), len(l.jobs())
	c := start(t, l, nil, cols, rows, "--read-only")
	c.wait("/400 jobs")
	c.wait("  read-only")
	c.press("f")
	c.wait("this console is read-only")
	c.press("r")
	c.wait("if approved now")
	c.see("a candidate under the cursor", func(string) bool { return c.picked() != "" })
	c.press("a")
	c.wait("approve: this console is read-only")
	c.press("q")
	if code := c.end(); code != 0 {
		t.Errorf("q ends with %d", code)
	}
	if d := l.last(); d.Seq != before || l.state() != state || len(l.jobs()) != jobs {
		t.Errorf("it decided or started something: %+v, %s, %d jobs where there were %d", d, l.state(), len(l.jobs()), jobs)
	}
}

func TestAConsoleOpensOnAStateThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	flags := []string{"--mount"}
	if os.Getuid() != 0 {
		flags = []string{"--user", "--map-root-user", "--mount"}
	}
	if err := exec.Command("unshare", append(flags, "mount", "-t", "tmpfs", "none", t.TempDir())...).Run(); err != nil {
		t.Skipf("this machine lets nobody mount a disk that is read-only: %v", err)
	}
	l := newLab(t)
	for _, args := range [][]string{nil, {"--read-only"}, {"run", "--read-only"}, {"replay", "--in", "1s"}} {
		t.Run(strings.Join(append([]string{"atoll"}, args...), " "), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("unshare", append(append(flags, "sh", "-c", `mount --bind .git .git && mount -o remount,bind,ro .git && exec "$0" "$@"`, binary), args...)...)
			cmd.Dir, cmd.Env = l.dir, environment("TERM=xterm-256color", "HOME="+t.TempDir())
			c := launch(t, cmd, cols, rows)
			c.wait("/400 jobs")
			if args == nil {
				c.wait("looking on only")
			}
			c.press("q")
			if code := c.end(); code != 0 {
				t.Errorf("it ends with %d", code)
			}
		})
	}
}

func TestQuitAsksWhileJobsRun(t *testing.T) {
	t.Parallel()
	l := slowLab(t, "0.7")
	c := start(t, l, nil, cols, rows, "run", "--workers", "2")
	c.wait("measuring")
	c.press("q")
	c.wait("drain and quit")
	c.press("esc")
	c.lost("drain and quit")
	c.press("q")
	c.wait("drain and quit")
	c.press("d")
	if code := c.end(); code != 0 {
		t.Errorf("ends with %d", code)
	}
	c.restored()
	l.finished(t)
}

// finished fails when a job is left half done.
func (l *lab) finished(t *testing.T) {
	t.Helper()
	if open := l.jobs(record.Editing, record.Committed, record.Gated, record.Evaluating); len(open) > 0 {
		t.Errorf("%d jobs are left half done, the first is %s", len(open), open[0].State)
	}
	if s := l.state(); s != record.ExperimentStopped && s != record.ExperimentDone {
		t.Errorf("the experiment is %s", s)
	}
}

func TestInterruptOnceDrainsTwiceAborts(t *testing.T) {
	t.Parallel()
	l := slowLab(t, "1.5")
	c := start(t, l, nil, cols, rows, "run")
	c.wait("measuring")
	c.press("ctrl+c")
	c.wait("draining")
	c.end()
	c.restored()
	l.finished(t)
	if n := len(l.jobs(record.Placed, record.Scored, record.Failed, record.Done, record.Duplicate)); n == 0 {
		t.Error("the job that ran has no result")
	}

	l = slowLab(t, "300")
	c = start(t, l, nil, cols, rows, "run")
	c.wait("measuring")
	c.press("ctrl+c")
	c.wait("draining")
	began := time.Now()
	c.press("ctrl+c")
	if code := c.end(); code != 130 {
		t.Errorf("ends with %d", code)
	}
	if took := time.Since(began); took > suitetest.Stretched(t, 10*time.Second) {
		t.Errorf("the end took %s", took)
	}
	c.restored()
	if got := l.job(0).State; got != record.Queued {
		t.Errorf("the job that was ended is %s; the next run should find it queued", got)
	}
}

func TestAClosedTerminalDrains(t *testing.T) {
	t.Parallel()
	l := slowLab(t, "1")
	c := start(t, l, nil, cols, rows, "run")
	c.wait("measuring")
	if err := c.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	c.end()
	l.finished(t)
	if n := len(l.jobs(record.Done, record.Placed, record.Scored, record.Failed)); n == 0 {
		t.Error("the job that ran has no result")
	}
}

// TestSuspend works the console in a shell with job control.
func TestSuspend(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("job control is tested with bash, which is not here")
	}
	l := slowLab(t, "0.3")
	cmd := exec.Command(shell, "--norc", "--noprofile", "-i")
	cmd.Dir, cmd.Env = l.dir, environment("TERM=xterm-256color", "HOME="+l.dir+".home", "PS1=ready> ", "HISTFILE=")
	c := launch(t, cmd, cols, rows)
	c.wait("ready>")
	c.press(binary+" run --workers 1", "enter")
	c.wait("measuring")
	c.press("ctrl+z")
	c.wait("Stopped")
	stopped(t, cmd.Process.Pid)
	count := func() int { return len(l.jobs(record.Placed, record.Scored, record.Failed, record.Duplicate)) }
	n := count()
	if screen := c.screen(); !strings.Contains(screen, "ready>") {
		t.Errorf("the shell has no terminal:\n%s", screen)
	}
	c.press("fg", "enter")
	c.see("the console again", func(s string) bool { return strings.Contains(s, "╭ 2 Jobs") })
	until(t, "jobs go on", patience, func() bool { return count() > n+2 })
	for _, bad := range l.jobs(record.Failed) {
		if !strings.Contains(bad.Reason, "refused: c is above 13") { // which has nothing to do with the stop
			t.Errorf("%s failed: %s", bad.ID, bad.Reason)
		}
	}
	c.press("q")
	c.wait("drain and quit")
	c.press("d")
	c.wait("ready>") // which the screen may show before the program has ended
	until(t, "the program is gone", patience, func() bool { return len(children(t, cmd.Process.Pid)) == 0 })
}

// stopped waits until a child of a shell is stopped.
func stopped(t *testing.T, shell int) {
	t.Helper()
	until(t, "the program is stopped", patience, func() bool { return slices.Contains(children(t, shell), "T") })
}

// children are the states of the processes that a process began, as /proc has them.
func children(t *testing.T, of int) []string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("states of processes are read from /proc, which is not there")
	}
	var out []string
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // gone
		}
		f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		if f[1] == strconv.Itoa(of) {
			out = append(out, f[0])
		}
	}
	return out
}

// idle returns the processor time a process used, in clock ticks of 10 ms.
func idle(pid int) (ticks int, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+2:]))
	var user, system int
	_, err = fmt.Sscan(f[11]+" "+f[12], &user, &system)
	return user + system, err
}

func TestAnIdleConsoleCostsNothing(t *testing.T) {
	suitetest.Slow(t, "looks at an idle console for ten seconds of a calm machine")
	l := newLab(t)
	c := start(t, l, nil, 200, 60)
	c.wait("● paused")
	c.wait("▌arrows move")
	c.lost("▌arrows move")
	before, err := idle(c.cmd.Process.Pid)
	if err != nil {
		t.Skip("no /proc here")
	}
	const span = 10 * time.Second
	time.Sleep(span)
	after, err := idle(c.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	share := float64(after-before) * 0.01 / span.Seconds()
	t.Logf("%.2f %% of a core over %s", 100*share, span)
	if share > 0.01 {
		t.Errorf("an idle console takes %.2f %% of a core", 100*share)
	}
}
