//go:build !linux

package suitetest

// InMemory runs the tests of a package: there is no folder in memory here that all
// programs know.
func InMemory(run func() int) int { return run() }
