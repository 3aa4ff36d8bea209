// What a script is before values in it are drawn: what rows have apart meets, the caller writes to what it handed in, numbers
// are texts, texts hold encoded what a pattern of the changed code matches, and parts of them are as long as its bounds.
'use strict';
const { Draws, seedOf } = require('./draws.cjs');
const { encodedAnew, held, isCoded, mayCode } = require('./encoded.cjs');
const { inTurn, spread } = require('./joining.cjs');
const { lent } = require('./lending.cjs');
const { matching } = require('./matching.cjs');
const { Meeting } = require('./meeting.cjs');
const { givenAll } = require('./options.cjs');
const { bounded, boundedAnew } = require('./parts.cjs');
const { at, places, put } = require('./scripts.cjs');
const { spelled } = require('./spelling.cjs');

const MOST_ROWS = 40;
const MOST_ENCODED = 8; // rows
const MOST_PATTERNS = 4;
const TIMES = 3; // texts that are drawn of one pattern

/** The places of the last call of a script whose text may have encoded parts. */
function coding(row) {
  return places(row).filter((p) => p.path.length === 1 && typeof at(row, p) === 'string' && mayCode(at(row, p)));
}

/** A row with the texts of patterns encoded in it, and the options given that lead to the change. */
function encoding(row, { patterns, codes, gates }) {
  const [place] = coding(row);
  if (!place) return [];
  const text = at(row, place);
  const d = new Draws(seedOf('encoded', text));
  const texts = Array.from({ length: TIMES }, () => patterns.slice(0, MOST_PATTERNS).map((p) => held(text, matching(p, d, codes)))).flat();
  return inTurn([...gates, []].map((list) => givenAll(row, list)).filter(Boolean).map((open) => texts.map((t) => put(open, place, t))));
}

/** Makes them for the rows of a group. */
class Openings {
  constructor(rows, edges) {
    Object.assign(this, { rows, edges });
    this.meeting = new Meeting(rows);
    const some = rows.slice(0, MOST_ROWS);
    this.lent = some.map(lent);
    this.spelled = some.map((row) => spelled(row, edges.turned));
    const encodes = rows.some((row) => coding(row).some((p) => edges.patterns.length > 0 || isCoded(at(row, p))));
    this.bounded = bounded(rows, edges);
    this.makers = [
      this.meeting.any && ((script, d) => this.meeting.drawn(d)),
      this.lent.some((list) => list.length > 0) && ((script, d) => d.pick(lent(script))),
      this.spelled.some((list) => list.length > 0) && ((script, d) => d.pick(spelled(script, edges.turned))),
      this.bounded.length > 0 && ((script, d) => boundedAnew(script, edges, d)),
      encodes && ((script, d, numbers) => this.encoded(script, numbers, d)),
    ].filter(Boolean);
  }

  encoded(script, numbers, d) {
    const place = d.pick(coding(script));
    if (!place) return undefined;
    const open = this.edges.gates.length > 0 && d.n(3) ? givenAll(script, d.pick(this.edges.gates)) || script : script;
    return put(open, place, encodedAnew(at(script, place), this.edges, numbers, d));
  }

  /** Lists of scripts, those that tell most of each first. */
  lists() {
    const coded = this.rows.filter((row) => coding(row).length > 0);
    return [this.meeting.scripts(), inTurn(this.lent), inTurn(this.spelled), this.bounded, inTurn(spread(coded, MOST_ENCODED).map((row) => encoding(row, this.edges)))];
  }

  /** A script drawn beside one; undefined where none fits. */
  drawn(script, numbers, d) {
    return this.makers.length > 0 ? d.pick(this.makers)(script, d, numbers) : undefined;
  }
}

module.exports = { Openings };
