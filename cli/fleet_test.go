package cli_test

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/fleet/wire"
)

// hub is a repository whose run has others measure.
type hub struct {
	*site
	address string
}

// fleetJobs are the make jobs of the runs in these tests.
var fleetJobs = suitetest.Pick(48, 120, 120)

// alone runs the example on this machine, in strict order.
func alone(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: filepath.Join(t.TempDir(), "plant")}
	must(t, t.TempDir(), "demo", "deceptive", "--dir", s.dir, "--headless", "--workers", "2", "--seed", strconv.Itoa(killSeed),
		"--order", "strict", "--max-jobs", strconv.Itoa(fleetJobs))
	return s
}

// newHub makes the same experiment without running any of its jobs here.
func newHub(t *testing.T) *hub {
	t.Helper()
	return &hub{&site{t: t, dir: filepath.Join(t.TempDir(), "plant")}, freeAddress(t)}
}

// freeAddress is a port of this machine that nobody listened at a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// run starts the run: the first one makes the experiment.
func (h *hub) run(extra ...string) *exec.Cmd {
	h.t.Helper()
	args, dir := []string{"run", "--headless"}, h.dir
	if _, err := os.Stat(h.state()); err != nil {
		args, dir = []string{"demo", "deceptive", "--dir", h.dir, "--headless", "--seed", strconv.Itoa(killSeed), "--order", "strict"}, h.t.TempDir()
	}
	args = append(args, "--max-jobs", strconv.Itoa(fleetJobs), "--fleet", "listen:"+h.address, "--fleet-lease", "2s")
	return h.start(command(h.t, dir, append(args, extra...)...), "run")
}

// start starts a program whose output goes to a file, shown when the test fails.
func (h *hub) start(cmd *exec.Cmd, name string) *exec.Cmd {
	h.t.Helper()
	log, err := os.OpenFile(filepath.Join(h.t.ArtifactDir(), name+".log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
		if h.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			h.t.Logf("%s:\n%s", name, text)
		}
	})
	return cmd
}

// invite returns the words with which a machine joins.
func (h *hub) invite(name string) []string {
	h.t.Helper()
	line := must(h.t, h.dir, "fleet", "invite", name, "--address", h.address)
	return strings.Fields(line)[1:]
}

// worker starts a machine.
func (h *hub) worker(name string, invite []string) *exec.Cmd {
	h.t.Helper()
	return h.start(command(h.t, h.t.TempDir(), append(invite, "--slots", "1", "--state", filepath.Join(h.t.TempDir(), "state"))...), name)
}

// machines are those of `fleet --json`, by name.
func (h *hub) machines() map[string]map[string]any {
	h.t.Helper()
	var s struct{ Machines []map[string]any }
	if err := json.Unmarshal([]byte(must(h.t, h.dir, "fleet", "--json")), &s); err != nil {
		h.t.Fatal(err)
	}
	out := map[string]map[string]any{}
	for _, m := range s.Machines {
		out[m["name"].(string)] = m
	}
	return out
}

// over reports whether the run has come to its end, which may be before a machine was seen.
func (h *hub) over() bool {
	h.t.Helper()
	var s struct{ State string }
	if err := json.Unmarshal([]byte(must(h.t, h.dir, "status", "--json")), &s); err != nil {
		h.t.Fatal(err)
	}
	return s.State == "done"
}

// ends waits until a program ended by itself.
func ends(t *testing.T, cmd *exec.Cmd, code int) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(15 * time.Minute): // some measure for minutes on a busy machine
		t.Fatalf("%v does not end", cmd.Args[1:3])
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%v: exit %d, want %d", cmd.Args[1:3], got, code)
	}
}

func (h *hub) same(as *site) {
	h.t.Helper()
	got, want := h.candidates(), as.candidates()
	if !slices.EqualFunc(got, want, func(a, b made) bool { return a.String() == b.String() }) {
		h.t.Errorf("the fleet found\n%v\none machine alone\n%v", got, want)
	}
}

// ready waits until the repository is there.
func (h *hub) ready() {
	h.t.Helper()
	until(h.t, "the run has a state directory", func() bool {
		_, err := os.Stat(filepath.Join(h.state(), "fleet", "server.pem"))
		return err == nil
	})
}

func TestAFleetFindsWhatOneMachineFinds(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	run := h.run()
	h.ready()
	for _, name := range []string{"rack1", "rack2"} {
		h.worker(name, h.invite(name))
	}
	until(t, "both machines are listed with a slot", func() bool {
		m := h.machines()
		return m["rack1"]["slots"] == 1.0 && m["rack2"]["slots"] == 1.0 || h.over()
	})
	ends(t, run, 0)
	h.same(alone(t))
}

