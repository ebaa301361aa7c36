'use strict';
/*
 * The page only draws: every number comes from the library, by questions (URL queries) that it answers in JSON.
 * `ask` puts them to the embedded WebAssembly module, or to the answers that the page was shipped with.
 */
const $ = id => document.getElementById(id);
const settings = JSON.parse($('settings').textContent);
const HUES = ['#9cc4ec', '#f5a98f', '#f3e6a3', '#ffc3d0', '#bfeaff', '#7fcfb4', '#d3df78', '#cbb86a'];
const CHOICES = settings.tables;
const FOUR_ROWS = ['gather4', 'scatter4', 'prefetch_gather4'];
const HINTS = {
  dims: 'innermost first', strides: 'bytes; empty: dense', box: 'empty: all', shared: 'address of the box', rows: 'four', axes: 'names',
  expr: 'S[(8,64):(64,1)]', shape: 'of the table',
};
const range = n => [...Array(n).keys()];
const hex = (n, digits = 4) => '0x' + n.toString(16).padStart(digits, '0');
const outermost_first = list => [...list].reverse().join(',');
const modulo = (n, m) => ((n % m) + m) % m;

/* What needs no escape in a fragment stays readable in links. */
const text_of = query => new URLSearchParams(query).toString().replace(/%2C/g, ',').replace(/%3A/g, ':');

const shipped = new Map(JSON.parse($('answers').textContent).map(([query, told]) => [text_of(query), told]));
let ask = query => shipped.get(query);
let computes = false;
let question = new URLSearchParams(settings.query);
let answer = null;
let marked = -1;
let view = '';

/* ---- The library ------------------------------------------------------------------------------------------------- */

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

/* ---- Boxes of copies: an element is [coordinates…, line, unit, bank, byte in the unit, global offset or -1] ------------ */

const copy = {
  fields: ['type', 'axes', 'dims', 'strides', 'box', 'element_strides', 'interleave', 'swizzle', 'oob_fill', 'op', 'at', 'column', 'rows', 'shared'],
  counts: () => answer.counts,
  drawn: () => answer.ok,

  place(n) {
    const e = answer.elements[n], r = answer.counts.length;
    return { at: e.slice(0, r), line: e[r], unit: e[r + 1], bank: e[r + 2], byte: e[r + 3], global: e[r + 4] };
  },

  /* Elements in order, cut where the 16-byte unit or the row of the box changes. */
  groups() {
    const list = [], width = answer.counts[0];
    let last = null;
    for (let n = 0; n < answer.elements.length; n++) {
      const p = copy.place(n), row = Math.floor(n / width), starts = n % width === 0;
      if (last && !starts && last.line === p.line && last.unit === p.unit) {
        last.elements.push(n);
        continue;
      }
      last = { line: p.line, unit: p.unit, byte: p.byte, row, column: starts ? 0 : last.column + 1, elements: [n], at: p.at, inside: p.global >= 0 };
      list.push(last);
    }
    return list;
  },

  colours: {
    'place in the row': g => g.column,
    'row of the box': g => g.row,
    'unit (banks)': g => g.unit,
    'line': g => g.line,
  },

  views: {
    'shared memory': list => lines_of(list.map(g => ({ group: g, line: g.line, byte: g.unit * 16 + g.byte, text: outermost_first(g.at), elements: g.elements })), answer.element_bits / 8),
    'box': list => ({
      heads: range(Math.max(...list.map(g => g.column)) + 1).map(c => [answer.axes[0], String(list.find(g => g.column === c).at[0])]),
      rows: list.filter(g => g.column === 0).map(g => g.at.length > 1 ? outermost_first(g.at.slice(1)) : ''),
      cells: list.map(g => ({ group: g, x: g.column, y: g.row, text: `${hex(g.line * 128)} u${g.unit}`, hits: even(g.elements) })),
    }),
  },

  way(n) {
    const asked = new URLSearchParams(question);
    asked.set('element', index_of(n).join(','));
    const told = computes && ask(text_of(asked));
    if (told && told.way) return told.way;
    const p = copy.place(n);
    return `element ${outermost_first(p.at)}\n  global   ${p.global < 0 ? 'none: outside the tensor, ' + answer.fill : 'offset ' + hex(p.global)}\n` +
      `  shared   ${hex(p.line * 128 + p.unit * 16 + p.byte)}: line ${hex(p.line * 128)}, unit ${p.unit}, bank ${p.bank}`;
  },

  numbers: () => `transaction bytes ${answer.tx_bytes}, box in shared memory ${answer.footprint_bytes} B, rows ${answer.pitch_bytes} B apart` +
    (answer.period_bytes ? `, the pattern repeats every ${answer.period_bytes} B` : ''),
  words: list => ' A cell is 16 bytes of shared memory, eight are the 128 bytes of the 32 banks.' +
    (list.some(g => !g.inside) ? ` In brackets: outside the tensor, ${answer.fill}.` : ''),
  title: () => [answer.title || 'a copy that is refused', answer.situation || ''],
  complaints: () => answer.findings,
};

