package watch

import (
	"syscall"
	"time"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/wire"
)

// errand is one request of a launcher, from its arrival to its answer. Nothing of
// it waits: the watchdog is the one who serves it.
type errand struct {
	conn   int // -1 = not heard any more
	fds    []int
	size   int         // of the request, 0 before it is known
	body   []byte      // what there is of it
	plan   *start.Plan // nil before all of it is there
	pid    int         // of the nested init
	said   int         // where a failed start is reported, -1 = heard
	status int         // where the nested init tells how the program ended, -1 = told
	ended  syscall.WaitStatus
	err    error
	left   bool // the launcher has nothing more to say, or is gone
}

// maxErrands bounds the launchers that are served at once; more wait in line.
const maxErrands = 1024

// maxPending bounds what is kept of requests that are not complete.
const maxPending = 16 << 20

// listening is the launchers' socket while there is room for one more.
func (k *Keeper) listening() int32 {
	if len(k.errands) >= maxErrands {
		return -1
	}
	return int32(k.broker)
}

// hears is the connection while something of it matters.
func (r *errand) hears() int32 {
	if r.left {
		return -1
	}
	return int32(r.conn)
}

// accept takes one launcher in.
func (k *Keeper) accept() {
	conn, _, err := syscall.Accept4(k.broker, syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK)
	switch err {
	case nil:
		k.errands = append(k.errands, &errand{conn: conn, said: -1, status: -1})
	case syscall.EINTR, syscall.ECONNABORTED, syscall.EAGAIN:
	default:
		k.broker = -1
	}
}

// entries is how many descriptors of an errand are listened to.
const entries = 3

// listen appends what there may be to hear of the errands.
func (k *Keeper) listen(list []kernel.PollFd) []kernel.PollFd {
	for _, r := range k.errands {
		list = append(list, kernel.PollFd{Fd: r.hears(), Events: kernel.PollIn},
			kernel.PollFd{Fd: int32(r.said), Events: kernel.PollIn}, kernel.PollFd{Fd: int32(r.status), Events: kernel.PollIn})
	}
	return list
}

// serve goes on with each errand: it has the answers to what listen asked for.
func (k *Keeper) serve(list []kernel.PollFd) {
	kept := k.errands[:0]
	for i, r := range k.errands {
		if list[entries*i+1].Back != 0 {
			r.hear()
		}
		if list[entries*i+2].Back != 0 {
			k.look(r)
		}
		if list[entries*i].Back != 0 {
			k.attend(r)
		}
		if k.finished(r) {
			r.drop(k)
			r.close()
		} else {
			kept = append(kept, r)
		}
	}
	clear(k.errands[len(kept):])
	k.errands = kept
}

// hear takes the report of a failed start, or the news that there is none.
func (r *errand) hear() {
	if r.said >= 0 {
		r.err = r.plan.Hear(r.said)
		syscall.Close(r.said)
		r.said = -1
	}
}

// look takes the news that a program ended. What it started is there until the nested
// init goes, which waits for the end of this connection: more processes than are
// allowed may have begun since the last look.
func (k *Keeper) look(r *errand) {
	if _, over := k.check(time.Now()); over {
		k.signalAll(syscall.SIGKILL)
	}
	r.leave()
}

// leave hears how the program ended, once, and lets the nested init go.
func (r *errand) leave() {
	if r.status < 0 {
		return
	}
	ws, err := start.ReadStatus(r.status)
	if err != nil {
		ws = syscall.WaitStatus(syscall.SIGKILL)
	}
	syscall.Close(r.status)
	r.ended, r.status = ws, -1
}

// attend reads the request, and starts the program when all of it is there. After
// that the launcher sends nothing more: anything means that it is gone.
func (k *Keeper) attend(r *errand) {
	if r.plan != nil {
		r.left = true
		k.mu.Lock()
		if ended, known := k.inits[r.pid]; known && !ended {
			_ = syscall.Kill(r.pid, syscall.SIGKILL)
		}
		k.mu.Unlock()
		return
	}
	l, err := k.read(r)
	if err == nil && l == nil {
		return
	}
	if err == nil {
		err = k.launch(r, l)
	}
	if err != nil {
		r.err, r.left = err, true
	}
}

