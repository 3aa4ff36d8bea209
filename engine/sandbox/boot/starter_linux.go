package boot

import (
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// Kinds of an Order to the starter and of an Event from it.
const (
	OrderStart = 's'
	OrderKill  = 'k'
	EventBegun = 'b' // or not: then Err says why
	EventEnded = 'e'
)

// Order is one packet to the starter. With OrderStart come six descriptors: the
// standard three and those of the first process.
type Order struct {
	Kind  int64
	ID    int64 // chosen by the supervisor
	Exe   string
	Env   []string
	Flags int64 // of clone: the namespaces
	UID   int64 // inside
}

// Event is one packet from the starter.
type Event struct {
	Kind   int64
	ID     int64
	Err    string
	Status int64 // wait status
}

func (o *Order) code(c *codec) {
	c.i64(&o.Kind)
	c.i64(&o.ID)
	c.str(&o.Exe)
	c.strs(&o.Env)
	c.i64(&o.Flags)
	c.i64(&o.UID)
}

func (e *Event) code(c *codec) {
	c.i64(&e.Kind)
	c.i64(&e.ID)
	c.str(&e.Err)
	c.i64(&e.Status)
}

// Encode returns the packet.
func (o *Order) Encode() []byte { return encode(o) }

// Decode reads an Event packet; it keeps buf.
func (e *Event) Decode(buf []byte) error { return decode(buf, e) }

// MaxPacket bounds an Order.
const MaxPacket = 32 << 10

// StarterFd is the starter's end of a socket of packets.
const StarterFd = 3

// starter is the state of the starting process.
type starter struct {
	mu       sync.Mutex
	children map[int]int64 // process to ID
	kick     chan struct{} // there is a child to wait for
}

// starterMain serves until the supervisor closes its end. What it started dies
// with it: each first process has asked to be killed when this thread ends.
func starterMain() int {
	syscall.CloseOnExec(StarterFd)
	for { // descriptors up to 9 are targets in the children: keep them taken
		fd, err := syscall.Open("/dev/null", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return 1
		}
		if fd >= 10 {
			syscall.Close(fd)
			break
		}
	}
	preferred()
	s := &starter{children: map[int]int64{}, kick: make(chan struct{}, 1)}
	go s.reap()
	buf, oob := make([]byte, MaxPacket), make([]byte, syscall.CmsgSpace(6*4))
	for {
		n, m, _, _, err := syscall.Recvmsg(StarterFd, buf, oob, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return 0
		}
		var fds []int
		if msgs, err := syscall.ParseSocketControlMessage(oob[:m]); err == nil && len(msgs) == 1 {
			fds, _ = syscall.ParseUnixRights(&msgs[0])
		}
		var o Order
		if err := decode(buf[:n], &o); err != nil {
			return 1
		}
		switch o.Kind {
		case OrderStart:
			s.start(&o, fds)
		case OrderKill:
			s.kill(o.ID)
		}
		for _, fd := range fds {
			syscall.Close(fd)
		}
	}
}

// say sends one event; a supervisor that is gone does not hear it.
func say(e Event) {
	_, _ = retry(func() (int, error) { return 0, syscall.Sendmsg(StarterFd, encode(&e), nil, nil, syscall.MSG_NOSIGNAL) })
}

// start forks one first process.
func (s *starter) start(o *Order, fds []int) {
	if len(fds) != 6 {
		say(Event{Kind: EventBegun, ID: o.ID, Err: "descriptors are missing"})
		return
	}
	p := o.plan(fds)
	s.mu.Lock()
	pid, err := p.start(-1)
	if pid > 0 {
		s.children[pid] = o.ID
		if err != nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			s.children[pid] = -1 // reported as never begun
		}
	}
	s.mu.Unlock()
	select {
	case s.kick <- struct{}{}:
	default:
	}
	e := Event{Kind: EventBegun, ID: o.ID}
	if err != nil {
		e.Err = err.Error()
	}
	say(e)
}

// plan is the start of a first process: in new namespaces, with the rights over
// them that it needs, and the six descriptors in their places.
func (o *Order) plan(fds []int) *plan {
	p := &plan{flags: uintptr(o.Flags)}
	// This user, and no other, is the one inside.
	inside := itoa(int(o.UID)) + " "
	p.write("/proc/self/setgroups", "deny")
	p.write("/proc/self/uid_map", inside+itoa(os.Getuid())+" 1")
	p.write("/proc/self/gid_map", inside+itoa(os.Getgid())+" 1")
	p.add(must, "die with the supervisor", syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGKILL))
	p.add(must, "enter /", syscall.SYS_CHDIR, p.str("/"))
	p.keepRights()
	for i, fd := range fds {
		p.add(must, "pass on files", syscall.SYS_DUP3, uintptr(fd), uintptr(i), 0)
	}
	p.add(may, "close other files", sysCloseRange, fdReport+1, uintptr(^uint32(0)), closeRangeCloexec)
	none := new(uint64)
	p.keep = append(p.keep, none)
	p.add(must, "unblock signals", syscall.SYS_RT_SIGPROCMASK, sigSetmask, uintptr(unsafe.Pointer(none)), 0, 8)
	p.add(must, "run "+o.Exe, syscall.SYS_EXECVE, p.str(o.Exe), p.strs([]string{InitName}), p.strs(o.Env))
	return p
}

// Capabilities of a first process in its own user namespace: to mount, to set up
// the network, to drop capabilities, and to read what was made unreadable.
var Capabilities = []uintptr{1 /* DAC_OVERRIDE */, 3 /* FOWNER */, 5 /* KILL */, 8 /* SETPCAP */, 12, /* NET_ADMIN */
	19 /* SYS_PTRACE */, 21 /* SYS_ADMIN */}

// keepRights keeps the capabilities across the start of a program by a user who
// is not root inside.
func (p *plan) keepRights() {
	var mask uint32
	for _, c := range Capabilities {
		mask |= 1 << c
	}
	header := &[2]uint32{capabilityVersion3, 0}
	sets := &[6]uint32{mask, mask, mask}
	p.keep = append(p.keep, header, sets)
	p.add(must, "keep capabilities", syscall.SYS_CAPSET, uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(sets)))
	for _, c := range Capabilities {
		p.add(must, "keep a capability", syscall.SYS_PRCTL, prCapAmbient, prCapAmbientRaise, c)
	}
}

// kill ends one first process, and with it everything in its namespace.
func (s *starter) kill(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid, have := range s.children {
		if have == id {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// reap reports what ended.
func (s *starter) reap() {
	for {
		var ws syscall.WaitStatus
		pid, err := retry(func() (int, error) { return syscall.Wait4(-1, &ws, wAll, nil) })
		if err != nil {
			<-s.kick
			continue
		}
		s.mu.Lock()
		id := s.children[pid]
		delete(s.children, pid)
		s.mu.Unlock()
		if id > 0 {
			say(Event{Kind: EventEnded, ID: id, Status: int64(ws)})
		}
	}
}