/* Cells of 16 bytes in lines of 128, from what lies at a byte of a line. */
function lines_of(things, bytes) {
  const first = Math.min(...things.map(t => t.line)), end = Math.max(...things.map(t => t.line)) + 1;
  return {
    heads: range(8).map(u => [`unit ${u}`, `banks ${4 * u}-${4 * u + 3}`]),
    rows: range(end - first).map(i => hex((first + i) * 128)),
    cells: things.map(t => ({
      group: t.group, x: Math.floor(t.byte / 16), y: t.line - first, text: t.text,
      hits: t.elements.map((n, i) => ({ n, from: (t.byte % 16 + i * bytes) / 16, size: Math.min(bytes, 16) / 16 })),
    })),
    gaps: true,
  };
}

const even = elements => elements.map((n, i) => ({ n, from: i / elements.length, size: 1 / elements.length }));

/* ---- Layouts: an element is a list of its copies, each a list of coordinates in the order of answer.axes ------------------ */

const layout = {
  fields: ['expr', 'type', 'shape'],
  counts: () => [...answer.shape].reverse(),
  drawn: () => answer.ok && answer.elements !== undefined,
  owners: () => answer.axes.flatMap((a, i) => a.kind === 'memory' ? [] : [i]),
  memories: () => answer.axes.flatMap((a, i) => a.kind === 'memory' ? [i] : []),
  is_memory: () => answer.banks.length > 0 && answer.axes.length === 1,
  at: n => index_of(n).reverse().join(','),

  groups() {
    const owners = layout.owners(), memories = layout.memories(), columns = layout.counts()[0];
    return answer.elements.map((places, n) => ({
      n, inside: true, row: Math.floor(n / columns), column: n % columns, elements: [n],
      owners: places.map(p => owners.map(i => p[i]).join('.')), memory: memories.map(i => places[0][i]).join('.'),
      owner: owners.reduce((sum, i) => sum + places[0][i], 0), first: places[0][0], bank: answer.banks[n] ? answer.banks[n][1] : 0, line: answer.banks[n] ? answer.banks[n][0] : 0,
    }));
  },

  colours: {
    'owner': g => layout.owners().length ? g.owner : g.first,
    'bank (of 16 bytes)': g => Math.floor(g.bank / 4),
    'line': g => g.line,
    'row': g => g.row,
    'column': g => g.column,
  },

  views: {
    'elements': list => {
      const counts = layout.counts(), owners = layout.owners().length > 0;
      return {
        heads: range(counts[0]).map(c => ['', String(c)]),
        rows: range(list[list.length - 1].row + 1).map(r => counts.length > 1 ? index_of(r * counts[0]).slice(1).reverse().join(',') : ''),
        cells: list.map(g => ({ group: g, x: g.column, y: g.row, text: [owners ? g.owners.join(' ') : '', g.memory].filter(t => t !== '').join(': '), hits: even(g.elements) })),
      };
    },
    'places': list => layout.is_memory() ? layout.banks(list) : layout.owned(list),
  },

  banks: list => {
    const cells = new Map(), bytes = answer.bits / 8;
    for (const g of list) {
      const byte = answer.banks[g.n][2], key = g.line * 8 + Math.floor(byte / 16);
      const cell = cells.get(key) || { group: g, line: g.line, byte, text: layout.at(g.n), elements: [] };
      if (byte < cell.byte) Object.assign(cell, { group: g, byte, text: layout.at(g.n) });
      cell.elements.push(g.n);
      cells.set(key, cell);
    }
    const model = lines_of([...cells.values()], bytes);
    for (const c of model.cells) c.hits = c.hits.map(h => ({ n: h.n, from: (answer.banks[h.n][2] % 16) / 16, size: Math.min(bytes, 16) / 16 }));
    return model;
  },

  /* Rows are owners, columns what they store; several elements may meet in a cell. */
  owned: list => {
    const owners = layout.owners(), memories = layout.memories(), cells = new Map();
    const order = (a, b) => a.reduce((sum, v, i) => sum || v - b[i], 0);
    const rows = new Map(), columns = new Map();
    list.forEach(g => answer.elements[g.n].forEach(p => {
      const owner = owners.map(i => p[i]), memory = memories.map(i => p[i]);
      rows.set(owner.join('.'), owner);
      columns.set(memory.join('.'), memory);
      const key = owner.join('.') + '|' + memory.join('.');
      if (!cells.has(key)) cells.set(key, { group: g, owner: owner.join('.'), memory: memory.join('.'), elements: [] });
      cells.get(key).elements.push(g.n);
    }));
    const row_names = [...rows].sort((a, b) => order(a[1], b[1])).map(e => e[0]), column_names = [...columns].sort((a, b) => order(a[1], b[1])).map(e => e[0]);
    return {
      heads: column_names.map(name => [memories.map(i => answer.axes[i].name).join('.'), name]),
      rows: row_names.map(name => owners.length ? `${owners.map(i => answer.axes[i].name).join('.')} ${name}` : ''),
      cells: [...cells.values()].map(c => ({ group: c.group, x: column_names.indexOf(c.memory), y: row_names.indexOf(c.owner), text: c.elements.map(layout.at).join(' '), hits: even(c.elements) })),
    };
  },

  way(n) {
    const places = answer.elements[n].map(p => '  ' + answer.axes.map((a, i) => `${a.name} ${p[i]}`).join(', ')), bank = answer.banks[n];
    return `element ${layout.at(n)} (${n})\n${places.join('\n')}` + (bank && layout.is_memory() ? `\n  line ${hex(bank[0] * 128)}, bank ${bank[1]}, byte ${bank[2]} of the line` : '');
  },

  numbers: () => answer.elements ? `${answer.size} elements` + (answer.copies > 1 ? `, ${answer.copies} places each` : '') : '',
  words: () => view === 'places' ? ' A cell shows its elements.' :
    ` A cell shows ${[layout.owners(), layout.memories()].filter(axes => axes.length).map(axes => axes.map(i => answer.axes[i].name).join('.')).join(': ')}.`,
  title: () => [answer.ok ? answer.text : 'an expression that is refused', answer.ok ? answer.kind : ''],
  complaints: () => answer.error ? [{ severity: 'error', message: answer.error.message, given: (question.get('expr') || '').slice(answer.error.at, answer.error.at + answer.error.length),
    fix: answer.error.fix, rule: `byte ${answer.error.at + 1}`, field: 'expr' }] : [],
};

