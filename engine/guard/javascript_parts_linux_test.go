package guard_test

import "testing"

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

// What tests give in parts: an item of a list that stands there twice with what belongs to another one.
func TestPartsOfWhatJavaScriptTestsGiveArePutTogetherAnew(t *testing.T) {
	t.Parallel()
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"an exact match ends the search", jsBest, `best('en, fr;q=0.8, *;q=0.1', 'en');
  best('fr, en;q=0.5', 'en');`, `out = spec;`, `out = spec;
    if (out.s === 1) break;`, "index.best"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"the search is a loop of another kind", jsBest, `best('en, fr;q=0.8, *;q=0.1', 'en');`, `if ((out.s - spec.s || out.q - spec.q) < 0) out = spec;`, `if (spec.s > out.s || (spec.s === out.s && spec.q > out.q)) out = spec;`, ""},
	})
}
