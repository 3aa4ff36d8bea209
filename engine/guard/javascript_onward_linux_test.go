package guard_test

import (
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// What a comparison asks of one function without going on is less than 6,000 inputs.
func TestWhatReachesAChangeOfJavaScriptGetsMoreInputsWhereTimeIsLeft(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a JavaScript function with all inputs")
	files := map[string]string{
		"package.json":     jsPackage,
		"index.js":         "'use strict';\n" + jsFunctions["grade"] + "\nmodule.exports = { grade };\n",
		"test/kit.test.js": "const test = require('node:test');\nconst { grade } = require('..');\ntest('it', () => void grade(60));\n",
	}
	report := mustCheckJavaScript(t, guard.Options{Work: time.Minute}, files, "index.js", "points >= 90", "90 <= points")
	wantWhere(t, report)
	if report.Cases < 6000 || report.OutOfTime {
		t.Errorf("%d inputs, out of time: %t", report.Cases, report.OutOfTime)
	}
}