const modes = { copy, layout };
const mode = () => modes[question.get('mode')] || copy;

/* ---- Elements -------------------------------------------------------------------------------------------------------- */

function index_of(n) {
  return mode().counts().map(count => { const i = n % count; n = (n - i) / count; return i; });
}

const number_of = index => index.reduceRight((n, i, d) => n * mode().counts()[d] + i, 0);

/* ---- Drawing --------------------------------------------------------------------------------------------------------- */

function svg(tag, attributes, parent, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

const CELL_HEIGHT = 26, HEAD = 44, CHAR = 7.4;

function draw() {
  const list = mode().groups(), model = mode().views[view](list), colour = mode().colours[$('colour').value];
  const cell = Math.max(model.gaps ? 84 : 36, ...model.cells.map(c => (c.text.length + 2) * CHAR), ...model.heads.map(h => Math.max(...h.map(t => t.length + 1)) * CHAR));
  const left = Math.max(36, ...model.rows.map(r => (r.length + 2) * CHAR));
  const width = left + model.heads.length * cell + 12, height = HEAD + model.rows.length * CELL_HEIGHT + 12;
  const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': mode().title()[0] });
  model.heads.forEach((head, x) => head.forEach((line, i) =>
    svg('text', { class: 'head middle', x: left + (x + 0.5) * cell, y: 16 + 16 * i }, root, line)));
  model.rows.forEach((row, y) => {
    svg('text', { class: 'head end', x: left - 8, y: HEAD + y * CELL_HEIGHT + 17 }, root, row);
    if (model.gaps) for (const x of range(8)) svg('rect', { class: 'cell gap', x: left + x * cell, y: HEAD + y * CELL_HEIGHT, width: cell, height: CELL_HEIGHT }, root);
  });
  for (const c of model.cells) draw_cell(root, c, left + c.x * cell, HEAD + c.y * CELL_HEIGHT, cell, colour);
  $('picture').replaceChildren(root);
  draw_legend(list, colour);
  draw_marks();
}

/* One rectangle an element lies invisibly over the cell, so that each can be pointed at. */
function draw_cell(root, c, x, y, width, colour) {
  const rect = svg('rect', { class: c.group.inside ? 'cell' : 'cell fill', x, y, width, height: CELL_HEIGHT }, root);
  if (c.group.inside) rect.style.fill = HUES[modulo(colour(c.group), 8)];
  svg('text', { class: 'middle', x: x + width / 2, y: y + 17 }, root, c.group.inside ? c.text : `(${c.text})`);
  for (const h of c.hits)
    svg('rect', { class: 'hit', 'data-n': h.n, x: x + h.from * width, y, width: h.size * width, height: CELL_HEIGHT, fill: 'transparent' }, root);
}

/* Every place of the marked element. */
function draw_marks() {
  const root = $('picture').firstElementChild;
  if (!root) return;
  root.querySelectorAll('.mark').forEach(node => node.remove());
  if (marked < 0) return;
  for (const hit of root.querySelectorAll(`.hit[data-n="${marked}"]`)) {
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(k => +hit.getAttribute(k));
    svg('rect', { class: 'mark', x: x + 1, y: y + 1, width: width - 2, height: height - 2 }, root);
  }
}

function draw_legend(list, colour) {
  const seen = [...new Set(list.filter(g => g.inside).map(g => modulo(colour(g), 8)))].sort();
  const nodes = seen.map(i => {
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = HUES[i];
    swatch.textContent = i;
    return swatch;
  });
  const words = document.createElement('p');
  words.textContent = `colour: ${$('colour').value}, modulo 8.` + mode().words(list) + (answer.left_out ? ` Only the first ${answer.elements.length} elements are drawn.` : '');
  $('legend').replaceChildren(...nodes, words);
}

/* ---- The marked element ------------------------------------------------------------------------------------------------ */

function mark(n, keep) {
  if (!answer || !mode().drawn() || n < 0 || n >= answer.elements.length) return;
  $('way').textContent = mode().way(n);
  if (!keep) return;
  marked = n;
  question.set('element', index_of(n).join(','));
  remember();
  draw_marks();
}

function move(event) {
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 1], ArrowUp: [1, -1], PageDown: [2, 1], PageUp: [2, -1] };
  if (!answer || !mode().drawn() || !steps[event.key]) return;
  const [dim, step] = steps[event.key], index = index_of(Math.max(marked, 0)), counts = mode().counts();
  event.preventDefault();
  if (marked >= 0) {
    if (dim >= counts.length) return;
    index[dim] = Math.min(Math.max(index[dim] + step, 0), counts[dim] - 1);
  }
  mark(number_of(index), true);
}

