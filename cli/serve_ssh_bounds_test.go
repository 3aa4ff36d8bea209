package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"atoll/config/suitetest"
)

// stream is what a session writes, as it comes.
type stream struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *stream) has(word string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), word)
}

// opened is a console whose screen nobody draws.
type opened struct {
	*ssh.Session
	out, errs stream
	ended     chan error
}

// open opens a console on a terminal of a size of its own.
func open(t *testing.T, c *ssh.Client, width, height int) *opened {
	t.Helper()
	sess, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{Session: sess, ended: make(chan error, 1)}
	sess.Stdout, sess.Stderr = &o.out, &o.errs
	if err := sess.RequestPty("xterm-256color", height, width, ssh.TerminalModes{}); err != nil {
		t.Fatal(err)
	}
	if err := sess.Shell(); err != nil {
		t.Fatal(err)
	}
	go func() { o.ended <- sess.Wait() }()
	return o
}

func (p person) client(t *testing.T, addr string) *ssh.Client {
	t.Helper()
	c, err := p.dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// peak is the most memory that a process had so far, in MiB.
func peak(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		t.Skip("this kernel does not tell how much memory a process had")
	}
	kb, _ := strconv.Atoi(string(m[1]))
	return kb >> 10
}

// logged is how often the log of the state directory has a line.
func logged(t *testing.T, dir, line string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, ".git", "atoll", "logs", "engine.log"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), line)
}

func TestATerminalOfAnySizeIsServedWithinBounds(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "many sessions; TestPeopleElsewhereHaveAConsoleEach stands for it")
	dir := finished(t)
	lou := newPerson(t, "lou")
	door := sshDoor(t, dir, lou.line("look"))
	c := lou.client(t, door.addr)
	o := open(t, c, 9999, 9999)
	until(t, "the console shows the best", func() bool { return o.out.has("best") })
	for _, size := range []int{1 << 31, 0, 5000, 1<<32 - 1} {
		if err := o.WindowChange(size, size); err != nil {
			t.Fatal(err)
		}
	}
	second := open(t, c, 0, 0) // which says nothing: it is as usual
	until(t, "the second one shows the best", func() bool { return second.out.has("best") })
	const most = 700 // MiB; without bounds it was 8,800
	if got := peak(t, door.pid); got > most {
		t.Errorf("the server took %d MiB", got)
	} else {
		t.Logf("the server took %d MiB at most", got)
	}
}

func TestAConsoleEndsWithItsSession(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run and a server of its own; TestPeopleElsewhereHaveAConsoleEach stands for it")
	dir := finished(t)
	lou := newPerson(t, "lou")
	c := lou.client(t, consoles(t, dir, lou.line("look")))
	o := open(t, c, 200, 60)
	until(t, "the console shows the best", func() bool { return o.out.has("best") })
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the console is closed while the connection lives", func() bool { return logged(t, dir, "a console over ssh was closed") == 1 })
	again := open(t, c, 200, 60)
	until(t, "the connection still serves", func() bool { return again.out.has("best") })
	_ = c.Close()
	until(t, "the console is closed with the connection", func() bool { return logged(t, dir, "a console over ssh was closed") == 2 })
}

func TestSizesThatNobodyAskedForHoldNothingUp(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "many sessions; TestPeopleElsewhereHaveAConsoleEach stands for it")
	dir := finished(t)
	lou := newPerson(t, "lou")
	c := lou.client(t, consoles(t, dir, lou.line("look")))
	sess, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	out := &stream{}
	sess.Stdout = out
	if err := sess.RequestPty("xterm-256color", 40, 140, ssh.TerminalModes{}); err != nil {
		t.Fatal(err)
	}
	for i := range 200 { // before there is a console that could take them
		if err := sess.WindowChange(40+i%2, 140); err != nil {
			t.Fatal(err)
		}
	}
	if err := sess.Shell(); err != nil {
		t.Fatal(err)
	}
	until(t, "the console shows the best", func() bool { return out.has("best") })
}

func TestAConnectionHasSoManySessions(t *testing.T) {
	suitetest.Full(t, "many consoles at once; TestPeopleElsewhereHaveAConsoleEach stands for it")
	t.Parallel()
	suitetest.Full(t, "many sessions; TestPeopleElsewhereHaveAConsoleEach stands for it")
	dir := finished(t)
	lou := newPerson(t, "lou")
	c := lou.client(t, consoles(t, dir, lou.line("look")))
	var first *ssh.Session
	for i := range 10 {
		s, err := c.NewSession()
		if err != nil {
			t.Fatalf("session %d: %v", i, err)
		}
		if first == nil {
			first = s
		}
	}
	if _, err := c.NewSession(); err == nil || !strings.Contains(err.Error(), "at most 10 sessions") {
		t.Errorf("one too many: %v", err)
	}
	_ = first.Close()
	until(t, "its place is free", func() bool {
		s, err := c.NewSession()
		if err == nil {
			_ = s.Close()
		}
		return err == nil
	})
}

func TestAKeyThatLosesRightsLosesItsConsole(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	ada, lou, eve := newPerson(t, "ada"), newPerson(t, "lou"), newPerson(t, "eve")
	door := sshDoor(t, dir, ada.line("decide")+lou.line("look")+eve.line("look"))
	demoted, revoked, untouched := open(t, ada.client(t, door.addr), 140, 40), open(t, lou.client(t, door.addr), 140, 40), open(t, eve.client(t, door.addr), 140, 40)
	for _, o := range []*opened{demoted, revoked, untouched} {
		until(t, "the console shows the best", func() bool { return o.out.has("best") })
	}
	if err := os.WriteFile(door.keys, []byte(ada.line("look")+eve.line("decide")), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for name, o := range map[string]*opened{"demoted": demoted, "revoked": revoked} {
		select {
		case <-o.ended:
			t.Logf("%s: ended after %v", name, time.Since(began).Round(time.Millisecond))
		case <-time.After(patience):
			t.Fatalf("the console of one who was %s goes on", name)
		}
		if !o.errs.has("taken out of the list") {
			t.Errorf("%s: nobody says why it ended", name)
		}
	}
	select {
	case err := <-untouched.ended:
		t.Errorf("one who may more than before was sent away: %v", err)
	default:
	}
}
