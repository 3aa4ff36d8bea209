// The half of the guard that runs inside a JavaScript tree.
//
// It records the calls that the tests make, and gives the same calls, as they were and varied, to whichever tree it stands
// in. A case is a script of calls, and its choices are the text of that: the same choices make the same calls in every
// tree. The protocol is that of the Go probe: one JSON request, one JSON answer a line.
//
// Nothing but what node has.
'use strict';
const fs = require('fs');

function readJSON(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Has no file of the tree end this process, which loads scripts besides modules to see what they export. */
function outlive() {
  process.exit = () => {
    throw new Error('a file of the tree ends the process');
  };
  process.on('uncaughtException', () => {});
  process.on('unhandledRejection', () => {});
}

async function main() {
  const q = readJSON(process.env.ATOLL_GUARD_REQUEST);
  if (q.mode === 'record' || q.mode === 'affected') outlive();
  if (q.mode === 'record') return require('./recording.cjs').record(q);
  if (q.mode === 'count') return require('./recording.cjs').count(q);
  if (q.mode === 'affected') return fs.writeFileSync(process.env.ATOLL_GUARD_RESULT, JSON.stringify(await require('./affected.cjs').affected(q)));
  const out = fs.openSync(process.env.ATOLL_GUARD_RESULT, 'a');
  const kept = readJSON(process.env.ATOLL_GUARD_RECORDING);
  const watch = readJSON(process.env.ATOLL_GUARD_WATCH);
  require('./typed.cjs').know(watch.texts);
  const looking = q.mode === 'explore' || (q.mode === 'survey' && q.around);
  if (looking && watch.files) require('./marks.cjs').install(watch.files);
  const { Lines } = require('./lines.cjs');
  const lines = new Lines(looking ? [] : q.changed); // a text with marks has other places
  lines.start();
  const { Session } = require('./session.cjs');
  try {
    await new Session(q, kept, watch, out).answer();
  } finally {
    lines.stop();
  }
}

const end = process.reallyExit.bind(process);

main().then(
  () => end(0),
  (e) => {
    fs.writeSync(2, String((e && e.stack) || e) + '\n');
    end(1);
  },
);
