// Texts in the form in which addresses and forms have them: %26 for &. What a code decodes before it looks at it reaches it
// in this form alone.
'use strict';
const { matching } = require('./matching.cjs');
const { anew } = require('./pieces.cjs');

const LONGEST = 2000;
const CODED = /%[0-9a-f]{2}/i;
const BETWEEN = /([&=;?/]+)/;

/** A text with what is no letter or digit in its encoded form. */
function encoded(text) {
  try {
    return encodeURIComponent(text);
  } catch {
    return text; // half of a pair
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
  }
}

const isCoded = (text) => CODED.test(text);

/** Whether a text may have encoded parts. */
const mayCode = (text) => text.length <= LONGEST && (isCoded(text) || text.includes('=') || text.includes('&'));

/** A text with another one encoded behind its last mark of a value, or as a value of its own. */
function held(s, text) {
  const at = s.lastIndexOf('=');
  return s.slice(0, at + 1) + (at < 0 ? s.slice(0, 1) + '=' : '') + encoded(text);
}

/** A text with one of its encoded parts drawn anew; undefined where it has none. */
function recoded(s, numbers, d) {
  const parts = s.split(BETWEEN);
  const few = parts.flatMap((part, i) => (isCoded(part) ? [i] : []));
  if (few.length === 0) return undefined;
  const i = d.pick(few);
  parts[i] = encoded(anew(decoded(parts[i]), [], numbers, d));
  return parts.join('');
}

/** A text drawn beside one: with what a pattern of the changed code matches in its encoded form, or with such a part drawn anew. */
function encodedAnew(s, { patterns, codes }, numbers, d) {
  const other = patterns.length === 0 || d.chance(3) ? recoded(s, numbers, d) : undefined;
  return other !== undefined || patterns.length === 0 ? other || s : held(s, matching(d.pick(patterns), d, codes));
}

module.exports = { encodedAnew, held, isCoded, mayCode };
