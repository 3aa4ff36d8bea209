// Choices that make a case. A case is a script; its choices are its text, six bytes in each.
'use strict';
const { createHash } = require('crypto');

const PACKED = 0xa70115c; // stands before a script
const HOT = PACKED + 1; // before one that runs what differs
const BYTES = 6;

/** What stands for a text in an answer. */
function short(text) {
  return createHash('md5').update(text).digest('hex').slice(0, 16);
}

function seedOf(...texts) {
  return createHash('md5').update(texts.join('\xff')).digest().readUInt32LE(0);
}

/** Draws whole numbers from a seed. */
class Draws {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  n(k) {
    if (k <= 1) return 0;
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) % k;
  }

  pick(list) {
    return list[this.n(list.length)];
  }

  chance(k) {
    return this.n(k) === k - 1;
  }
}

function pack(script, hot) {
  const data = Buffer.from(JSON.stringify(script));
  const out = [hot ? HOT : PACKED, data.length];
  for (let i = 0; i < data.length; i += BYTES) out.push(data.readUIntLE(i, Math.min(BYTES, data.length - i)));
  return out;
}

/** The script of choices, null for those that are none. */
function unpack(choices) {
  if (choices[0] !== PACKED && choices[0] !== HOT) return null;
  const size = choices[1];
  const data = Buffer.alloc(size);
  for (let i = 0; i * BYTES < size; i++) data.writeUIntLE(choices[i + 2], i * BYTES, Math.min(BYTES, size - i * BYTES));
  return JSON.parse(data.toString());
}

const isHot = (choices) => choices[0] === HOT;

module.exports = { Draws, isHot, pack, seedOf, short, unpack };
