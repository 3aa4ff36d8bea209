package guard_test

import "testing"

const jsShades = `'use strict';
function shade(text, options) {
  if (!(this instanceof shade)) return new shade(text, options);
  const m = /^#([0-9a-f]{2})([0-9a-f]{2})?$/i.exec(text) || [];
  this._level = parseInt(m[1] || '0', 16);
  this._clear = m[2] ? parseInt(m[2], 16) : 255;
  this._long = options ? options.long : Boolean(m[2]);
}
shade.prototype = {
  level() {
    return this._level;
  },
  clear() {
    return this._clear;
  },
  isLong() {
    return this._long;
  },
  copy() {
    return shade(this.text());
  },
  text() {
    const two = (n) => (n < 16 ? '0' : '') + n.toString(16);
    return '#' + two(this._level) + (this._long ? two(this._clear) : '');
  },
};
module.exports = shade;
`

const jsShadesTest = `const test = require('node:test');
const assert = require('node:assert');
const shade = require('..');
test('it reads', () => {
  assert.equal(shade('#80').level(), 128);
  assert.equal(shade('#8040').clear(), 64);
  assert.equal(shade('#8040').isLong(), true);
  assert.equal(shade('#8040').text(), '#8040');
});
test('it copies', () => {
  assert.equal(shade('#80').copy().level(), 128);
});
`

func TestWhatACopyGivesIsAskedInJavaScript(t *testing.T) {
	t.Parallel()
	eachIsFoundInJavaScript(t, map[string]string{"package.json": jsPackage, "index.js": jsShades, "test/shade.test.js": jsShadesTest}, "index.js", []jsEdited{
		{"a copy that loses what is not in a short text", "return shade(this.text());", "return shade('#' + this.text().slice(1, 3), { long: this._long });", "index.kit"},
		{"the same in other words", "return shade(this.text());", "return new shade(this.text());", ""},
	})
}
