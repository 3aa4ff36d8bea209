'use strict';
// Small builders of elements and drawings. Every text is set as text, never as
// markup, so that what a candidate wrote stays text.

function el(name, attrs, ...kids) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (v === undefined || v === null || v === false) continue;
    if (k === 'on') for (const [ev, fn] of Object.entries(v)) e.addEventListener(ev, fn);
    else e.setAttribute(k, v === true ? '' : v);
  }
  for (const kid of kids.flat(9)) if (kid !== null && kid !== undefined && kid !== false) e.append(kid);
  return e;
}

function svg(name, attrs, ...kids) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (k === 'on') for (const [ev, fn] of Object.entries(v)) e.addEventListener(ev, fn);
    else if (v !== undefined && v !== null) e.setAttribute(k, v);
  }
  for (const kid of kids.flat(9)) if (kid) e.append(kid);
  return e;
}

// The colours of viridis, dark to light, at even steps.
const viridis = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];

function colour(t) {
  const x = Math.min(1, Math.max(0, t)) * (viridis.length - 1), i = Math.min(viridis.length - 2, Math.floor(x)), f = x - i;
  return `rgb(${viridis[i].map((v, k) => Math.round(v + (viridis[i + 1][k] - v) * f)).join(',')})`;
}

function num(v, digits) {
  if (v === null || v === undefined || Number.isNaN(v)) return '–';
  return Number(v.toPrecision(digits || 6)).toString();
}

function ramp(low, high) {
  const strip = svg('svg', { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  for (let i = 0; i < 50; i++) strip.append(svg('rect', { x: i * 2, y: 0, width: 2.1, height: 8, fill: colour(i / 49) }));
  return el('div', { class: 'ramp' }, num(low, 4), strip, num(high, 4));
}

// heat draws the archive: the first axis upwards, the second to the right. Where
// there are more axes each square shows the best of those behind it.
function heat(grid, status, shown, open) {
  const dims = grid.dims.length > 1 ? grid.dims : [1, grid.dims[0] || 1];
  const [rows, cols] = dims, lift = grid.dims.length > 1 ? 0 : 1;
  const sign = status.direction === 'minimize' ? -1 : 1, at = new Map();
  const filled = grid.cells.filter(c => c.elite !== null);
  for (const c of grid.cells) {
    const [y, x] = lift ? [0, c.niche[0]] : c.niche, old = at.get(y * cols + x);
    const better = !old || (c.elite !== null && (old.elite === null || sign * c.objective > sign * old.objective));
    if (better) at.set(y * cols + x, c);
  }
  const values = filled.map(c => sign * c.objective).sort((a, b) => a - b);
  const rank = v => values.length < 2 ? 1 : values.findIndex(x => x >= v) / (values.length - 1);
  const S = 20, pic = svg('svg', { viewBox: `0 0 ${cols * S + 2} ${rows * S + 2}`, role: 'group', 'aria-label': `Map of ${grid.filled} filled niches of ${grid.total}`, class: 'map' });
  for (let y = 0; y < rows; y++) for (let x = 0; x < cols; x++) {
    const c = at.get(y * cols + x), px = 1 + x * S, py = 1 + (rows - 1 - y) * S;
    const box = { x: px + .7, y: py + .7, width: S - 1.4, height: S - 1.4, rx: 3 };
    if (!c || c.elite === null) {
      pic.append(svg('rect', { ...box, class: 'cell none' }));
    } else {
      const label = `niche ${c.niche.join(',')}: c${c.elite}, ${num(c.objective)}${c.frozen ? ', frozen' : ''}${c.boost !== 1 ? ', boosted x' + num(c.boost, 3) : ''}`;
      const go = () => open(c);
      const fresh = shown.size && shown.get(c.index) !== c.elite;
      pic.append(svg('rect', {
        ...box, fill: colour(rank(sign * c.objective)), tabindex: 0, role: 'button', 'aria-label': label,
        class: `cell${status.best && status.best.id === c.elite ? ' top' : ''}${fresh ? ' fresh' : ''}`,
        on: { click: go, keydown: e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); go(); } } },
      }, svg('title', {}, document.createTextNode(label))));
      if (c.frozen) pic.append(svg('rect', { ...box, x: px + 3, y: py + 3, width: S - 6, height: S - 6, class: 'ice' }));
      if (c.boost !== 1) pic.append(svg('circle', { cx: px + S / 2, cy: py + S / 2, r: 3.2, class: 'hot' }));
    }
    if (c && c.running) pic.append(svg('rect', { ...box, class: 'busy' }));
  }
  shown.clear();
  for (const c of filled) shown.set(c.index, c.elite);
  return [pic, filled.length ? ramp(sign * values[sign > 0 ? 0 : values.length - 1], sign * values[sign > 0 ? values.length - 1 : 0]) : null];
}

