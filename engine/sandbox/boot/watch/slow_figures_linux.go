package watch

import (
	"sync/atomic"
	"syscall"
	"time"

	"atoll/engine/sandbox/boot/kernel"
)

// clerk finds figures out that the kernel may let it wait for: those of a process
// that is changing its memory, of a folder that is being filled. The watchdog must
// never wait for what it watches; it asks, and goes on until there is an answer.
// Its thread is there before the command and ends with the process.
type clerk struct {
	call  int // counter: it was asked
	state atomic.Int32
	find  func() int64
	value int64
	asked time.Time
	took  time.Duration
}

// What a clerk is at.
const (
	clerkIdle = iota
	clerkBusy
	clerkDone
)

// newClerk has a clerk wait to be asked for what find finds.
func newClerk(find func() int64) (*clerk, error) {
	fd, _, e := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC, 0)
	if e != 0 {
		return nil, kernel.Step("make a counter", e)
	}
	c := &clerk{call: int(fd), find: find}
	go c.serve()
	return c, nil
}

func (c *clerk) serve() {
	for {
		kernel.Heed(c.call)
		if c.state.Load() != clerkBusy {
			continue
		}
		began := time.Now()
		c.value = c.find()
		c.took = time.Since(began)
		c.state.Store(clerkDone)
	}
}

// idle reports that it can be asked.
func (c *clerk) idle() bool { return c.state.Load() == clerkIdle }

// ask has it find the figure out. It must be idle.
func (c *clerk) ask(now time.Time) {
	c.asked = now
	c.state.Store(clerkBusy)
	kernel.Ring(c.call)
}

// answer returns the figure that was asked for, once it is there.
func (c *clerk) answer() (int64, bool) {
	if c.state.Load() != clerkDone {
		return 0, false
	}
	v := c.value
	c.state.Store(clerkIdle)
	return v, true
}

// waited is how long an answer has been awaited, 0 when none is.
func (c *clerk) waited(now time.Time) time.Duration {
	if c.state.Load() != clerkBusy {
		return 0
	}
	return now.Sub(c.asked)
}
