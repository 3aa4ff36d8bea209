'use strict';
// The page: one view at a time, asked again when events say that the state moved.

const $ = id => document.getElementById(id), main = $('main'), may = ['decide', 'admin'].includes(document.documentElement.dataset.role), admin = document.documentElement.dataset.role === 'admin';
const shown = new Map(); // niche to elite, as the map showed it last
let status = null, stale = false, busy = false, seen = '';

async function ask(path) {
  const r = await fetch('/api/v1' + path, { headers: { Accept: 'application/json' } });
  const body = await r.json().catch(() => ({}));
  if (!r.ok) throw new Error(body.detail || (await r.text().catch(() => '')) || r.statusText);
  return body;
}

let toasting = 0;
function toast(text) {
  $('toast').textContent = text;
  $('toast').hidden = false;
  clearTimeout(toasting);
  toasting = setTimeout(() => { $('toast').hidden = true; }, 5000);
}

async function order(command) {
  try {
    const r = await fetch('/api/v1/commands', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(command) });
    const body = await r.json().catch(() => ({}));
    toast(r.ok ? body.said || 'done' : body.detail || r.statusText);
    setTimeout(refresh, 200);
    return r.ok;
  } catch (e) { toast('the server does not answer: ' + e.message); return false; }
}

const act = (text, command, kind) => may && el('button', { type: 'button', class: kind, on: { click: () => order(command()) } }, text);
const link = id => el('a', { href: '#c' + id }, 'c' + id);
const job = id => el('a', { href: '#j' + id }, '#' + id);
const clock = ms => new Date(ms).toLocaleTimeString([], { hour12: false });
const box = (title, ...kids) => el('section', {}, el('h2', {}, title), ...kids);
const none = text => el('p', { class: 'dim' }, text);

function table(caption, heads, rows) {
  if (!rows.length) return none('Nothing yet.');
  const numeric = h => h.startsWith('>');
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption }, el('table', {},
    el('thead', {}, el('tr', {}, heads.map(h => el('th', { scope: 'col', class: [numeric(h) && 'n', h.includes('?') && 'hide'].filter(Boolean).join(' ') || null }, h.replace(/[>?]/g, ''))))),
    el('tbody', {}, rows.map(r => el('tr', {}, r.map((c, i) => el('td', { class: [numeric(heads[i]) && 'n', heads[i].includes('?') && 'hide'].filter(Boolean).join(' ') || null }, c)))))));
}

function figures(s) {
  $('state').textContent = s.state; $('state').dataset.state = s.state; $('state').title = s.reason || '';
  $('name').textContent = s.experiment;
  const best = s.best, c = best && best.claim;
  $('f-best').replaceChildren(best ? el('span', {}, link(best.id), ' ' + num(c && c.n ? c.value : best.objective)) : '–');
  $('f-gain').textContent = !best || best.id === 0 ? 'none yet' : gain(c);
  $('f-root').textContent = s.root ? num(s.root.objective) + (s.noisy ? ` n ${s.root.samples}` : '') : '–';
  $('f-niches').textContent = `${s.niches.filled} / ${s.niches.total}`;
  const j = s.jobs, ended = j.placed + j.scored + j.rejected + j.failed + j.duplicate + j.cancelled;
  $('f-jobs').textContent = ended + (s.budget.jobs ? ' / ' + s.budget.jobs : '') + (j.running ? `, ${j.running} running` : '');
  $('f-evals').textContent = s.evaluations;
  $('f-cost').textContent = s.usage.cost_usd === null ? (s.usage.tokens ? 'unknown' : '$0') : '$' + s.usage.cost_usd.toFixed(4);
  $('n-review').textContent = j.held || '';
  document.title = `${best && best.id ? 'c' + best.id + ' ' + num(best.objective, 4) + ' · ' : ''}${s.experiment} · atoll`;
  const b = $('pause');
  if (b) { b.hidden = !['running', 'paused'].includes(s.state); b.textContent = s.state === 'paused' ? 'Resume' : 'Pause'; }
}

// gain says no more than the evidence allows.
function gain(c) {
  if (!c) return '';
  const percent = c.root ? ` (${(100 * c.gain / Math.abs(c.root)).toFixed(1)} %)` : '';
  if (c.word === 'exact') return '+' + num(c.gain, 5) + percent;
  if (c.word !== 'confirmed') return c.word;
  return '+' + num(c.gain, 4) + percent + ' confirmed';
}

