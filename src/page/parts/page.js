'use strict';
/*
 * The page only draws. Every number comes from the library, which answers questions (URL queries) in JSON. `ask` sends
 * a question to the embedded WebAssembly module, or finds it among the answers in the page.
 */
const $ = id => document.getElementById(id);
const settings = JSON.parse($('settings').textContent);
const HUES = settings.hues, ALL = HUES.length, FEW = settings.few, PLAIN = '#e3e6ea';
const choices = name => settings.tables[question.get('mode')][name];
const HINTS = {
  dims: 'innermost first', strides: 'bytes; empty: dense', box: 'empty: all', shared: 'empty: 0', address: 'empty: none', rows: 'four', axes: 'names',
  lower_corner: 'w, h, d; empty: 0', upper_corner: 'w, h, d; empty: 0', channels_per_pixel: 'channels', pixels_per_column: 'pixels',
  element_strides: 'empty: 1', at: 'empty: 0', column: 'empty: 0', offsets: 'w, h, d; empty: 0', w_halo: 'empty: 0', w_offset: 'empty: 0',
  expr: 'S[(8,64):(64,1)]', times: 'a second factor', shape: 'of the table',
};
const WIDE = ['expr', 'times'], NUMBERS = ['channels_per_pixel', 'pixels_per_column', 'w_halo', 'w_offset', 'shared', 'column'];
const FILES = { yaml: 'application/yaml', c: 'text/plain', svg: 'image/svg+xml' };
const ASK_FOR_AN_ELEMENT = 'Hover over an element, click it, or use the arrow keys: the steps to its place appear here.';
const range = n => [...Array(n).keys()];
const hex = (n, digits = 4) => '0x' + n.toString(16).padStart(digits, '0');
const outermost_first = list => [...list].reverse().join(',');
const modulo = (n, m) => ((n % m) + m) % m;
const in_order = (a, b) => a.reduce((sum, v, i) => sum || v - b[i], 0);

/* Characters that need no escape in a fragment stay readable in links. */
const text_of = query => new URLSearchParams(query).toString().replace(/%2C/g, ',').replace(/%3A/g, ':');
const without = (query, ...keys) => { const rest = new URLSearchParams(query); keys.forEach(key => rest.delete(key)); return text_of(rest); };

/* The settings of the page, which are not a part of a question. */
const STATE = ['view', 'colour', 'zoom', 'owner', 'lines'];
const bare = query => without(query, 'element', ...STATE);
const shipped = new Map(JSON.parse($('answers').textContent).map(([query, reply]) => [bare(query), reply]));
let ask = query => shipped.get(bare(query));
let computes = false;
let question = new URLSearchParams(settings.query);
let state = {};
let reply = null; /* the last answer */
let answer = null; /* the last answer with a picture, which a refusal keeps; `drawn_question` is its question */
let drawn_question = question;
let marked = -1;
let view = '';
