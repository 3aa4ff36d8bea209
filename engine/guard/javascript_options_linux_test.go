package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsSpan = `function span(from, to, options) {
  const opts = { ...options };
  const key = from + ':' + to + '=' + opts.wide + opts.mark;
  if (!known.has(key)) known.set(key, from + (opts.wide ? ' ' : '') + (opts.mark || '-') + to);
  return known.get(key);
}
const known = new Map();`

const jsAligned = `function aligned(record, opts) {
  const written = (name) => name.split(';').join('\\;');
  const sized = (width, name) => Math.max(width, written(name).length);
  const width = opts.align ? Object.keys(record).reduce(sized, 0) : 0;
  return Object.keys(record).map((name) => written(name).padEnd(width) + '=' + record[name]);
}`

const jsShown = `function shown(n, options = {}) {
  const { sign = '', digits } = Object.assign({}, standard, options);
  return sign + (digits ? n.toFixed(2) : n);
}
const standard = { sign: '' };`

const jsLabelled = `function labelled(word, options = {}) {
  let out = options.style === 'wide' ? [...word].join(' ') : word;
  if (options.ends) out = options.ends + out + options.ends;
  return out;
}`

const jsFilled = `function filled(template, view, parts, config = {}) {
  const write = config.write || plain;
  return template.replace(/\{(\w+)\}/g, (_, name) => {
    const v = view[name];
    if (v === undefined) return '';
    return typeof v === 'number' && write === plain ? String(v) : write(v);
  });
}
const plain = (v) => String(v).trim();`

// What no test gives: an option, the same call with another one before it, names that are as long as others.
func TestOptionsThatNoJavaScriptTestTurnsAreGiven(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a key without one option", jsSpan, `span(1, 5);
  span(2, 9, { mark: '..' });`, `+ opts.wide + opts.mark`, `+ opts.mark`, "index.span"},
		{"a width of names as they are given", jsAligned, `aligned({ a: 1, bcd: 2 }, { align: true });
  aligned({ a: 1 }, {});`, `  const sized = (width, name) => Math.max(width, written(name).length);`, `  const sized = (width, name) => Math.max(width, name.length);`, "index.aligned"},
		{"an option stays for the next call", jsShown, `shown(3);
  shown(2, { sign: '+' });`, `Object.assign({}, standard, options)`, `Object.assign(standard, options)`, "index.shown"},
		{"an option is forgotten where there is another", jsLabelled, `labelled('abc', { style: 'wide' });
  labelled('abc', { ends: '--' });`, `options.ends + out + options.ends`, `options.ends + word + options.ends`, "index.labelled"},
		{"a function that one test gives, beside numbers of others", jsFilled, `for (let i = 0; i < 40; i++) filled('{k' + i + '} of {w' + i + '}', { ['k' + i]: i, ['w' + i]: 'word ' + i });
  filled('no {mark} in a long line of words', { mark: 'word' }, { some: 'part' }, { write: (v) => v + '!' });`, `typeof v === 'number' && write === plain ?`, `typeof v === 'number' ?`, "index.filled"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a key in another order", jsSpan, `span(1, 5);`, `+ opts.wide + opts.mark`, `+ opts.mark + opts.wide`, ""},
		{"options in an object of their own", jsShown, `shown(3);`, `Object.assign({}, standard, options)`, `{ ...standard, ...options }`, ""},
	})
}