async function overview() {
  const [grid, curves, now] = await Promise.all([ask('/niches'), ask('/curves'), ask('/activity')]);
  const [up, right] = grid.axes.length > 1 ? grid.axes : [null, grid.axes[0]];
  const map = grid.dims.length && grid.filled ? heat(grid, status, shown, c => { location.hash = '#n' + c.niche.join(','); }) : none(grid.need_for_map ? `The map begins once ${grid.need_for_map} candidates differ.` : 'The map begins when the root is measured.');
  const key = items => el('div', { class: 'key' }, items.map(([k, t]) => el('span', {}, el('i', { class: 'k-' + k }), t)));
  return el('div', { class: 'cols' },
    el('div', { class: 'stack' },
      box(`Map${grid.map ? ' ' + grid.map : ''}`, map, el('p', { class: 'small dim' }, `${grid.filled} of ${grid.total} niches, QD score ${num(grid.qd_score, 5)}${up ? `. Upwards: ${up.name}` : ''}${right ? `. To the right: ${right.name}` : ''}.`)),
      box('Now', now.running.length ? table('Running jobs', ['Job', 'Stage', 'How', '?From', '?Last line'], now.running.map(r => [job(r.job.id), r.stage, `${r.job.operator || r.job.purpose || r.job.kind}${r.job.agent ? ' by ' + r.job.agent : ''}`, r.job.parent >= 0 ? link(r.job.parent) : '', el('span', { class: 'mono dim' }, r.line)])) : none(status.state === 'running' ? 'No job at this moment.' : status.reason || 'No engine runs.'))),
    el('div', { class: 'stack' },
      box(`${status.objective || 'objective'} (${status.direction})`, chart(curves.x, [{ ys: curves.mean, kind: 'mean' }, { ys: curves.best, kind: 'best' }], status.root && status.root.objective, 'Best and mean objective over measured candidates'), key([['best', 'best'], ['mean', 'mean of the elites'], ['root', 'root']])),
      box('Coverage', chart(curves.x, [{ ys: curves.coverage.map(v => v === null ? null : 100 * v), kind: 'cover' }], null, 'Filled niches in percent over measured candidates'), key([['cover', 'filled niches in percent, over measured candidates']])),
      box('Decisions', decisions(now.decisions.slice(0, 8))),
      box('Log', lines(now.log.slice(-60)))));
}

const lines = list => list.length ? el('ul', { class: 'log', tabindex: 0, 'aria-label': 'Newest first' }, list.slice().reverse().map(l => el('li', { class: l.level === 'error' ? 'bad' : l.level === 'warn' ? 'warn' : l.level === 'debug' ? 'dim' : null }, el('time', {}, clock(l.at)), l.text))) : none('Nothing yet.');
const decisions = list => list.length ? table('Decisions, newest first', ['When', 'Who', 'What', 'About'], list.map(d => [clock(d.at), d.who, d.undoes ? d.verb + ' (undo)' : d.verb, d.candidate >= 0 ? link(d.candidate) : d.job >= 0 ? job(d.job) : d.text || (d.args && d.args.key ? `${d.args.key} ${d.args.value}` : d.cell >= 0 ? 'niche ' + d.cell : '')])) : none('Nobody decided anything yet.');

const keep = {}; // what was typed or chosen in a view
function pager(view, items, next, more) {
  return next && el('div', { class: 'acts' }, el('button', { type: 'button', on: { click: () => { keep[view] = { ...keep[view], cursor: next }; refresh(); } } }, more), keep[view] && keep[view].cursor && el('button', { type: 'button', on: { click: () => { delete keep[view].cursor; refresh(); } } }, 'Newest'));
}
function finder(view, extra) {
  const k = keep[view] ||= {};
  return el('form', { class: 'acts', role: 'search', on: { submit: e => { e.preventDefault(); const f = new FormData(e.target); keep[view] = Object.fromEntries(f); refresh(true); } } },
    el('input', { name: 'text', 'aria-label': 'Find text', placeholder: 'Find text', value: k.text || '' }), extra(k), el('button', {}, 'Find'));
}
const choose = (name, label, value, options) => el('select', { name, 'aria-label': label }, options.map(([v, t]) => el('option', { value: v, selected: (value || '') === v }, t)));
const query = o => new URLSearchParams(Object.entries(o).filter(([, v]) => v)).toString();

