// Ends a call that takes too long, without an end of the process: what runs in a script of its own can be stopped from outside,
// whatever it catches.
'use strict';
const vm = require('vm');

const NAME = Symbol.for('atoll.within');
const runs = new vm.Script('globalThis[Symbol.for("atoll.within")]()');

/** A call took too long. */
class Lost extends Error {}

/** Makes a call that may take so many milliseconds by the clock, 0 for any. Behind the first wait of an async one nothing is counted. */
function within(limit, call) {
  if (!limit) return call();
  let out, failed, thrown;
  globalThis[NAME] = () => {
    try {
      out = call();
    } catch (e) {
      [failed, thrown] = [true, e];
    }
  };
  try {
    runs.runInThisContext({ timeout: limit });
  } catch (e) {
    throw e && e.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? new Lost() : e;
  } finally {
    delete globalThis[NAME];
  }
  if (failed) throw thrown;
  return out;
}

/** What a group loses with calls that take too long. */
class Losses {
  constructor(limit) {
    this.limit = limit;
    this.count = 0;
  }

  /** Takes one more, and tells whether that is too much. */
  more() {
    return ++this.count >= FEWEST && this.count * this.limit >= MOST;
  }
}

const FEWEST = 2;
const MOST = 12000; // milliseconds

module.exports = { Losses, Lost, within };
