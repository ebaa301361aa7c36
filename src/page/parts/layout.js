/*
 * Layouts. An element is a list of its copies, each a list of coordinates in the order of the axes. For a product,
 * `from` contains the elements of the left and the right factor from which an element is made.
 */
const layout = {
  fields: settings.fields.layout,
  shown: () => settings.fields.layout,
  counts: () => [...answer.shape].reverse(),
  draws: said => said.ok && said.elements !== undefined,
  outer_first: true,
  is_memory: () => answer.banks.length > 0 && answer.axes.length === 1,
  at: n => index_of(n).reverse().join(','),
  groups: () => groups_of(answer),

  colours: {
    'unit of the row': [g => g.unit, FEW],
    'owner': [g => g.hue, ALL],
    'first axis': [g => g.hue, ALL],
    'bank (of 16 bytes)': [g => Math.floor(g.bank / 4), FEW],
    'line': [g => g.line, FEW],
    'row': [g => g.row, ALL],
    'column': [g => g.column, ALL],
    'left factor': [g => g.left, ALL],
    'right factor': [g => g.right, ALL],
  },

  views: {
    'elements': list => [element_table(answer, list, 'e')],
    'places': list => [layout.is_memory() ? banks_table(list) : owners_table(list)],
    'product': list => answer.product ? [
      { ...element_table(answer.product.left, groups_of(answer.product.left, 'left'), 'l'), title: 'left factor', sign: '×' },
      { ...element_table(answer.product.right, groups_of(answer.product.right, 'right'), 'r'), title: 'right factor', sign: '=' },
      { ...element_table(answer, list, 'e'), title: 'product' }] : [],
  },

  first_colour: () => answer.product ? 'left factor' : layout.is_memory() ? (view === 'places' ? 'unit of the row' : 'bank (of 16 bytes)') : owner_axes(answer).length ? 'owner' : 'first axis',
  offers(name) {
    if (['product', 'left factor', 'right factor'].includes(name)) return answer.product !== undefined;
    if (['unit of the row', 'bank (of 16 bytes)', 'line'].includes(name)) return layout.is_memory();
    if (name === 'owner') return owner_axes(answer).length > 0;
    return name !== 'first axis' || !(layout.is_memory() || owner_axes(answer).length > 0);
  },

  /* Without the embedded library: the places. */
  way(n) {
    const bank = answer.banks[n];
    const places = answer.elements[n].map(p => '  place    ' + answer.axes.map((a, i) => `${a.name} ${p[i]}`).join(', '));
    return [`element ${index_of(n).reverse().join(', ')}`, ...places].join('\n') +
      (bank && layout.is_memory() ? `\n  memory   line ${hex(bank[0] * 128)}, bank ${bank[1]}, byte ${bank[2]} of the line` : '');
  },

  /* The other elements of the chosen owner, or of the owners of the marked element. */
  related(n) {
    const owners = owner_axes(answer), wanted = new Set(state.owner ? [state.owner] : n < 0 ? [] : answer.elements[n].map(p => text_at(p, owners)));
    const has = copies => owners.length > 0 && copies.some(p => wanted.has(text_at(p, owners)));
    const same = answer.elements.flatMap((copies, i) => has(copies) ? [[`e${i}`, 'same']] : []);
    if (n < 0) return same;
    const from = answer.product ? answer.product.from[n] : [];
    return [...same, ...['l', 'r'].flatMap((letter, i) => answer.product ? [[letter + from[i], 'mark']] : []), [`e${n}`, 'mark']];
  },

  /* For an element of a factor under the mouse: the elements of the product that are made from it. */
  hovered: key => !answer.product ? [] : key[0] === 'e' ? answer.product.from[key.slice(1)].map((n, i) => ['lr'[i] + n, 'same'])
    : answer.product.from.flatMap((from, i) => from['lr'.indexOf(key[0])] === +key.slice(1) ? [[`e${i}`, 'same']] : []),

  numbers: () => answer.elements ? `${answer.size} elements` + (answer.copies > 1 ? `, ${answer.copies} places each` : '') +
    (answer.threads ? `; ${answer.threads} thread${answer.threads > 1 ? 's' : ''} of ${answer.locals} register${answer.locals > 1 ? 's' : ''}` : '') : '',
  words: () => [
    view === 'places' ? (layout.is_memory() ? 'A cell is 16 bytes of shared memory and shows the first of its elements.' : 'A cell shows the elements at its place.')
      : `A cell shows ${[owner_axes(answer), memory_axes(answer)].filter(axes => axes.length).map(axes => axis_names(answer, axes)).join(': ')}.`,
    view === 'product' && 'Every element of the left factor becomes a tensor with the layout of the right factor.',
    owner_axes(answer).length > 0 && `Dashed: the other elements of the marked ${axis_names(answer, owner_axes(answer))}.`,
  ].filter(Boolean),
  title: () => [
    ['expr', 'times'].map(key => drawn_question.get(key)).filter(Boolean).join(' × ') || 'a layout',
    !answer || !answer.kind ? '' : answer.text === drawn_question.get('expr') ? answer.kind : `${answer.kind}: ${answer.text}`,
  ],
  complaints() {
    if (!reply.error) return [];
    const { field, at, length, message, fix } = reply.error;
    return [{ severity: 'error', message, given: (question.get(field) || '').slice(at, at + length), fix, rule: `byte ${at + 1}`, field, at, length }];
  },
  files: ['yaml', 'c', 'svg'],
};

