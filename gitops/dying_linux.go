package gitops

import "syscall"

// dying is a process group of its own that gets SIGKILL when its parent ends.
func dying() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
