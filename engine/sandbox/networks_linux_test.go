package sandbox_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"atoll/engine/sandbox"

	"golang.org/x/sys/unix"
)

// port is where the tests of this file listen, each in a network of its own.
const port = 4711

// networkTraces are what a hostile run leaves in its network, by what that is. Each says
// "left" when it did.
var networkTraces = map[string]func() error{
	"a port that waits after its connection was closed": func() error {
		l, err := listen(0)
		if err != nil {
			return err
		}
		c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return err
		}
		served, _, err := unix.Accept(l)
		if err != nil {
			return err
		}
		_ = unix.Close(served) // who closes first has the port wait
		_, _ = c.Read(make([]byte, 1))
		return c.Close()
	},
	"a count of connections without a way": func() error {
		c, err := net.Dial("udp4", "192.0.2.1:9")
		if err == nil {
			_ = c.Close()
			return fmt.Errorf("there is a way out")
		}
		return nil
	},
	"a count of refused connections": func() error {
		c, err := net.Dial("tcp6", "[::1]:9")
		if err == nil {
			return c.Close()
		}
		return nil
	},
	"a count of packets to itself": func() error {
		c, err := net.Dial("udp4", "127.0.0.1:9")
		if err != nil {
			return err
		}
		_, err = c.Write([]byte("x"))
		return err
	},
	"a listening socket that is on its way to nobody": func() error {
		l, err := listen(0)
		if err != nil {
			return err
		}
		ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendmsg(ends[0], []byte("x"), unix.UnixRights(l, ends[0], ends[1]), nil, 0)
	},
	"a label of a flow": func() error {
		fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		var r [32]byte // struct in6_flowlabel_req
		r[15] = 1      // ::1
		binary.BigEndian.PutUint32(r[16:], 0x12345)
		r[20], r[21] = 0, 1                       // get, by anybody
		binary.NativeEndian.PutUint16(r[22:], 1)  // make it
		binary.NativeEndian.PutUint16(r[24:], 60) // seconds
		binary.NativeEndian.PutUint16(r[26:], 60)
		const flowLabelManager = 32
		if _, _, e := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.IPPROTO_IPV6, flowLabelManager, uintptr(unsafe.Pointer(&r)), 32, 0); e != 0 {
			return e
		}
		return nil
	},
}

// listen listens at the port as a program does that never heard of waiting ports.
func listen(reuse int) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, reuse)
	}
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = unix.Listen(fd, 1)
	}
	return fd, err
}

func attackNetworkTrace(args []string) {
	if err := networkTraces[args[0]](); err != nil {
		say("not left: %v", err)
		return
	}
	say("left")
}

// thisNetwork names the network that this process is in: by a number that no other ever has,
// where the kernel gives one (5.14 and later), as that of its file is given again.
func thisNetwork() string {
	name, _ := os.Readlink("/proc/self/ns/net")
	if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
		defer func() { _ = unix.Close(fd) }()
		if cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE); err == nil {
			return fmt.Sprintf("network %d", cookie)
		}
	}
	return name
}

// attackNetworkLook prints what is known of the network, then tries to change it, and
// last whether the port is free.
func attackNetworkLook([]string) {
	say("in %s", thisNetwork())
	for _, name := range []string{"snmp", "netstat", "snmp6", "ip6_flowlabel", "tcp", "udp", "unix", "dev", "igmp", "igmp6", "route", "if_inet6"} {
		text, err := os.ReadFile("/proc/self/net/" + name)
		for line := range strings.Lines(string(text)) {
			say("%s %s", name, strings.TrimSpace(line))
		}
		if err != nil {
			say("%s is not there", name)
		}
	}
	for _, path := range []string{"ipv4/ip_local_port_range", "ipv4/ip_unprivileged_port_start", "core/somaxconn", "unix/max_dgram_qlen"} {
		if err := os.WriteFile("/proc/sys/net/"+path, []byte("1024\n"), 0); err == nil {
			say("changed %s", path)
		}
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		say("no socket: %v", err)
		return
	}
	ifr, _ := unix.NewIfreq("lo")
	ifr.SetUint16(0)
	if unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr) == nil {
		say("changed the interface")
	}
	if err := ifr.SetInet4Addr([]byte{10, 0, 0, 1}); err != nil || unix.IoctlIfreq(fd, unix.SIOCSIFADDR, ifr) == nil {
		say("changed the address")
	}
	_ = unix.Close(fd)
	l, err := listen(0)
	say("port free: %v", err == nil)
	_ = unix.Close(l)
}

