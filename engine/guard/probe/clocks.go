package probe

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// clocks are what a process has taken of time: a case on a busy machine may take as much of the processor as on a
// calm one, and a case that waits for something else than the processor ends soon on both.
type clocks struct {
	now    time.Time
	used   time.Duration // of the processor
	queued time.Duration // waiting for the processor, all threads together; as good as 0 where Linux does not tell
}

func readClocks() clocks {
	c := clocks{now: time.Now(), used: processorTime()}
	tasks, _ := filepath.Glob("/proc/self/task/*/schedstat") // the pattern is whole
	for _, name := range tasks {
		data, err := os.ReadFile(name)
		if fields := bytes.Fields(data); err == nil && len(fields) > 1 {
			ns, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			c.queued += time.Duration(ns)
		}
	}
	return c
}

// spent is how long something took, by each clock.
type spent struct{ took, used, queued time.Duration }

func (c clocks) since(first clocks) spent {
	return spent{c.now.Sub(first.now), c.used - first.used, c.queued - first.queued}
}

// slack is how many times its processor time a case may take by the clock whatever it waits for.
const slack = 4

// shortest is how long a case may take in any event.
const shortest = time.Second

// tooLong judges a case that may take so much of the processor, and a quarter of it doing nothing: then it
// waits for what does not come. Several threads may use the processor at once.
func (s spent) tooLong(limit time.Duration) bool {
	idle := s.took - s.used - s.queued
	return s.took > slack*max(limit, shortest) || s.took > limit && s.used > limit || idle > max(limit/4, shortest)
}
