// Which lines of some files run, by the coverage of the engine.
'use strict';
const fs = require('fs');
const { fileURLToPath, pathToFileURL } = require('url');
const { SourceMap } = require('module');
const tree = require('./tree.cjs');
const { common } = require('./typed.cjs');

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
      const { text, turned } = ranAs(file);
      if (turned && functions[0].ranges[0].endOffset !== text.length) continue; // somebody else took its types away
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
      for (const [line, at] of places(file)) out += `${file}:${line + 1}.0,${line + 1}.0 1 ${ran && ran[at] ? 1 : 0}\n`;
    }
    try {
      fs.writeFileSync(tree.within(COVER_FILE), out);
    } catch {} // the tree cannot be written
  }
}

/** The text of a file as node runs it, and whether it is another than the source. */
function ranAs(file) {
  const source = tree.read(tree.within(file));
  let text = null;
  try {
    text = common(file, source);
  } catch {} // it is no code
  return text === null ? { source, text: source } : { source, text, turned: true };
}

/** The lines of a source that have code, each with a place in the text that node runs. */
function places(file) {
  const { source, text, turned } = ranAs(file);
  const first = turned ? mapped(text) : null;
  const out = [];
  let at = 0;
  source.split('\n').forEach((line, n) => {
    const code = /[^\s{}()[\];,]/.exec(line);
    const place = first ? first.get(n) : code && at + code.index;
    if (code && place !== undefined && !/^\s*(\/\/|\/\*|\*|(export )?(default )?(async )?(function|class|import|interface|type)\b|else\b)/.test(line)) out.push([n, place]);
    at += line.length + 1;
  });
  return out;
}

/** Where the first code of each line of a source lies in the text that was made of it, by the map at its end; as it is where it has none. */
function mapped(text) {
  const found = [...text.matchAll(/\/\/[#@] sourceMappingURL=data:application\/json[^,\n]*;base64,(\S+)/g)].pop();
  const map = found ? new SourceMap(JSON.parse(Buffer.from(found[1], 'base64'))) : null;
  const first = new Map(); // by line, the place and the column that it comes from
  let at = 0;
  text.split('\n').forEach((line, n) => {
    for (const m of line.matchAll(/[^\s{}()[\];,.]+/g)) {
      const e = map ? map.findEntry(n, m.index) : { originalLine: n, originalColumn: m.index };
      if (e.originalLine === undefined || (first.has(e.originalLine) && first.get(e.originalLine)[1] <= e.originalColumn)) continue;
      first.set(e.originalLine, [at + m.index, e.originalColumn]);
    }
    at += line.length + 1;
  });
  return new Map([...first].map(([line, [place]]) => [line, place]));
}

module.exports = { Lines };
