// Texts that regular expressions match, drawn: what a pattern of the changed code takes is seldom a text that a test gave.
'use strict';

const MOST_REPEATS = 3;
const LONGEST = 200;
const NAMED = { d: '0189', w: 'aZ0_', s: ' \t', D: 'a-', W: '-. ', S: 'a-0', n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', 0: '\0' };
const ANY = 'aZ0 -_.:/=é';

/** Draws a text of one pattern. */
class Matching {
  constructor(pattern, d) {
    Object.assign(this, { pattern, d, at: 0, groups: [] });
  }

  get next() {
    return this.pattern[this.at];
  }

  /** One of the branches up to the end of a group. */
  either() {
    const out = [this.row()];
    while (this.next === '|') {
      this.at++;
      out.push(this.row());
    }
    return this.d.pick(out);
  }

  row() {
    let out = '';
    while (this.at < this.pattern.length && this.next !== '|' && this.next !== ')') {
      const from = this.at;
      const once = this.atom();
      const end = this.at;
      const [least, most] = this.times();
      const behind = this.at;
      for (let n = least + this.d.n(Math.min(most, least + MOST_REPEATS) - least + 1); n > 0 && out.length < LONGEST; n--) {
        this.at = from; // drawn anew each time
        out += n === 1 ? once : this.atom();
      }
      this.at = Math.max(end, behind);
    }
    return out;
  }

  atom() {
    const c = this.pattern[this.at++];
    if (c === '(') return this.group();
    if (c === '[') return this.set();
    if (c === '\\') return this.escape();
    if (c === '.') return this.d.pick([...ANY]);
    return c === '^' || c === '$' ? '' : c;
  }

  group() {
    const kind = /^\?(?:<?[=!]|:|<\w+>)/.exec(this.pattern.slice(this.at));
    if (kind) this.at += kind[0].length;
    const looks = kind && /[=!]$/.test(kind[0]);
    const n = kind && !kind[0].endsWith('>') ? -1 : this.groups.push('') - 1;
    const out = this.either();
    this.at++;
    if (n >= 0) this.groups[n] = out;
    return looks ? '' : out;
  }

  /** A character that a class names, or for one that excludes any that it does not. */
  set() {
    const not = this.next === '^';
    if (not) this.at++;
    const all = [];
    while (this.at < this.pattern.length && this.next !== ']') {
      const low = this.member();
      if (this.next === '-' && this.pattern[this.at + 1] !== ']' && low.length === 1) {
        this.at++;
        const [a, b] = [low.charCodeAt(0), this.member().charCodeAt(0)];
        all.push(low, String.fromCharCode(b), String.fromCharCode(a + this.d.n(Math.max(1, b - a + 1))));
      } else all.push(...low);
    }
    this.at++;
    const others = [...ANY].filter((c) => !all.includes(c));
    return this.d.pick(not ? (others.length > 0 ? others : ['~']) : all.length > 0 ? all : ['']);
  }

  member() {
    const c = this.pattern[this.at++];
    return c === '\\' ? this.escape(true) : c;
  }

  escape(inner) {
    const c = this.pattern[this.at++] || '';
    const code = /^(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/i.exec(c + this.pattern.slice(this.at, this.at + 9));
    if (code) {
      this.at += code[0].length - 1;
      return String.fromCodePoint(Math.min(parseInt(code[1] || code[2] || code[3], 16), 0x10ffff));
    }
    if (!inner && /[1-9]/.test(c)) return this.groups[Number(c) - 1] || '';
    if (/[pP]/.test(c) && this.next === '{') {
      this.at = this.pattern.indexOf('}', this.at) + 1 || this.pattern.length;
      return 'é';
    }
    if (c === 'b' || c === 'B') return '';
    return c in NAMED ? (inner ? NAMED[c] : this.d.pick([...NAMED[c]])) : c;
  }

  /** How often at least and at most what stands before is there. */
  times() {
    const of = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.pattern.slice(this.at));
    if (!of) return [1, 1];
    this.at += of[0].length;
    if (of[1]) return { '*': [0, 3], '+': [1, 3], '?': [0, 1] }[of[1]];
    const least = Math.min(Number(of[2]), LONGEST);
    return [least, of[3] ? (of[4] ? Math.max(least, Number(of[4])) : least + MOST_REPEATS) : least];
  }
}

/** A text that a pattern matches as far as this reads patterns. codes are numbers of which its digits are one at times. */
function matching(pattern, d, codes = []) {
  const text = new Matching(pattern, d).either();
  if (codes.length === 0 || !/\d/.test(text) || d.chance(3)) return text;
  const code = d.pick(codes);
  const other = text.replace(/([xu])[0-9a-f]+|\d+/i, (_, hex) => (hex ? hex + code.toString(16) : String(code)));
  return matches(pattern, other) ? other : text;
}

function matches(pattern, text) {
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return false; // it needs a flag
  }
}

module.exports = { matching };
