'use strict';
/*
 * The page only draws: every number comes from the library, by questions (URL queries) that it answers in JSON.
 * `ask` puts them to the embedded WebAssembly module, or to the answers that the page was shipped with.
 */
const $ = id => document.getElementById(id);
const settings = JSON.parse($('settings').textContent);
const shipped = new Map(JSON.parse($('answers').textContent));
const HUES = ['#9cc4ec', '#f5a98f', '#f3e6a3', '#ffc3d0', '#bfeaff', '#7fcfb4', '#d3df78', '#cbb86a'];
const CHOICES = settings.tables;
const FIELDS = ['type', 'axes', 'dims', 'strides', 'box', 'element_strides', 'interleave', 'swizzle', 'oob_fill', 'op', 'at', 'column', 'rows', 'shared'];
const FOUR_ROWS = ['gather4', 'scatter4'];
const HINTS = { dims: 'innermost first', strides: 'bytes; empty: dense', box: 'empty: all', shared: 'address of the box', rows: 'four', axes: 'names' };

let ask = query => shipped.get(query);
let computes = false;
let question = new URLSearchParams(settings.query);
let answer = null;
let marked = -1;
let view = 'shared memory';

/* ---- The library ----------------------------------------------------------------------------------------------- */

/* What the C library of the module may import; none of it is of use here. */
const system = new Proxy({}, { get: () => () => 52 });

async function load(base64) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: system, env: system });
  const library = instance.exports;
  if (library._initialize) library._initialize();
  ask = query => {
    const text = new TextEncoder().encode(query + '\0');
    const room = library.tmap_room(text.length);
    new Uint8Array(library.memory.buffer, room, text.length).set(text);
    const at = library.tmap_ask(room);
    const memory = new Uint8Array(library.memory.buffer);
    return JSON.parse(new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at))));
  };
  computes = true;
}

/* Commas and colons stay readable in links. */
const text_of = query => query.toString().replace(/%2C/g, ',').replace(/%3A/g, ':');

/* ---- Elements: [coordinates…, line, unit, bank, byte in the unit, global offset or -1] ------------------------------ */

const rank = () => answer.counts.length;
const place = n => {
  const e = answer.elements[n], r = rank();
  return { at: e.slice(0, r), line: e[r], unit: e[r + 1], bank: e[r + 2], byte: e[r + 3], global: e[r + 4] };
};

function index_of(n) {
  return answer.counts.map(count => { const i = n % count; n = (n - i) / count; return i; });
}

const number_of = index => index.reduceRight((n, i, d) => n * answer.counts[d] + i, 0);
const outermost_first = list => [...list].reverse().join(',');

/* Elements in order, cut where the 16-byte unit or the row of the box changes. */
function groups() {
  const list = [], width = answer.counts[0];
  let last = null;
  for (let n = 0; n < answer.elements.length; n++) {
    const p = place(n), row = Math.floor(n / width), starts = n % width === 0;
    if (last && !starts && last.line === p.line && last.unit === p.unit) {
      last.elements.push(n);
      continue;
    }
    last = { line: p.line, unit: p.unit, row, column: starts ? 0 : last.column + 1, elements: [n], at: p.at, inside: p.global >= 0 };
    list.push(last);
  }
  return list;
}

const COLOURS = {
  'place in the row': g => g.column,
  'row of the box': g => g.row,
  'unit (banks)': g => g.unit,
  'line': g => g.line,
};

/* ---- Drawing ---------------------------------------------------------------------------------------------------- */

