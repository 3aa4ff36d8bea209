package tui_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"atoll/config/suitetest"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui"
	"atoll/tui/tuitest"
)

// terminal is a console on a pseudo terminal that answers no query.
type terminal struct {
	t    *testing.T
	ptmx *os.File
	in   io.Writer // where keys go
	vt   *tuitest.Terminal
	mu   sync.Mutex
	raw  bytes.Buffer
	done chan error
}

func start(t *testing.T, o tui.Options, cols, rows uint16) *terminal {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(ptmx, &pty.Winsize{Cols: cols, Rows: rows}); err != nil {
		t.Fatal(err)
	}
	c := &terminal{t: t, ptmx: ptmx, vt: tuitest.NewTerminal(int(cols), int(rows)), done: make(chan error, 1)}
	o.Input, o.Output = keyboard(t, tty, c), tty
	if o.Env == nil {
		o.Env = []string{"TERM=xterm-256color"}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { c.read() })
	go func() {
		c.done <- tui.Run(ctx, o)
		_ = tty.Close()
	}()
	t.Cleanup(func() {
		cancel()
		_ = ptmx.Close()
		wg.Wait()
	})
	return c
}

// keyboard returns what the console reads its keys from.
func keyboard(t *testing.T, tty *os.File, c *terminal) io.Reader {
	if !raced {
		c.in = c.ptmx
		return tty
	}
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	c.in = w
	return r
}

func (c *terminal) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := c.ptmx.Read(buf)
		if n > 0 {
			c.mu.Lock()
			c.raw.Write(buf[:n])
			_, _ = c.vt.Write(buf[:n])
			c.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (c *terminal) screen() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.vt.String()
}

func (c *terminal) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// wait polls until the screen shows a text; the deadline is for a machine
// under load.
func (c *terminal) wait(text string) {
	c.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(c.screen(), text) {
			return
		}
	}
	c.t.Fatalf("the screen never shows %q:\n%s", text, c.screen())
}

func (c *terminal) press(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, keys); err != nil {
		c.t.Fatal(err)
	}
}

func (c *terminal) end() error {
	c.t.Helper()
	select {
	case err := <-c.done:
		return err
	case <-time.After(2 * time.Minute):
		c.t.Fatalf("the console does not end:\n%s", c.screen())
		return nil
	}
}

// left waits until the alternate screen was left.
func (c *terminal) left() {
	c.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(c.output(), "\x1b[?1049l") {
			return
		}
	}
	c.t.Error("the alternate screen was not left")
}

func options(s *view.Snapshot) (tui.Options, *tuitest.Controller, *tuitest.Feed) {
	ctl, feed := &tuitest.Controller{}, tuitest.NewFeed(s)
	return tui.Options{Feed: feed, Controller: ctl, Reader: &tuitest.Reader{Snap: s}, Now: tuitest.Now, Console: tui.Console{Theme: "dark", Mouse: true}}, ctl, feed
}

func TestConsoleOnATerminal(t *testing.T) {
	s := tuitest.Snapshot(16)
	s.Running, s.State = nil, record.ExperimentPaused
	o, ctl, feed := options(s)
	o.StateFile = filepath.Join(t.TempDir(), "state", "console.json")
	c := start(t, o, 120, 36)
	c.wait("circle-packing")
	c.wait("2 to review")
	c.press("r")
	c.wait("sorted(circles")
	c.press("a")
	c.wait("approved c281")
	next := *s
	next.Version, next.Review = 8, s.Review[1:]
	feed.Put(&next)
	c.wait("1 to review")
	c.press("\x1b")
	c.wait("→ spread  ↑ largest")
	c.press("3q")
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	if ds := ctl.Decisions(); len(ds) != 1 || ds[0].Verb != record.Approve || ds[0].Candidate != 281 || ds[0].Who != "console" {
		t.Errorf("decided %+v", ds)
	}
	c.left()
	if data, err := os.ReadFile(o.StateFile); err != nil || !strings.Contains(string(data), `"focus":3`) {
		t.Errorf("the layout is not remembered: %s, %v", data, err)
	}
}

