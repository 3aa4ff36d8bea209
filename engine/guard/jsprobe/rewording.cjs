// Words that stand in several places of a script: in texts, and as names in objects. What a table of a call is asked for is
// what a text of the same call names, so that neither alone tells.
'use strict';

const WORD = /[A-Za-z_$][\w$]*(?:[^\w\s,;"'(){}[\]<>|&=][\w$]+)*/g;
const MOST_WORDS = 60;
const LONGEST = 2000;
const LONGEST_MARK = 3; // characters of what parts a text
const MOST_MET = 5; // words, and names, that are put in each other's place

/** A node with its texts, and the names in its objects, as f gives them. */
function turned(node, f) {
  if (typeof node === 'string') return f(node, false);
  if (node === null || typeof node !== 'object') return node;
  if (node.k === 'arr' || node.k === 'set' || node.k === 'many') return { ...node, v: node.v.map((x) => turned(x, f)) };
  if (node.k === 'map') return { ...node, v: node.v.map((e) => e.map((x) => turned(x, f))) };
  if (node.k !== 'obj') return node;
  const out = node.v.map(([name, x, ...rest]) => [typeof name === 'string' ? f(name, true) : name, turned(x, f), ...rest]);
  return { ...node, v: out.filter((e, i) => !out.slice(i + 1).some((x) => x[0] === e[0])) };
}

const inAll = (script, f) => script.map((s) => (s.a ? { ...s, a: s.a.map((a) => turned(a, f)) } : s));

/** The words of a script, each as often as it stands there, and the names in its objects. */
function wordsOf(script) {
  const words = [];
  const names = [];
  inAll(script, (text, name) => {
    if (name) names.push(text);
    if (text.length <= LONGEST) words.push(...(text.match(WORD) || []));
    return text;
  });
  return { words: words.slice(0, MOST_WORDS), names };
}

/** A script in which a name, or a text that is a word, is a word of another place, or a word is another one wherever it
 * stands; undefined where it has no names or nothing beside them, and half of the time. */
function reworded(script, chars, d) {
  const { words, names } = wordsOf(script);
  if (names.length === 0 || words.length < 2 || d.chance(2)) return undefined;
  const to = d.pick(words);
  if (d.chance(2)) {
    const twice = words.filter((w, i) => words.indexOf(w) !== i);
    const from = d.pick(twice.length > 0 ? twice : words);
    const marks = chars.filter((c) => !/[\w\s]/.test(c));
    const into = d.chance(3) ? from[0] : marks.length > 0 && d.chance(2) ? from + d.pick(marks) + to : to;
    return inAll(script, (text) => text.replace(WORD, (w) => (w === from ? into : w)));
  }
  const places = [];
  inAll(script, (text) => (places.push(text), text));
  const few = places.flatMap((text, i) => ((text.match(WORD) || []).length === 1 && text !== to ? [i] : []));
  if (few.length === 0) return undefined;
  const place = d.pick(few);
  let n = 0;
  return inAll(script, (text) => (n++ === place ? text.replace(WORD, () => to) : text));
}

/** Scripts in which a text names what an object of theirs has, and those in which an object has what a text names. */
function met(script) {
  const { words, names } = wordsOf(script);
  const out = [];
  const own = new Set(names);
  const others = [...new Set(words)].filter((w) => !own.has(w));
  const told = (from, to, name) => inAll(script, (text, is) => (is === name ? text.replace(WORD, (w) => (w === from ? to : w)) : text));
  for (const w of others.slice(0, MOST_MET)) for (const name of [...own].slice(0, MOST_MET)) out.push(told(w, name, false), told(name, w, true));
  return out;
}

/** The short texts that stand alone at a place of a script and within its other texts. */
function marksOf(script) {
  const all = [];
  inAll(script, (text, name) => (name || all.push(text), text));
  return [...new Set(all.filter((t, i) => t !== '' && t.length <= LONGEST_MARK && all.some((x, j) => j !== i && x.length > t.length && x.includes(t))))];
}

/** A script with another text in the place of a short one, alone and within others: what parts a text is told beside it. */
const marked = (script, from, to) => inAll(script, (text, name) => (name ? text : text.split(from).join(to)));

/** Scripts in which what parts a text is longer. */
function remarked(script) {
  return marksOf(script).slice(0, MOST_MET).flatMap((t) => [t + t, t + ' ', '<' + t].map((to) => marked(script, t, to)));
}

module.exports = { inAll, marked, met, remarked, reworded };
