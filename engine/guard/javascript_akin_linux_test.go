package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

func TestValuesThatAreAlmostEqualStandBesideEachOtherInJavaScript(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 400, []jsFunction{
		{
			"equal but for what is rounded away", "function sameShade(a, b) { const of = (s) => { const m = /^shade\\((\\d+),(0\\.\\d+)\\)$/.exec(s); return m ? m[1] + '/' + Number(m[2]).toFixed(2) : ''; }; return of(a) !== '' && of(a) === of(b); }",
			"sameShade('shade(12,0.5)', 'shade(12,0.75)'); sameShade('shade(7,0.25)', 'shade(31,0.5)');", "toFixed(2)", "toFixed(3)", "index.sameShade",
		},
		{
			"equal but for what is rounded away within others", "function sameWeight(a, b) { const of = (x) => Number.isFinite(x.grams) ? x.name + Math.round(x.grams * 100) / 100 : ''; return of(a) !== '' && of(a) === of(b); }",
			"sameWeight({ name: 'salt', grams: 0.25 }, { name: 'salt', grams: 0.25 }); sameWeight({ name: 'salt', grams: 1 }, { name: 'soda', grams: 2 });", "Math.round(x.grams * 100) / 100", "x.grams", "index.sameWeight",
		},
	})
}
