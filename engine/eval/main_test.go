package eval_test

import (
	"os"
	"testing"

	"atoll/config/suitetest"
)

func TestMain(m *testing.M) {
	suitetest.SystemFirst("cargo")
	os.Exit(m.Run())
}
