package cli_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"atoll/config/suitetest"
)

// cable is a hub and machines with networks of their own, which lead from each
// machine to the hub alone. In the hub's network nothing listens but what a test
// starts there.
type cable struct {
	t        *testing.T
	hub      string
	machines []string
}

// hubIP is the hub's address in its network.
const hubIP = "10.77.0.1"

// laid counts cables, whose networks need names of their own.
var laid atomic.Int64

// newCable lays a cable, or skips the test where nobody may.
func newCable(t *testing.T, machines int) *cable {
	t.Helper()
	name := fmt.Sprintf("atoll%d-%d", os.Getpid(), laid.Add(1))
	c := &cable{t: t, hub: name + "-hub"}
	if out, err := exec.Command("ip", "netns", "add", c.hub).CombinedOutput(); err != nil {
		t.Skipf("this machine lets nobody make a network of its own (ip netns add, of iproute2): %v %s", err, out)
	}
	t.Cleanup(func() { c.ip("netns", "del", c.hub) })
	if out, err := exec.Command("ip", "-n", c.hub, "link", "add", "bridge", "type", "bridge").CombinedOutput(); err != nil {
		t.Skipf("the kernel of this machine has no bridge: %v %s", err, out)
	}
	c.ip("-n", c.hub, "addr", "add", hubIP+"/24", "dev", "bridge")
	c.ip("-n", c.hub, "link", "set", "lo", "up")
	c.ip("-n", c.hub, "link", "set", "bridge", "up")
	for n := range machines {
		m := name + "-" + strconv.Itoa(n)
		c.ip("netns", "add", m)
		t.Cleanup(func() { c.ip("netns", "del", m) })
		c.ip("-n", c.hub, "link", "add", port(n), "type", "veth", "peer", "name", "eth0", "netns", m)
		c.ip("-n", c.hub, "link", "set", port(n), "master", "bridge", "up")
		c.ip("-n", m, "addr", "add", fmt.Sprintf("10.77.0.%d/24", 10+n), "dev", "eth0")
		c.ip("-n", m, "link", "set", "lo", "up")
		c.ip("-n", m, "link", "set", "eth0", "up")
		c.machines = append(c.machines, m)
	}
	return c
}

// port is the hub's end of a machine's cable.
func port(machine int) string { return fmt.Sprintf("port%d", machine) }

func (c *cable) ip(args ...string) {
	c.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		c.t.Errorf("ip %s: %v %s", strings.Join(args, " "), err, out)
	}
}

// plug pulls a machine's cable out, or puts it back.
func (c *cable) plug(machine int, in bool) {
	c.t.Helper()
	state := "down"
	if in {
		state = "up"
	}
	c.ip("-n", c.hub, "link", "set", port(machine), state)
}

// within has a program run in one of the networks.
func (c *cable) within(network string, cmd *exec.Cmd) *exec.Cmd {
	c.t.Helper()
	ip, err := exec.LookPath("ip")
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Args = append([]string{ip, "netns", "exec", network, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = ip
	return cmd
}

// Dial connects from the hub's network.
func (c *cable) Dial(kind, address string) (net.Conn, error) {
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return nil, err
	}
	defer home.Close()
	there, err := os.Open(filepath.Join("/run/netns", c.hub))
	if err != nil {
		return nil, err
	}
	defer there.Close()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	conn, err := net.Dial(kind, address)
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back == nil {
		runtime.UnlockOSThread() // else the thread ends with the goroutine
	}
	return conn, err
}

func TestEightMachinesThatReachNothingButTheQueueFindWhatOneFinds(t *testing.T) {
	suitetest.Full(t, "runs circle packing on eight machines with networks of their own; TestAFleetFindsWhatOneMachineFinds stands for it every day")
	t.Parallel()
	const machines = 8
	jobs := strconv.Itoa(suitetest.Pick(40, 40, 400))
	demo := func(dir string, more ...string) []string {
		return append([]string{
			"demo", "circle-packing", "--dir", dir, "--headless", "--seed", strconv.Itoa(killSeed), "--order", "strict", "--max-jobs", jobs,
		}, more...)
	}
	c := newCable(t, machines)
	h := &hub{&site{t: t, dir: filepath.Join(t.TempDir(), "circles")}, hubIP + ":7422"}
	run := h.start(c.within(c.hub, command(t, t.TempDir(), demo(h.dir, "--workers", "10", "--fleet", "listen:"+h.address)...)), "run")
	h.ready()
	for n, network := range c.machines {
		name := fmt.Sprintf("rack%d", n)
		invite := append(h.invite(name), "--slots", "1", "--state", filepath.Join(t.TempDir(), "state"))
		h.start(c.within(network, command(t, t.TempDir(), invite...)), name)
	}
	ends(t, run, 0)
	one := &site{t: t, dir: filepath.Join(t.TempDir(), "circles")}
	must(t, t.TempDir(), demo(one.dir, "--workers", "2")...)
	h.same(one)
	measured := map[string]int{}
	for _, j := range h.jobs() {
		measured[j.Machine]++
	}
	if len(measured) < machines/2 { // who joins last may find nothing left
		t.Errorf("of %d machines most measured nothing: %v", machines, measured)
	}
	must(t, h.dir, "doctor")
}
