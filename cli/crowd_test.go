package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// crowd are those who come to a run through its doors. They leave when it ends.
type crowd struct {
	t       *testing.T
	page    string // http://host:port
	console string // host:port of SSH
	who     person
	gone    sync.WaitGroup
}

// browsers read the stream of events.
func (c *crowd) browsers(n int) {
	for range n {
		c.gone.Go(func() {
			res, err := http.Get(c.page + "/api/v1/events?after=0")
			if err != nil {
				c.t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body) // until the run ends
			_ = res.Body.Close()
		})
	}
}

// consoles look on over SSH.
func (c *crowd) consoles(n int) {
	for range n {
		s := c.who.console(c.t, c.console)
		c.gone.Go(func() { <-s.ended })
	}
}

// idlers ask for everything and read nothing.
func (c *crowd) idlers(n int) {
	for i := range n {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.page, "http://"))
		if err != nil {
			c.t.Error(err)
			return
		}
		c.t.Cleanup(func() { _ = conn.Close() })
		ask := "GET /api/v1/events?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
		if i%2 == 0 {
			ask = "GET /api/v1/candidates HTTP/1.1\r\nHost: localh" // and never ends to ask
		}
		if _, err := io.WriteString(conn, ask); err != nil {
			c.t.Error(err)
		}
	}
}

// guessers try so many tokens; none may be right.
func (c *crowd) guessers(n int) {
	c.gone.Go(func() {
		for i := range n {
			req, _ := http.NewRequest(http.MethodPost, c.page+"/api/v1/commands", strings.NewReader(`{"verb":"stop"}`))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", fmt.Sprintf("Bearer %048d", i))
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return // the run has ended
			}
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			if res.StatusCode != http.StatusUnauthorized && res.StatusCode != http.StatusTooManyRequests {
				c.t.Errorf("guess %d is answered with %s", i, res.Status)
			}
		}
	})
}

// took is what a run took of the machine, with all that it started.
type took struct {
	wall, cpu time.Duration
}

// share is how much more of the machine a run took than another one of as many jobs,
// as a share of all that the machine had in that time.
func (a took) share(b took) float64 {
	return float64(a.cpu-b.cpu) / float64(a.wall) / float64(runtime.NumCPU())
}

// beside runs an experiment to its end while a crowd is there.
func beside(t *testing.T, dir string, come func(*crowd)) took {
	t.Helper()
	c := &crowd{t: t, who: newPerson(t, "ada")}
	keys, tokens := filepath.Join(t.TempDir(), "keys"), filepath.Join(t.TempDir(), "tokens")
	for name, text := range map[string]string{keys: c.who.line("look") + "\n", tokens: "ada admin " + strings.Repeat("f", 48) + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := command(t, dir, "run", "--headless", "--json", "--new", "--http", "127.0.0.1:0", "--tokens", tokens, "--ssh", "127.0.0.1:0", "--ssh-keys", keys)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	told := ""
	lines := bufio.NewScanner(errs)
	for (c.page == "" || c.console == "") && lines.Scan() {
		told += lines.Text() + "\n"
		if m := regexp.MustCompile(`http://\S+`).FindString(lines.Text()); m != "" {
			c.page = strings.TrimRight(m, "/")
		}
		if m := regexp.MustCompile(`ssh://(\S+), host key`).FindStringSubmatch(lines.Text()); m != nil {
			c.console = m[1]
		}
	}
	c.gone.Go(func() { _, _ = io.Copy(io.Discard, errs) })
	if come != nil {
		come(c)
	}
	c.gone.Wait() // the doors close at the end
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, told)
	}
	return took{time.Since(began), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

func TestACrowdDoesNotSlowARun(t *testing.T) {
	suitetest.Full(t, "a crowd of readers beside a run; TestAServer has a few")
	t.Attr("timing", "on a busy machine a run may end before all of its crowd have come")
	jobs := suitetest.Pick(40, 120, 2000)
	dir := plot(t, fmt.Sprintf("budget: {jobs: %d}", jobs))
	alone := beside(t, dir, nil)
	for _, tc := range []struct {
		name string
		most float64 // share of the machine
		come func(*crowd)
	}{
		{"50 streams of events and 20 consoles", 0.10, func(c *crowd) { c.browsers(50); c.consoles(20) }},
		{"200 who do not read and 10,000 wrong tokens", 0.05, func(c *crowd) { c.idlers(200); c.guessers(10_000) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			crowded := beside(t, dir, func(c *crowd) { tc.come(c) })
			if suitetest.IsSlow() && crowded.share(alone) > tc.most {
				t.Errorf("the crowd takes %.1f %% of the machine", 100*crowded.share(alone))
			}
			t.Logf("alone %v with %v of processor time, crowded %v with %v: %.1f %% of the machine", alone.wall, alone.cpu, crowded.wall, crowded.cpu, 100*crowded.share(alone))
		})
	}
}