function svg(tag, attributes, parent, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

const CELL_HEIGHT = 26, HEAD = 44, CHAR = 7.4;
const hex = (n, digits = 4) => '0x' + n.toString(16).padStart(digits, '0');

/* Rows of cells: what each view shows of the same groups. */
const VIEWS = {
  'shared memory': list => {
    const first = Math.min(...list.map(g => g.line)), end = Math.max(...list.map(g => g.line)) + 1;
    return {
      heads: [...Array(8).keys()].map(u => [`unit ${u}`, `banks ${4 * u}-${4 * u + 3}`]),
      rows: [...Array(end - first).keys()].map(i => hex((first + i) * 128)),
      cells: list.map(g => ({ group: g, x: g.unit, y: g.line - first, text: outermost_first(g.at) })),
      gaps: true,
    };
  },
  'box': list => ({
    heads: [...Array(Math.max(...list.map(g => g.column)) + 1).keys()].map(c => {
      const g = list.find(one => one.column === c);
      return [answer.axes[0], String(g.at[0])];
    }),
    rows: list.filter(g => g.column === 0).map(g => rank() > 1 ? outermost_first(g.at.slice(1)) : ''),
    cells: list.map(g => ({ group: g, x: g.column, y: g.row, text: `${hex(g.line * 128)} u${g.unit}` })),
    gaps: false,
  }),
};

function draw() {
  const list = groups(), model = VIEWS[view](list), colour = COLOURS[$('colour').value];
  const cell = Math.max(84, ...model.cells.map(c => (c.text.length + 2) * CHAR));
  const left = Math.max(60, ...model.rows.map(r => (r.length + 2) * CHAR));
  const width = left + model.heads.length * cell + 12, height = HEAD + model.rows.length * CELL_HEIGHT + 12;
  const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': answer.title });
  model.heads.forEach((head, x) => head.forEach((line, i) =>
    svg('text', { class: 'head middle', x: left + (x + 0.5) * cell, y: 16 + 16 * i }, root, line)));
  model.rows.forEach((row, y) => {
    svg('text', { class: 'head end', x: left - 8, y: HEAD + y * CELL_HEIGHT + 17 }, root, row);
    if (model.gaps) for (let x = 0; x < 8; x++) svg('rect', { class: 'cell gap', x: left + x * cell, y: HEAD + y * CELL_HEIGHT, width: cell, height: CELL_HEIGHT }, root);
  });
  for (const c of model.cells) draw_cell(root, c, left + c.x * cell, HEAD + c.y * CELL_HEIGHT, cell, colour);
  $('picture').replaceChildren(root);
  draw_legend(list, colour);
  draw_marks();
}

/* One rectangle an element lies invisibly over the cell, so that each can be pointed at. */
function draw_cell(root, c, x, y, width, colour) {
  const g = c.group, rect = svg('rect', { class: g.inside ? 'cell' : 'cell fill', x, y, width, height: CELL_HEIGHT }, root);
  if (g.inside) rect.style.fill = HUES[colour(g) % 8];
  svg('text', { class: 'middle', x: x + width / 2, y: y + 17 }, root, g.inside ? c.text : `(${c.text})`);
  const bytes = answer.element_bytes, first = view === 'box' ? 0 : place(g.elements[0]).byte;
  g.elements.forEach((n, i) => {
    const from = view === 'box' ? i / g.elements.length : (first + i * bytes) / 16;
    const part = view === 'box' ? 1 / g.elements.length : Math.min(bytes, 16) / 16;
    svg('rect', { class: 'hit', 'data-n': n, x: x + from * width, y, width: part * width, height: CELL_HEIGHT, fill: 'transparent' }, root);
  });
}

function draw_marks() {
  const root = $('picture').firstElementChild;
  if (!root) return;
  root.querySelectorAll('.mark,.same').forEach(node => node.remove());
  if (marked < 0) return;
  const hit = root.querySelector(`.hit[data-n="${marked}"]`);
  if (!hit) return;
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(k => +hit.getAttribute(k));
  svg('rect', { class: 'mark', x, y: y + 1, width, height: height - 2 }, root);
}

function draw_legend(list, colour) {
  const seen = [...new Set(list.filter(g => g.inside).map(g => colour(g) % 8))].sort();
  const nodes = seen.map(i => {
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = HUES[i];
    swatch.textContent = i;
    return swatch;
  });
  const words = document.createElement('p');
  words.textContent = `colour: ${$('colour').value}, modulo 8.` + (list.some(g => !g.inside) ? ` In brackets: outside the tensor, ${answer.fill}.` : '') +
    (answer.left_out ? ` Only the first ${answer.elements.length} elements are drawn.` : '');
  $('legend').replaceChildren(...nodes, words);
}

/* ---- The marked element ----------------------------------------------------------------------------------------- */

function way_of(n) {
  const asked = new URLSearchParams(question);
  asked.set('element', index_of(n).join(','));
  const told = computes && ask(text_of(asked));
  if (told && told.way) return told.way;
  const p = place(n);
  return `element ${outermost_first(p.at)}\n  global   ${p.global < 0 ? 'none: outside the tensor, ' + answer.fill : 'offset ' + hex(p.global)}\n` +
    `  shared   ${hex(p.line * 128 + p.unit * 16 + p.byte)}: line ${hex(p.line * 128)}, unit ${p.unit}, bank ${p.bank}`;
}

function mark(n, keep) {
  if (!answer || !answer.ok || n < 0 || n >= answer.elements.length) return;
  $('way').textContent = way_of(n);
  if (!keep) return;
  marked = n;
  question.set('element', index_of(n).join(','));
  remember();
  draw_marks();
}

function move(event) {
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 1], ArrowUp: [1, -1], PageDown: [2, 1], PageUp: [2, -1] };
  if (!answer || !answer.ok || !steps[event.key]) return;
  const [dim, step] = steps[event.key], index = index_of(Math.max(marked, 0));
  event.preventDefault();
  if (marked >= 0) {
    if (dim >= rank()) return;
    index[dim] = Math.min(Math.max(index[dim] + step, 0), answer.counts[dim] - 1);
  }
  mark(number_of(index), true);
}

/* ---- Questions and answers ---------------------------------------------------------------------------------------- */

function remember() {
  history.replaceState(null, '', '#' + text_of(question));
}

