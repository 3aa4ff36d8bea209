package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsBest = `function best(accept, name) {
  let out = { q: 0, s: 0 };
  for (const part of accept.split(',')) {
    const [word, q] = part.trim().split(';q=');
    if (word !== name && word !== '*') continue;
    const spec = { q: q === undefined ? 1 : Number(q), s: word === name ? 1 : 0 };
    if ((out.s - spec.s || out.q - spec.q) < 0) out = spec;
  }
  return out.q;
}`

const jsMerged = `function merged(text) {
  const list = text.split(',').map((part, at) => [...part.split('-').map(Number), at]).sort((a, b) => a[0] - b[0]);
  const out = [];
  for (const [from, to, at] of list) {
    const last = out[out.length - 1];
    if (!last || from > last.to + 1) {
      out.push({ from, to, at });
    } else if (to > last.to) {
      last.to = to;
      last.at = Math.min(last.at, at);
    }
  }
  return out.sort((a, b) => a.at - b.at).map((x) => x.from + '-' + x.to).join();
}`

// What tests give in parts: an item of a list that stands there twice with what belongs to another one.
func TestPartsOfWhatJavaScriptTestsGiveArePutTogetherAnew(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 500, []jsFunction{
		{"an exact match ends the search", jsBest, `best('en, fr;q=0.8, *;q=0.1', 'en');
  best('fr, en;q=0.5', 'en');`, `out = spec;`, `out = spec;
    if (out.s === 1) break;`, "index.best"},
		{"what is joined no longer stands where the first of it stood", jsMerged, `merged('0-4,90-99,5-75,100-120');
  merged('30-40,1-2');`, `      last.at = Math.min(last.at, at);
`, ``, "index.merged"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"the search is a loop of another kind", jsBest, `best('en, fr;q=0.8, *;q=0.1', 'en');`, `if ((out.s - spec.s || out.q - spec.q) < 0) out = spec;`, `if (spec.s > out.s || (spec.s === out.s && spec.q > out.q)) out = spec;`, ""},
	})
}
