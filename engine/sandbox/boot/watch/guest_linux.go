package watch

import (
	"syscall"
	"time"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/wire"
)

// guest is a leader that is no child of the keeper: a copy of a prepared interpreter,
// which reaps it and tells how it ended.
type guest struct {
	conn int // socket of packets to the interpreter; -1 = there is no guest, or nothing more to hear
	more int // counter: there may be children to wait for
	cpu  int64
	lost bool
}

// errLost reports a guest whose end nobody told.
type errLost struct{}

func (errLost) Error() string { return "the prepared interpreter ended before its guest" }

// Host has a guest watched, from whom conn tells, and reaps what it left until no child is
// there. It reports how the guest ended.
func Host(k *Keeper, conn int, began time.Time) error {
	more, _, e := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if e != 0 {
		return kernel.Step("make a counter", e)
	}
	k.mu.Lock()
	k.hosts = true
	k.mu.Unlock()
	k.guest.conn, k.guest.more = conn, int(more) // the watchdog begins with See
	k.See(0, began)
	if k.guest.lost {
		return errLost{}
	}
	return nil
}

// expects reports that there may be children later although there are none now.
func (c *children) expects() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hosts && !c.ended
}

// linger waits for a child to come: one that the watchdog starts rings, and of one that
// lost its parent nobody tells.
func (g *guest) linger() {
	list := [1]kernel.PollFd{{Fd: int32(g.more), Events: kernel.PollIn}}
	if kernel.Poll(list[:], tick) > 0 {
		kernel.Heed(g.more)
	}
}

// hear takes the news of the guest's end.
func (g *guest) hear(c *children) {
	var buf [256]byte
	n, err := kernel.Retry(func() (int, error) { return syscall.Read(g.conn, buf[:]) })
	status, peak := syscall.WaitStatus(syscall.SIGKILL), int64(0)
	words := text.Split(string(buf[:max(n, 0)]), ' ')
	if err == nil && len(words) == 5 && words[0] == string(rune(wire.GuestEnded)) {
		status, peak = syscall.WaitStatus(number(words[1])), number(words[4])<<10
		g.cpu = (number(words[2]) + number(words[3])) * int64(time.Microsecond)
	} else {
		g.lost = true
	}
	syscall.Close(g.conn)
	g.conn = -1
	c.mu.Lock()
	c.ended, c.status, c.peak = true, status, max(c.peak, peak)
	c.mu.Unlock()
	kernel.Ring(g.more)
}

// number reads a number without a sign, of at most 18 digits; what is none is 0.
func number(s string) (n int64) {
	if len(s) > 18 {
		return 0
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0
		}
		n = 10*n + int64(s[i]-'0')
	}
	return n
}
