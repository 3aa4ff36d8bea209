package gitops_test

import (
	"os"
	"testing"
)

// TestMain puts the repositories of the tests into memory where it can: they
// are many small files.
func TestMain(m *testing.M) {
	if os.Getenv("IMPORTING") != "" {
		importing()
		os.Exit(0)
	}
	if os.Getenv("TMPDIR") == "" {
		if dir, err := os.MkdirTemp("/dev/shm", "gitops-test-*"); err == nil {
			os.Setenv("TMPDIR", dir)
			code := m.Run()
			os.RemoveAll(dir)
			os.Exit(code)
		}
	}
	os.Exit(m.Run())
}
