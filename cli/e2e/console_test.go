package e2e_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"atoll/tui/tuitest"
)

// console is the program on a pseudo terminal that shows whole frames and answers
// no other query.
type console struct {
	t    *testing.T
	cmd  *exec.Cmd
	ptmx *os.File
	vt   *tuitest.Terminal
	part []byte // what has come of a frame that is not whole yet
	mu   sync.Mutex
	raw  bytes.Buffer
	read chan struct{}
	gone chan error
}

// size is that of most consoles here: all panes of the dashboard.
const cols, rows = 120, 40

// start starts the program on a terminal of w x h cells.
func start(t *testing.T, l *lab, env []string, w, h int, args ...string) *console {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = l.dir
	cmd.Env = environment(append([]string{"TERM=xterm-256color", "HOME=" + l.dir + ".home"}, env...)...)
	return launch(t, cmd, w, h)
}

func launch(t *testing.T, cmd *exec.Cmd, w, h int) *console {
	t.Helper()
	ptmx, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
	if err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, cmd: cmd, ptmx: ptmx, vt: tuitest.NewTerminal(w, h), read: make(chan struct{}), gone: make(chan error, 1)}
	go func() {
		defer close(c.read)
		buf := make([]byte, 1<<16)
		for {
			n, err := ptmx.Read(buf)
			if asked := c.take(buf[:n]); asked {
				_, _ = ptmx.WriteString("\x1b[?2026;2$y")
			}
			if err != nil {
				return
			}
		}
	}()
	go func() { c.gone <- cmd.Wait() }()
	consoles.Store(t, c)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = ptmx.Close()
		<-c.read
	})
	return c
}

// A frame stands between these marks for a terminal that says it knows them: mode
// 2026, synchronized output.
const frameBegins, frameEnds, marksKnown = "\x1b[?2026h", "\x1b[?2026l", "\x1b[?2026$p"

// take takes what the program wrote; the screen changes by whole frames. It
// reports whether the program asked whether the marks of frames are known.
func (c *console) take(out []byte) (asked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := max(0, c.raw.Len()-len(marksKnown)+1)
	c.raw.Write(out)
	c.part = append(c.part, out...)
	for {
		at := bytes.Index(c.part, []byte(frameBegins))
		if at < 0 { // keep back what may be the first bytes of a mark
			at = len(c.part)
			for n := 1; n < len(frameBegins); n++ {
				if bytes.HasSuffix(c.part, []byte(frameBegins[:n])) {
					at = len(c.part) - n
				}
			}
		} else if n := bytes.Index(c.part[at:], []byte(frameEnds)); n >= 0 {
			c.show(at + n + len(frameEnds))
			continue
		}
		c.show(at)
		break
	}
	return bytes.Contains(c.raw.Bytes()[before:], []byte(marksKnown))
}

// show puts the first n bytes of what has come on the screen.
func (c *console) show(n int) {
	_, _ = c.vt.Write(c.part[:n])
	c.part = c.part[n:]
}

func (c *console) screen() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.vt.String()
}

// output returns everything written so far, with its control sequences.
func (c *console) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// patience is how long what must come may take on a machine that does a hundred
// other things. Only a test that fails waits for so long.
const patience = 3 * time.Minute

// wait waits until the screen shows one of the texts and returns how long it
// took.
func (c *console) wait(texts ...string) time.Duration {
	c.t.Helper()
	return c.see("the text "+strings.Join(texts, " or "), func(s string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return shows(s, text) })
	})
}

// shows reports whether a screen has a text, maybe broken between two words, as lines of errors are.
func shows(screen, text string) bool {
	return strings.Contains(screen, text) || strings.Contains(strings.Join(strings.Fields(screen), " "), text)
}

// lost waits until the screen does not show a text.
func (c *console) lost(text string) {
	c.t.Helper()
	c.see("no text "+text, func(s string) bool { return !strings.Contains(s, text) })
}

func (c *console) see(what string, ok func(screen string) bool) time.Duration {
	c.t.Helper()
	began := time.Now()
	for {
		s := c.screen()
		if ok(s) {
			return time.Since(began)
		}
		if time.Since(began) > patience {
			c.t.Attr("timing", "a screen is waited for no longer than "+patience.String())
			c.t.Fatalf("the screen never shows %s:\n%s", what, s)
		}
		time.Sleep(3 * time.Millisecond)
	}
}

// codes are what terminals send for keys with a name. Nothing but time tells the
// bare esc from the beginning of a sequence: what follows it must be waited for.
// The esc of the kitty protocol needs no waiting.
var codes = map[string]string{
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pgup": "\x1b[5~", "pgdown": "\x1b[6~", "enter": "\r", "esc": "\x1b[27u", "bare esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z",
	"space": " ", "f1": "\x1bOP", "f2": "\x1bOQ", "backspace": "\x7f",
}

func code(key string) string {
	if s, ok := codes[key]; ok {
		return s
	}
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return string(rune(rest[0] - 'a' + 1))
	}
	return key
}

// press presses keys one after the other.
func (c *console) press(keys ...string) {
	c.t.Helper()
	for _, k := range keys {
		if _, err := c.ptmx.WriteString(code(k)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// text types a text.
func (c *console) text(s string) { c.t.Helper(); c.press(strings.Split(s, "")...) }

// command runs an action by its name in the palette.
func (c *console) command(id string) {
	c.t.Helper()
	c.press(":")
	c.wait("Command")
	c.text(id)
	c.see("the action "+id, func(s string) bool { return strings.Contains(s, " "+id+" ") })
	c.press("enter")
	c.lost("╭ Command")
}

// home leaves every screen, dialog and filter.
func (c *console) home() {
	c.t.Helper()
	for range 6 {
		c.press("esc")
	}
	c.press("1")
	c.wait("╭ 2 Jobs")
}

// end waits for the end of the program and returns its exit code.
func (c *console) end() int {
	c.t.Helper()
	select {
	case err := <-c.gone:
		var exit *exec.ExitError
		switch {
		case err == nil:
			return 0
		case errors.As(err, &exit):
			return exit.ExitCode()
		}
		c.t.Fatal(err)
	case <-time.After(patience):
		at := len(c.output())
		_ = c.cmd.Process.Signal(syscall.SIGQUIT) // the stacks of all goroutines
		<-c.gone
		c.t.Fatalf("the program does not end:\n%s", c.output()[at:])
	}
	return -1
}

// restored fails when the terminal was not given back as it was.
func (c *console) restored() {
	c.t.Helper()
	until(c.t, "the alternate screen is left and the cursor is back", patience, func() bool {
		out := c.output()
		return strings.LastIndex(out, "\x1b[?1049l") > strings.LastIndex(out, "\x1b[?1049h") && strings.LastIndex(out, "\x1b[?25h") > strings.LastIndex(out, "\x1b[?25l")
	})
}

// consoles are those of the running tests, for what a failure shows.
var consoles sync.Map // *testing.T to *console

// told returns the screen of a test's console, "" without one.
func told(t *testing.T) string {
	if c, ok := consoles.Load(t); ok {
		return "\n" + c.(*console).screen()
	}
	return ""
}
