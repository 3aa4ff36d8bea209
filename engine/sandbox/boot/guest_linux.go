package boot

import (
	"syscall"
	"time"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/watch"
	"atoll/engine/sandbox/boot/wire"
	"atoll/engine/sandbox/boot/world"
)

// fdGuest is the first process's end of a socket of packets, whose other end a prepared
// interpreter has.
const fdGuest = 6

// reside makes this process a prepared interpreter, in a world of its own. It returns
// only what failed: nobody supervises the interpreter from within.
func reside(w *world.World) error {
	p, err := world.Resident(w, fdOrders)
	if err != nil {
		return err
	}
	return p.Become()
}

// patience is how long a prepared interpreter may take to send a guest, in seconds.
const patience = 10

// admit has a prepared interpreter send the command in and sees it and everything it
// starts to the end. The interpreter is in a namespace above: it becomes no child of this
// process, so it tells itself how the guest ended.
func admit(w *world.World, k *watch.Keeper, job *wire.Job) error {
	syscall.CloseOnExec(fdGuest)
	if err := syscall.SetsockoptInt(fdGuest, syscall.SOL_SOCKET, syscall.SO_PASSCRED, 1); err != nil {
		return kernel.Step("ask for the guest", err)
	}
	_ = syscall.SetsockoptTimeval(fdGuest, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Sec: patience})
	g, fds, err := world.Guest(w)
	if err == nil {
		err = kernel.Step("ask for the guest", syscall.Sendmsg(fdGuest, wire.Encode(g), syscall.UnixRights(fds...), nil, syscall.MSG_NOSIGNAL))
	}
	for _, fd := range fds {
		if fd > 2 {
			syscall.Close(fd)
		}
	}
	if err != nil {
		return err
	}
	pid, err := greet()
	if err != nil {
		return err
	}
	if err := world.Bound(job, pid); err != nil {
		return err
	}
	began := time.Now()
	if err := syscall.Sendmsg(fdGuest, []byte{wire.GuestGo}, nil, nil, syscall.MSG_NOSIGNAL); err != nil {
		return kernel.Step("let the guest go on", err)
	}
	return watch.Host(k, fdGuest, began)
}

// greet waits until the guest is here and returns its number in this namespace, which the
// kernel tells.
func greet() (int, error) {
	buf, oob := make([]byte, wire.MaxGuest), make([]byte, syscall.CmsgSpace(syscall.SizeofUcred))
	for {
		n, m, _, _, err := syscall.Recvmsg(fdGuest, buf, oob, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err == nil && n == 0 {
			err = syscall.EPIPE
		}
		if err != nil {
			return 0, kernel.Step("wait for the guest", err)
		}
		if buf[0] != wire.GuestHere {
			return 0, &refusal{string(buf[:n])}
		}
		msgs, err := syscall.ParseSocketControlMessage(oob[:m])
		if err != nil || len(msgs) != 1 {
			return 0, kernel.Step("wait for the guest", syscall.EPROTO)
		}
		cred, err := syscall.ParseUnixCredentials(&msgs[0])
		if err != nil || cred.Pid <= 1 {
			return 0, kernel.Step("wait for the guest", syscall.EPROTO)
		}
		return int(cred.Pid), nil
	}
}

// refusal is what a prepared interpreter says that cannot send a guest.
type refusal struct{ why string }

func (r *refusal) Error() string { return "the prepared interpreter: " + r.why }
