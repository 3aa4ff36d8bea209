package cli_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"atoll/config/suitetest"
	"atoll/engine/fleet/wire"
	"atoll/store"
	"atoll/store/record"
)

// natsServer has this program be a NATS server: the folder in which it keeps its
// queues.
const natsServer = "ATOLL_TEST_NATS"

// storm is a run on many machines, in which something breaks all the time.
type storm struct {
	*hub
	*cable
	rng     *rand.Rand
	folder  string // of the NATS server
	run     *node
	queue   *node
	workers []*node
	heals   []heal
	happens map[string]int
	echo    *echo
}

// node is a program that is started again whenever it ended.
type node struct {
	name    string
	start   func() *exec.Cmd
	cmd     *exec.Cmd
	ended   chan struct{}
	not     time.Time // it is not started before
	started int
	fill    string // of its disk, "" = it has no small one
}

// heal is the end of a fault.
type heal struct {
	at time.Time
	do func()
}

// echo says again what others said, at once or late.
type echo struct {
	nc    *nats.Conn
	again atomic.Int64 // messages that are still to be said again
	late  atomic.Int64 // how much later, in milliseconds
	said  atomic.Int64
}

// serveNATS is a NATS server with a queue on disk, as a process of its own: it ends
// when it is killed. Each machine may do what docs/fleet.md says.
func serveNATS() {
	users := []*natsd.User{{Username: "all", Password: "secret"}}
	for n := range 64 {
		name := fmt.Sprintf("rack%d", n)
		publish, subscribe := wire.Subjects{}.Permissions(name)
		users = append(users, &natsd.User{Username: name, Password: "secret", Permissions: &natsd.Permissions{
			Publish: &natsd.SubjectPermission{Allow: publish}, Subscribe: &natsd.SubjectPermission{Allow: subscribe},
		}})
	}
	s, err := natsd.NewServer(&natsd.Options{
		Host: hubIP, Port: 4222, NoLog: true, NoSigs: true, JetStream: true, StoreDir: os.Getenv(natsServer), SyncAlways: true, Users: users,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s.Start()
	select {}
}

// jobs are those of the run.
func (s *site) jobs() []record.Job {
	s.t.Helper()
	var out []record.Job
	for line := range strings.Lines(must(s.t, s.dir, "jobs", "--json", "--limit", "100000")) {
		var j record.Job
		if err := json.Unmarshal([]byte(line), &j); err != nil {
			s.t.Fatal(err)
		}
		out = append(out, j)
	}
	return out
}

func newStorm(t *testing.T, machines, jobs int) *storm {
	t.Helper()
	s := &storm{
		hub: &hub{&site{t: t, dir: filepath.Join(t.TempDir(), "plant")}, hubIP + ":4222"}, cable: newCable(t, machines),
		rng: rand.New(rand.NewPCG(killSeed, 3)), folder: t.TempDir(), happens: map[string]int{},
	}
	s.queue = &node{name: "nats", start: func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), natsServer+"="+s.folder)
		return s.within(s.cable.hub, cmd)
	}}
	s.run = &node{name: "run", start: func() *exec.Cmd {
		args, dir := []string{"run", "--headless"}, s.dir
		if _, err := os.Stat(filepath.Join(s.state(), "atoll.db")); err != nil {
			args, dir = []string{"demo", "deceptive", "--dir", s.dir, "--headless", "--seed", strconv.Itoa(killSeed), "--order", "strict"}, t.TempDir()
		}
		args = append(args, "--max-jobs", strconv.Itoa(jobs), "--fleet", "nats://all:secret@"+s.address, "--fleet-lease", "2s")
		return s.within(s.cable.hub, command(t, dir, args...))
	}}
	for n := range machines {
		name := fmt.Sprintf("rack%d", n)
		disk := t.TempDir()
		join := []string{"worker", "--join", "nats://" + name + ":secret@" + s.address, "--name", name, "--slots", "1", "--state", filepath.Join(disk, "state")}
		s.workers = append(s.workers, &node{name: name, fill: filepath.Join(disk, "full"), start: func() *exec.Cmd {
			cmd := command(t, t.TempDir(), join...)
			cmd.Args = append([]string{"sh", "-c", `mount -t tmpfs -o size=48m small "$0" && mkdir "$0/tmp" && exec "$@"`, disk, cmd.Path}, cmd.Args[1:]...)
			cmd.Path, cmd.Env = "/bin/sh", append(cmd.Env, "TMPDIR="+filepath.Join(disk, "tmp"))
			return s.within(s.cable.machines[n], cmd)
		}})
	}
	return s
}

