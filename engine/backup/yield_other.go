//go:build !linux

package backup

// Yield does nothing on this system.
func Yield() {}
