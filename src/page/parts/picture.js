/*
 * Pictures. A model is a list of tables, drawn side by side: `heads` above its columns, `rows` left of its rows, and
 * cells with their place, their text, the group that determines their colour, and the parts that the mouse can point at
 * (`hits`, from 0 to 1 over the cell's width). `gaps`: the number of empty columns before the table.
 */
const CELL_HEIGHT = 26, TITLE = 26, HEAD = 44, CHAR = 7.4, BETWEEN = 36, OF_SCREEN = 0.8, LEGIBLE = 0.7;

function svg(tag, attributes, parent, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

const even = (elements, letter = 'e') => elements.map((n, i) => ({ key: `${letter}${n}`, from: i / elements.length, size: 1 / elements.length }));

const longest = (texts, least, room = 2) => texts.reduce((most, text) => Math.max(most, (text.length + room) * CHAR), least);

/* Cells are wide enough that the text fits on their filled part; in a container of packed values that part is not the
 * whole cell. */
function measure(table) {
  const held = Math.max(...table.cells.map(c => Math.max(...c.hits.map(h => h.from + h.size))), 0.1);
  const cell = Math.ceil(Math.max(longest(table.cells.map(c => c.text), 36, table.sides ? 1 : 2) / held, longest(table.heads.flat(), table.gaps === 8 && !table.sides ? 90 : 36)));
  const left = Math.ceil(longest([...table.rows, table.corner || '', ...table.sides || []], 36));
  const width = Math.max(left + table.heads.length * cell, longest([table.title || ''], 0), left + longest(table.notes.filter(Boolean), 0)) + 12;
  return { cell, left, width, height: (table.title ? TITLE : 0) + HEAD + table.rows.length * CELL_HEIGHT + 12 };
}

/* ---- Folds ---- */

/* If rows repeat, with numbers that differ by a constant shift, only the first and the last period are drawn, and the
 * period of the marked element. A row is its name and its cells, each as the text between numbers and the numbers. */
const DIGITS = /0x[0-9a-f]+|-?\d+/g;
const split = (text, look) => ({ look: look + text.replace(DIGITS, '#'), numbers: (text.match(DIGITS) || []).map(Number), hex: /0x/.test(text) });

const agrees = (shift, k, by) => k in shift ? shift[k] === by : shift.push(by) > 0;
const repeats = (row, earlier, shifts) => row.length === earlier.length && row.every((cell, i) => cell.look === earlier[i].look &&
  cell.numbers.every((n, k) => agrees(shifts[Math.min(i, 1)], k, n - earlier[i].numbers[k])));

function longest_fold(rows, first, end) {
  let best = null;
  for (let period = 4; period <= 128 && 3 * period <= end - first && !(best && end - best.end < 2 * best.period); period++) {
    const shifts = [[], []];
    let row = first + period;
    while (row < end && repeats(rows[row], rows[row - period], shifts)) row++;
    const last = row - period - (row - first) % period, folded = last - first - period;
    if (folded >= 16 && !(best && folded <= best.end - best.first)) best = { first: first + period, end: last, period, shift: shifts[1] };
  }
  return best;
}

/* The longest folds, without the periods of the rows `kept`, then the folds in the periods that are drawn. */
function folds_of(rows, kept, first = 0, end = rows.length) {
  const folds = [];
  while (first < end) {
    const fold = longest_fold(rows, first, end), last = fold && fold.end + fold.period;
    if (!fold) { first++; continue; }
    folds.push(...folds_of(rows, kept, first, fold.first), ...folds_of(rows, kept, fold.end, last));
    for (let from = fold.first, at = from; at <= fold.end; at += fold.period) {
      if (at < fold.end && !kept.some(y => y >= at && y < at + fold.period)) continue;
      if (from < at) folds.push({ ...fold, first: from, end: at });
      if (at < fold.end) folds.push(...folds_of(rows, kept, at, at + fold.period));
      from = at + fold.period;
    }
    first = last;
  }
  return folds;
}

function note_of(fold, hexadecimal, rows) {
  const signed = n => (n < 0 ? '-' : '+') + (hexadecimal && Math.abs(n) > 9 ? hex(Math.abs(n), 1) : Math.abs(n));
  const shift = fold.shift.some(n => n !== 0) ? `, with ${fold.shift.map(signed).join(', ')} each time` : '';
  return `${rows} ${fold.first}-${fold.end - 1}: ${(fold.end - fold.first) / fold.period} × the ${fold.period} ${rows} above${shift}`;
}

/* The table with a note in place of each fold. */
function folded(table, colour) {
  const rows = table.rows.map(name => [split(name, '')]), marks = new Map(mode().related(marked));
  const kept = table.cells.filter(c => c.hits.some(h => marks.has(h.key))).map(c => c.y);
  for (const c of [...table.cells].sort((a, b) => a.x - b.x)) rows[c.y].push(split(c.text, `${c.x} ${c.outside} ${colour[1] === FEW ? hue_of(colour, c.group) : ''} `));
  const folds = state.lines === 'all' ? [] : folds_of(rows, kept), places = [], names = [], notes = [];
  for (let y = 0; y < rows.length; y++) {
    const fold = folds.find(f => f.first === y);
    if (fold) {
      notes[names.push('') - 1] = note_of(fold, rows[y][1].hex, table.gaps === 8 ? 'lines' : 'rows');
      y = fold.end;
    }
    places[y] = names.push(table.rows[y]) - 1;
  }
  return { ...table, rows: names, notes, cells: table.cells.filter(c => c.y in places).map(c => ({ ...c, y: places[c.y] })) };
}

const width_of = sizes => sizes.reduce((sum, s) => sum + s.width, BETWEEN * (sizes.length - 1));

/* The width for the picture, without the details beside it and their gap (style.css). */
const frame_width = () => $('stage').clientWidth - 2 - ($('stage').classList.contains('wide') || matchMedia('(max-width: 900px)').matches ? 0 : 26 * 15 + 24);

/* The table with narrow cells, and the words of its heads ("unit 0", "banks 0-3") once, left of the numbers. */
function shortened(table) {
  const sides = table.heads[0].map(line => (/^([a-z]+ )\d/.exec(line) || [])[1] || '');
  return { ...table, sides, heads: table.heads.map(head => head.map((line, i) => line.slice(sides[i].length))) };
}

/* The tables as wide as fits: whole, else shortened, else with the details below the picture. */
function fitting(whole) {
  const short = whole.map(shortened), fits = tables => width_of(tables.map(measure)) * LEGIBLE <= frame_width();
  $('stage').classList.remove('wide');
  const beside = [whole, short].find(fits);
  if (!beside) $('stage').classList.add('wide');
  return beside || (fits(whole) ? whole : short);
}

let has_folds = false;
function draw() {
  const list = mode().groups(), colour = mode().colours[$('colour').value], whole = mode().views[view](list).map(table => folded(table, colour));
  has_folds = whole.some(table => table.notes.length > 0);
  $('lines').parentElement.hidden = !has_folds && state.lines !== 'all';
  const tables = fitting(whole), sizes = tables.map(measure);
  const width = width_of(sizes), height = Math.max(...sizes.map(s => s.height));
  const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': mode().title()[0] });
  hatch(svg('defs', {}, root));
  let x = 0;
  tables.forEach((table, i) => {
    draw_table(svg('g', { transform: `translate(${x} 0)` }, root), table, sizes[i], colour);
    x += sizes[i].width;
    if (table.sign) svg('text', { class: 'sign', x: x + BETWEEN / 2, y: TITLE + HEAD + CELL_HEIGHT }, root, table.sign);
    x += BETWEEN;
  });
  $('picture').replaceChildren(root);
  zoom();
  draw_legend(list, colour);
  draw_marks([]);
}

/* The pattern for elements outside the tensor. */
function hatch(defs) {
  const pattern = svg('pattern', { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse' }, defs);
  svg('path', { class: 'hatch-ground', d: 'M0 0h6v6H0z' }, pattern);
  svg('path', { class: 'hatch-line', d: 'M-1 1l2-2M0 6l6-6M5 7l2-2' }, pattern);
}

/* "fit": the whole picture is in its frame; "auto": its whole width is, if text stays legible. */
function zoom() {
  const root = $('picture').firstElementChild, wanted = $('zoom').value;
  if (!root) return;
  const [, , width, height] = root.getAttribute('viewBox').split(' ').map(Number);
  const resize = scale => { root.setAttribute('width', width * scale); root.setAttribute('height', height * scale); };
  resize(1);
  const across = frame_width() / width, down = (OF_SCREEN * innerHeight - 2) / height;
  const least = wanted === 'fit' ? 0 : LEGIBLE, scale = Math.min(1, across, wanted === 'fit' ? down : 1);
  if (!(wanted > 0)) resize(Math.max(least, scale));
  else resize(wanted / 100);
  const bar = $('picture').offsetWidth - $('picture').clientWidth - 2;
  if (wanted === 'auto' && bar > 0) resize(Math.max(least, Math.min(1, across - bar / width)));
}

function draw_table(root, table, { cell, left }, colour) {
  const top = HEAD + (table.title ? TITLE : 0);
  if (table.title) svg('text', { class: 'title', x: 8, y: 18 }, root, table.title);
  if (table.corner) svg('text', { class: 'head end', x: left - 8, y: top - 12 }, root, table.corner);
  const [at, side] = table.corner ? [8, 'head'] : [left - 8, 'head end']; /* a corner has the place beside the heads */
  (table.sides || []).forEach((line, i) => svg('text', { class: side, x: at, y: top - 28 + 16 * i }, root, line));
  table.heads.forEach((head, x) => head.forEach((line, i) =>
    svg('text', { class: 'head middle', x: left + (x + 0.5) * cell, y: top - 28 + 16 * i }, root, line)));
  table.rows.forEach((row, y) => {
    svg('text', { class: 'head end', x: left - 8, y: top + y * CELL_HEIGHT + 17 }, root, row);
    if (table.notes[y]) return svg('text', { class: 'head', x: left + 8, y: top + y * CELL_HEIGHT + 17 }, root, table.notes[y]);
    for (const x of range(table.gaps || 0)) svg('rect', { class: 'cell gap', x: left + x * cell, y: top + y * CELL_HEIGHT, width: cell, height: CELL_HEIGHT }, root);
  });
  for (const c of table.cells) draw_cell(root, c, left + c.x * cell, top + c.y * CELL_HEIGHT, cell, colour);
}

/* The neighbouring parts of a cell that are all inside the tensor, or all outside. */
function parts_of(c) {
  const parts = [];
  c.hits.forEach((h, i) => {
    const outside = !!(c.outside && c.outside[i]), last = parts[parts.length - 1];
    if (last && last.outside === outside) last.end = h.from + h.size;
    else parts.push({ outside, from: h.from, end: h.from + h.size });
  });
  return parts;
}

/* Draws a cell, with one invisible rectangle for each element, so that the mouse can point at each element. */
function draw_cell(root, c, x, y, width, colour) {
  const parts = parts_of(c);
  for (const p of parts) {
    const rect = svg('rect', { class: p.outside ? 'cell fill' : 'cell', x: x + p.from * width, y, width: (p.end - p.from) * width, height: CELL_HEIGHT }, root);
    if (!p.outside) rect.style.fill = HUES[hue_of(colour, c.group)] || PLAIN;
  }
  const [held] = parts.slice(-1).map(p => p.end), middle = (c.text.length * CHAR < held * width ? held : 1) / 2;
  svg('text', { class: parts.some(p => !p.outside) ? 'middle ink' : 'middle out', x: x + width * middle, y: y + 17 }, root, c.text);
  for (const h of c.hits)
    svg('rect', { class: 'hit', 'data-key': h.key, x: x + h.from * width, y, width: h.size * width, height: CELL_HEIGHT, fill: 'transparent' }, root);
}

/* Marks every place of the marked element, of related elements, and of elements related to the element under the
 * mouse. */
function draw_marks(others) {
  const root = $('picture').firstElementChild;
  if (!root) return;
  root.querySelectorAll('.mark, .same, .around').forEach(node => node.remove());
  const classes = new Map([...others, ...mode().related(marked)]);
  if (classes.size === 0) return;
  for (const hit of root.querySelectorAll('.hit')) {
    const name = classes.get(hit.dataset.key);
    if (!name) continue;
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(k => +hit.getAttribute(k));
    const narrow = width < 10 ? 1.5 : -1, frame = { x: x - narrow, y: y + 1, width: width + 2 * narrow, height: height - 2 };
    const slim = width < 10 ? ' slim' : '';
    if (name === 'mark') svg('rect', { class: 'around' + slim, ...frame }, hit.parentElement);
    svg('rect', { class: name + slim, ...frame }, hit.parentElement);
  }
}

const hue_of = ([number, n], group) => modulo(number(group), n);

/* If owners share colours, the legend names none of them: only the names in the cells differ. */
function draw_legend(list, colour) {
  const shared = answer.owners > ALL && ['owner', 'first axis'].includes($('colour').value), owned = mode() === layout && colour === layout.colours.owner;
  const seen = new Map(list.filter(g => !g.outside || !g.outside.every(Boolean)).reverse().map(g => [hue_of(colour, g), g]));
  const nodes = [...seen].filter(() => !shared).sort((a, b) => a[0] - b[0]).map(([i, group]) => {
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = HUES[i];
    swatch.textContent = owned ? group.owner : i;
    return swatch;
  });
  const how = shared ? `: ${answer.owners} values share ${ALL} colours, neighbours differ` : owned ? '' : `, modulo ${colour[1]}`;
  const words = [`Colour: ${$('colour').value}${how}.`, ...mode().words(list)];
  if (answer.left_out) words.push(`Only the first ${answer.elements.length} elements are drawn.`);
  $('legend').replaceChildren(...nodes, ...words.map(text => Object.assign(document.createElement('p'), { textContent: text })));
}
