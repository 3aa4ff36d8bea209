package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsPointOf = `function pointOf(text) {
  const found = /^at\(([^()]*)\)$/.exec(text);
  return found ? found[1].split(/[\s,]+/).map((t) => +t || 0) : [];
}`

func TestNumbersInTextsAreWrittenInOtherWaysInJavaScript(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 100, []jsFunction{
		{"a number with a unit", jsPointOf, "pointOf('at(1, 20)');", "+t || 0", "parseFloat(t) || 0", "index.pointOf"},
		{"a number in hexadecimal digits", jsPointOf, "pointOf('at(1, 20)');", "+t || 0", "(/^[-+]?[\\d.]+(e[-+]?\\d+)?$/i.test(t) && Number(t)) || 0", "index.pointOf"},
	})
	eachFunctionOfJavaScript(t, 100, []jsFunction{
		{"the same by name", jsPointOf, "pointOf('at(1, 20)');", "+t || 0", "Number(t) || 0", ""},
	})
}
