package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

func TestAScriptThatEndsItsProcessIsInTheWayOfNoJavaScriptComparison(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	report := mustCheckJavaScript(t, guard.Options{Cases: 100}, map[string]string{
		"package.json": `{"name": "kit", "main": "kit.js", "scripts": {"test": "node test.js"}}`,
		"kit.js":       "exports.half = (n) => Math.floor(n / 2);\n",
		"build.js":     "setTimeout(() => process.exit(0), 1);\nPromise.resolve().then(() => process.exit(0));\n",
		"clean.js":     "process.exit(1);\n",
		"test.js":      "const { half } = require('./kit');\nif (half(5) !== 2) throw new Error();\n",
	}, "kit.js", "Math.floor(n / 2)", "Math.trunc(n / 2)")
	wantWhere(t, report, "kit.half")
}
