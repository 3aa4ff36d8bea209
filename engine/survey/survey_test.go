package survey_test

import (
	"os"
	"testing"

	"atoll/config/suitetest"
	_ "atoll/engine/sandbox/boot"
	"atoll/engine/survey"
)

// TestMain lets this program be what runs inside the sandbox.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == survey.WatchVerb {
		os.Exit(survey.WatchOpens(os.Args[2:]))
	}
	suitetest.SystemFirst()
	os.Exit(suitetest.InMemory(m.Run))
}
