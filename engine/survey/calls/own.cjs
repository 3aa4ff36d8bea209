// Runs a command, and prints how much processor time its processes of node spend in the files of the tree, and
// elsewhere (with no name), in ms.
//
//     node own.cjs npm test
'use strict';
const fs = require('fs');
const path = require('path');

const MARK = 'ATOLL_OWN ';
const SECONDS = 120;
const EACH = 100; // ms: what a process that is killed had spent before is known

/** Profiles a process, and writes down now and then what each file took. */
function begin(tree, into) {
  const { Session } = require('inspector');
  const { fileURLToPath } = require('url');
  const { exit } = process; // tests may have another one
  const session = new Session();
  try {
    session.connect();
  } catch {
    return; // a thread of node's own has no profiler
  }
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 200 });
  session.post('Profiler.start');
  const to = path.join(into, process.pid + '-' + Math.random().toString(36).slice(2));
  const write = () => {
    session.post('Profiler.stop', (_, { profile }) => {
      const spent = {};
      const files = new Map(profile.nodes.map((n) => [n.id, n.callFrame.url]));
      profile.samples.forEach((id, i) => {
        const url = files.get(id).replace(/\?.*$/, '');
        const file = path.relative(tree, url.startsWith('file://') ? fileURLToPath(url) : url);
        const own = path.isAbsolute(url.replace('file://', '')) && !/^\.\.|(^|\/)node_modules\//.test(file) ? file : '';
        spent[own] = (spent[own] || 0) + profile.timeDeltas[i] / 1000;
      });
      fs.appendFileSync(to, JSON.stringify(spent) + '\n');
    });
  };
  setInterval(() => {
    write();
    session.post('Profiler.start');
  }, EACH).unref();
  process.on('exit', write);
  process.once('SIGTERM', () => exit.call(process));
}

function main() {
  const into = fs.mkdtempSync(path.join(process.env.TMPDIR || '/tmp', 'atoll-own-'));
  const env = { ...process.env, ATOLL_OWN_TREE: fs.realpathSync(process.cwd()), ATOLL_OWN_INTO: into, NODE_OPTIONS: `${process.env.NODE_OPTIONS || ''} --require ${JSON.stringify(__filename)}` };
  const [command, ...args] = process.argv.slice(2);
  require('child_process').spawnSync(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 1000 * SECONDS });
  const all = {};
  for (const name of fs.readdirSync(into)) {
    const lines = fs.readFileSync(path.join(into, name), 'utf8').split('\n').slice(0, -1); // what stands behind the last end of a line is no whole one
    for (const line of lines) for (const [file, ms] of Object.entries(JSON.parse(line))) all[file] = (all[file] || 0) + ms;
  }
  fs.writeSync(1, '\n' + MARK + JSON.stringify(all) + '\n');
}

if (require.main === module) main();
else if (process.env.ATOLL_OWN_INTO) begin(process.env.ATOLL_OWN_TREE, process.env.ATOLL_OWN_INTO);