func TestNothingIsLostOrDoubledWhenMachinesAndTheRunAreKilled(t *testing.T) {
	suitetest.Full(t, "kills machines and their run in turn; TestKillsLoseNothingAndDoubleNothing and TestAFleetFindsWhatOneMachineFinds stand for it every day")
	t.Parallel()
	h := newHub(t)
	run := h.run()
	h.ready()
	one, two := h.invite("rack1"), h.invite("rack2")
	victim := h.worker("rack1", one)
	h.worker("rack2", two)
	until(t, "some jobs ended", func() bool { return h.ended() > 5 })
	_ = victim.Process.Kill()
	until(t, "others go on", func() bool { return h.ended() > 15 })
	h.worker("rack1", one)
	_ = run.Process.Signal(syscall.SIGKILL)
	_ = run.Wait()
	run = h.run()
	until(t, "the run goes on", func() bool { return h.ended() > 25 })
	_ = run.Process.Signal(syscall.SIGKILL)
	_ = run.Wait()
	ends(t, h.run(), 0)
	h.same(alone(t))
	must(t, h.dir, "doctor")
}

func TestAMachineLeavesWhenAPersonSaysSo(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a fleet of several processes; TestAFleetFindsWhatOneMachineFinds stands for it")
	h := newHub(t)
	run := h.run()
	h.ready()
	drained := h.worker("rack1", h.invite("rack1"))
	dropped := h.worker("rack2", h.invite("rack2"))
	until(t, "both joined", func() bool {
		m := h.machines()
		return m["rack1"]["slots"] == 1.0 && m["rack2"]["slots"] == 1.0
	})
	must(t, h.dir, "fleet", "drain", "rack1")
	ends(t, drained, 0)
	if text, err := os.ReadFile(filepath.Join(t.ArtifactDir(), "rack1.log")); err != nil || !strings.Contains(string(text), "drained: finishing what runs") {
		t.Errorf("the drained worker says %s, %v", text, err)
	}
	must(t, h.dir, "fleet", "drop", "rack2")
	ends(t, dropped, 1)
	if c := atoll(t, h.dir, "fleet", "drain", "nobody"); c.code != 2 || !strings.Contains(c.err, "no such machine") {
		t.Errorf("draining nobody: exit %d, %s", c.code, c.err)
	}
	h.worker("rack3", h.invite("rack3"))
	ends(t, run, 0)
	if out := must(t, h.dir, "fleet"); !strings.Contains(out, "rack2") || !strings.Contains(out, "dropped") {
		t.Errorf("the list after the run:\n%s", out)
	}
}

func TestTwoMachinesWithOneInviteAreToldApartOnBothSides(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a fleet of several processes; TestASecondWorkerOfANameIsRefusedAndNamedWhileTheFirstLives stands for it")
	h := newHub(t)
	run := h.run("--fleet-lease", "4s")
	h.ready()
	invite, home := h.invite("rack1"), filepath.Join(t.TempDir(), "state")
	start := func(log, state string) *exec.Cmd {
		return h.start(command(t, t.TempDir(), append(slices.Clone(invite), "--slots", "1", "--state", state)...), log)
	}
	log := func(name string) string {
		text, err := os.ReadFile(filepath.Join(t.ArtifactDir(), name+".log"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	until(t, "the run has begun", func() bool { return strings.Contains(log("run"), "the fleet listens at") }) // a run goes on with what was paused before it
	must(t, h.dir, "pause")                                                                                    // it does not end before the second was told off
	first := start("first", home)
	until(t, "the first joined", func() bool { return strings.Contains(log("first"), "joined as rack1") })
	second := start("second", filepath.Join(t.TempDir(), "state"))
	ends(t, second, 1)
	if said := log("second"); !strings.Contains(said, "another worker has the name rack1, on ") || strings.Contains(said, "measured") {
		t.Errorf("the second says\n%s", said)
	}
	if said := log("run"); !strings.Contains(said, "a second worker under the name rack1") {
		t.Errorf("the run says\n%s", said)
	}
	_ = first.Process.Kill()
	_ = first.Wait()
	start("again", home)
	until(t, "the one that was started again has the name at once", func() bool { return strings.Contains(log("again"), "joined as rack1") })
	if said := log("again"); strings.Contains(said, "another worker") {
		t.Errorf("it says\n%s", said)
	}
	must(t, h.dir, "resume")
	ends(t, run, 0)
	h.same(alone(t))
}

func TestAWorkerSaysWhatIsWrongWithItsFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"without an invite", nil, "--join is missing"},
		{"with half an invite", []string{"--join", "atoll1.eyJ"}, "the invite cannot be read"},
		{"with an invite of another version", []string{"--join", "atoll2.eyJ"}, "another version"},
		{"with a name beside an invite", []string{"--join", wire.Invite{Name: "rack1", Address: "hub:1"}.String(), "--name", "rack2"}, "the invite is for rack1"},
		{"with half an option", []string{"--join", "nats://127.0.0.1:1?cred=x"}, "creds=FILE"},
		{"with something else", []string{"--join", "hub"}, "neither an invite nor a URL"},
		{"with a name that cannot be", []string{"--join", "nats://127.0.0.1:1", "--name", "../x"}, "is no name for a machine"},
		{"with a pool that cannot be", []string{"--join", "nats://127.0.0.1:1", "--pool", "a b"}, "--pool"},
		{"with half a label", []string{"--join", "nats://127.0.0.1:1", "--label", "gpu"}, "write NAME=VALUE"},
	} {
		c := atoll(t, t.TempDir(), append([]string{"worker"}, tt.args...)...)
		if c.code != 2 || !strings.Contains(c.err, tt.want) {
			t.Errorf("%s: exit %d, %q, want %q", tt.name, c.code, c.err, tt.want)
		}
	}
}

