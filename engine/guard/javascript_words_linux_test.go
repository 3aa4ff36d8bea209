package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsFlags = `function flags(args, alias) {
  const out = {};
  for (const arg of args) {
    const name = arg.replace(/^--/, '');
    out[Object.hasOwn(alias, name) ? alias[name] : name] = true;
  }
  return out;
}`

const jsNames = `function names(record) {
  return Object.keys(record).map((name) => last(name.split('/')));
}
const last = (list) => list[list.length - 1];`

const jsFramed = `function framed(rows, options = {}) {
  let out = rows.map((row) => row.join(options.comma ? ',' : options.tab ? '\t' : ' '));
  if (options.reverse) out.reverse();
  if (options.upper) out = out.map((line) => line.toUpperCase());
  if (options.number) out = out.map((line, i) => i + 1 + ' ' + line);
  if (options.indent) out = out.map((line) => '  ' + line);
  if (options.quote) out = out.map((line) => '"' + line + '"');
  if (options.title) out.unshift('title');
  if (options.total) out.push(String(rows.length));
  return out;
}`

const jsSniffed = `const marks = [
  { bytes: [0x25, 0x50, 0x44], name: 'page' },
  { bytes: [0xff, 0xd8, 0xff], name: 'image' },
];
const sniffed = (data) => {
  for (const { bytes, name } of marks) if (bytes.every((x, i) => data[i] === x)) return name;
  return data.length > 0 ? 'other' : '';
};
module.exports = { sniffed };
`

const jsTeller = `class Told {
  constructor() {
    this.of = {};
  }

  on(name, f) {
    (this.of[name] = this.of[name] || []).push(f);
  }

  off(name) {
    if (name) delete this.of[name];
    else this.of = {};
  }

  count(name) {
    return (this.of[name] || []).length;
  }

  names() {
    return Object.keys(this.of).concat(Object.getOwnPropertySymbols(this.of));
  }
}

module.exports = Told;
`

// What a table of a call is asked for is what a text of the same call names.
func TestNamesThatJavaScriptTestsGiveApartMeet(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"what no test asks a table for", jsFlags, `flags(['--wide', '--deep'], { w: 'wide' });`, `Object.hasOwn(alias, name) ? alias[name] : name`, `name`, "index.flags"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a table is asked in another way", jsFlags, `flags(['--wide', '--deep'], { w: 'wide' });`, `out[Object.hasOwn(alias, name) ? alias[name] : name] = true;`, `if (Object.hasOwn(alias, name)) out[alias[name]] = true;
    else out[name] = true;`, ""},
	})
}

// A function that has no constant of its own is given what those that call it take apart.
func TestWhatCallsAChangeOfJavaScriptGivesItsCharacters(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"the last of the parts that its caller makes", jsNames, `names({ a: 1, bc: 2 });`, `list[list.length - 1]`, `list[0]`, "index.names"},
	})
}

func TestEachOptionOfAJavaScriptFunctionIsGiven(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"two of many options together", jsFramed, `framed([['a', 'b', 'c'], ['d', 'e', 'f'], ['g', 'h', 'i']]);
  framed([['x', 'y', 'z'], ['u', 'v', 'w'], ['r', 's', 't']], { comma: true });
  framed([['1', '2', '3'], ['4', '5', '6'], ['7', '8', '9']], { tab: true });`, `String(rows.length)`, `String(out.length)`, "index.framed"},
	})
}

// What the changed code asks a parameter for, and no test gives.
func TestWhatAChangeOfJavaScriptAsksForIsGiven(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": jsPackage, "index.js": jsTeller, "test/told.test.js": `const Told = require('..');
require('node:test')('it', () => {
  const t = new Told();
  t.on('a', () => {});
  t.on('b', () => {});
  t.off('a');
  return [t.count('a'), t.count('b'), t.names()];
});
`}
	eachIsFoundInJavaScript(t, files, "index.js", []jsEdited{
		{"nothing where a condition asks whether something is there", "    else this.of = {};\n", "", "index.kit"},
		{"a symbol where a list of symbols is asked for", ".concat(Object.getOwnPropertySymbols(this.of))", "", "index.kit"},
	})
}

// Bytes that stand in a row in the code are no numbers that one places in an input alone.
func TestListsOfNumbersOfJavaScriptAreGivenAsTheyAre(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": jsPackage, "index.js": jsSniffed, "test/sniffed.test.js": `const { sniffed } = require('..');
require('node:test')('it', () => sniffed(Uint8Array.of(0x25, 0x50, 0x44, 7)));
`}
	eachIsFoundInJavaScript(t, files, "index.js", []jsEdited{{"a byte of a mark", "0xff, 0xd8, 0xff", "0xff, 0xd8, 0xfe", "index.sniffed"}})
}