async function candidates() {
  const k = keep.candidates || {}, page = await ask('/candidates?' + query({ limit: 60, text: k.text, order: k.order === 'elite' ? 'best' : k.order, elite: k.order === 'elite', cursor: k.order ? '' : k.cursor }));
  return box('Candidates', finder('candidates', k => choose('order', 'Which', k.order, [['', 'newest first'], ['best', 'best first'], ['elite', 'holders of niches']])),
    table('Candidates', ['Candidate', 'Status', '>Objective', 'How', '?Parent', 'Intent'], page.items.map(c => [link(c.id), mark(c.status), num(c.objective) + (c.samples > 1 ? ` n ${c.samples}` : ''), `${c.operator}${c.agent ? ' by ' + c.agent : ''}`, parentOf(c), c.intent || c.reason || ''])),
    pager('candidates', page.items, page.next, 'Older'));
}
const mark = s => el('span', { class: { elite: 'good', failed: 'bad', rejected: 'bad', placed: 'good', held: 'warn' }[s] }, s);
const parentOf = c => { const p = c.parents.find(x => x.role === 'parent'); return p ? link(p.id) : ''; };

async function jobs() {
  const k = keep.jobs || {}, page = await ask('/jobs?' + query({ limit: 60, text: k.text, state: k.state, cursor: k.cursor }));
  return box('Jobs', finder('jobs', k => choose('state', 'State', k.state, ['', 'queued', 'editing', 'evaluating', 'held', 'placed', 'scored', 'rejected', 'failed', 'duplicate', 'cancelled', 'done'].map(s => [s, s || 'all states']))),
    table('Jobs', ['Job', 'State', 'How', '?From', '>Objective', '?>Edit', '?>Measure', 'Reason'], page.items.map(j => [job(j.id), mark(j.state), `${j.operator || j.purpose || j.kind}${j.agent ? ' by ' + j.agent : ''}`, j.parent >= 0 ? link(j.parent) : '', num(j.objective), j.edit_ms ? j.edit_ms + ' ms' : '', j.eval_ms ? j.eval_ms + ' ms' : '', j.reason || ''])),
    pager('jobs', page.items, page.next, 'Older'));
}

async function review() {
  const now = await ask('/activity');
  return box('Waiting for a person', now.review.length ? now.review.map(h => el('div', {}, el('h3', {}, link(h.candidate.id), ` before ${h.before}`, h.niche ? ` (niche ${h.niche.join(',')})` : ''), el('p', {}, h.candidate.intent || ''), h.findings.length ? el('ul', { class: 'warn small' }, h.findings.map(f => el('li', {}, f))) : null,
    el('div', { class: 'acts' }, act('Approve', () => ({ verb: 'approve', of: ['c' + h.candidate.id] }), 'go'), act('Reject', () => ({ verb: 'reject', of: ['c' + h.candidate.id] }))))) : none('Nothing waits.'));
}

function diff(files) {
  if (!files.length) return none('No difference.');
  return files.map(f => el('details', { class: 'file', open: files.length < 8 }, el('summary', {}, el('code', {}, f.path), ' ', f.new ? 'new ' : f.gone ? 'gone ' : '', el('span', { class: 'good' }, '+' + Math.max(0, f.added)), ' ', el('span', { class: 'bad' }, '−' + Math.max(0, f.removed))),
    f.binary ? none('A binary file.') : el('pre', { tabindex: 0 }, f.hunks.map(h => [el('span', { class: 'h' }, `@@ −${h.old} +${h.new} @@`), h.lines.map(l => el('span', { class: l[0] === '+' ? 'a' : l[0] === '-' ? 'd' : null }, l))])), f.cut ? none(`${f.cut} lines are left out.`) : null));
}

