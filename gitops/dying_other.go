//go:build !linux

package gitops

import "syscall"

// dying is a process group of its own. Only Linux ends it with its parent.
func dying() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
