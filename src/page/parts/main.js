/* ---- The library ------------------------------------------------------------------------------------------------- */

/* Every function that the C library of the module imports returns 52, the error NOSYS of WASI: the page needs no such
 * function. */
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

const modes = { copy, layout };
const mode = () => modes[question.get('mode')] || copy;
const is_drawn = () => answer !== null && mode().draws(answer);

/* ---- The marked element ------------------------------------------------------------------------------------------------ */

/* Innermost first, the order in which elements are numbered. */
function index_of(n) {
  return mode().counts().map(count => { const i = n % count; n = (n - i) / count; return i; });
}

const number_of = index => index.reduceRight((n, i, d) => n * mode().counts()[d] + i, 0);
const key_of = index => (mode().outer_first ? [...index].reverse() : index).join(',');

function way_of(n) {
  const asked = new URLSearchParams(drawn_question);
  asked.set('element', key_of(index_of(n)));
  asked.set('only', 'way');
  const said = ask(text_of(asked));
  return said && said.way || mode().way(n);
}

function show_way(n) {
  if (n < 0) $('way').textContent = answer.shown || (is_drawn() ? ASK_FOR_AN_ELEMENT : '');
  else $('way').replaceChildren(...way_of(n).match(/[^\n]*\n|[^\n]+$/g).map(line => Object.assign(document.createElement('span'), { textContent: line })));
  const owner = state.owner || (n >= 0 && mode() === layout && owner_axes(answer).length > 0 ? text_at(answer.elements[n][0], owner_axes(answer)) : '');
  $('holdings').textContent = owner && mode() === layout ? holdings(owner) : '';
}

