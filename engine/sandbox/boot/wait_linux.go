package boot

import (
	"syscall"
	"time"
	"unsafe"
)

// ring wakes whoever waits for a counter.
func ring(fd int) {
	one := uint64(1)
	_, _ = retry(func() (int, error) { return syscall.Write(fd, (*[8]byte)(unsafe.Pointer(&one))[:]) })
}

// heed waits for a counter to be rung, and resets it.
func heed(fd int) {
	var n [8]byte
	_, _ = retry(func() (int, error) { return syscall.Read(fd, n[:]) })
}

// pollFd is one descriptor to wait for; a negative one is passed over.
type pollFd struct {
	fd           int32
	events, back int16
}

const pollIn = 1

// poll waits until one of the descriptors has something, or the time is over. It
// returns how many have; a signal ends it early.
func poll(list []pollFd, d time.Duration) int {
	ts := syscall.NsecToTimespec(int64(d))
	n, _, e := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&list[0])), uintptr(len(list)),
		uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	if e != 0 {
		return 0
	}
	return int(n)
}

// alarm is a time at which something is due, once. The zero alarm is never due.
type alarm struct{ at time.Time }

func (a *alarm) due(now time.Time) bool {
	if a.at.IsZero() || now.Before(a.at) {
		return false
	}
	a.at = time.Time{}
	return true
}

// in returns how long it is until then.
func (a *alarm) in(now time.Time) time.Duration {
	if a.at.IsZero() {
		return time.Hour
	}
	return max(a.at.Sub(now), 0)
}