// A network is handed on from run to run: that is not to be seen.
func TestHostileNetworksTellTheNextRunNothing(t *testing.T) {
	w := newWorld(t)
	b := mustBox(t, sandbox.ModeNamespaces)
	look := func() (where, what string) {
		t.Helper()
		out := string(w.mustRun(b, w.spec("network look")).Stdout)
		where, what, _ = strings.Cut(out, "\n")
		if !strings.Contains(what, "port free: true") || strings.Contains(what, "changed") || !strings.Contains(what, "Tcp: ") {
			t.Errorf("in the network of a run:\n%s", out)
		}
		return where, what
	}
	first, fresh := look()
	for name := range networkTraces {
		t.Run(name, func(t *testing.T) {
			res := w.mustRun(b, w.spec("network trace", name))
			if strings.Contains(string(res.Stdout), "protocol not available") {
				t.Skipf("this kernel has none: %s", res.Stdout)
			}
			wantOut(t, res, "left")
			_, then := look()
			if then != fresh {
				t.Errorf("the next run sees\n%s\ninstead of\n%s", then, fresh)
			}
		})
	}
	before, _ := look()
	if first == before {
		t.Errorf("the network in which all that happened was handed on: %s", first)
	}
	w.mustRun(b, w.sh("true"))
	if after, what := look(); after != before || what != fresh {
		t.Errorf("after runs that left nothing there is another network, %s instead of %s:\n%s", after, before, what)
	}
}

func TestRunsAtOnceHaveNetworksOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	b := mustBox(t, sandbox.ModeNamespaces)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	where := make(chan string, 1)
	long := w.sh("readlink /proc/self/ns/net; sleep 1000")
	long.OnLine = func(_ int, line string) { where <- line }
	ended := make(chan error, 1)
	go func() {
		_, err := b.Run(ctx, long)
		ended <- err
	}()
	var first string
	select {
	case first = <-where:
	case <-time.After(20 * time.Second):
		t.Fatal("the first run said nothing")
	}
	wantNoOut(t, w.mustBeside(b, w.sh("readlink /proc/self/ns/net")), first)
	cancel()
	if err := <-ended; err == nil {
		t.Error("the first run ended before it was cancelled")
	}
	wantOut(t, w.mustRun(b, w.sh("readlink /proc/self/ns/net")), "net:")
}

// mustBeside is mustRun beside a run that is under way.
func (w *world) mustBeside(b *sandbox.Box, s sandbox.Spec) sandbox.Result {
	w.t.Helper()
	res, err := b.Run(w.t.(interface{ Context() context.Context }).Context(), s)
	if err != nil {
		w.t.Fatalf("run %q: %v\n%s", s.Args, err, res.Stderr)
	}
	return res
}

func TestRunsWithTheNetworkOfTheMachineAreInItWhoeverRanBefore(t *testing.T) {
	w := newWorld(t)
	b := mustBox(t, sandbox.ModeNamespaces)
	here, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	own, machine := w.sh("readlink /proc/self/ns/net"), w.sh("readlink /proc/self/ns/net")
	machine.Net = sandbox.NetHost
	for range 2 {
		wantNoOut(t, w.mustRun(b, own), here)
		wantOut(t, w.mustRun(b, machine), here)
	}
}
