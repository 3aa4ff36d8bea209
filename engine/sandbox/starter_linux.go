package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"

	"atoll/engine/sandbox/boot"
	"atoll/engine/sandbox/boot/wire"

	"golang.org/x/sys/unix"
)

// child is a first process under way. Done yields once, how it ended, when it and
// its namespaces are gone.
type child struct {
	id   int64 // of the order to the starter; 0 = it was started directly
	kill func()
	done <-chan string
}

// starter is the small process that forks the first processes of rung 1: a fork
// of this process would copy the page tables of a whole archive.
type starter struct {
	exe   string
	apart bool // it and what it starts have a process namespace of their own

	mu      sync.Mutex
	conn    *net.UnixConn // nil before the first use and after its end
	proc    *os.Process
	failed  bool // it ended by itself: start directly from then on
	last    int64
	begun   map[int64]chan error
	ended   map[int64]chan string
	reading sync.WaitGroup
}

// errStarter reports that the starter is not there.
var errStarter = errors.New("the sandbox starter ended")

// launch says what a first process is started with.
type launch struct {
	env   []string
	flags uintptr    // of clone: the namespaces
	files []*os.File // six, and with like the connection to a prepared interpreter
	group *group     // to live in; nil: none
	like  int64      // the order that started that interpreter; 0 = none
}

// launch has the starter make one first process.
func (s *starter) launch(l launch) (*child, error) {
	begun, done := make(chan error, 1), make(chan string, 1)
	s.mu.Lock()
	if err := s.open(); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	s.last++
	o := wire.Order{Kind: wire.OrderStart, ID: s.last, Exe: s.exe, Env: l.env, Flags: int64(l.flags), UID: insideID, Like: l.like, Guest: l.like != 0}
	var fds []int
	for _, f := range l.files {
		fds = append(fds, int(f.Fd()))
	}
	if l.group != nil {
		fds = append(fds, l.group.fd())
	}
	s.begun[o.ID], s.ended[o.ID] = begun, done
	_, _, err := s.conn.WriteMsgUnix(wire.Encode(&o), unix.UnixRights(fds...), nil)
	runtime.KeepAlive(l.files)
	s.mu.Unlock()
	if err == nil {
		err = <-begun
	}
	if err != nil {
		s.forget(o.ID)
		return nil, err
	}
	return &child{id: o.ID, kill: func() { s.kill(o.ID) }, done: done}, nil
}

// kill asks for the end of one first process.
func (s *starter) kill(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		_, _ = s.conn.Write(wire.Encode(&wire.Order{Kind: wire.OrderKill, ID: id}))
	}
}

func (s *starter) forget(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.begun, id)
	delete(s.ended, id)
}

// open starts the starter on first use. The caller holds the lock.
func (s *starter) open() error {
	if s.failed {
		return errStarter
	}
	if s.conn != nil {
		return nil
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a socket for the sandbox starter: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "starter"), os.NewFile(uintptr(fds[1]), "starter")
	defer func() { _ = ours.Close(); _ = theirs.Close() }()
	conn, err := net.FileConn(ours)
	if err != nil {
		return fmt.Errorf("make a socket for the sandbox starter: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = conn.Close()
		return fmt.Errorf("start the sandbox starter: %w", err)
	}
	defer func() { _ = null.Close() }()
	attr := &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=2", "GODEBUG=containermaxprocs=0,updatemaxprocs=0"},
		Files: []*os.File{null, null, null, theirs}, Sys: &syscall.SysProcAttr{Setsid: true},
	}
	if s.apart {
		attr.Sys.Cloneflags = unix.CLONE_NEWPID
	}
	s.proc, err = startLazy(s.exe, boot.StarterName, withNetworks(attr))
	if err != nil && !s.apart {
		s.proc, err = startLazy(s.exe, boot.StarterName, attr)
	}
	if err != nil {
		_ = conn.Close()
		return fmt.Errorf("start the sandbox starter: %w", err)
	}
	s.conn = conn.(*net.UnixConn)
	s.begun, s.ended = map[int64]chan error{}, map[int64]chan string{}
	s.reading.Go(func() { s.read(s.conn) })
	return nil
}

// withNetworks gives a starter the right to make network namespaces that runs use one
// after the other, and to take all rights from what it starts beside them: as an ordinary
// user it has that in a user namespace of its own, which it must be in before its first step.
func withNetworks(attr *os.ProcAttr) *os.ProcAttr {
	if os.Geteuid() == 0 {
		return attr
	}
	a, sys := *attr, *attr.Sys
	sys.Cloneflags |= unix.CLONE_NEWUSER
	sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	sys.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	a.Sys = &sys
	return &a
}

// read passes events on until the starter ends.
func (s *starter) read(conn *net.UnixConn) {
	buf := make([]byte, wire.MaxPacket)
	for {
		n, err := conn.Read(buf)
		var e wire.Event
		if err != nil || n == 0 || wire.Decode(buf[:n], &e) != nil {
			break
		}
		s.mu.Lock()
		switch e.Kind {
		case wire.EventBegun:
			var err error
			if e.Err != "" {
				err = errors.New(e.Err)
			}
			if c := s.begun[e.ID]; c != nil {
				c <- err
				delete(s.begun, e.ID)
			}
		case wire.EventEnded:
			if c := s.ended[e.ID]; c != nil {
				c <- describeStatus(syscall.WaitStatus(e.Status))
				delete(s.ended, e.ID)
			}
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
	for _, c := range s.begun {
		c <- errStarter
	}
	for _, c := range s.ended {
		c <- errStarter.Error()
	}
	s.begun, s.ended = map[int64]chan error{}, map[int64]chan string{}
	_ = conn.Close()
	s.conn = nil
	_, _ = s.proc.Wait()
}

func describeStatus(ws syscall.WaitStatus) string {
	if ws.Signaled() {
		return ws.Signal().String()
	}
	return fmt.Sprintf("exit status %d", ws.ExitStatus())
}

// close ends the starter and waits for it.
func (s *starter) close() {
	s.mu.Lock()
	if s.conn != nil {
		_ = s.conn.CloseWrite()
	}
	s.failed = true
	s.mu.Unlock()
	s.reading.Wait()
}
