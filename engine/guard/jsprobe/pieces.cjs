// Texts made of the pieces that texts have: what stands between two marks in another place, gone, once more or from another
// text, and numbers beside others. What a code reads of a text, such as a list of ranges or a header, hangs on what stands
// beside what, and no character that is put in or taken out tells.
'use strict';
const { matching } = require('./matching.cjs');

const MARKS = [', ', ',', '; ', ';', '&', '|', '\n', ' ', '/', '=', ':', '.', '-']; // what parts a text
const MOST_PIECES = 40;
const LONGEST = 2000;
const FEWEST_WORDS = 8; // of a long text
const FIRST = 6; // of texts: what only one version has comes first
const BESIDE = [' ', '', '\n']; // what stands between a text and the word that it is put before
const WORDS = /[\p{L}\p{N}_]+/gu;
const TOKENS = /[A-Za-z_$]+|\d+|\s+|[^\w\s]/gu;

/** A list in another order, all of it or two of its items exchanged. */
function shuffled(list, d) {
  const out = [...list];
  if (d.chance(3)) {
    const [i, j] = [d.n(out.length), d.n(out.length)];
    [out[i], out[j]] = [out[j], out[i]];
    return out;
  }
  for (let i = out.length - 1; i > 0; i--) {
    const j = d.n(i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

const spliced = (list, at, gone, ...put) => [...list.slice(0, at), ...put, ...list.slice(at + gone)];

/** A list with pieces of its own or of others elsewhere. */
function rearranged(list, others, d) {
  const at = d.n(list.length);
  const piece = () => d.pick(others.length > 0 && d.chance(2) ? others : list);
  switch (d.n(5)) {
    case 0:
      return shuffled(list, d);
    case 1:
      return list.length > 1 ? spliced(list, at, 1 + d.n(Math.min(3, list.length - 1))) : list;
    case 2:
      return spliced(list, at, 0, piece());
    case 3:
      return spliced(list, at, 1, piece());
  }
  const some = list.slice(at, at + 1 + d.n(4));
  return spliced(list, d.n(list.length + 1), 0, ...some);
}

/** A text with one of its numbers another one: beside it, another of the text, one of the changed code, or any. */
function renumbered(s, numbers, d) {
  const runs = [...s.matchAll(d.chance(2) ? /\d{1,9}(?:\.\d{1,9})?/g : /\d{1,9}/g)];
  if (runs.length === 0) return s;
  const run = d.pick(runs);
  const n = Number(run[0]);
  if (numbers.length > 0 && d.chance(3)) return s.slice(0, run.index) + d.pick(numbers) + s.slice(run.index + run[0].length);
  const other = [() => n + 1, () => Math.max(0, n - 1), () => d.pick(runs)[0], () => Number(d.pick(runs)[0]) + 1, () => d.n(12), () => d.n(200), () => n * 2][d.n(7)]();
  return s.slice(0, run.index) + other + s.slice(run.index + run[0].length);
}

/** A text drawn beside one, of its pieces, of those of others and of numbers. */
function anew(s, others, numbers, d) {
  if (s.length > LONGEST) return s;
  const k = d.n(8);
  if (k === 0) return renumbered(s, numbers, d);
  const other = others.length > 0 ? d.pick(others) : s;
  if (k < 5) {
    const between = d.pick(MARKS.filter((m) => s.includes(m)));
    if (between !== undefined) {
      const list = s.split(between).slice(0, MOST_PIECES);
      if (d.chance(4)) {
        const i = d.n(list.length);
        list[i] = list[i] === '' || d.chance(3) ? renumbered(list[i], numbers, d) : anew(list[i], others, numbers, d);
        return list.join(between);
      }
      return rearranged(list, other.includes(between) ? other.split(between).slice(0, MOST_PIECES) : [other].filter((t) => t.length < 40), d).join(between);
    }
  }
  const list = s.match(TOKENS) || [];
  return list.length === 0 ? other : rearranged(list, (other.match(TOKENS) || []).slice(0, MOST_PIECES), d).join('');
}

/** A text with one that a pattern matches in it, in the place of a piece, or that one alone. */
function fitted(s, pattern, codes, d) {
  const text = matching(pattern, d, codes);
  if (s.length > LONGEST || d.chance(4)) return text;
  const list = s.match(TOKENS) || [];
  return spliced(list, d.n(list.length + 1), d.n(2), text).join('');
}

/** A text with one of some in the place of a word, before or behind one, or in the place of what stands between two. */
function worded(s, texts, d) {
  const words = [...s.matchAll(WORDS)];
  const list = d.chance(2) ? texts.slice(0, FIRST) : texts;
  const t = d.pick(list);
  if (words.length === 0) return s + t;
  const at = d.n(words.length);
  const [start, end] = [words[at].index, words[at].index + words[at][0].length];
  const following = at + 1 < words.length ? words[at + 1].index : s.length;
  switch (d.n(4)) {
    case 0:
      return s.slice(0, start) + t + s.slice(end);
    case 1:
      return s.slice(0, start) + t + d.pick(BESIDE) + s.slice(start);
    case 2:
      return s.slice(0, end) + d.pick(BESIDE) + t + s.slice(end);
  }
  return s.slice(0, end) + t + s.slice(following);
}

/** Long texts with one of some in the place of a word in their middle, of one with a mark behind it, and before one. */
function amongWords(s, texts) {
  const words = [...s.matchAll(WORDS)];
  if (words.length < FEWEST_WORDS || s.length > LONGEST) return [];
  const half = words.slice(words.length >> 1);
  const marked = half.find((m) => /[^\s\p{L}\p{N}_]/u.test(s.charAt(m.index + m[0].length))) || half[0];
  const instead = (m, t) => s.slice(0, m.index) + t + s.slice(m.index + m[0].length);
  return texts.slice(0, FIRST).flatMap((t) => [instead(half[0], t), instead(marked, t), s.slice(0, half[0].index) + t + ' ' + s.slice(half[0].index)]);
}

module.exports = { amongWords, anew, fitted, worded };