/* ---- Questions and answers ----------------------------------------------------------------------------------------------- */

function remember() {
  history.replaceState(null, '', '#' + text_of(question));
}

function show_complaints() {
  const complaints = mode().complaints(), nodes = complaints.map(f => {
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
    field.setAttribute('aria-invalid', complaints.some(f => f.severity === 'error' && f.field === field.name));
}

function show() {
  const told = ask(text_of(question));
  if (!told) return;
  answer = told;
  show_complaints();
  [$('title').textContent, $('situation').textContent] = mode().title();
  document.title = `tmap: ${$('title').textContent}`;
  $('way').textContent = answer.way || answer.shown || 'Hover, click, or use the arrow keys: the way of an element stands here.';
  if (!mode().drawn()) {
    for (const id of ['picture', 'legend', 'numbers']) $(id).replaceChildren();
    return;
  }
  $('numbers').textContent = mode().numbers();
  const element = (question.get('element') || '').split(',').map(Number), counts = mode().counts();
  marked = element.length === counts.length && element.every((i, d) => i >= 0 && i < counts[d]) ? number_of(element) : -1;
  if (marked >= answer.elements.length) marked = -1;
  draw();
}

/* The fields, views and colours of the question's mode. */
function make_mode() {
  if ($('fields').dataset.mode === question.get('mode')) return;
  $('fields').dataset.mode = question.get('mode');
  $('fields').replaceChildren(...mode().fields.map(make_field));
  $('views').replaceChildren(...Object.keys(mode().views).map(make_view));
  $('colour').replaceChildren(...Object.keys(mode().colours).map(name => new Option(name, name)));
  view = Object.keys(mode().views)[0];
  check_view();
}

function fill_fields() {
  for (const field of $('fields').querySelectorAll('[name]')) {
    field.value = question.get(field.name) || (CHOICES[field.name] ? CHOICES[field.name][field.name === 'type' ? CHOICES.type.indexOf('f16') : 0] : '');
    field.disabled = !computes;
  }
  hide_fields();
  $('preset').value = settings.presets.findIndex(p => text_of(p.query) === text_of(question));
}

function hide_fields() {
  const four = FOUR_ROWS.includes(question.get('op'));
  for (const [name, hidden] of [['at', four], ['column', !four], ['rows', !four]]) {
    const field = $('fields').querySelector(`[name=${name}]`);
    if (field) field.parentElement.hidden = hidden;
  }
}

function take_fields() {
  const keep = question.get('name');
  question = new URLSearchParams({ mode: question.get('mode') || 'copy' });
  for (const field of $('fields').querySelectorAll('[name]'))
    if (field.value.trim() !== '') question.set(field.name, field.value.trim());
  if (keep) question.set('name', keep);
  hide_fields();
  remember();
  show();
}

function open_question(query) {
  question = new URLSearchParams(query);
  if (!modes[question.get('mode')]) question.set('mode', 'copy');
  make_mode();
  fill_fields();
  show();
}

/* ---- Setting up ------------------------------------------------------------------------------------------------------------ */

function make_field(name) {
  const label = document.createElement('label'), choice = CHOICES[name];
  const field = document.createElement(choice ? 'select' : 'input');
  field.name = name;
  if (choice) field.append(...choice.map(value => new Option(value, value)));
  else field.placeholder = HINTS[name] || '';
  if (name === 'expr') field.className = 'wide';
  label.append(name.replace('_', ' '), field);
  return label;
}

function make_view(name) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', textContent: name });
  button.setAttribute('role', 'radio');
  button.onclick = () => { view = name; check_view(); if (answer && mode().drawn()) draw(); };
  return button;
}

function check_view() {
  for (const button of $('views').children) button.setAttribute('aria-checked', button.textContent === view);
}

function make_presets() {
  const groups = new Map();
  settings.presets.forEach((p, i) => {
    if (!groups.has(p.group)) groups.set(p.group, Object.assign(document.createElement('optgroup'), { label: p.group }));
    groups.get(p.group).append(new Option(p.name, i));
  });
  $('preset').append(new Option('as opened', -1), ...groups.values());
  $('preset').onchange = () => {
    open_question($('preset').value < 0 ? settings.query : settings.presets[$('preset').value].query);
    remember();
  };
}

function hit_of(event) {
  const hit = event.target.closest && event.target.closest('.hit');
  return hit ? +hit.dataset.n : -1;
}

async function start() {
  $('version').textContent = settings.version;
  make_presets();
  if ($('module').textContent !== '') await load($('module').textContent);
  $('frozen').hidden = computes;
  $('question').onsubmit = event => event.preventDefault();
  $('fields').oninput = take_fields;
  $('colour').onchange = () => answer && mode().drawn() && draw();
  $('picture').onkeydown = move;
  $('picture').onclick = event => mark(hit_of(event), true);
  $('picture').onmouseover = event => mark(hit_of(event), false);
  $('picture').onmouseleave = () => marked >= 0 && mark(marked, false);
  $('link').onclick = () => navigator.clipboard && navigator.clipboard.writeText(location.href);
  const linked = location.hash.slice(1);
  open_question(linked && (computes || shipped.has(text_of(linked))) ? linked : settings.query);
  document.documentElement.dataset.ready = 'true';
}
start();
