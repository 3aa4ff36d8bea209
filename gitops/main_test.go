package gitops_test

import (
	"os"
	"testing"

	"atoll/config/suitetest"
)

// TestMain lets this binary be the program that is killed while it imports.
func TestMain(m *testing.M) {
	if os.Getenv("IMPORTING") != "" {
		importing()
		os.Exit(0)
	}
	os.Exit(suitetest.InMemory(m.Run))
}