func TestFirstFrameComesBeforeAnyData(t *testing.T) {
	o, _, feed := options(tuitest.Loading())
	began := time.Now()
	c := start(t, o, 100, 30)
	c.wait("loading")
	if took := time.Since(began); took > suitetest.Stretched(t, 2*time.Second) { // 60 ms where nothing else runs
		t.Errorf("the first frame took %s", took)
	}
	feed.Put(tuitest.Snapshot(16))
	c.wait("341/500")
}

func TestColoursAreLeftOut(t *testing.T) {
	o, _, _ := options(tuitest.Snapshot(16))
	o.Env = []string{"TERM=xterm-256color", "NO_COLOR=yes"}
	c := start(t, o, 120, 36)
	c.wait("circle-packing")
	if out := c.output(); strings.Contains(out, "[38;") || strings.Contains(out, ";38;") || strings.Contains(out, "48;5") {
		t.Error("NO_COLOR=yes still writes colours")
	}
}

// panics is a reader with a defect.
type panics struct{ tuitest.Reader }

func (*panics) Jobs(context.Context, view.JobQuery) ([]view.JobLine, error) {
	panic("a defect with key-1234")
}

func TestCrashRestoresTheTerminal(t *testing.T) {
	s := tuitest.Snapshot(16)
	o, _, _ := options(s)
	o.Reader, o.CrashDir, o.Version = &panics{tuitest.Reader{Snap: s}}, t.TempDir(), "v1.2.3"
	o.Redact = func(s string) string { return strings.ReplaceAll(s, "key-1234", "[key]") }
	c := start(t, o, 120, 36)
	c.wait("circle-packing")
	c.press("2z")
	var crash *tui.CrashError
	if err := c.end(); !errors.As(err, &crash) {
		t.Fatalf("got %v", err)
	}
	if crash.Value != "a defect with [key]" || !strings.Contains(crash.Stack, "panics") {
		t.Errorf("the report says %q in %s", crash.Value, crash.Where)
	}
	if data, err := os.ReadFile(crash.File); err != nil || !strings.Contains(string(data), "v1.2.3") || !strings.Contains(string(data), "a defect") || strings.Contains(string(data), "key-1234") {
		t.Errorf("report: %s, %v", data, err)
	}
	c.left()
}

func TestInterruptTwiceAborts(t *testing.T) {
	o, _, _ := options(tuitest.Snapshot(16))
	var mu sync.Mutex
	var calls []string
	note := func(s string) func() {
		return func() { mu.Lock(); calls = append(calls, s); mu.Unlock() }
	}
	o.Quit = tui.Quit{Drain: note("drain"), Abort: note("abort")}
	c := start(t, o, 120, 36)
	c.wait("circle-packing")
	c.press("\x03")
	c.wait("draining 2 jobs")
	c.press("\x03")
	if err := c.end(); !errors.Is(err, tui.ErrAborted) {
		t.Errorf("got %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Join(calls, " ") != "drain abort" {
		t.Errorf("called %v", calls)
	}
}

func TestRunNeedsAFeedAndGoodKeys(t *testing.T) {
	if err := tui.Run(context.Background(), tui.Options{}); !errors.Is(err, tui.ErrNoFeed) {
		t.Errorf("got %v", err)
	}
	o, _, _ := options(tuitest.Loading())
	o.Console.Keys = map[string]string{"fly": "F"}
	if err := tui.Run(context.Background(), o); !errors.Is(err, tui.ErrKeys) {
		t.Errorf("got %v", err)
	}
}

func TestEndOfTheContextEndsTheConsole(t *testing.T) {
	o, _, _ := options(tuitest.Snapshot(4))
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		buf := make([]byte, 4096)
		for {
			if _, err := ptmx.Read(buf); err != nil {
				return
			}
		}
	}()
	o.Input, o.Output = tty, tty
	cause := errors.New("the terminal hung up")
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan error, 1)
	go func() { done <- tui.Run(ctx, o) }()
	cancel(cause)
	select {
	case err := <-done:
		if !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the console goes on")
	}
	_ = tty.Close() // the console reads it no more
	_ = ptmx.Close()
	<-drained
}
