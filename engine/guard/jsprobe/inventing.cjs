// Scripts for what no test calls: of the number of its parameters, with values that others were given.
'use strict';
const { FUNCTIONS } = require('./near.cjs');

const PLAIN = ['a b', 3, { k: 'arr', v: [3, 1, 2] }, { k: 'obj', v: [['a', 1], ['b', 'x']] }, FUNCTIONS[0], true, 'A-b', { k: 'arr', v: ['b', 'a'] }, -1, ''];
const ROWS = 8;

/** Rows for a function or a class that was seen to have some parameters and methods. pool has values of the tests. */
function invented(group, shape, pool) {
  const values = PLAIN.concat(pool || []);
  const args = (n, row, least) => Array.from({ length: Math.max(n, least) }, (_, i) => values[(row + i * (1 + (row % 3))) % values.length]);
  const rows = [];
  for (let row = 0; row < Math.max(ROWS, values.length); row++) {
    const own = { f: { k: 'lib', g: group }, a: args(shape.n, row, row % 2), ...(shape.cls ? { n: 1 } : {}) };
    const life = (shape.methods || []).map(([m, n], i) => ({ f: { k: 'ref', i: 0 }, m, a: args(n, row + i, 0) }));
    const read = (shape.getters || []).map((m) => ({ f: { k: 'ref', i: 0 }, m, g: 1 }));
    rows.push([own, ...life.slice(row % 4), ...read]);
  }
  return rows;
}

module.exports = { invented };
