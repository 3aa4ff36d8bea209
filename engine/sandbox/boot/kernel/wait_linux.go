package kernel

import (
	"syscall"
	"time"
	"unsafe"
)

// Ring wakes whoever waits for a counter.
func Ring(fd int) {
	one := uint64(1)
	_, _ = Retry(func() (int, error) { return syscall.Write(fd, (*[8]byte)(unsafe.Pointer(&one))[:]) })
}

// Heed waits for a counter to be rung, and resets it.
func Heed(fd int) {
	var n [8]byte
	_, _ = Retry(func() (int, error) { return syscall.Read(fd, n[:]) })
}

// PollFd is one descriptor to wait for; a negative one is passed over.
type PollFd struct {
	Fd           int32
	Events, Back int16
}

const PollIn = 1

// Poll waits until one of the descriptors has something, or the time is over. It
// returns how many have; a signal ends it early.
func Poll(list []PollFd, d time.Duration) int {
	ts := syscall.NsecToTimespec(int64(d))
	n, _, e := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&list[0])), uintptr(len(list)),
		uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	if e != 0 {
		return 0
	}
	return int(n)
}

// Alarm is a time at which something is due, once. The zero alarm is never due.
type Alarm struct{ At time.Time }

func (a *Alarm) Due(now time.Time) bool {
	if a.At.IsZero() || now.Before(a.At) {
		return false
	}
	a.At = time.Time{}
	return true
}

// In returns how long it is until then.
func (a *Alarm) In(now time.Time) time.Duration {
	if a.At.IsZero() {
		return time.Hour
	}
	return max(a.At.Sub(now), 0)
}