function mark(n) {
  if (!is_drawn() || n < 0 || n >= answer.elements.length) return;
  marked = n;
  question.set('element', key_of(index_of(n)));
  show_way(n);
  remember();
  if (has_folds) draw();
  else draw_marks([]);
  const shown = $('picture').querySelector('.mark');
  if (shown) shown.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function move(event) {
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 1], ArrowUp: [1, -1], PageDown: [2, 1], PageUp: [2, -1] };
  if (!is_drawn() || !steps[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  const [dim, step] = steps[event.key], index = index_of(Math.max(marked, 0)), counts = mode().counts();
  event.preventDefault();
  if (marked >= 0) {
    if (dim >= counts.length) return;
    index[dim] = Math.min(Math.max(index[dim] + step, 0), counts[dim] - 1);
  }
  mark(number_of(index));
}

const hit_of = event => { const hit = event.target.closest && event.target.closest('.hit'); return hit ? hit.dataset.key : ''; };

/* A click on an element of a factor marks the first element of the product that is made from it. */
function click(event) {
  const key = hit_of(event);
  if (key) mark(key[0] === 'e' ? +key.slice(1) : answer.product.from.findIndex(from => from['lr'.indexOf(key[0])] === +key.slice(1)));
}

let over = '';
function hover(event) {
  const key = hit_of(event);
  if (key === over || !is_drawn()) return;
  over = key;
  show_way(key[0] === 'e' ? +key.slice(1) : marked);
  draw_marks(key ? mode().hovered(key) : []);
}

/* ---- Questions and answers ----------------------------------------------------------------------------------------------- */

function remember() {
  const link = new URLSearchParams(question);
  for (const key of STATE) if (state[key]) link.set(key, state[key]);
  history.replaceState(null, '', '#' + text_of(link));
}

function show_complaints() {
  const complaints = mode().complaints(), nodes = complaints.map(f => {
    const node = document.createElement('div');
    node.className = f.severity;
    const parts = [`${f.severity}: ${f.message}`, f.given && `given: ${f.given}`, f.allowed && `allowed: ${f.allowed}`, f.fix && `fix: ${f.fix}`];
    node.textContent = parts.filter(Boolean).join('; ') + ' ';
    const rule = document.createElement('code');
    rule.textContent = `[${f.rule}] `;
    node.append(rule, ...fixes_of(f).map(make_fix));
    return node;
  });
  $('findings').replaceChildren(...nodes);
  for (const field of $('fields').querySelectorAll('[name]'))
    field.setAttribute('aria-invalid', complaints.some(f => f.severity === 'error' && f.field === field.name));
}

/* Returns true if the set of visible fields has changed. */
function show_fields() {
  let changed = false;
  for (const field of $('fields').querySelectorAll('[name]')) {
    const hidden = !mode().shown().includes(field.name);
    changed = changed || field.parentElement.hidden !== hidden;
    field.parentElement.hidden = hidden;
  }
  return changed;
}

function show_choices() {
  const views = Object.keys(mode().views).filter(mode().offers);
  view = views.includes(state.view) ? state.view : answer.product ? 'product' : views[0];
  $('views').replaceChildren(...views.map(make_view));
  $('colour').replaceChildren(...Object.keys(mode().colours).filter(mode().offers).map(name => new Option(name, name)));
  $('files').replaceChildren(...mode().files.map(make_file));
  show_colour();
  const owned = mode() === layout && owner_axes(answer).length > 0;
  $('owner').parentElement.hidden = !owned;
  if (owned) $('owner').previousSibling.textContent = `${axis_names(answer, owner_axes(answer))} `;
}

const show_colour = () => { $('colour').value = state.colour && mode().offers(state.colour) && state.colour in mode().colours ? state.colour : mode().first_colour(); };

/* After a refusal, the last picture of the same mode stays, dimmed. */
function keep_picture() {
  const kept = answer !== null && answer.mode === reply.mode && is_drawn();
  if (!kept) show_nothing(null);
  else $('situation').textContent = 'The picture shows the last valid parameters.';
  $('stage').classList.toggle('stale', kept);
}

/* Shows a value without a picture; with `said` null, a refusal without an earlier picture. */
function show_nothing(said) {
  answer = said;
  [$('title').textContent, $('situation').textContent] = mode().title();
  $('bar').hidden = true;
  for (const id of ['picture', 'legend', 'numbers', 'holdings']) $(id).replaceChildren();
  $('way').textContent = said && said.shown || '';
}

function marked_by(question) {
  const key = (question.get('element') || '').split(',').map(Number), element = mode().outer_first ? key.reverse() : key, counts = mode().counts();
  const n = element.length === counts.length && element.every((i, d) => i >= 0 && i < counts[d]) ? number_of(element) : -1;
  return n < answer.elements.length ? n : -1;
}

function show_picture() {
  answer = reply;
  [$('title').textContent, $('situation').textContent] = mode().title();
  $('bar').hidden = false;
  $('numbers').textContent = mode().numbers();
  marked = marked_by(question);
  show_choices();
  show_way(marked);
  draw();
}

function show() {
  const said = ask(text_of(question));
  if (!said) return false;
  reply = said;
  over = '';
  const changed = show_fields(), refused = !mode().draws(reply) && (!reply.ok || reply.error !== undefined);
  show_complaints();
  $('file').hidden = true;
  if (!refused) {
    $('stage').classList.remove('stale');
    drawn_question = new URLSearchParams(question);
    marked = -1;
    if (mode().draws(reply)) show_picture();
    else show_nothing(reply);
  } else keep_picture();
  document.title = `tmap: ${$('title').textContent}`;
  return changed;
}

/* ---- Fixes --------------------------------------------------------------------------------------------------------------- */

/* The alternatives of a fix, each a list of edits of fields: { key, dim, value }. Empty if only a person can apply the
 * fix. */
function fixes_of(finding) {
  const word = /^-?[\w.]+$/, one = /^(\w+)(?:\[(\d+)\])?: (-?\w+)(?: or (-?\w+))?$/.exec(finding.fix || '');
  if (!computes) return [];
  if (finding.fixes && finding.fixes.length > 0) return finding.fixes.filter(can_edit);
  if (one) return one.slice(3).filter(Boolean).map(value => [{ key: one[1], dim: one[2], value }]).filter(can_edit);
  if (!word.test(finding.fix || '') || !field_of(finding.field)) return [];
  if (finding.length > 0) return [[{ key: finding.field, at: finding.at, length: finding.length, value: finding.fix }]];
  return choices(finding.field) && choices(finding.field).includes(finding.fix) ? [[{ key: finding.field, value: finding.fix }]] : [];
}

const field_of = key => $('fields').querySelector(`label:not([hidden]) [name="${key === 'mode' ? 'map_mode' : key}"]`);

/* An entry of a list cannot be edited if the form has no value for it. */
const can_edit = edits => edits.every(({ key, dim, value }) => {
  const field = field_of(key);
  return field && (dim == null || field.value.split(',').length > dim) && (!choices(field.name) || value === null || choices(field.name).includes(value));
});

function edit({ key, dim, value, at, length }) {
  const field = field_of(key), list = field.value.split(','), bytes = new TextEncoder().encode(field.value), decode = part => new TextDecoder().decode(part);
  if (dim != null) list[dim] = value;
  field.value = at !== undefined ? decode(bytes.slice(0, at)) + value + decode(bytes.slice(at + length))
    : dim != null ? list.join(',') : value === null ? '' : [value].flat().join(',');
}

function make_fix(edits) {
  const said = edits.map(({ key, dim, value }) => `${key}${dim != null ? `[${dim}]` : ''}: ${value === null ? 'none' : [value].flat().join(', ')}`).join('; ');
  return Object.assign(document.createElement('button'), { type: 'button', className: 'fix', textContent: said, onclick: () => { edits.forEach(edit); take_fields(); } });
}

/* ---- Copies and downloads -------------------------------------------------------------------------------------------------- */

/* Reports the result beside the button. If the browser refuses, shows the text so that the user can copy it. */
async function copy_text(what, text) {
  const said = $(`${what}-said`), field = $(`${what}-text`);
  said.textContent = '';
  try {
    await navigator.clipboard.writeText(text);
    field.hidden = what === 'link';
    said.textContent = 'copied';
  } catch {
    field.hidden = false;
    field.value = text;
    field.focus();
    field.select();
    said.textContent = document.execCommand('copy') ? 'copied' : 'the browser does not allow access to the clipboard: press Ctrl+C';
  }
}

function show_file(kind) {
  const asked = new URLSearchParams(drawn_question), name = (drawn_question.get('name') || drawn_question.get('mode')).replace(/[^\w.-]/g, '_');
  asked.set('only', kind);
  if (mode() === layout) asked.set('view', view);
  const text = (ask(text_of(asked)) || {})[kind];
  $('file').hidden = false;
  $('file-said').textContent = text ? '' : 'only a page with the library has this file';
  $('file-text').value = text || '';
  $('file-text').rows = Math.min(12, $('file-text').value.split('\n').length + 1);
  Object.assign($('file-save'), { href: URL.createObjectURL(new Blob([text || ''], { type: FILES[kind] })), download: `${name}.${kind}`, textContent: `save ${name}.${kind}` });
}

const make_file = kind => Object.assign(document.createElement('button'), { type: 'button', textContent: kind.toUpperCase(), onclick: () => show_file(kind) });

function make_fields() {
  if ($('fields').dataset.mode === question.get('mode')) return;
  $('fields').dataset.mode = question.get('mode');
  $('fields').replaceChildren(...mode().fields.map(make_field));
}

function fill_fields() {
  for (const field of $('fields').querySelectorAll('[name]')) {
    field.value = question.get(field.name) || (choices(field.name) ? field.name === 'type' ? 'f16' : choices(field.name)[0] : '');
    field.disabled = !computes;
  }
  const same = settings.presets.flatMap((p, i) => bare(p.query) === bare(question) ? [i] : []);
  $('preset').value = same.find(i => (new URLSearchParams(settings.presets[i].query).get('view') || '') === state.view) ?? same[0] ?? -1;
}

function collect() {
  const keep = question.get('name');
  question = new URLSearchParams({ mode: question.get('mode') });
  for (const field of $('fields').querySelectorAll('[name]'))
    if (!field.parentElement.hidden && field.value.trim() !== '') question.set(field.name, field.value.trim());
  if (keep) question.set('name', keep);
}

/* A changed mode or operation changes the set of fields. */
function take_fields() {
  for (let again = true, n = 0; again && n < 3; n++) {
    collect();
    again = show();
  }
  $('preset').value = -1;
  remember();
}

function open_question(query) {
  question = new URLSearchParams(query);
  state = Object.fromEntries(STATE.map(key => [key, question.get(key) || '']));
  STATE.forEach(key => question.delete(key));
  if (!modes[question.get('mode')]) question.set('mode', 'copy');
  $('owner').value = state.owner;
  $('zoom').value = state.zoom || 'auto';
  $('lines').value = state.lines;
  make_fields();
  fill_fields();
  show();
}

/* ---- Setting up ------------------------------------------------------------------------------------------------------------ */

function make_field(name) {
  const label = document.createElement('label'), choice = choices(name);
  const field = document.createElement(choice ? 'select' : 'input');
  field.name = name;
  if (choice) field.append(...choice.map(value => new Option(value, value)));
  else Object.assign(field, { placeholder: HINTS[name] || '', spellcheck: false, autocapitalize: 'off', autocomplete: 'off' });
  field.className = WIDE.includes(name) ? 'wide' : NUMBERS.includes(name) ? 'number' : '';
  label.append(name.replaceAll('_', ' '), field);
  return label;
}

function make_view(name) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', textContent: name, onclick: () => change('view', name) });
  button.setAttribute('aria-pressed', name === view);
  return button;
}

