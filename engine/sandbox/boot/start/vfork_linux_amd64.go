package start

// vfork makes the call nr, clone or clone3. It is for rawStart alone: with vforkFlags
// the child has the caller's memory and stack, and the caller sleeps until the
// child has executed a program or has ended.
//
//go:noescape
func vfork(nr, a, b uintptr) (pid, errno uintptr)

// vforkFlags: CLONE_VM and CLONE_VFORK.
const vforkFlags = 0x100 | 0x4000
