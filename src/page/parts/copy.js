/*
 * Boxes of copies. An element is [coordinates…, line, unit, bank, byte in the unit, global offset or -1, bits of the
 * dimensions in which it is outside the tensor, 1 in the halo, unit without the swizzle, and for a slice of 32 bytes
 * the unit of its second 16 bytes].
 */
const copy = {
  fields: settings.fields.copy,
  shown: () => reply.fields,
  counts: () => answer.counts,
  draws: said => said.ok,
  outer_first: false,

  place(n) {
    const e = answer.elements[n], r = answer.axes.length;
    return { at: e.slice(0, r), line: e[r], unit: e[r + 1], bank: e[r + 2], byte: e[r + 3], global: e[r + 4], outside: e[r + 5], halo: e[r + 6], home: e[r + 7], next: e[r + 8] };
  },

  /* The elements in order, in groups that end where the 16-byte unit or the row of the box changes. */
  groups() {
    const list = [], width = answer.counts[0];
    let last = null;
    for (let n = 0; n < answer.elements.length; n++) {
      const p = copy.place(n), row = Math.floor(n / width), starts = n % width === 0;
      if (!last || starts || last.line !== p.line || last.unit !== p.unit)
        list.push(last = { ...p, row, column: starts ? 0 : last.column + 1, elements: [], outside: [] });
      last.elements.push(n);
      last.outside.push(p.outside !== 0);
    }
    return list;
  },

  colours: {
    'unit without the swizzle': [g => g.home, FEW],
    'row of the box': [g => g.row, ALL],
    'unit (banks)': [g => g.unit, FEW],
    'line': [g => g.line, FEW],
  },

  views: {
    'shared memory': list => [copy.lines(list)],
    'box': list => [{
      corner: copy.row_names(),
      heads: range(Math.max(...list.map(g => g.column)) + 1).map(c => [answer.box_axes[0], String(list.find(g => g.column === c).at[answer.inner])]),
      rows: list.filter(g => g.column === 0).map(copy.row_text),
      cells: list.map(g => ({ group: g, x: g.column, y: g.row, text: `${hex(g.line * 128)} u${g.unit}`, hits: even(g.elements), outside: g.outside })),
    }],
    'image': list => answer.image ? [copy.image(list)] : [],
  },

  first_colour: () => view === 'image' ? 'row of the box' : 'unit without the swizzle',
  offers: name => name !== 'image' || answer.image !== undefined,

  /* If no line contains parts of two pixels of an im2col box, the pixel is left of the line, and cells have the other
   * coordinates. */
  beside(list) {
    const rows = new Map(list.map(g => [g.line, g]));
    return answer.image !== undefined && list.every(g => rows.get(g.line).row === g.row) ? rows : null;
  },

  lines(list) {
    const rows = copy.beside(list), text = g => rows ? String(g.at[answer.inner]) : outermost_first(g.at);
    const table = lines_of(list.flatMap(g => copy.units(g, text(g))), answer.element_bits / 8);
    if (!rows) return table;
    const texts = range(table.rows.length).map(i => rows.get(Math.min(...rows.keys()) + i)).map(g => g ? copy.row_text(g) : '');
    const width = Math.max(...texts.map(t => t.length));
    return { ...table, corner: copy.row_names(), rows: table.rows.map((address, i) => `${address}\u00a0\u00a0${texts[i].padStart(width, '\u00a0')}`) };
  },

  /* The 16-byte units of a group: one, or two for an element of 32 bytes. */
  units(g, coordinates) {
    const text = mark_text(coordinates, g);
    const first = { group: g, line: g.line, byte: g.unit * 16 + g.byte, text, elements: g.elements, outside: g.outside };
    return g.next === undefined ? [first] : [first, { ...first, group: { ...g, home: g.home + 1 }, byte: g.next * 16, text: `${text}'` }];
  },

  /* The text left of a row: for an im2col box the pixel, then the coordinates that are constant in the row. */
  row_names: () => [answer.image ? 'pixel' : '', answer.axes.filter((_, i) => i !== answer.inner).reverse().join(',')].filter(Boolean).join(': '),
  row_text: g => [answer.image ? String(g.row) : '', g.at.filter((_, i) => i !== answer.inner).reverse().join(',')].filter(Boolean).join(': ') + (g.halo ? '+' : ''),

  /* The pixels of an im2col box at their places in the images. */
  image(list) {
    const [across, ...others] = answer.image, cells = new Map(), columns = new Set(), rows = new Map();
    for (const g of list) {
      const row = others.map(i => g.at[i]).reverse(), key = `${row}|${g.at[across]}`;
      columns.add(g.at[across]);
      rows.set(row.join(','), row);
      if (!cells.has(key)) cells.set(key, { group: g, column: g.at[across], row: row.join(','), pixels: new Map(), elements: [], outside: [] });
      cells.get(key).pixels.set(g.row, `${g.row}${g.halo ? '+' : ''}`);
      cells.get(key).elements.push(...g.elements);
      cells.get(key).outside.push(...g.outside);
    }
    const across_all = [...columns].sort((a, b) => a - b), down_all = [...rows].sort((a, b) => in_order(a[1], b[1])).map(e => e[0]);
    return {
      corner: others.map(i => answer.axes[i]).reverse().join(','),
      heads: across_all.map(c => [answer.axes[across], String(c)]),
      rows: down_all,
      cells: [...cells.values()].map(c => ({
        group: c.group, x: across_all.indexOf(c.column), y: down_all.indexOf(c.row), outside: c.outside, hits: even(c.elements),
        text: mark_text([...c.pixels.values()].join(' '), c),
      })),
      gaps: across_all.length,
    };
  },

  /* Without the embedded library: the path from the numbers of the answer's list. */
  way(n) {
    const p = copy.place(n), outside = answer.axes.filter((_, i) => p.outside >> i & 1);
    const global = outside.length ? `none: outside the tensor in ${outside.reverse().join(', ')}, ${answer.fill}` : 'offset ' + hex(p.global);
    return `element ${named(p.at)}\n  global   ${global}\n` +
      `  shared   ${hex(p.line * 128 + p.unit * 16 + p.byte)}: line ${hex(p.line * 128)}, unit ${p.unit}, bank ${p.bank}` + (p.halo ? '\n  a pixel of the halo' : '');
  },

  related: n => n < 0 ? [] : [[`e${n}`, 'mark']],
  hovered: () => [],
  numbers: () => `transaction bytes ${answer.tx_bytes}, box in shared memory ${answer.footprint_bytes} B, rows ${answer.pitch_bytes} B apart` +
    (answer.period_bytes ? `, the pattern repeats every ${answer.period_bytes} B` : ''),
  words: list => [
    view === 'image' ? 'A cell is a pixel of the images and shows its number in the box.'
      : view === 'box' ? 'A cell shows its line and unit of shared memory.'
        : `A cell is 16 bytes of shared memory and shows ${copy.beside(list) ? answer.axes[answer.inner] : outermost_first(answer.axes)} of ` +
          'its first element; eight cells are the 128 bytes of the 32 banks.',
    answer.packing && `Packed values: ${answer.packing}.`,
    list.some(g => g.next !== undefined) && view === 'shared memory' && "': the second 16 bytes of the element.",
    list.some(g => g.outside.every(Boolean)) && `In brackets: outside the tensor, ${answer.fill}.`,
    list.some(g => g.outside.some(Boolean) && !g.outside.every(Boolean)) && "~: a part of the cell is outside the tensor.",
    list.some(g => g.halo) && '+: a pixel of the halo.',
  ].filter(Boolean),
  title: () => [answer ? answer.title : 'a copy that the rules reject', answer ? answer.situation : ''],
  complaints: () => reply.findings,
  files: ['yaml', 'c', 'svg'],
};

const named = at => at.map((c, i) => `${answer.axes[i]} ${c}`).reverse().join(', ');
const mark_text = (text, g) => {
  const all = g.outside.length > 0 && g.outside.every(Boolean);
  return (all ? `(${text})` : text) + (!all && g.outside.some(Boolean) ? '~' : '') + (g.halo ? '+' : '');
};

/* A table of 128-byte lines with 16-byte cells. A thing starts at a byte of a line; an element has `bytes` bytes. */
function lines_of(things, bytes) {
  const first = Math.min(...things.map(t => t.line)), end = Math.max(...things.map(t => t.line)) + 1;
  return {
    heads: range(8).map(u => [`unit ${u}`, `banks ${4 * u}-${4 * u + 3}`]),
    rows: range(end - first).map(i => hex((first + i) * 128)),
    cells: things.map(t => ({
      group: t.group, x: Math.floor(t.byte / 16), y: t.line - first, text: t.text, outside: t.outside || [],
      hits: t.elements.map((n, i) => ({ key: `e${n}`, from: (t.byte % 16 + i * bytes) / 16, size: Math.min(bytes, 16) / 16 })),
    })),
    gaps: 8,
  };
}