func TestARunWithoutAMachineEndsWhenItIsToldTo(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	run := h.run()
	until(t, "it waits for machines", func() bool {
		text, _ := os.ReadFile(filepath.Join(t.ArtifactDir(), "run.log"))
		return strings.Contains(string(text), "no machine has joined")
	})
	_ = run.Process.Signal(syscall.SIGTERM)
	ends(t, run, 130)
	h.worker("rack1", h.invite("rack1"))
	ends(t, h.run(), 0)
	must(t, h.dir, "doctor")
}

func TestAnInviteSaysWhereTheRunCanBeReached(t *testing.T) {
	t.Parallel()
	dir := plot(t)
	for address, ok := range map[string]bool{
		"hub.lan:7422": true, "10.0.0.1:7422": true, "[fe80::1%eth0]:7422": true, "hub": false, "hub:": false, ":7422": false, "hub:0": false, "hub:99999": false,
		"hub:abc": false, "hub x:7422": false, "nats://hub:7422": false, "hub\n:7422": false,
	} {
		c := atoll(t, dir, "fleet", "invite", "rack1", "--address", address)
		if ok != (c.code == 0) || !ok && (c.code != 2 || !strings.Contains(c.err, "write HOST:PORT")) {
			t.Errorf("%q: exit %d, %s", address, c.code, c.err)
		}
	}
}

func TestDecisionsAboutMachinesAreTold(t *testing.T) {
	t.Parallel()
	dir := plot(t)
	must(t, dir, "fleet", "invite", "rack1", "--address", "hub:7422")
	for _, step := range [][2]string{{"drain", "draining"}, {"resume", "active"}, {"drop", "dropped"}} {
		verb, state := step[0], step[1]
		var said struct{ Name, State string }
		if err := json.Unmarshal([]byte(must(t, dir, "fleet", verb, "rack1", "--json")), &said); err != nil || said.Name != "rack1" || said.State != state {
			t.Errorf("%s: %+v, %v", verb, said, err)
		}
		var s struct {
			Machines []struct {
				State string
				Jobs  *[]int
			}
		}
		if err := json.Unmarshal([]byte(must(t, dir, "fleet", "--json")), &s); err != nil || len(s.Machines) != 1 || s.Machines[0].Jobs == nil {
			t.Errorf("after %s: %+v, %v", verb, s, err)
		}
	}
}

func TestADroppedMachineStaysDropped(t *testing.T) {
	t.Parallel()
	dir := plot(t)
	invite := func() string { return must(t, dir, "fleet", "invite", "rack1", "--address", "hub:7422") }
	before := invite()
	must(t, dir, "fleet", "drop", "rack1")
	for _, verb := range []string{"resume", "drain"} {
		c := atoll(t, dir, "fleet", verb, "rack1")
		if c.code != 2 || !strings.Contains(c.err, "rack1 was dropped: ") || !strings.Contains(c.err, "atoll fleet invite rack1` makes a new key") {
			t.Errorf("%s: exit %d, %s", verb, c.code, c.err)
		}
		if out := must(t, dir, "fleet"); !strings.Contains(out, "dropped") {
			t.Errorf("after %s:\n%s", verb, out)
		}
	}
	must(t, dir, "fleet", "drop", "rack1")
	if invite() == before {
		t.Error("the new line has the key before")
	}
	must(t, dir, "fleet", "drain", "rack1")
	if out := must(t, dir, "fleet", "resume", "rack1"); !strings.Contains(out, "start it again") {
		t.Errorf("resume says %s", out)
	}
}

func TestAFleetWhoseRunWasKilledIsNotThere(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	run := h.run()
	h.ready()
	until(t, "the run tells of its fleet", func() bool {
		return !strings.Contains(must(t, h.dir, "fleet"), "no run has a fleet here now")
	})
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	if out := must(t, h.dir, "fleet"); !strings.Contains(out, "no run has a fleet here now") {
		t.Errorf("after its death it is told as\n%s", out)
	}
}
