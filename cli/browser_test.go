package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
)

var draw = flag.Bool("draw", false, "draw the pictures of docs/img anew")

// browser is a headless Chromium with one tab, spoken to by its DevTools protocol
// over two pipes.
type browser struct {
	t       *testing.T
	to      *os.File
	session string
	limit   time.Duration // of an answer

	mu      sync.Mutex
	last    int
	answers map[int]chan reply
	said    []devEvent
	gone    chan struct{}
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

type devEvent struct {
	Method string
	Params json.RawMessage
}

// browse opens a tab. It is closed with the test.
func browse(t *testing.T) *browser {
	t.Helper()
	suitetest.Full(t, "it starts a browser")
	program(t) // what is looked at comes from it
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no browser is here: apt-get install chromium")
	}
	theirIn, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp("", "atoll-browser-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
		"--no-first-run", "--hide-scrollbars", "--user-data-dir="+home)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirIn.Close(), theirOut.Close()
	b := &browser{t: t, to: to, limit: suitetest.Stretched(t, time.Minute), answers: map[int]chan reply{}, gone: make(chan struct{})}
	go b.read(from)
	t.Cleanup(func() {
		_ = to.Close() // the browser ends when nobody speaks to it
		<-b.gone
		_ = cmd.Wait()
		// Its helpers may outlive it for a moment, and write meanwhile.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		for until := time.Now().Add(b.limit); os.RemoveAll(home) != nil && time.Now().Before(until); {
			runtime.Gosched()
		}
	})
	var tab struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &tab)
	var at struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": tab.TargetID, "flatten": true}, &at)
	b.session = at.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// read hands answers to those who wait and keeps events, until the pipe ends.
func (b *browser) read(from *os.File) {
	defer close(b.gone)
	defer from.Close()
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID int
			devEvent
			reply
		}
		if json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m) != nil {
			continue
		}
		b.mu.Lock()
		if m.ID == 0 {
			b.said = append(b.said, m.devEvent)
		} else {
			b.answers[m.ID] <- m.reply
			delete(b.answers, m.ID)
		}
		b.mu.Unlock()
	}
}

// call calls a method; out may be nil.
func (b *browser) call(method string, params map[string]any, out any) {
	b.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	answer := make(chan reply, 1)
	b.mu.Lock()
	b.last++
	message := map[string]any{"id": b.last, "method": method, "params": params}
	b.answers[b.last] = answer
	b.mu.Unlock()
	if b.session != "" {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	if err == nil {
		_, err = b.to.Write(append(data, 0))
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), b.limit)
	defer cancel()
	select {
	case r := <-answer:
		if r.Error != nil {
			b.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if out != nil {
			if err := json.Unmarshal(r.Result, out); err != nil {
				b.t.Fatalf("%s: %v in %.200s", method, err, r.Result)
			}
		}
	case <-b.gone:
		b.t.Fatalf("%s: the browser has gone", method)
	case <-ctx.Done():
		b.t.Fatalf("%s: no answer", method)
	}
}

// run evaluates an expression in the page and reads its value into out.
func (b *browser) run(expression string, out any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if e := r.ExceptionDetails; e != nil {
		b.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if out != nil {
		if err := json.Unmarshal(r.Result.Value, out); err != nil {
			b.t.Fatalf("%s: %v in %.200s", expression, err, r.Result.Value)
		}
	}
}

// holds waits until an expression is true.
func (b *browser) holds(expression string) {
	b.t.Helper()
	until(b.t, expression, func() bool {
		var yes bool
		b.run("!!("+expression+")", &yes)
		return yes
	})
}

// size is that of a window or, below 600 pixels of width, of a telephone.
func (b *browser) size(width int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// dark is what the system prefers.
func (b *browser) dark(yes bool) {
	b.t.Helper()
	value := map[bool]string{true: "dark", false: "light"}[yes]
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// open opens an address.
func (b *browser) open(url string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	b.holds(fmt.Sprintf("location.href.startsWith(%q) && document.readyState === 'complete'", url))
}

// picture writes what the window shows, or the whole page, below the folder of
// pictures when the documents are drawn anew.
func (b *browser) picture(name string, whole bool) {
	b.t.Helper()
	if !*draw {
		return
	}
	var r struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": whole, "format": "png"}, &r)
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join("..", "docs", "img", name), data, 0o644)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// clean asserts that so far no script failed, nothing was asked of another place,
// and no dialogue opened.
func (b *browser) clean(place string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.said {
		switch e.Method {
		case "Runtime.exceptionThrown", "Page.javascriptDialogOpening":
			b.t.Errorf("%s: %.500s", e.Method, e.Params)
		case "Runtime.consoleAPICalled":
			var p struct{ Type string }
			if err := json.Unmarshal(e.Params, &p); err != nil || slices.Contains([]string{"error", "warning", "assert"}, p.Type) {
				b.t.Errorf("the page says (%v) %.500s", err, e.Params)
			}
		case "Log.entryAdded":
			var p struct {
				Entry struct{ Level, Text, URL string }
			}
			if err := json.Unmarshal(e.Params, &p); err != nil || p.Entry.Level == "error" {
				b.t.Errorf("the browser says (%v) %s %s", err, p.Entry.Text, p.Entry.URL)
			}
		case "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			if err := json.Unmarshal(e.Params, &p); err != nil || !strings.HasPrefix(p.Request.URL, place) && !strings.HasPrefix(p.Request.URL, "data:") && p.Request.URL != "about:blank" {
				b.t.Errorf("it asks (%v) for %s", err, p.Request.URL)
			}
		}
	}
	b.said = nil
}

// fits asserts that nothing leads out of the window to the right.
func (b *browser) fits(what string, width int) {
	b.t.Helper()
	var wide int
	b.run("document.documentElement.scrollWidth", &wide)
	if wide > width {
		b.t.Errorf("%s is %d pixels wide in a window of %d", what, wide, width)
	}
}

// accessible runs axe-core over the page where ATOLL_AXE names its axe.min.js.
func (b *browser) accessible(what string) {
	b.t.Helper()
	path := os.Getenv("ATOLL_AXE")
	if path == "" {
		return
	}
	source, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.run(string(source)+"; true", nil)
	var found []struct{ ID, Impact, Help string }
	b.run("axe.run().then(r => r.violations.map(v => ({id: v.id, impact: v.impact, help: v.help})))", &found)
	for _, f := range found {
		if f.Impact == "serious" || f.Impact == "critical" {
			b.t.Errorf("%s: %s (%s): %s", what, f.ID, f.Impact, f.Help)
		}
	}
}
