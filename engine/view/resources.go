package view

import "time"

// Resources is what a running experiment takes of its machine: the process that
// runs it with all that it started, and its state directory.
type Resources struct {
	At     time.Time
	CPU    time.Duration // processor time since that process began
	Memory int64         // bytes in memory; pages that several processes share count in each
	Disk   int64         // bytes of the state directory
	Free   int64         // bytes that are free where it lies
}
