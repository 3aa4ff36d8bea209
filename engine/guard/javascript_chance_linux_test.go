package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

func TestWhatDrawsIdentifiersIsComparedInJavaScript(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"an empty number", "function tagged(list) { const { randomUUID } = require('crypto'); return list.map((x) => ({ id: randomUUID(), x: x * 2 })); }", "tagged([1, 2]);", "x * 2", "x * 2 || 1", "index.tagged"},
	})
}
