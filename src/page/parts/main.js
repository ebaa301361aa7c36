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

const modes = { copy, layout };
const mode = () => modes[question.get('mode')] || copy;

/* ---- The marked element ------------------------------------------------------------------------------------------------ */

/* Innermost first, as elements are counted. */
function index_of(n) {
  return mode().counts().map(count => { const i = n % count; n = (n - i) / count; return i; });
}

const number_of = index => index.reduceRight((n, i, d) => n * mode().counts()[d] + i, 0);
const key_of = index => (mode().outer_first ? [...index].reverse() : index).join(',');

function way_of(n) {
  const asked = new URLSearchParams(question);
  asked.set('element', key_of(index_of(n)));
  asked.set('only', 'way');
  const told = ask(text_of(asked));
  return told && told.way || mode().way(n);
}

function show_way(n) {
  if (n < 0) $('way').textContent = answer.shown || ASK_FOR_AN_ELEMENT;
  else $('way').replaceChildren(...way_of(n).match(/[^\n]*\n|[^\n]+$/g).map(line => Object.assign(document.createElement('span'), { textContent: line })));
  const owner = state.owner || (n >= 0 && mode() === layout && owner_axes(answer).length > 0 ? text_at(answer.elements[n][0], owner_axes(answer)) : '');
  $('holdings').textContent = owner && mode() === layout ? holdings(owner) : '';
}

function mark(n) {
  if (!answer || !mode().drawn() || n < 0 || n >= answer.elements.length) return;
  marked = n;
  question.set('element', key_of(index_of(n)));
  show_way(n);
  remember();
  draw_marks([]);
  const shown = $('picture').querySelector('.mark');
  if (shown) shown.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function move(event) {
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 1], ArrowUp: [1, -1], PageDown: [2, 1], PageUp: [2, -1] };
  if (!answer || !mode().drawn() || !steps[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  const [dim, step] = steps[event.key], index = index_of(Math.max(marked, 0)), counts = mode().counts();
  event.preventDefault();
  if (marked >= 0) {
    if (dim >= counts.length) return;
    index[dim] = Math.min(Math.max(index[dim] + step, 0), counts[dim] - 1);
  }
  mark(number_of(index));
}

const hit_of = event => { const hit = event.target.closest && event.target.closest('.hit'); return hit ? hit.dataset.key : ''; };

/* A click on a factor marks the first element of the product that comes from it. */
function click(event) {
  const key = hit_of(event);
  if (key) mark(key[0] === 'e' ? +key.slice(1) : answer.product.from.findIndex(from => from['lr'.indexOf(key[0])] === +key.slice(1)));
}

let over = '';
function hover(event) {
  const key = hit_of(event);
  if (key === over || !answer || !mode().drawn()) return;
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
    rule.textContent = `[${f.rule}]`;
    node.append(rule);
    return node;
  });
  $('findings').replaceChildren(...nodes);
  for (const field of $('fields').querySelectorAll('[name]'))
    field.setAttribute('aria-invalid', complaints.some(f => f.severity === 'error' && f.field === field.name));
}

/* True when fields came or went. */
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
  show_colour();
  const owned = mode() === layout && owner_axes(answer).length > 0;
  $('owner').parentElement.hidden = !owned;
  if (owned) $('owner').previousSibling.textContent = `${axis_names(answer, owner_axes(answer))} `;
}

const show_colour = () => { $('colour').value = state.colour && mode().offers(state.colour) && state.colour in mode().colours ? state.colour : mode().first_colour(); };

function show() {
  const told = ask(text_of(question));
  if (!told) return false;
  answer = told;
  over = '';
  marked = -1;
  const changed = show_fields();
  show_complaints();
  [$('title').textContent, $('situation').textContent] = mode().title();
  document.title = `tmap: ${$('title').textContent}`;
  $('bar').hidden = !mode().drawn();
  if (!mode().drawn()) {
    for (const id of ['picture', 'legend', 'numbers', 'holdings']) $(id).replaceChildren();
    $('way').textContent = answer.shown || '';
    return changed;
  }
  $('numbers').textContent = mode().numbers();
  const key = (question.get('element') || '').split(',').map(Number), element = mode().outer_first ? key.reverse() : key, counts = mode().counts();
  marked = element.length === counts.length && element.every((i, d) => i >= 0 && i < counts[d]) ? number_of(element) : -1;
  if (marked >= answer.elements.length) marked = -1;
  show_choices();
  show_way(marked);
  draw();
  return changed;
}

function make_fields() {
  if ($('fields').dataset.mode === question.get('mode')) return;
  $('fields').dataset.mode = question.get('mode');
  $('fields').replaceChildren(...mode().fields.map(make_field));
}

function fill_fields() {
  for (const field of $('fields').querySelectorAll('[name]')) {
    field.value = question.get(field.name) || (CHOICES[field.name] ? CHOICES[field.name][field.name === 'type' ? CHOICES.type.indexOf('f16') : 0] : '');
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

/* Another mode or operation has other fields. */
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
  $('zoom').value = state.zoom || 'fit';
  make_fields();
  fill_fields();
  show();
}

/* ---- Setting up ------------------------------------------------------------------------------------------------------------ */

function make_field(name) {
  const label = document.createElement('label'), choice = CHOICES[name];
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

/* What is changed about the picture alone. */
function change(key, value) {
  state[key] = value;
  remember();
  if (!answer || !mode().drawn()) return;
  if (key === 'zoom') return zoom();
  if (key === 'view') {
    view = value;
    for (const button of $('views').children) button.setAttribute('aria-pressed', button.textContent === view);
    show_colour();
  }
  if (key === 'owner') show_way(marked);
  if (key === 'owner') draw_marks([]);
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

/* What the address bar asks for: a question, or a preset by its name. */
function linked() {
  const link = location.hash.slice(1), named = new URLSearchParams(link).get('preset');
  const preset = settings.presets.find(p => p.name === named || `${p.group}: ${p.name}` === named);
  const query = preset ? preset.query : link, known = computes || shipped.has(bare(query));
  $('elsewhere').hidden = !query || known;
  return known ? query : '';
}

async function start() {
  $('version').textContent = settings.version;
  make_presets();
  if ($('module').textContent !== '') await load($('module').textContent);
  $('frozen').hidden = computes;
  $('parameters').open = !matchMedia('(max-width: 600px)').matches;
  $('question').onsubmit = event => event.preventDefault();
  $('fields').oninput = take_fields;
  $('colour').onchange = () => change('colour', $('colour').value);
  $('zoom').onchange = () => change('zoom', $('zoom').value);
  $('owner').oninput = () => change('owner', $('owner').value.trim());
  $('picture').onkeydown = move;
  $('picture').onclick = click;
  $('picture').onmouseover = hover;
  $('picture').onmouseleave = () => { over = ''; show_way(marked); draw_marks([]); };
  $('link').onclick = () => navigator.clipboard && navigator.clipboard.writeText(location.href);
  window.onhashchange = () => linked() && open_question(linked());
  window.onresize = () => $('zoom').value === 'fit' && zoom();
  open_question(linked() || settings.query);
  document.documentElement.dataset.ready = 'true';
}
start();