function show_findings() {
  const nodes = answer.findings.map(f => {
    const node = document.createElement('div');
    node.className = f.severity;
    const parts = [`${f.severity}: ${f.message}`, f.given && `given: ${f.given}`, f.allowed && `allowed: ${f.allowed}`, f.fix && `fix: ${f.fix}`];
    node.textContent = parts.filter(Boolean).join('; ') + ' ';
    const rule = document.createElement('code');
    rule.textContent = `[${f.rule}]`;
    node.append(rule);
    return node;
  });
  $('findings').replaceChildren(...nodes);
  for (const field of $('fields').querySelectorAll('[name]'))
    field.setAttribute('aria-invalid', answer.findings.some(f => f.severity === 'error' && f.field === field.name));
}

function show() {
  const told = ask(text_of(question));
  if (!told) return;
  answer = told;
  show_findings();
  for (const [id, key] of [['title', 'title'], ['situation', 'situation'], ['way', 'way']])
    if (answer[key]) $(id).textContent = answer[key];
  document.title = `tmap: ${answer.title || 'a copy that is refused'}`;
  if (!answer.ok) {
    $('picture').replaceChildren();
    $('numbers').textContent = '';
    return;
  }
  $('numbers').textContent = `transaction bytes ${answer.tx_bytes}, box in shared memory ${answer.footprint_bytes} B, rows ${answer.pitch_bytes} B apart` +
    (answer.period_bytes ? `, the pattern repeats every ${answer.period_bytes} B` : '');
  const element = (question.get('element') || '').split(',').map(Number);
  marked = element.length === rank() && element.every((i, d) => i >= 0 && i < answer.counts[d]) ? number_of(element) : -1;
  draw();
}

function fill_fields() {
  for (const field of $('fields').querySelectorAll('[name]')) {
    field.value = question.get(field.name) || (CHOICES[field.name] ? CHOICES[field.name][field.name === 'type' ? CHOICES.type.indexOf('f16') : 0] : '');
    field.disabled = !computes;
  }
  hide_fields();
  $('preset').value = settings.presets.findIndex(p => p.query === text_of(question));
}

function hide_fields() {
  const four = FOUR_ROWS.includes(question.get('op'));
  for (const [name, hidden] of [['at', four], ['column', !four], ['rows', !four]])
    $('fields').querySelector(`[name=${name}]`).parentElement.hidden = hidden;
}

function take_fields() {
  const keep = question.get('name');
  question = new URLSearchParams({ mode: 'copy' });
  for (const field of $('fields').querySelectorAll('[name]'))
    if (field.value.trim() !== '') question.set(field.name, field.value.trim());
  if (keep) question.set('name', keep);
  hide_fields();
  remember();
  show();
}

function open_question(query) {
  question = new URLSearchParams(query);
  fill_fields();
  show();
}

/* ---- Setting up --------------------------------------------------------------------------------------------------- */

function make_field(name) {
  const label = document.createElement('label'), choice = CHOICES[name];
  const field = document.createElement(choice ? 'select' : 'input');
  field.name = name;
  if (choice) field.append(...choice.map(value => new Option(value, value)));
  else field.placeholder = HINTS[name] || '';
  label.append(name.replace('_', ' '), field);
  return label;
}

function make_presets() {
  const groups_ = new Map();
  settings.presets.forEach((p, i) => {
    if (!groups_.has(p.group)) groups_.set(p.group, Object.assign(document.createElement('optgroup'), { label: p.group }));
    groups_.get(p.group).append(new Option(p.name, i));
  });
  $('preset').append(new Option('as opened', -1), ...groups_.values());
  $('preset').onchange = () => {
    open_question($('preset').value < 0 ? settings.query : settings.presets[$('preset').value].query);
    remember();
  };
}

function make_views() {
  for (const name of Object.keys(VIEWS)) {
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', textContent: name });
    button.setAttribute('role', 'radio');
    button.onclick = () => { view = name; check_view(); if (answer && answer.ok) draw(); };
    $('views').append(button);
  }
  $('colour').append(...Object.keys(COLOURS).map(name => new Option(name, name)));
  $('colour').onchange = () => answer && answer.ok && draw();
  check_view();
}

function check_view() {
  for (const button of $('views').children) button.setAttribute('aria-checked', button.textContent === view);
}

function hit_of(event) {
  const hit = event.target.closest && event.target.closest('.hit');
  return hit ? +hit.dataset.n : -1;
}

async function start() {
  $('version').textContent = settings.version;
  $('fields').append(...FIELDS.map(make_field));
  make_presets();
  make_views();
  if ($('module').textContent !== '') await load($('module').textContent);
  $('frozen').hidden = computes;
  $('question').onsubmit = event => event.preventDefault();
  $('fields').oninput = take_fields;
  $('picture').onkeydown = move;
  $('picture').onclick = event => mark(hit_of(event), true);
  $('picture').onmouseover = event => mark(hit_of(event), false);
  $('picture').onmouseleave = () => marked >= 0 && mark(marked, false);
  $('link').onclick = () => navigator.clipboard && navigator.clipboard.writeText(location.href);
  const linked = decodeURIComponent(location.hash.slice(1));
  open_question(linked && (computes || shipped.has(linked)) ? location.hash.slice(1) : settings.query);
  document.documentElement.dataset.ready = 'true';
}
start();
