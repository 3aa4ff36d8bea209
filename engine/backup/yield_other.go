//go:build !linux

package backup

import "os/exec"

// Yield does nothing on this system.
func Yield() {}

// Grouped reports false on this system.
func Grouped() bool { return false }

// Apart does nothing on this system.
func Apart(*exec.Cmd) {}