async function candidate(id) {
  const against = (keep.against ||= 'root');
  const [d, files] = await Promise.all([ask('/candidates/c' + id), id > 0 ? ask(`/candidates/c${id}/diff?from=${against}`) : []]);
  const c = d.candidate, of = ['c' + id], metric = m => [m.name, num(m.value) + (m.unit ? ' ' + m.unit : '')];
  const other = against === 'root' ? 'parent' : 'root';
  return el('div', { class: 'cols' }, el('div', { class: 'stack' },
    box(`c${c.id} ${id === 0 ? '(the root)' : ''}`, el('p', {}, c.intent || ''),
      el('div', { class: 'acts' }, c.status === 'held' && act('Approve', () => ({ verb: 'approve', of }), 'go'), id > 0 && (c.status === 'rejected' ? act('Restore', () => ({ verb: 'restore', of })) : act('Reject', () => ({ verb: 'reject', of }))), d.candidate.status === 'elite' && !d.frozen && act('Freeze', () => ({ verb: 'freeze', of })), d.candidate.status === 'elite' && act('Boost ×3', () => ({ verb: 'boost', of, by: 3 })), (d.frozen || d.boost !== 1) && act('Release', () => ({ verb: 'release', of })), c.objective !== null && act('Measure again', () => ({ verb: 'measure', of })), act(c.pinned ? 'Unpin' : 'Pin', () => ({ verb: c.pinned ? 'unpin' : 'pin', of })), may && act('Start a job from it', () => ({ verb: 'start', start: { parent: 'c' + id } })), admin && id > 0 && act('Promote', () => ({ verb: 'promote', of }))),
      table('Facts', ['What', 'Value'], [['Status', mark(c.status)], ['Value', d.value || '–'], ['Gain on the root', d.gain || '–'], ['Niche', d.niche ? el('a', { href: '#n' + d.niche.join(',') }, d.niche.join(',')) : 'none'], ['Marks', [d.frozen && 'frozen', d.boost !== 1 && `boost ×${num(d.boost, 3)}`, c.pinned && 'pinned'].filter(Boolean).join(', ') || 'none'], ['Made by', `${c.operator} ${c.agent ? 'by ' + c.agent : ''}`], ['Parents', c.parents.map(p => [link(p.id), ` ${p.role} `])], ['Children', d.children.slice(0, 40).map(x => [link(x), ' '])], ['Job', job(c.job)], ['Commit', el('code', {}, c.commit)], ['Changed', `${c.files} files, +${c.added} −${c.removed}`], c.reason && ['Reason', c.reason], d.branches.length && ['Branches', d.branches.join(', ')]].filter(Boolean)),
      el('p', {}, el('a', { href: `/api/v1/candidates/c${id}/patch`, download: `c${id}.patch` }, 'Patch'), ' · ', el('a', { href: '#f' + id }, 'Family'))),
    c.metrics && c.metrics.length ? box('Metrics', table('Metrics', ['Metric', '>Value'], c.metrics.map(metric))) : null,
    d.samples.length ? box('Samples', table('Samples', ['>Objective', 'Use', 'When'], d.samples.map(s => [num(s.objective), s.held_out ? 'held out' : 'deciding', clock(s.at)]))) : null,
    d.findings.length ? box('Gate', el('ul', {}, d.findings.map(f => el('li', { class: f.hard ? 'bad' : 'warn' }, `${f.rule} ${f.path || ''}: ${f.text}`)))) : null),
    box(`Difference to the ${against}`, id > 0 ? [el('div', { class: 'acts' }, el('button', { type: 'button', on: { click: () => { keep.against = other; refresh(true); } } }, `Against the ${other}`)), diff(files)] : none('Everything is compared with this commit.')));
}

async function oneJob(id) {
  const d = await ask('/jobs/' + id), j = d.job;
  return el('div', { class: 'stack' }, box(`Job #${j.id}`, el('div', { class: 'acts' }, !['placed', 'scored', 'rejected', 'failed', 'duplicate', 'cancelled', 'done'].includes(j.state) ? act('Cancel', () => ({ verb: 'cancel', of: ['#' + id] })) : act('Try again', () => ({ verb: 'retry', of: ['#' + id] }))),
    table('Facts', ['What', 'Value'], [['State', mark(j.state)], ['Kind', j.kind], ['How', `${j.operator || j.purpose || ''} ${j.agent ? 'by ' + j.agent : ''}`], ['Why', j.why || ''], ['From', j.parent >= 0 ? link(j.parent) : ''], ['Candidate', j.candidate >= 0 ? link(j.candidate) : 'none'], ['Reason', [j.class, j.reason].filter(Boolean).join(': ') || '–']])),
    box('Stages', table('Stages', ['Stage', 'Began', '>Took', 'Note'], d.stages.map(s => [s.name, s.started ? clock(s.started) : '', s.ended ? (s.ended - s.started) + ' ms' : '', s.note || '']))),
    d.live.length ? box('Output', el('pre', { class: 'text', tabindex: 0 }, d.live.join('\n'))) : null,
    d.texts.map(t => box(`${t.kind}, attempt ${t.attempt}`, el('pre', { class: 'text', tabindex: 0 }, t.text))));
}

