// Which lines of some files run, by the coverage of the engine.
'use strict';
const fs = require('fs');
const { fileURLToPath, pathToFileURL } = require('url');
const tree = require('./tree.cjs');

const COVER_FILE = 'atoll_guard_cover.out';

class Lines {
  constructor(files) {
    this.files = files || [];
    this.names = new Map(this.files.flatMap((f) => [[tree.within(f), f], [pathToFileURL(tree.within(f)).href, f]]));
    this.hit = new Map();
  }

  start() {
    if (this.files.length === 0) return;
    this.session = new (require('inspector').Session)();
    this.session.connect();
    this.session.post('Profiler.enable');
    this.session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
  }

  stop() {
    if (!this.session) return;
    this.session.post('Profiler.takePreciseCoverage', (_, got) => got && this.add(got.result));
    this.say();
  }

  /** Takes what the engine tells of scripts: functions, each with ranges of which an inner one says more. */
  add(result) {
    for (const { url, functions } of result) {
      const file = this.names.get(url) || this.names.get(url.startsWith('file:') ? fileURLToPath(url.split('?')[0]) : url);
      if (!file) continue;
      const text = tree.read(tree.within(file));
      const ran = new Uint8Array(text.length);
      const ranges = functions.flatMap((f) => f.ranges).sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
      for (const r of ranges) ran.fill(r.count > 0 ? 1 : 0, r.startOffset, r.endOffset);
      const known = this.hit.get(file);
      if (known) known.forEach((v, i) => v && (ran[i] = 1));
      this.hit.set(file, ran);
    }
  }

  say() {
    let out = '';
    for (const file of this.files) {
      const ran = this.hit.get(file);
      const text = tree.read(tree.within(file));
      let at = 0;
      text.split('\n').forEach((line, n) => {
        const code = /[^\s{}()[\];,]/.exec(line);
        if (code && !/^\s*(\/\/|\/\*|\*|(export )?(default )?(async )?(function|class)\b|else\b)/.test(line)) out += `${file}:${n + 1}.0,${n + 1}.0 1 ${ran && ran[at + code.index] ? 1 : 0}\n`;
        at += line.length + 1;
      });
    }
    try {
      fs.writeFileSync(tree.within(COVER_FILE), out);
    } catch {} // the tree cannot be written
  }
}

module.exports = { Lines };
