package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsFields = "function fields(line) {\n" + `  const out = [];
  for (let i = 0; i < line.length; i++) {
    while (i < line.length && line[i] !== '=') i++;
    i++;
    const start = i;
    if (line[i] !== '"') {
      while (i < line.length && line[i] > ' ') i++;
      if (start < line.length) out.push(line.slice(start, i));
      continue;
    }
    let text = '';
    for (i++; i < line.length && line[i] !== '"'; i++) {
      if (line[i] !== '\\') {
        text += line[i];
        continue;
      }
      i++;
      switch (line.charCodeAt(i)) {
        case 0x22: case 0x5c: case 0x2f: case 0x27: text += line[i]; break;
        case 0x6e: text += '\n'; break;
        default: throw new Error('bad text');
      }
    }
    out.push(text);
  }
  return out;
}`

const jsFieldsTest = `fields('a=1 b="two words" c="x\\ny"');
  fields('');
  fields('level=info');`

const jsKnown = `function known(line, limits) {
  const [name, count] = line.split(':');
  if (Number(count) === limits.soft * 3 + 1) return name + '!';
  return name;
}`

const jsKnownTest = `known('disk:20', { soft: 18, hard: 40 });
  known('cpu:3', { soft: 7 });`

func TestWhatComparisonsOfJavaScriptHeldIsPutIntoTheInputs(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 300, []jsFunction{
		{"an escaped quote is no longer known", jsFields, jsFieldsTest, "case 0x2f: case 0x27:", "case 0x2f:", "index.fields"},
		{"a number that is reckoned from another one", jsKnown, jsKnownTest, "return name + '!'", "return name + '?'", "index.known"},
		{"the same cases in another order", jsFields, jsFieldsTest, "case 0x22: case 0x5c: case 0x2f: case 0x27:", "case 0x27: case 0x2f: case 0x5c: case 0x22:", ""},
	})
}