async function niche(at) {
  const n = await ask('/niches/' + at), e = n.elite && n.elite.candidate;
  return el('div', { class: 'stack' }, box(`Niche ${at}`, e ? el('p', {}, 'Held by ', link(e.id), `, ${n.elite.value}`, n.elite.frozen ? ', frozen' : '', n.elite.boost !== 1 ? `, boosted ×${num(n.elite.boost, 3)}` : '') : none('Nobody holds it.'),
    e && el('div', { class: 'acts' }, !n.elite.frozen && act('Freeze', () => ({ verb: 'freeze', of: [at] })), act('Boost ×3', () => ({ verb: 'boost', of: [at], by: 3 })), (n.elite.frozen || n.elite.boost !== 1) && act('Release', () => ({ verb: 'release', of: [at] })))),
    box('Who held it', table('History', ['When', 'Candidate', 'From', '>Objective', '>Better by', 'Why'], n.history.map(h => [clock(h.at), link(h.candidate), h.from === null ? '' : link(h.from), num(h.objective), num(h.delta, 4), h.why]))),
    box('Runners-up', table('Runners-up', ['Candidate', '>Objective', 'Intent'], n.runners.map(c => [link(c.id), num(c.objective), c.intent || '']))));
}

async function lineage(id) {
  const f = await ask(`/candidates/c${id}/lineage`);
  return box(id ? `Family of c${id}` : 'The lines of all that hold a niche', tree(f, x => { location.hash = '#c' + x; }), el('p', { class: 'small dim' }, `Yellow: ${id ? 'this one' : 'the root'}. Green: holds a niche. Blue: better than its parent. Dashed: a second parent.${f.more ? ` ${f.more} are left out.` : ''}`));
}

async function yields() {
  const y = await ask('/yields');
  const one = (title, list) => box(title, table(title, ['Name', '>Weight', '>Tries', '>Took a niche', 'Share', '?>Best', '?>Cost', 'Marks'], list.map(x => {
    const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.width = (x.tries ? 80 * x.improved / x.tries : 0) + 'px';
    return [x.name, num(x.weight, 3), x.tries, x.improved, [bar, x.tries ? ` ${(100 * x.improved / x.tries).toFixed(0)} % [${(100 * x.low).toFixed(0)}, ${(100 * x.high).toFixed(0)}]` : ''], x.best, x.cost_usd === null ? '?' : '$' + x.cost_usd.toFixed(4), [x.frozen && 'frozen', x.boost && x.boost !== 1 && `boost ×${num(x.boost, 3)}`].filter(Boolean).join(', ')];
  })));
  return el('div', { class: 'stack' }, one('Operators', y.operators), one('Agents', y.agents), y.targets.length ? one('Targets', y.targets) : null);
}

async function failures() {
  const list = await ask('/failures');
  return box('Failures', table('Failures, most frequent first', ['>Count', 'Class', 'Reason', 'What would help', 'Such as'], list.map(f => [f.count, f.class, el('span', { class: 'mono' }, f.reason), f.cure, job(f.sample)])));
}

async function notes() {
  const list = await ask('/notes');
  return el('div', { class: 'stack' }, may && box('Tell the agents', el('form', { on: { submit: async e => { e.preventDefault(); const t = e.target.elements.text; if (await order({ verb: 'note', text: t.value })) { t.value = ''; } } } }, el('label', {}, 'A lesson or a direction for later prompts', el('br'), el('textarea', { name: 'text', rows: 3, cols: 70, required: true })), el('div', {}, el('button', { class: 'go' }, 'Write')))),
    box('Notes', table('Notes', ['Kind', 'About', 'By', 'Text'], list.map(n => [n.kind, n.target || 'everything', n.author, n.text]))));
}

async function log() {
  const now = await ask('/activity');
  const list = lines(now.log);
  list.classList.add('tall');
  return el('div', { class: 'cols' }, box('Log', list), box('Decisions', decisions(now.decisions)));
}

