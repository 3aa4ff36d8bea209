// Runs files of tests whose framework something stands in for.
'use strict';
const path = require('path');
const loader = require('./loader.cjs');
const tree = require('./tree.cjs');

const STANDS = /^(vitest|@jest\/globals|bun:test|ava|mocha|vite-plus\/test)$/;

/** Names the module of the tests' framework so that each of them has its own. */
function stand(request) {
  return STANDS.test(request) ? 'atoll:' + request : '';
}

async function main(files) {
  const Module = require('module');
  const standin = require('./standin.cjs');
  const load = Module._load;
  Module._load = function (request, ...rest) {
    return STANDS.test(request) ? standin.moduleOf(request) : load.call(this, request, ...rest);
  };
  for (const [name, value] of Object.entries(standin.globals)) globalThis[name] = value;
  standin.dialect.done = tree.framework() !== 'vitest';
  process.on('uncaughtException', () => {});
  process.on('unhandledRejection', () => {});
  loader.install(stand);
  const exit = process.exit;
  process.exit = () => {
    throw new Error('a test ends the process');
  };
  for (const file of files) {
    try {
      require(tree.within(file));
    } catch (e) {
      process.stderr.write(file + ': ' + ((e && e.message) || e) + '\n');
    }
    await standin.runAll();
  }
  exit.call(process, 0);
}

main(process.argv.slice(2).map((f) => path.normalize(f)));
