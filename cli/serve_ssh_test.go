package cli_test

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
	"golang.org/x/crypto/ssh"

	"atoll/cli/serve"
)

// person is one with a key.
type person struct {
	name   string
	signer ssh.Signer
}

func newPerson(t *testing.T, name string) person {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return person{name, signer}
}

func (p person) line(role string) string {
	return fmt.Sprintf("%s %s %s", p.name, role, ssh.MarshalAuthorizedKey(p.signer.PublicKey()))
}

func (p person) dial(addr string) (*ssh.Client, error) {
	return ssh.Dial("tcp", addr, &ssh.ClientConfig{
		User: "whoever", Auth: []ssh.AuthMethod{ssh.PublicKeys(p.signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: time.Minute, //nolint:gosec // the server is this test's own
	})
}

// screen is a console over SSH as the person sees it.
type screen struct {
	t     *testing.T
	mu    sync.Mutex
	term  vt10x.Terminal
	stdin io.Writer
	sess  *ssh.Session
	ended chan error
}

func (p person) console(t *testing.T, addr string) *screen {
	t.Helper()
	client, err := p.dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	sess, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, term: vt10x.New(vt10x.WithSize(140, 40)), sess: sess, ended: make(chan error, 1)}
	sess.Stdout = s
	if s.stdin, err = sess.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := sess.RequestPty("xterm-256color", 40, 140, ssh.TerminalModes{}); err != nil {
		t.Fatal(err)
	}
	if err := sess.Shell(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- sess.Wait() }()
	return s
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.String()
}

func (s *screen) shows(word string) {
	s.t.Helper()
	until(s.t, "the console shows "+word, func() bool { return strings.Contains(s.text(), word) })
}

func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.stdin, keys); err != nil {
		s.t.Fatal(err)
	}
}

// consoles starts `atoll serve --ssh` and returns its address.
func consoles(t *testing.T, dir, keys string) string {
	t.Helper()
	return sshDoor(t, dir, keys).addr
}

// sshServer is a running `atoll serve --ssh`.
type sshServer struct {
	addr string
	keys string // file
	pid  int
}

func sshDoor(t *testing.T, dir, keys string) sshServer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(keys), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, dir, "serve", "--ssh", "127.0.0.1:0", "--ssh-keys", file)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Cancel = func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return os.ErrProcessDone
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr := ""
	lines := bufio.NewScanner(errs)
	for addr == "" && lines.Scan() {
		if m := regexp.MustCompile(`ssh://(\S+), host key SHA256:`).FindStringSubmatch(lines.Text()); m != nil {
			addr = m[1]
		}
	}
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, errs) }()
	t.Cleanup(func() {
		<-drained
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	if addr == "" {
		t.Fatal("the server names no address")
	}
	return sshServer{addr, file, cmd.Process.Pid}
}

func TestPeopleElsewhereHaveAConsoleEach(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	ada, lou, eve := newPerson(t, "ada"), newPerson(t, "lou"), newPerson(t, "eve")
	addr := consoles(t, dir, "# who\n"+ada.line("decide")+lou.line(""))
	first, second := ada.console(t, addr), lou.console(t, addr)
	first.shows("best")
	second.shows("best")

	second.press("x")
	second.shows("read-only")
	first.press("x")
	first.shows("because")
	first.press("\r")
	second.shows("ada") // the log of the other one says who it was
	if d := lastDecision(t, dir); !strings.Contains(d, `"reject"`) || !strings.Contains(d, `"ada"`) {
		t.Errorf("the log has %s", d)
	}
	first.press("\x1a") // ctrl+z would stop the server
	first.shows("only at the machine")
	if err := first.sess.WindowChange(24, 90); err != nil {
		t.Fatal(err)
	}
	first.press("q")
	select {
	case err := <-first.ended:
		if err != nil {
			t.Errorf("q ends with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("q does not end the session")
	}
	t.Run("a stranger", func(t *testing.T) {
		if c, err := eve.dial(addr); err == nil {
			_ = c.Close()
			t.Error("came in")
		}
	})
	t.Run("no program and no way through", func(t *testing.T) {
		c, err := lou.dial(addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s, err := c.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if out, err := s.CombinedOutput("id"); err == nil || !strings.Contains(string(out), "only the console") {
			t.Errorf("a command: %v %s", err, out)
		}
		if _, err := c.Dial("tcp", addr); err == nil {
			t.Error("a connection was passed on")
		}
		if _, err := c.Listen("tcp", "127.0.0.1:0"); err == nil {
			t.Error("a port was opened")
		}
		s, err = c.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.RequestSubsystem("sftp"); err == nil {
			t.Error("files are served")
		}
	})
}

func TestAListOfKeysThatLetsOthersInIsRefused(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	p := newPerson(t, "ada")
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		word string
	}{
		"one that others can write": {p.line("look"), 0o666, "chmod"},
		"nobody":                    {"# nobody yet\n", 0o600, "names nobody"},
		"no key":                    {"ada decide secret\n", 0o600, "authorized_keys"},
		"options":                   {"ada decide command=\"id\" " + string(ssh.MarshalAuthorizedKey(p.signer.PublicKey())), 0o600, "without options"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "keys")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, c.mode); err != nil {
				t.Fatal(err)
			}
			refused(t, atoll(t, dir, "serve", "--ssh", "127.0.0.1:0", "--ssh-keys", file), c.word)
		})
	}
	t.Run("none", func(t *testing.T) {
		refused(t, atoll(t, dir, "serve", "--ssh", "127.0.0.1:0"), "--ssh-keys")
	})
}

func TestADecisionThroughAnyDoorShowsInAConsoleThatTakesItBack(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	news := make(chan serve.Hook, 16)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var h serve.Hook
		if json.NewDecoder(r.Body).Decode(&h) == nil {
			news <- h
		}
	}))
	defer hook.Close()
	web := serving(t, dir, "--webhook", hook.URL)
	lou := newPerson(t, "lou")
	console := lou.console(t, consoles(t, dir, lou.line("decide"))) // of another process
	console.shows("best")
	agent := client(t, dir, "--allow", "decide")
	best := fmt.Sprint(web.field("api/v1/status", "best.id"))
	for _, c := range []struct {
		door, author, verb string
		decide             func()
	}{
		{"HTTP", "ada", "reject", func() {
			if code, body := web.order(decider, `{"verb":"reject","of":["best"],"text":"games the metric"}`); code != 200 {
				t.Fatalf("%d %s", code, body)
			}
		}},
		{"MCP", "tester (mcp)", "boost", func() {
			if text, refused := called(t, agent, "boost", args{"of": []string{"best"}}); refused {
				t.Fatal(text)
			}
		}},
	} {
		c.decide()
		began := time.Now()
		until(t, "the console tells what came through "+c.door, func() bool {
			text := console.text()
			return strings.Contains(text, c.author) && strings.Contains(text, c.verb[:5])
		})
		t.Logf("through %s: shown after %v", c.door, time.Since(began).Round(time.Millisecond))
		console.press("u")
		until(t, "it is taken back", func() bool {
			d := lastDecision(t, dir)
			return strings.Contains(d, `"lou"`) && strings.Contains(d, `"undoes"`)
		})
		until(t, "the best is as before", func() bool { return fmt.Sprint(web.field("api/v1/status", "best.id")) == best })
	}
	select { // the rejection of the best made another one the best
	case h := <-news:
		if h.What != "best" || h.Best == nil || !strings.HasPrefix(h.Text, "new best ") {
			t.Errorf("told: %+v", h)
		}
	case <-time.After(time.Minute):
		t.Error("the webhook was told nothing")
	}
}
