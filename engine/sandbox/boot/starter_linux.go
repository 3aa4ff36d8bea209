package boot

import (
	"os"
	"strconv"
	"sync"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/watch"
	"atoll/engine/sandbox/boot/wire"
)

// StarterFd is the starter's end of a socket of packets.
const StarterFd = 3

// starter is the state of the starting process.
type starter struct {
	host func(func()) // runs on a thread in the network of the machine

	mu       sync.Mutex
	children map[int]firstChild // by process
	networks networks
	kick     chan struct{} // there is a child to wait for
}

// firstChild is a first process that runs.
type firstChild struct {
	id  int64    // of its order
	net *network // that it is in; nil: one of its own, or the machine's
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
	watch.Preferred()
	s := &starter{host: outside(), children: map[int]firstChild{}, kick: make(chan struct{}, 1)}
	go s.reap()
	buf, oob := make([]byte, wire.MaxPacket), make([]byte, syscall.CmsgSpace(7*4))
	for {
		n, m, _, _, err := syscall.Recvmsg(StarterFd, buf, oob, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			s.end()
			return 0
		}
		var fds []int
		if msgs, err := syscall.ParseSocketControlMessage(oob[:m]); err == nil && len(msgs) == 1 {
			fds, _ = syscall.ParseUnixRights(&msgs[0])
		}
		var o wire.Order
		if err := wire.Decode(buf[:n], &o); err != nil {
			return 1
		}
		switch o.Kind {
		case wire.OrderStart:
			s.start(&o, fds)
		case wire.OrderKill:
			s.kill(o.ID)
		}
		for _, fd := range fds {
			syscall.Close(fd)
		}
	}
}

// say sends one event; a supervisor that is gone does not hear it.
func say(e wire.Event) {
	_, _ = kernel.Retry(func() (int, error) {
		return 0, syscall.Sendmsg(StarterFd, wire.Encode(&e), nil, nil, syscall.MSG_NOSIGNAL)
	})
}

// start forks one first process.
func (s *starter) start(o *wire.Order, fds []int) {
	if len(fds) < 6 {
		say(wire.Event{Kind: wire.EventBegun, ID: o.ID, Err: "descriptors are missing"})
		return
	}
	p := firstProcess(o, fds)
	s.mu.Lock()
	var err error
	if o.Like != 0 {
		if err = s.beside(o.Like); err == nil {
			p.Flags &^= syscall.CLONE_NEWNET
			err = s.begin(p, firstChild{id: o.ID})
		}
	} else if o.Flags&syscall.CLONE_NEWNET == 0 {
		s.host(func() { err = s.begin(p, firstChild{id: o.ID}) })
	} else {
		w := s.networks.enter()
		if w != nil {
			p.Flags &^= syscall.CLONE_NEWNET
		}
		err = s.begin(p, firstChild{id: o.ID, net: w})
	}
	s.mu.Unlock()
	select {
	case s.kick <- struct{}{}:
	default:
	}
	e := wire.Event{Kind: wire.EventBegun, ID: o.ID}
	if err != nil {
		e.Err = err.Error()
	}
	say(e)
}

// beside takes the calling thread into the network of a prepared interpreter, in which a
// run is to begin: it must be as good as new. The caller holds the lock.
func (s *starter) beside(id int64) error {
	for _, c := range s.children {
		if c.id != id || c.net == nil {
			continue
		}
		if err := s.networks.into(c.net); err != nil {
			return kernel.Step("enter the network", err)
		}
		if !s.networks.asNew(c.net) {
			return kernel.Step("share the network, in which something happened", syscall.EADDRINUSE)
		}
		return nil
	}
	return kernel.Step("find the network of the prepared interpreter", syscall.ESRCH)
}

// begin starts a first process from the calling thread. The caller holds the lock.
func (s *starter) begin(p *start.Plan, c firstChild) error {
	pid, err := p.Start(-1)
	if pid == 0 {
		s.leave(c)
		return err
	}
	if err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		c.id = -1 // reported as never begun
	}
	s.children[pid] = c
	return err
}

// leave gives back the network of a first process that is gone, and with it everything
// that it started. The caller holds the lock.
func (s *starter) leave(c firstChild) {
	if c.net != nil {
		s.networks.idle = append(s.networks.idle, c.net)
	}
}

// kill ends one first process, and with it everything in its namespace.
func (s *starter) kill(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid, have := range s.children {
		if have.id == id {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// end ends all that was started here and waits for it, so that what it used counts as used by
// this process: the kernel counts nothing of what dies with its namespace.
func (s *starter) end() {
	s.mu.Lock()
	if os.Getpid() == 1 { // what its parents left is here, too
		_ = syscall.Kill(-1, syscall.SIGKILL)
	}
	for pid := range s.children {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	s.mu.Unlock()
	for {
		if _, err := kernel.Retry(func() (int, error) { return syscall.Wait4(-1, nil, kernel.WAll, nil) }); err != nil {
			return
		}
	}
}

// reap reports what ended.
func (s *starter) reap() {
	for {
		var ws syscall.WaitStatus
		pid, err := kernel.Retry(func() (int, error) { return syscall.Wait4(-1, &ws, kernel.WAll, nil) })
		if err != nil {
			<-s.kick
			continue
		}
		s.mu.Lock()
		c := s.children[pid]
		delete(s.children, pid)
		s.leave(c)
		s.mu.Unlock()
		if c.id > 0 {
			say(wire.Event{Kind: wire.EventEnded, ID: c.id, Status: int64(ws)})
		}
	}
}

// firstProcess plans the start of a first process: in new namespaces, with the rights over
// them that it needs, and six descriptors in their places. A seventh is that of the
// control group that it is to live in.
func firstProcess(o *wire.Order, fds []int) *start.Plan {
	p := &start.Plan{Flags: uintptr(o.Flags)}
	own := o.Flags&syscall.CLONE_NEWUSER != 0
	if own { // this user, and no other, is the one inside
		inside := strconv.Itoa(int(o.UID)) + " "
		p.Write("/proc/self/setgroups", "deny")
		p.Write("/proc/self/uid_map", inside+strconv.Itoa(os.Getuid())+" 1")
		p.Write("/proc/self/gid_map", inside+strconv.Itoa(os.Getgid())+" 1")
	}
	p.Add(start.Must, "die with the supervisor", syscall.SYS_PRCTL, kernel.PrSetPdeathsig, uintptr(syscall.SIGKILL))
	p.Add(start.Must, "enter /", syscall.SYS_CHDIR, p.Str("/"))
	if own {
		p.KeepRights()
	}
	files := fds[:6]
	if o.Guest {
		files = fds
	} else if len(fds) > 6 {
		p.Into(fds[6])
	}
	for i, fd := range files {
		p.Add(start.Must, "pass on files", syscall.SYS_DUP3, uintptr(fd), uintptr(i), 0)
	}
	p.Add(start.May, "close other files", kernel.SysCloseRange, uintptr(len(files)), uintptr(^uint32(0)), kernel.CloseRangeCloexec)
	p.Unblock()
	p.Add(start.Must, "run "+o.Exe, syscall.SYS_EXECVE, p.Str(o.Exe), p.Strs([]string{InitName}), p.Strs(o.Env))
	return p
}
