// What values, calls and rows of them are like.
'use strict';
const { kindOf } = require('./near.cjs');

/** Rows by what their calls are like. */
function shapesOf(rows) {
  const out = new Map();
  for (const row of rows.slice(0, 1000)) for (const shape of new Set(row.slice(0, 12).map((s) => nameOf(s) + ' ' + likeness(s)))) out.set(shape, [...(out.get(shape) || []), row].slice(0, 100));
  return out;
}

/** The lists of texts within a value. */
function listsOfTexts(node) {
  if (node === null || typeof node !== 'object' || !Array.isArray(node.v)) return [];
  if (node.k === 'arr' && node.v.length > 0 && node.v.every((x) => typeof x === 'string')) return [node.v];
  return node.v.flatMap((x) => (Array.isArray(x) ? x.flatMap(listsOfTexts) : listsOfTexts(x)));
}

/** How often a value is taken to be another one: there are many texts, and few truths. */
function weight(node) {
  if (typeof node === 'string') return node.length > 3 ? 5 : 3;
  return node === null || typeof node === 'boolean' || node.k === 'undef' || node.k === 'fn' ? 1 : 2;
}

/** The values within one, itself among them, that are of a kind. */
function within(node, of) {
  const inner = node !== null && typeof node === 'object' && Array.isArray(node.v) ? node.v.flatMap((x) => (Array.isArray(x) ? x.flatMap((y) => within(y, of)) : within(x, of))) : [];
  return of(node) ? [node, ...inner] : inner;
}

/** What a value is like: its kind, and that of what is first in it. */
function like(node) {
  const kind = kindOf(node);
  if (kind === 'obj') return kind + node.v.map((e) => e[0]).join();
  return kind === 'arr' ? kind + like(node.v.length > 0 ? node.v[0] : null) : kind;
}

/** What a value is like, down to the values in it and without their names. */
function form(node) {
  if (node === null || typeof node !== 'object') return typeof node;
  if (!Array.isArray(node.v)) return node.k;
  return node.k + '(' + [...new Set(node.v.map((x) => form(node.k === 'obj' ? x[1] : x)))].sort() + ')';
}

function likeness(s) {
  return (s.a || []).map(like).join();
}

function nameOf(s) {
  return s.f.k === 'lib' ? s.f.g + (s.m ? '.' + s.m : '') : s.m || '()';
}

module.exports = { form, like, likeness, listsOfTexts, nameOf, shapesOf, weight, within };