const owner_axes = from => from.axes.flatMap((a, i) => a.kind === 'memory' ? [] : [i]);
const memory_axes = from => from.axes.flatMap((a, i) => a.kind === 'memory' ? [i] : []);
const text_at = (place, axes) => axes.map(i => place[i]).join('.');
const axis_names = (from, axes) => axes.map(i => from.axes[i].name).join('.');

function groups_of(from, side) {
  const owners = owner_axes(from), columns = from.shape[from.shape.length - 1];
  return from.elements.map((copies, n) => {
    const bank = from.banks[n] || [0, 0];
    return {
      n, row: Math.floor(n / columns), column: n % columns, unit: Math.floor((n % columns) * from.bits / 128), bank: bank[1], line: bank[0],
      hue: from.hues[n], owner: owners.length ? text_at(copies[0], owners) : String(copies[0][0] ?? ''),
      left: side === 'left' ? n : side === undefined && answer.product ? answer.product.from[n][0] : NaN,
      right: side === 'right' ? n : side === undefined && answer.product ? answer.product.from[n][1] : NaN,
    };
  });
}

/* The elements in their shape. A cell has the owners of an element, then the first copy's place in memory. */
function element_table(from, list, letter) {
  const owners = owner_axes(from), memories = memory_axes(from), columns = from.shape[from.shape.length - 1], outer = from.shape.slice(0, -1);
  const row_name = r => outer.map((_, d) => { const inner = outer.slice(d + 1).reduce((a, b) => a * b, 1); return Math.floor(r / inner) % outer[d]; }).join(',');
  return {
    heads: range(columns).map(c => ['', String(c)]),
    rows: range(list.length ? list[list.length - 1].row + 1 : 0).map(row_name),
    cells: list.map(g => ({
      group: g, x: g.column, y: g.row, hits: even([g.n], letter),
      text: [owners_text(from.elements[g.n].map(p => text_at(p, owners)), owners), text_at(from.elements[g.n][0], memories)].filter(t => t !== '').join(': ') +
        (owners.length === 0 && from.copies > 1 ? ` x${from.copies}` : ''),
    })),
  };
}

/* "[5 9]" for several copies, "5 x128" for many. */
function owners_text(names, owners) {
  if (owners.length === 0) return '';
  if (names.length === 1) return names[0];
  return names.length <= 4 ? `[${names.join(' ')}]` : `${names[0]} x${names.length}`;
}

function banks_table(list) {
  const cells = new Map(), bytes = answer.bits / 8;
  for (const g of list) {
    const byte = answer.banks[g.n][2], key = g.line * 8 + Math.floor(byte / 16);
    const cell = cells.get(key) || { group: g, line: g.line, byte, text: layout.at(g.n), elements: [] };
    if (byte < cell.byte) Object.assign(cell, { group: g, byte, text: layout.at(g.n) });
    cell.elements.push(g.n);
    cells.set(key, cell);
  }
  const model = lines_of([...cells.values()], bytes);
  for (const c of model.cells) c.hits = c.hits.map(h => ({ ...h, from: (answer.banks[h.key.slice(1)][2] % 16) / 16 }));
  return model;
}

/* Rows are owners, columns are places in an owner's memory; a cell may have several elements. */
function owners_table(list) {
  const owners = owner_axes(answer), memories = memory_axes(answer), cells = new Map(), rows = new Map(), columns = new Map();
  list.forEach(g => answer.elements[g.n].forEach(p => {
    const owner = text_at(p, owners), memory = text_at(p, memories), key = `${owner}|${memory}`;
    rows.set(owner, owners.map(i => p[i]));
    columns.set(memory, memories.map(i => p[i]));
    if (!cells.has(key)) cells.set(key, { group: g, owner, memory, elements: [] });
    cells.get(key).elements.push(g.n);
  }));
  const sorted = names => new Map([...names].sort((a, b) => in_order(a[1], b[1])).map(([name], i) => [name, i]));
  const down = sorted(rows), across = sorted(columns);
  return {
    corner: axis_names(answer, owners),
    heads: [...across.keys()].map(name => [axis_names(answer, memories), name]),
    rows: [...down.keys()],
    cells: [...cells.values()].map(c => ({
      group: c.group, x: across.get(c.memory), y: down.get(c.owner), text: c.elements.map(layout.at).join(' '), hits: even(c.elements),
    })),
  };
}

/* The elements of an owner, in the order of its memory. */
function holdings(name) {
  const owners = owner_axes(answer), memories = memory_axes(answer);
  const mine = (copies, n) => copies.filter(p => text_at(p, owners) === name).map(p => [memories.map(i => p[i]), n]);
  const held = answer.elements.flatMap(mine).sort((a, b) => in_order(a[0], b[0]));
  if (held.length === 0) return `${axis_names(answer, owners)} ${name}: no element`;
  const place = m => memories.length ? `${axis_names(answer, memories)} ${m.join('.')}: ` : '';
  return `${axis_names(answer, owners)} ${name}: ` + held.map(([m, n]) => place(m) + layout.at(n)).join('; ');
}
