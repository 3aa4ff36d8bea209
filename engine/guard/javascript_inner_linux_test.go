package guard_test

import "testing"

// shades is a module whose functions stand in objects of what it gives by default.
const shades = `const shades = { of: {}, read: {} };

shades.of.number = function (level, alpha) {
  return 'l' + Math.round(level) + (alpha < 1 ? 'a' + Math.round(alpha * 255) : '');
};

shades.read.text = function (text) {
  const kind = text.slice(0, 4).toLowerCase();
  return kind === 'dark' ? 0 : kind === 'pale' ? 200 : Number(text);
};

export default shades;
`

func TestFunctionsWithinObjectsOfAJavaScriptDefaultAreAsked(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package.json": `{"type": "module", "exports": "./index.js", "scripts": {"test": "node test.js"}}`,
		"index.js":     shades,
		"test.js": `import assert from 'node:assert';
import shades from './index.js';

assert.strictEqual(shades.of.number(12, 1), 'l12');
assert.strictEqual(shades.of.number(250.2, 0), 'l250a0');
assert.strictEqual(shades.read.text('dark red'), 0);
assert.strictEqual(shades.read.text('pale sky'), 200);
assert.strictEqual(shades.read.text('30'), 30);
`,
	}
	eachIsFoundInJavaScript(t, files, "index.js", []jsEdited{
		{"what is transparent is rounded down", `Math.round(alpha * 255)`, `Math.floor(alpha * 255)`, "index.default.of.number"},
		{"letters are no more alike", `text.slice(0, 4).toLowerCase()`, `text.slice(0, 4)`, "index.default.read.text"},
		{"the number is written by a template", `'l' + Math.round(level) + (`, "`l${Math.round(level)}` + (", ""},
	})
}
