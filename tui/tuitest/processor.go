package tuitest

import (
	"syscall"
	"testing"
	"time"
)

// ProcessorTime is what this process used of the processor: a measure that holds
// while others use the machine too.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