async function settings() {
  const [list, experiments] = await Promise.all([ask('/settings'), ask('/experiments')]);
  return el('div', { class: 'stack' },
    admin && box('Change', el('form', { class: 'acts', on: { submit: e => { e.preventDefault(); const f = e.target.elements; order({ verb: 'set', key: f.key.value, value: f.value.value }); } } }, el('select', { name: 'key', 'aria-label': 'Setting' }, list.filter(s => s.live).map(s => el('option', {}, s.key))), el('input', { name: 'value', 'aria-label': 'New value', required: true }), el('button', { class: 'go' }, 'Set'))),
    box('Settings', table('Settings', ['Key', 'Value', '?From', '?What it is'], list.map(s => [el('code', {}, s.key), el('span', { class: 'mono' }, s.value), s.origin, s.doc]))),
    box('Experiments here', table('Experiments', ['>Id', 'Name', 'State', 'Created'], experiments.map(x => [x.id, x.name, x.state, new Date(x.created).toLocaleString()]))));
}

const views = { overview, candidates, jobs, review, lineage: () => lineage(0), yields, failures, notes, log, settings };
function route() {
  const h = decodeURIComponent(location.hash.slice(1)) || 'overview', m = /^([cjnf])(\d[\d,]*)$/.exec(h);
  if (!m) return [views[h] ? h : 'overview', views[h] || overview];
  return { c: ['candidates', () => candidate(Number(m[2]))], j: ['jobs', () => oneJob(Number(m[2]))], n: ['overview', () => niche(m[2])], f: ['lineage', () => lineage(Number(m[2]))] }[m[1]];
}

// typing is true while a person writes: what they write is not taken away.
const typing = () => main.contains(document.activeElement) && /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);

async function refresh(force) {
  if (busy) { stale = true; return; }
  if (force !== true && typing()) return;
  busy = true;
  stale = false;
  const here = location.hash;
  try {
    status = await ask('/status');
    figures(status);
    const [tab, view] = route(), made = await view();
    if (here === location.hash && (force === true || !typing())) put(made, here);
    for (const a of document.querySelectorAll('nav a')) if (a.hash === '#' + tab) a.setAttribute('aria-current', 'page'); else a.removeAttribute('aria-current');
  } catch (e) {
    if (!main.childElementCount || seen !== here) put(el('section', {}, el('p', { class: 'bad' }, e.message)), here);
    else toast(e.message);
  }
  busy = false;
  if (stale || here !== location.hash) setTimeout(refresh, 50);
}

// put shows a view; one that is shown again keeps its place and the focus.
function put(made, here) {
  const again = seen === here, y = window.scrollY, focus = document.activeElement, label = main.contains(focus) && focus.getAttribute('aria-label');
  const opened = again ? [...main.querySelectorAll('details')].map(d => d.open) : [];
  main.replaceChildren(made);
  seen = here;
  if (!again) { window.scrollTo(0, 0); return; }
  main.querySelectorAll('details').forEach((d, i) => { if (i < opened.length) d.open = opened[i]; });
  if (label) for (const e of main.querySelectorAll('[aria-label]')) if (e.getAttribute('aria-label') === label) { e.focus({ preventScroll: true }); break; }
  window.scrollTo(0, y);
}

let last = 0, due = 0;
function moved() { // at most a refresh in two seconds
  if (due || document.hidden) { stale = document.hidden; return; }
  due = setTimeout(() => { due = 0; last = Date.now(); refresh(); }, Math.max(0, 2000 - (Date.now() - last)));
}

function listen() {
  const events = new EventSource('/api/v1/events');
  let version = 0;
  events.addEventListener('row', moved);
  events.addEventListener('pulse', e => { const v = JSON.parse(e.data).version; if (v !== version) { version = v; moved(); } });
  events.onopen = () => { $('line').textContent = ''; };
  events.onerror = () => { $('line').textContent = events.readyState === EventSource.CLOSED ? 'the line was refused: reload the page and give a token' : 'the line is lost; trying again'; };
}

document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
window.addEventListener('hashchange', () => { refresh(); });
$('theme').addEventListener('click', () => {
  const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
  document.documentElement.dataset.theme = dark ? 'light' : 'dark';
  localStorage.setItem('theme', document.documentElement.dataset.theme);
});
if (localStorage.getItem('theme')) document.documentElement.dataset.theme = localStorage.getItem('theme');
$('pause')?.addEventListener('click', () => order({ verb: status.state === 'paused' ? 'resume' : 'pause' }));
$('undo')?.addEventListener('click', () => order(status.undo ? { verb: 'undo', seq: status.undo } : { verb: 'undo' }));
refresh(true);
listen();
