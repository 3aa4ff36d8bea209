package guard_test

import (
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// What a comparison asks of one function without going on is less than 20,000 inputs.
func TestWhatReachesAChangeOfGoGetsMoreInputsWhereTimeIsLeft(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Go function with all inputs")
	mustHave(t, "go")
	root := mustFiles(t, map[string]string{"go.mod": "module kit\n\ngo 1.22\n", "kit.go": "package kit\n\n// Grade is what points are worth.\nfunc Grade(points int) string {\n\tif points >= 90 {\n\t\treturn \"a\"\n\t}\n\treturn \"b\"\n}\n"})
	report := mustCheckEdited(t, guard.Options{Work: 60 * time.Second, NoTests: true}, root, "kit.go", "points >= 90", "90 <= points")
	wantWhere(t, report)
	if report.Cases < 20_000 || report.OutOfTime {
		t.Errorf("%d inputs, out of time: %t", report.Cases, report.OutOfTime)
	}
}