// nodes are all programs of the storm.
func (s *storm) nodes() []*node { return append([]*node{s.queue, s.run}, s.workers...) }

// tend starts what ended, unless it is to stay away for a while, and ends faults whose
// time is over.
func (s *storm) tend() {
	s.t.Helper()
	now := time.Now()
	s.heals = slices.DeleteFunc(s.heals, func(h heal) bool {
		if now.Before(h.at) {
			return false
		}
		h.do()
		return true
	})
	for _, n := range s.nodes() {
		if n.cmd != nil {
			select {
			case <-n.ended:
				if n == s.run && n.cmd.ProcessState.ExitCode() == 0 {
					continue
				}
				n.cmd = nil
			default:
				continue
			}
		}
		if now.Before(n.not) {
			continue
		}
		s.launch(n)
	}
}

func (s *storm) launch(n *node) {
	s.t.Helper()
	log, err := os.OpenFile(filepath.Join(s.t.ArtifactDir(), n.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	fmt.Fprintf(log, "--- start %d at %s\n", n.started, time.Now().Format(time.TimeOnly))
	cmd := n.start()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	n.cmd, n.ended = cmd, make(chan struct{})
	n.started++
	ended := n.ended
	go func() { // ends with the program, which the test kills
		_ = cmd.Wait()
		close(ended)
	}()
}

// kill ends a program at once, and keeps it away for a while.
func (s *storm) kill(n *node, away time.Duration) {
	n.not = time.Now().Add(away)
	if n.cmd != nil {
		_ = n.cmd.Process.Signal(syscall.SIGKILL)
	}
}

// over reports whether the run ended by itself.
func (s *storm) over() bool {
	if s.run.cmd == nil {
		return false
	}
	select {
	case <-s.run.ended:
		return s.run.cmd.ProcessState.ExitCode() == 0
	default:
		return false
	}
}

// progress is how many jobs ended; -1: the store cannot be read now.
func (s *storm) progress() int {
	path := filepath.Join(s.state(), "atoll.db")
	if _, err := os.Stat(path); err != nil {
		return -1
	}
	db, err := store.Open(s.t.Context(), path, store.Options{ReadOnly: true})
	if err != nil {
		return -1
	}
	defer db.Close()
	c, err := db.Counters(s.t.Context(), 1)
	if err != nil {
		return -1
	}
	return c.Jobs(record.Make, record.Placed, record.Scored, record.Rejected, record.Failed, record.Duplicate)
}

// strike has something break, and reports what.
func (s *storm) strike(longest time.Duration) string {
	s.t.Helper()
	n := s.rng.IntN(len(s.workers))
	w := s.workers[n]
	span := time.Second + time.Duration(s.rng.Int64N(int64(longest-time.Second)+1))
	soon := time.Duration(s.rng.IntN(2000)) * time.Millisecond
	switch s.rng.IntN(8) {
	case 0, 1:
		s.kill(w, soon)
		return "a machine is killed"
	case 2:
		s.kill(s.run, soon/4)
		return "the run is killed"
	case 3:
		s.kill(s.queue, soon)
		if s.rng.IntN(3) == 0 {
			s.folder = s.t.TempDir()
			return "the NATS server is killed and its queue lost"
		}
		return "the NATS server is killed"
	case 4, 5:
		s.plug(n, false)
		s.heals = append(s.heals, heal{time.Now().Add(span), func() { s.plug(n, true) }})
		return "a machine is cut off"
	case 6:
		s.echo.late.Store(s.rng.Int64N(2) * soon.Milliseconds())
		s.echo.again.Add(20)
		return "messages come twice"
	}
	if w.cmd != nil {
		full := filepath.Join("/proc", strconv.Itoa(w.cmd.Process.Pid), "root", w.fill)
		_ = exec.Command("dd", "if=/dev/zero", "of="+full, "bs=1M").Run() // ends when nothing more fits
		s.heals = append(s.heals, heal{time.Now().Add(min(span, 4*time.Second)), func() { _ = os.Remove(full) }})
	}
	return "a disk is full"
}

// listen hears what is said, to say it again.
func (s *storm) listen() {
	s.t.Helper()
	e := &echo{}
	nc, err := nats.Connect("nats://all:secret@"+s.address, nats.SetCustomDialer(s.cable), nats.NoEcho(), nats.MaxReconnects(-1),
		nats.ReconnectWait(100*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	again := func(m *nats.Msg) {
		if e.again.Add(-1) < 0 {
			e.again.Store(0)
			return
		}
		twin := &nats.Msg{Subject: m.Subject, Reply: m.Reply, Data: m.Data}
		if strings.Contains(m.Subject, ".job.") {
			twin.Reply = "" // of the publisher: the queue's word
		}
		time.AfterFunc(time.Duration(e.late.Load())*time.Millisecond, func() {
			if nc.PublishMsg(twin) == nil {
				e.said.Add(1)
			}
		})
	}
	for _, subject := range []string{wire.Subjects{}.AllUp(), wire.Subjects{}.AllJobs()} {
		if _, err := nc.Subscribe(subject, again); err != nil {
			s.t.Fatal(err)
		}
	}
	e.nc, s.echo = nc, e
}

func TestAStormOfFaultsLosesNothingAndDoublesNothing(t *testing.T) {
	suitetest.Full(t, "breaks machines, network, queue and run in turn; TestNothingIsLostOrDoubledWhenMachinesAndTheRunAreKilled breaks less")
	t.Parallel()
	faults := suitetest.Pick(20, 20, 200)
	longest := suitetest.Pick(4*time.Second, 4*time.Second, 60*time.Second)
	jobs := 6 * faults
	s := newStorm(t, 4, jobs)
	if c := mounted(t, t.TempDir(), "exit 0"); c.code != 0 {
		t.Fatal(c.err)
	}
	t.Cleanup(func() {
		for _, n := range s.nodes() {
			if n.cmd != nil {
				_ = n.cmd.Process.Kill()
				<-n.ended
			}
			if t.Failed() {
				text, _ := os.ReadFile(filepath.Join(t.ArtifactDir(), n.name+".log"))
				t.Logf("%s:\n%s", n.name, text[max(0, len(text)-4000):])
			}
		}
	})
	s.launch(s.queue)
	s.listen()
	began := time.Now()
	for fault := range faults {
		until(t, fmt.Sprintf("the run goes on after %d faults (%v)", fault, s.happens), func() bool {
			s.tend()
			if s.over() {
				t.Fatalf("the run ended after %d faults", fault)
			}
			return s.progress() >= fault*5
		})
		s.happens[s.strike(longest)]++
	}
	until(t, "the run ends", func() bool { s.tend(); return s.over() })
	t.Logf("%d faults in %s: %v; the run was started %d times, %d messages came twice", faults, time.Since(began).Round(time.Second), s.happens, s.run.started, s.echo.said.Load())
	whole := &site{t: t, dir: filepath.Join(t.TempDir(), "plant")}
	must(t, t.TempDir(), "demo", "deceptive", "--dir", whole.dir, "--headless", "--workers", "2", "--seed", strconv.Itoa(killSeed), "--order", "strict",
		"--max-jobs", strconv.Itoa(jobs))
	s.same(whole)
	if got := s.ended(); got != jobs {
		t.Errorf("%d jobs ended of %d", got, jobs)
	}
	must(t, s.dir, "doctor")
	text, err := os.ReadFile(filepath.Join(t.ArtifactDir(), "run.log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "refused from") {
		t.Error("an honest machine is told off")
	}
}