/* Changes a setting of the picture, but not the question. */
function change(key, value) {
  state[key] = value;
  remember();
  if (!is_drawn()) return;
  if (key === 'zoom') return zoom();
  if (key === 'view') {
    view = value;
    for (const button of $('views').children) button.setAttribute('aria-pressed', button.textContent === view);
    show_colour();
  }
  if (key === 'owner') show_way(marked);
  if (key === 'owner' && !has_folds) draw_marks([]);
  else draw();
}

function make_presets() {
  const groups = new Map();
  settings.presets.forEach((p, i) => {
    if (!groups.has(p.group)) groups.set(p.group, Object.assign(document.createElement('optgroup'), { label: p.group }));
    groups.get(p.group).append(new Option(p.name, i));
  });
  $('preset').append(new Option('as opened, or edited', -1), ...groups.values());
  $('preset').onchange = () => {
    open_question($('preset').value < 0 ? settings.query : settings.presets[$('preset').value].query);
    remember();
  };
}

/* The question in the address bar, or the question of the preset that the address bar names. */
function linked() {
  const link = location.hash.slice(1), named = new URLSearchParams(link).get('preset');
  const preset = settings.presets.find(p => p.name === named || `${p.group}: ${p.name}` === named);
  const query = preset ? preset.query : link, known = computes || shipped.has(bare(query));
  $('elsewhere').hidden = !query || known;
  return known ? query : '';
}

async function start() {
  $('version').textContent = settings.version;
  if ($('module').textContent !== '') await load($('module').textContent);
  $('frozen').hidden = computes;
  $('preset').parentElement.hidden = !computes;
  make_presets();
  $('parameters').open = !matchMedia('(max-width: 600px)').matches;
  $('question').onsubmit = event => event.preventDefault();
  $('fields').oninput = take_fields;
  $('colour').onchange = () => change('colour', $('colour').value);
  $('zoom').onchange = () => change('zoom', $('zoom').value);
  $('lines').onchange = () => change('lines', $('lines').value);
  $('owner').oninput = () => change('owner', $('owner').value.trim());
  $('picture').onkeydown = move;
  $('picture').onclick = click;
  $('picture').onmouseover = hover;
  $('picture').onmouseleave = () => { over = ''; show_way(marked); draw_marks([]); };
  $('link').onclick = () => copy_text('link', location.href);
  $('file-copy').onclick = () => copy_text('file', $('file-text').value);
  window.onhashchange = () => linked() && open_question(linked());
  window.onresize = draw;
  open_question(linked() || settings.query);
  document.documentElement.dataset.ready = 'true';
}
start();
