package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsTagged = `function tagged(text, options = {}) {
  const out = { name: '', marks: [] };
  let at = text.indexOf('-');
  if (at < 0) at = text.length;
  out.name = text.slice(0, at);
  const marks = [];
  while (text[at] === '-') {
    const start = at + 1;
    for (at = start; at < text.length && text[at] !== '-'; at++) {
      if (at - start > 14) return options.partial ? out : null;
    }
    marks.push(text.slice(start, at));
  }
  out.marks = marks;
  return out;
}`

const jsTaggedTest = `tagged('de-u-phone');
  tagged('en');
  tagged('fr-x', { partial: true });`

const jsDotted = `function dotted(name) {
  let n = 0;
  for (const part of name.split('.')) {
    if (n > 0 && !/^[a-z]{2,12}$/.test(part)) return 'bad';
    if (n++ > 14) return 'deep';
  }
  return 'good';
}`

const jsDottedTest = `dotted('guard.engine.docs');
  dotted('a.b');
  dotted('plain');`

func TestPartsOfTextsAreAsLongAndAsManyAsTheChangedJavaScriptHasBounds(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"what was read before a part that is too long is given", jsTagged, jsTaggedTest, `    marks.push(text.slice(start, at));
  }
  out.marks = marks;`, `    out.marks.push(text.slice(start, at));
  }`, "index.tagged"},
		{"a part may be longer by one", jsDotted, jsDottedTest, `{2,12}`, `{2,13}`, "index.dotted"},
		{"there may be one part more", jsDotted, jsDottedTest, `n++ > 14`, `n++ > 15`, "index.dotted"},
		{"the marks are what was cut, and given where nothing was too long", jsTagged, jsTaggedTest, `  const marks = [];
  while (text[at] === '-') {
    const start = at + 1;
    for (at = start; at < text.length && text[at] !== '-'; at++) {
      if (at - start > 14) return options.partial ? out : null;
    }
    marks.push(text.slice(start, at));
  }
  out.marks = marks;
  return out;`, `  const marks = at < text.length ? text.slice(at + 1).split('-') : [];
  for (const mark of marks) if (mark.length > 15) return options.partial ? out : null;
  return { ...out, marks };`, ""},
		{"the bound of parts is counted from one", jsDotted, jsDottedTest, `n++ > 14`, `++n >= 16`, ""},
	})
}
