package boot

import (
	"runtime"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
)

// networks are the network namespaces of the runs of one starter. To make one and to
// let the kernel clear it away takes more time than all mounts of a run, so a run gets
// one in which others ran before: never beside another run, and only if nobody can tell
// it from a new one. Their owner is the user namespace of the starter, in which no
// first process and no command has a capability; what changes a network namespace
// without one, and outlives the processes that did it, is what trace looks at.
type networks struct {
	idle []*network
	here *network // whose thread this is; nil before the first
	none bool     // the starter may make none: runs bring their own
	text []byte   // what the files of one said last
}

// network is a namespace with its loopback interface up.
type network struct {
	fd    int
	files []int  // that tell what happened in it, to be read anew from their start
	birth string // what they said when nothing had happened
}

// trace are the files of /proc/net that tell what a run did in its namespace: how many
// sockets there are, how often which protocol did what (a refused connection and a
// packet to itself are counted, a port in its time of waiting has been connected to),
// and the labels of flows, which outlive their sockets by seconds. The first must be
// there; what a kernel without IPv6 lacks of the others it cannot have changed either.
var trace = []string{"sockstat", "snmp", "netstat", "snmp6", "ip6_flowlabel"}

// uncounted are protocols that count elsewhere. The kernel may load them when a program
// asks for a socket, and then they are in every namespace.
var uncounted = []string{"sctp", "dccp", "smc"}

const threadNet = "/proc/thread-self/net/"

// enter takes the calling thread, which must be the only one that ever calls it, into a
// namespace as good as new that no run is in. It returns nil where there can be none.
func (n *networks) enter() *network {
	for len(n.idle) > 0 {
		last := len(n.idle) - 1
		w := n.idle[last]
		n.idle = n.idle[:last]
		if n.into(w) == nil && n.asNew(w) {
			return w
		}
		n.drop(w)
	}
	if n.none {
		return nil
	}
	w, err := n.make()
	if err != nil {
		n.none = true
		return nil
	}
	return w
}

// into takes the thread into a namespace.
func (n *networks) into(w *network) error {
	if n.here == w {
		return nil
	}
	if _, _, e := syscall.RawSyscall(kernel.SysSetns, uintptr(w.fd), syscall.CLONE_NEWNET, 0); e != 0 {
		return e
	}
	n.here = w
	return nil
}

// make makes a namespace, and leaves the thread in it.
func (n *networks) make() (*network, error) {
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		return nil, err
	}
	w := &network{fd: -1}
	n.here = w
	err := loopback()
	if err == nil {
		w.fd, err = syscall.Open("/proc/thread-self/ns/net", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	}
	for i, name := range trace {
		if err != nil {
			break
		}
		var fd int
		if fd, err = syscall.Open(threadNet+name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == nil {
			w.files = append(w.files, fd)
		} else if i > 0 && err == syscall.ENOENT {
			err = nil
		}
	}
	if err == nil {
		err = n.read(w)
	}
	if err != nil {
		n.drop(w)
		return nil, err
	}
	w.birth = string(n.text)
	return w, nil
}

// asNew reports that nothing has happened in a namespace that could be seen. The thread
// is in it, and no process of a run.
func (n *networks) asNew(w *network) bool {
	for _, name := range uncounted {
		var st syscall.Stat_t
		if syscall.Stat(threadNet+name, &st) != syscall.ENOENT {
			return false
		}
	}
	return n.read(w) == nil && string(n.text) == w.birth
}

// read reads the files of a namespace into text. Of the first only the line of this
// namespace counts: the others have figures of the whole machine.
func (n *networks) read(w *network) error {
	if n.text == nil {
		n.text = make([]byte, 32<<10)
	}
	n.text = n.text[:0]
	for i, fd := range w.files {
		room := n.text[len(n.text):cap(n.text)]
		got, err := kernel.Retry(func() (int, error) { return syscall.Pread(fd, room, 0) })
		if err != nil {
			return err
		}
		if got == len(room) {
			return syscall.E2BIG
		}
		if i == 0 {
			got = max(text.Index(string(room[:got]), '\n'), 0)
		}
		n.text = n.text[:len(n.text)+got]
	}
	return nil
}

// drop lets go of a namespace; the kernel clears it away when no thread is in it.
func (n *networks) drop(w *network) {
	for _, fd := range w.files {
		syscall.Close(fd)
	}
	if w.fd >= 0 {
		syscall.Close(w.fd)
	}
	w.files, w.fd = nil, -1
}

// outside returns a function that has a thread of its own run others, one at a time: in
// the network of the machine, which this thread is in and may leave for good.
func outside() func(func()) {
	work, done := make(chan func()), make(chan struct{})
	go func() {
		runtime.LockOSThread() // for good: its children die with it
		done <- struct{}{}
		for f := range work {
			f()
			done <- struct{}{}
		}
	}()
	<-done
	return func(f func()) {
		work <- f
		<-done
	}
}
