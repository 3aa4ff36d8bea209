package start

import "syscall"

// vfork makes the call nr, clone or clone3; here the child has a copy of the memory.
//
//go:norace
//go:nosplit
func vfork(nr, a, b uintptr) (pid, errno uintptr) {
	pid, _, e := syscall.RawSyscall6(nr, a, b, 0, 0, 0, 0)
	return pid, uintptr(e)
}

const vforkFlags = 0