function path(xs, ys, X, Y) {
  let d = '', pen = false;
  ys.forEach((y, i) => { if (y === null) { pen = false; return; } d += `${pen ? 'L' : 'M'}${X(xs[i]).toFixed(1)} ${Y(y).toFixed(1)}`; pen = true; });
  return d;
}

// chart draws lines over measured candidates with axes; level is a dashed line.
function chart(xs, lines, level, label) {
  const W = 640, H = 230, L = 58, R = 10, T = 10, B = 26;
  const all = lines.flatMap(l => l.ys).filter(v => v !== null).concat(level ?? []);
  if (!xs.length || !all.length) return el('p', { class: 'dim' }, 'Nothing is measured yet.');
  let lo = Math.min(...all), hi = Math.max(...all);
  if (lo === hi) { lo -= Math.abs(lo) * .05 || 1; hi += Math.abs(hi) * .05 || 1; }
  const x0 = xs[0], x1 = Math.max(xs[xs.length - 1], x0 + 1);
  const X = v => L + (W - L - R) * (v - x0) / (x1 - x0), Y = v => T + (H - T - B) * (1 - (v - lo) / (hi - lo));
  const pic = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': label });
  for (let i = 0; i <= 4; i++) {
    const v = lo + (hi - lo) * i / 4;
    pic.append(svg('line', { x1: L, x2: W - R, y1: Y(v), y2: Y(v), class: 'axis' }), svg('text', { x: L - 6, y: Y(v) + 4, 'text-anchor': 'end' }, document.createTextNode(num(v, 4))));
  }
  for (let i = 0; i <= 4; i++) {
    const v = Math.round(x0 + (x1 - x0) * i / 4);
    pic.append(svg('text', { x: X(v), y: H - 8, 'text-anchor': i === 4 ? 'end' : i ? 'middle' : 'start' }, document.createTextNode(v)));
  }
  if (level !== undefined && level !== null) pic.append(svg('line', { x1: L, x2: W - R, y1: Y(level), y2: Y(level), class: 'root' }));
  for (const l of lines) pic.append(svg('path', { d: path(xs, l.ys, X, Y), class: l.kind }));
  return pic;
}

// tree draws a family as layers from the root downwards.
function tree(family, open) {
  const nodes = [...family.ancestors, ...family.descendants], by = new Map(nodes.map(n => [n.id, n])), depth = new Map(), layers = [];
  const deep = n => {
    if (depth.has(n.id)) return depth.get(n.id);
    depth.set(n.id, 0); // ends circles that cannot be
    const p = n.parents.find(r => r.role === 'parent' && by.has(r.id)) || (n.id > 0 && by.has(0) && n.parents.length === 0 ? { id: 0 } : null);
    const d = p ? deep(by.get(p.id)) + 1 : Math.max(0, family.ancestors.indexOf(n));
    depth.set(n.id, d);
    return d;
  };
  for (const n of nodes) (layers[deep(n)] ||= []).push(n);
  const wide = Math.max(...layers.filter(Boolean).map(l => l.length)), W = Math.max(640, wide * 34), gap = 46, H = layers.length * gap + 20, at = new Map();
  layers.forEach((l, y) => l && l.forEach((n, i) => at.set(n.id, [W * (i + 1) / (l.length + 1), 20 + y * gap])));
  const pic = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'group', 'aria-label': `Family of c${family.focus}, ${nodes.length} candidates` });
  pic.style.maxWidth = W * 1.1 + 'px';
  for (const n of nodes) for (const p of n.parents) {
    if (!at.has(p.id) || p.role === 'inspiration') continue;
    const [x1, y1] = at.get(p.id), [x2, y2] = at.get(n.id), m = (y1 + y2) / 2;
    pic.append(svg('path', { d: `M${x1} ${y1}C${x1} ${m} ${x2} ${m} ${x2} ${y2}`, class: 'edge', 'stroke-dasharray': p.role === 'crossover' ? '4 3' : null }));
  }
  for (const n of nodes) {
    const [x, y] = at.get(n.id), label = `c${n.id} ${n.operator} ${n.objective === null ? n.status : num(n.objective)}${n.intent ? ': ' + n.intent : ''}`, go = () => open(n.id);
    const fill = n.id === family.focus ? '#fde725' : n.status === 'elite' ? '#35b779' : n.delta > 0 ? '#31688e' : '#7d8d95';
    pic.append(svg('circle', { cx: x, cy: y, r: n.status === 'elite' || n.id === family.focus ? 8 : 5.5, fill, class: 'kin', tabindex: 0, role: 'button', 'aria-label': label, on: { click: go, keydown: e => { if (e.key === 'Enter') go(); } } }, svg('title', {}, document.createTextNode(label))));
    if (nodes.length < 60) pic.append(svg('text', { x: x + 10, y: y + 4 }, document.createTextNode('c' + n.id)));
  }
  return pic;
}
