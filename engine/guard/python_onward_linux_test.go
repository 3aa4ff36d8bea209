package guard_test

import (
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

const grade = "def grade(points):\n    if points >= 90:\n        return \"a\"\n    return \"b\" if points >= 50 else \"c\"\n"

const gradeTest = "import unittest\nimport kit\n\n\nclass Test(unittest.TestCase):\n    def test(self):\n        self.assertEqual(kit.grade(60), \"b\")\n"

// What a comparison asks of one function without going on is less than 9,000 inputs.
func TestWhatReachesAChangeOfPythonGetsMoreInputsWhereTimeIsLeft(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python function with all inputs")
	report := mustCheckPython(t, guard.Options{Work: 60 * time.Second}, grade, gradeTest, "points >= 90", "90 <= points")
	wantWhere(t, report)
	if report.Cases < 9000 || report.OutOfTime {
		t.Errorf("%d inputs, out of time: %t", report.Cases, report.OutOfTime)
	}
}
