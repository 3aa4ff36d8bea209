// Times functions of the candidate by calls that the tests make of them (calls.json).
//
// The candidate's code runs in a process of its own with fewer rights (work.cjs). This one tells it
// what to call, reads from the kernel how much processor time that took, and compares the answers.
// Each call is made many times over: an answer that is kept for the next time would look like a gain.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawn } = require('child_process');

const SLICE = 0.004; // seconds of one function at a time
const ROUNDS = 24; // of all functions, in turns
const WARM = 0.15; // seconds of one function before it counts, for what compiles while it runs

class Failure extends Error {}

/** Tells the processor time of the process that calls itself pid in a namespace of its own; the
 * time on the wall where that cannot be seen. */
function processorClock(pid) {
  let [deepest, seen] = [[0, pid], []];
  try {
    seen = fs.readdirSync('/proc');
  } catch {} // without namespaces there is nothing to see, and pid is what it calls itself
  for (const name of seen.filter((n) => /^\d+$/.test(n))) {
    try {
      const ids = /^NSpid:\s*(.*)$/m.exec(fs.readFileSync(`/proc/${name}/status`, 'utf8'))[1].split(/\s+/);
      if (ids[ids.length - 1] === pid && ids.length > deepest[0]) deepest = [ids.length, ids[0]];
    } catch {}
  }
  const tasks = `/proc/${deepest[1]}/task`;
  const clock = () => {
    let all = 0;
    for (const t of fs.readdirSync(tasks)) all += Number(fs.readFileSync(`${tasks}/${t}/schedstat`, 'utf8').split(' ')[0]);
    return all / 1e9;
  };
  try {
    if (clock() > 0) return clock;
  } catch {}
  return () => performance.now() / 1e3;
}

/** The program that makes the calls, with those that it requires from beside itself: it cannot read this folder. */
function program() {
  const read = (name) => fs.readFileSync(path.join(__dirname, name), 'utf8');
  const parts = fs.readdirSync(__dirname).filter((n) => n.endsWith('.cjs') && n !== 'measure.cjs' && n !== 'work.cjs');
  const texts = parts.map((n) => `${JSON.stringify('./' + n)}: (module, exports, require) => {\n${read(n)}\n}`);
  return `const atollBeside = {${texts.join()}};
const atollLoaded = {};
function atollRequire(name) {
  if (!name.startsWith('./')) return require(name);
  if (!(name in atollBeside)) throw Object.assign(new Error('no ' + name), { code: 'MODULE_NOT_FOUND' });
  if (!(name in atollLoaded)) {
    const module = (atollLoaded[name] = { exports: {} });
    atollBeside[name](module, module.exports, atollRequire);
  }
  return atollLoaded[name].exports;
}
((require, module) => {\n${read('work.cjs')}\n})(Object.assign(atollRequire, require), { exports: {} });`;
}

class Worker {
  static async start(calls) {
    const w = new Worker();
    const command = [process.execPath, '-e', program(), '--', '--work'];
    if (process.env.ATOLL_RUN) command.unshift(process.env.ATOLL_RUN);
    w.process = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
    w.process.stdin.on('error', () => {}); // its end is seen by what it does not say
    w.lines = require('readline').createInterface({ input: w.process.stdout })[Symbol.asyncIterator]();
    w.clock = processorClock((await w.read()).trim());
    await w.ask(JSON.stringify(calls));
    return w;
  }

  async read() {
    const { value, done } = await this.lines.next();
    if (done) throw new Failure('the process that makes the calls ended by itself; what it said is in its stderr');
    return value;
  }

  ask(line) {
    this.process.stdin.write(line + '\n');
    return this.read();
  }

  async seconds(f, times) {
    const began = this.clock();
    await this.ask(`run ${f} ${times}`);
    return this.clock() - began;
  }

  close() {
    this.process.stdin.end();
  }
}

function compare(calls, answers) {
  calls.functions.forEach((f, i) => {
    f.calls.forEach((call, j) => {
      const now = answers[i][j];
      const named = `${f.name.replace(/:$/, ' (module.exports)')}, called with ${call.args.slice(0, 200)},`;
      if (now.failed) throw new Failure(`${named} failed: ${now.failed}`);
      const steps = call.then || [];
      if (now.steps.length < steps.length) throw new Failure(`${named} failed then: ${now.broken}`);
      if (call.answer === null || now.answer === call.answer) return;
      let [at, wanted, got] = ['', call.answer, String(now.answer)];
      if (steps.length > 0 && now.answer !== null) {
        // a line for each
        const lines = [wanted.split('\n'), got.split('\n')];
        const i = lines[0].findIndex((l, k) => l !== lines[1][k]);
        [at, wanted, got] = [` then ${steps[i].method}${steps[i].args.slice(0, 200)}`, lines[0][i], lines[1][i]];
      }
      throw new Failure(`${named}${at} gave ${got.slice(0, 200)} instead of ${wanted.slice(0, 200)}`);
    });
  });
}

/** What disturbs a short run only makes it longer. */
function lowestThird(values) {
  const low = [...values].sort((a, b) => a - b).slice(0, Math.max(1, Math.floor(values.length / 3)));
  return low.reduce((a, b) => a + b, 0) / low.length;
}

async function measure(worker, count) {
  const times = [];
  for (let i = 0; i < count; i++) {
    let n = 1;
    for (let warm = 0; ; ) {
      const took = await worker.seconds(i, n);
      warm += took;
      if (took < SLICE / 2 && n < 1 << 20) n = Math.max(n + 1, Math.min(10 * n, Math.floor((n * SLICE) / Math.max(took, 1e-7))));
      else if (warm >= WARM) break;
    }
    times.push({ n, taken: [] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < count; i++) times[i].taken.push((await worker.seconds(i, times[i].n)) / times[i].n);
  }
  return times.map((t) => 1e6 * lowestThird(t.taken));
}

// mean is the geometric mean of the times, each by the share that its function has of the tests' time.
function mean(functions, each) {
  const weights = functions.map((f) => f.share || 1);
  const sum = each.reduce((sum, t, i) => sum + weights[i] * Math.log(Math.max(t, 1e-6)), 0);
  return Math.exp(sum / weights.reduce((a, b) => a + b, 0));
}

async function main() {
  const calls = JSON.parse(fs.readFileSync(path.join(__dirname, 'calls.json'), 'utf8'));
  const result = {};
  const question = process.argv.slice(2);
  let worker;
  try {
    worker = await Worker.start(calls);
    if (question.length > 0) {
      // a question of atoll init
      console.log(await worker.ask(question.join(' ')));
      return;
    }
    compare(calls, JSON.parse(await worker.ask('answers')));
    const each = await measure(worker, calls.functions.length);
    result.metrics = [{ name: 'time_us', value: mean(calls.functions, each), unit: 'us', higher_is_better: false }];
    calls.functions.forEach((f, i) => {
      result.metrics.push({ name: f.name.replace(/:$/, ':module.exports').replace(':', ' ') + ' us', value: each[i], unit: 'us', higher_is_better: false });
    });
  } catch (e) {
    if (!(e instanceof Failure) || question.length > 0) throw e;
    result.failure = { class: 'test', reason: e.message };
  } finally {
    if (worker) worker.close();
  }
  fs.writeFileSync(process.env.ATOLL_RESULT, JSON.stringify(result));
}

module.exports = { mean };
if (require.main === module) main();
