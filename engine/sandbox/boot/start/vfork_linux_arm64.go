package start

import "syscall"

// vfork clones with the given flags; here the child has a copy of the memory.
//
//go:norace
//go:nosplit
func vfork(flags uintptr) (pid, errno uintptr) {
	pid, _, e := syscall.RawSyscall6(syscall.SYS_CLONE, flags, 0, 0, 0, 0, 0)
	return pid, uintptr(e)
}

const vforkFlags = 0
