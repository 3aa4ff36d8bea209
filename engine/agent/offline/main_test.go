package offline_test

import (
	"os"
	"testing"

	"atoll/config/suitetest"
)

func TestMain(m *testing.M) {
	suitetest.SystemFirst()
	os.Exit(suitetest.InMemory(m.Run))
}