// read reads what there is of the request and the descriptors that come with it.
// It returns nil while that is not all.
func (k *Keeper) read(r *errand) (*wire.Launch, error) {
	if r.size == 0 {
		var head [8]byte
		oob := make([]byte, syscall.CmsgSpace(3*4))
		n, m, _, _, err := syscall.Recvmsg(r.conn, head[:], oob, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR || err == syscall.EAGAIN {
			return nil, nil
		}
		if err != nil || n != len(head) {
			return nil, kernel.Step("read the request", syscall.EPROTO)
		}
		msgs, err := syscall.ParseSocketControlMessage(oob[:m])
		if err == nil && len(msgs) == 1 {
			r.fds, err = syscall.ParseUnixRights(&msgs[0])
		}
		if err != nil || len(r.fds) != 3 {
			return nil, kernel.Step("read the request's descriptors", syscall.EPROTO)
		}
		size := *(*uint64)(unsafe.Pointer(&head))
		if size == 0 || size > wire.MaxLaunch {
			return nil, kernel.Step("read the request", syscall.E2BIG)
		}
		r.size = int(size)
	}
	var buf [8 << 10]byte
	for len(r.body) < r.size {
		n, err := kernel.Retry(func() (int, error) { return syscall.Read(r.conn, buf[:min(len(buf), r.size-len(r.body))]) })
		if err == syscall.EAGAIN {
			return nil, nil
		}
		if err != nil || n == 0 {
			return nil, kernel.Step("read the request", syscall.EPROTO)
		}
		if k.pending += n; k.pending > maxPending {
			return nil, kernel.Step("read the request: too much is asked at once", syscall.ENOBUFS)
		}
		r.body = append(r.body, buf[:n]...)
	}
	defer r.drop(k)
	l := new(wire.Launch)
	if err := wire.Decode(r.body, l); err != nil || len(l.Args) == 0 {
		return nil, kernel.Step("read the request", syscall.EPROTO)
	}
	return l, nil
}

// launch starts the program of one request.
func (k *Keeper) launch(r *errand, l *wire.Launch) error {
	if k.closing {
		return kernel.Step("start the program", syscall.ESHUTDOWN)
	}
	p := k.ground.Candidate(l, r.fds)
	status, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(status[1])
	k.mu.Lock()
	k.starts = true
	k.mu.Unlock()
	pid, said, err := p.Begin(status[1])
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.inits[pid] = has(k.unknown, pid)
	}
	k.starts, k.unknown = false, nil
	if err != nil {
		syscall.Close(status[0])
		return err
	}
	if k.inits[pid] {
		kernel.Ring(k.bell)
	}
	if k.hosts {
		kernel.Ring(k.guest.more)
	}
	r.plan, r.pid, r.said, r.status = p, pid, said, status[0]
	return nil
}

// finished reports that an errand has come to its end, and gives the answer.
func (k *Keeper) finished(r *errand) bool {
	a := wire.Answer{Status: 126}
	if r.plan == nil {
		if r.err == nil {
			return false
		}
	} else {
		k.mu.Lock()
		ended := k.inits[r.pid]
		if ended {
			delete(k.inits, r.pid)
		}
		k.mu.Unlock()
		if !ended {
			return false
		}
		r.hear()
		r.leave()
		a.Status = int64(start.ExitStatus(r.ended))
		if r.err != nil {
			a.Status = int64(start.ErrorStatus(r.err))
		}
	}
	if r.err != nil {
		a.Err = r.err.Error()
	}
	_ = kernel.WriteAll(r.conn, wire.Encode(&a))
	return true
}

// drop forgets the request.
func (r *errand) drop(k *Keeper) {
	k.pending -= len(r.body)
	r.body = nil
}

// close lets go of everything.
func (r *errand) close() {
	for _, fd := range append(r.fds, r.conn, r.said, r.status) {
		if fd >= 0 {
			syscall.Close(fd)
		}
	}
}

// has reports that the list holds pid.
func has(list []int, pid int) bool {
	for _, p := range list {
		if p == pid {
			return true
		}
	}
	return false
}
