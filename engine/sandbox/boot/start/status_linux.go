package start

import (
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
)

// ReadStatus reads the wait status that a small init wrote.
func ReadStatus(fd int) (syscall.WaitStatus, error) {
	var raw uint32
	b := (*[4]byte)(unsafe.Pointer(&raw))[:]
	n, err := kernel.Retry(func() (int, error) { return syscall.Read(fd, b) })
	if err == nil && n != 4 {
		err = syscall.ECHILD
	}
	return syscall.WaitStatus(raw), err
}

// ExitStatus is what a shell would say: 128 plus the signal.
func ExitStatus(ws syscall.WaitStatus) int {
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// ErrorStatus is what a shell would say of a program that could not be started.
func ErrorStatus(err error) int {
	if se, ok := err.(*Error); ok && se.Err == syscall.ENOENT {
		return 127
	}
	return 126
}
