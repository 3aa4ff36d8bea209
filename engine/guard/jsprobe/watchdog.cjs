// Ends the process in a case that takes too long. It is a thread of its own, for code under test lets no other thing of its
// thread run.
'use strict';
const fs = require('fs');
const { Worker, isMainThread, workerData } = require('worker_threads');

const SLACK = 4; // times its processor time that something may take by the clock
const SHORTEST = 1; // seconds that a case may take in any event
const LOOK = 50; // milliseconds between two looks

class Watchdog {
  constructor(seconds, out) {
    this.cells = new Int32Array(new SharedArrayBuffer(8)); // the number of the case, 0 for none, and its position
    this.count = 0;
    const worker = new Worker(__filename, { workerData: { cells: this.cells, seconds, out }, execArgv: [], env: {} });
    worker.unref();
  }

  begin(position) {
    this.cells[1] = position;
    Atomics.store(this.cells, 0, (this.count = (this.count % 1e9) + 1));
  }

  end() {
    Atomics.store(this.cells, 0, 0);
  }
}

/** Seconds that the process used of the processor, and that it waited for it. */
function used() {
  const { user, system } = process.cpuUsage();
  let queued = 0;
  try {
    queued = Number(fs.readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ')[1]) / 1e9;
  } catch {}
  return [(user + system) / 1e6, queued];
}

/** Judges a case as the other probes do. */
function tooLong([at, cpu, queued], limit) {
  const took = (Date.now() - at) / 1000;
  if (took <= Math.min(limit, SHORTEST)) return false;
  const now = used();
  const worked = now[0] - cpu;
  return took > SLACK * limit || (took > limit && worked > limit) || took - worked - (now[1] - queued) > Math.max(limit / 4, SHORTEST);
}

function watch({ cells, seconds, out }) {
  let known = 0;
  let since = [0, 0, 0];
  setInterval(() => {
    const now = Atomics.load(cells, 0);
    if (now === 0) return;
    if (now !== known) {
      known = now;
      since = [Date.now(), ...used()];
    } else if (tooLong(since, seconds) && Atomics.load(cells, 0) === known) {
      fs.writeSync(out, JSON.stringify({ k: 'stuck', p: cells[1] }) + '\n');
      process.kill(process.pid, 'SIGKILL');
    }
  }, LOOK);
}

if (isMainThread) module.exports = { Watchdog };
else watch(workerData);
