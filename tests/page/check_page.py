#!/usr/bin/env python3
"""Opens pages of `tmap draw --html` in a headless Chromium, edits fields, clicks and presses keys, and compares the
text of the page with the output of the command. Also checks a screenshot and the contrast of text on cells.

usage: check_page.py TMAP_COMMAND SOURCE_DIR
Skipped (exit 77) unless TMAP_LONG is set and a Chromium is installed. The test controls Chromium over
--remote-debugging-pipe.
"""
import base64
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

CONTRAST_LEAST = 4.5  # WCAG 2.1, success criterion 1.4.3


class Browser:
    """A Chromium controlled by JSON messages, each ended by a zero byte, over file descriptors 3 and 4."""

    def __init__(self, program, profile):
        (to_read, self.out), (self.into, to_write) = os.pipe(), os.pipe()
        shell = f"exec 3<&{to_read} 4>&{to_write}; exec \"$@\""
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}",
                 "--window-size=1400,900", "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", shell, "bash", program, *flags], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, pass_fds=(to_read, to_write))
        os.close(to_read)
        os.close(to_write)
        self.ids, self.rest = itertools.count(1), b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        message = {"id": next(self.ids), "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("method") == "Runtime.exceptionThrown":
                raise RuntimeError(json.dumps(answer["params"]["exceptionDetails"])[:600])
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def value(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        ready = "location.protocol === 'file:' && (document.documentElement || {dataset: {}}).dataset.ready === 'true'"
        for _ in range(500):
            if self.call("Runtime.evaluate", expression=ready, returnByValue=True)["result"].get("value") is True:
                return
            time.sleep(0.02)
        raise RuntimeError(f"{url} was not ready in time")

    def click(self, selector):
        x, y = self.value(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
                          "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def set_field(self, name, value):
        self.value(f"(() => {{ const f = document.querySelector('[name={name}]'); f.value = {json.dumps(value)}; "
                   "f.dispatchEvent(new Event('input', {bubbles: true})); })()")

    def set_field_by_id(self, id_, value):
        self.value(f"(() => {{ const f = document.getElementById('{id_}'); f.value = {json.dumps(value)}; "
                   "for (const kind of ['input', 'change']) f.dispatchEvent(new Event(kind, {bubbles: true})); })()")

    def text(self, id_):
        return self.value(f"document.getElementById('{id_}').textContent")

    def close(self):
        self.process.kill()
        self.process.wait()


def pixels(png):
    """Returns the width, height and unfiltered rows of a PNG of 8-bit RGB or RGBA (PNG specification, section 9)."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            n = {2: 3, 6: 4}[colour]
            assert depth == 8
        data += body if kind == b"IDAT" else b""
        at += size + 12
    raw, rows, above = zlib.decompress(data), [], bytes(width * n)
    for y in range(height):
        line = bytearray(raw[y * (width * n + 1) :][: width * n + 1])
        kind, line = line[0], line[1:]
        for i in range(len(line)):
            left, up, corner = (line[i - n], above[i], above[i - n]) if i >= n else (0, above[i], 0)
            paeth = min((left, up, corner), key=lambda p: (abs(left + up - corner - p)))
            line[i] = line[i] + [0, left, up, (left + up) // 2, paeth][kind] & 255
        rows.append(above := bytes(line))
    return width, height, [[row[i : i + 3] for i in range(0, len(row), n)] for row in rows]


def luminance(colour):
    parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb(text):
    return tuple(map(int, re.findall(r"\d+", text)[:3]))


class Checks:
    def __init__(self, command, root):
        self.command, self.root, self.wrong, self.n = command, root, [], 0

    def hold(self, what, seen, wanted):
        self.n += 1
        if seen != wanted:
            self.wrong.append(f"{what}:\n  seen   {seen!r}\n  wanted {wanted!r}")

    def run(self, *arguments):
        return harness.output(self.command, *map(str, arguments))

    def way(self, spec, name, index):
        """Returns the text of `tmap draw --element` for an element, from "element" on."""
        said = self.run("draw", spec, name, "--element", ",".join(map(str, index)))
        return re.search(r"^element .*?^  place [^\n]*\n", said, re.S | re.M).group(0)

    def page(self, browser, folder, spec, name):
        path = folder / "page.html"
        self.run("draw", spec, name, "--html", path)
        browser.open(f"file://{path}")
        return path


def elements_agree(checks, browser, spec, name):
    """Selects an element by click, and others by keys: the page shows the element's steps as the command prints them.
    """
    counts = json.loads(checks.run("draw", spec, name, "--json"))["counts"]
    n = min(counts[0] + 3, counts[0] * counts[1] - 1)
    browser.click(f".hit[data-key='e{n}']")
    checks.hold(f"{name}: clicked {n}", browser.text("way"), checks.way(spec, name, [n % counts[0], n // counts[0] % counts[1]]))
    browser.value("document.getElementById('picture').focus()")
    browser.press("ArrowRight")
    browser.press("ArrowUp")
    index = [(n % counts[0]) + 1, n // counts[0] % counts[1] - 1]
    checks.hold(f"{name}: by keys", browser.text("way"), checks.way(spec, name, index))
    checks.hold(f"{name}: link", f"element={index[0]},{index[1]}" in browser.value("location.hash"), True)
    link = browser.value("location.href")
    browser.open(link)
    checks.hold(f"{name}: by link", browser.text("way"), checks.way(spec, name, index))


def edits_agree(checks, browser, folder, spec):
    """Edits the swizzled operand of the quickstart to 64 bytes of another type, and compares with the same tensor in a
    spec."""
    browser.set_field("type", "u8")
    browser.set_field("swizzle", "64B")
    edited = folder / "edited.yaml"
    edited.write_text("tmap: 1\ntensors:\n  swizzled: {type: u8, axes: [k, m], dims: [4096, 8192], strides: [8192], "
                      "box: [64, 8], swizzle: 64B}\n")
    browser.click(".hit[data-key='e211']")
    checks.hold("edited: clicked 211", browser.text("way"), checks.way(edited, "swizzled", [211 % 64, 211 // 64]))
    browser.set_field("box", "65,8")
    said = browser.text("findings")
    checks.hold("edited: refused", "[box-inner-align]" in said, True)
    checks.hold("edited: field marked", browser.value("document.querySelector('[name=box]').getAttribute('aria-invalid')"), "true")
    checks.hold("edited: the last picture stays, dimmed", browser.value("[document.querySelectorAll('.hit').length, +getComputedStyle($('stage')).opacity < 0.6]"), [64 * 8, True])
    checks.hold("edited: its steps stay", browser.text("way"), checks.way(edited, "swizzled", [211 % 64, 211 // 64]))
    checks.hold("edited: fixes as buttons", browser.value("[...document.querySelectorAll('.fix')].map(b => b.textContent)"), ["box[0]: 64"])
    browser.click(".fix")
    fixed = browser.value("[$('fields').querySelector('[name=box]').value, reply.ok, document.querySelectorAll('.fix').length, +getComputedStyle($('stage')).opacity]")
    checks.hold("edited: fixed by the button", fixed, ["64,8", True, 0, 1])
    browser.set_field("swizzle", "128B<script>")
    checks.hold("edited: findings are text", browser.value("document.querySelectorAll('#findings script').length"), 0)


# Specs with copies of every mode, operation, interleave and packed type.
MODES = ("ptx_im2col_w.yaml", "cutlass_conv.yaml", "cutlass_conv3d.yaml", "cudnn_interleaved.yaml", "cutlass_fp6_gemm.yaml", "deepgemm_fp4_weights.yaml",
         "triton_gather_scatter.yaml", "moe_rows.yaml", "deepgemm_split_k.yaml", "edge_fills.yaml", "experiments/packed.yaml", "experiments/im2col_wide.yaml",
         "experiments/interleave.yaml", "experiments/four_rows.yaml", "experiments/reductions.yaml")
PAGES_OF_A_SPEC = 4


def drawn_copies(checks, spec):
    """Returns the names of the copies with a picture: first one of each operation and mode."""
    said = json.loads(harness.run(checks.command, "show", spec, "--json").stdout)
    mode = {t["name"]: (t["mode"], t["type"]) for t in said["tensors"]}
    names, seen = [], set()
    for c in sorted(said["copies"], key=lambda c: (c["op"], mode[c["tensor"]]) in seen or seen.add((c["op"], mode[c["tensor"]])) or False):
        if subprocess.run([checks.command, "draw", spec, c["name"]], capture_output=True).returncode == 0:
            names.append((c["name"], (*mode[c["tensor"]], c["op"])))
    return names[:PAGES_OF_A_SPEC]


def places_agree(checks, browser, spec, name):
    """For elements of the whole box, compares their row in the page's list and their steps with the command."""
    drawn = json.loads(checks.run("draw", spec, name, "--json"))
    checks.hold(f"{spec} {name}: accepted", browser.value("answer.ok"), True)
    counts, n = browser.value("[answer.counts, answer.elements.length]")
    checks.hold(f"{spec} {name}: box", counts, drawn["counts"])
    for at in sorted({0, min(5, n - 1), n // 3, n // 2 + 1, max(n - counts[0], 0), n - 1}):
        index = [at // math.prod(counts[:d]) % counts[d] for d in range(len(counts))]
        element = ",".join(map(str, index))
        printed = json.loads(checks.run("draw", spec, name, "--element", element, "--json"))["element"]
        seen = browser.value(f"(() => {{ const p = copy.place({at}); return {{at: p.at, inside: p.outside === 0, "
                             "outside: p.at.map((_, i) => i).filter(i => p.outside >> i & 1), "
                             "global_offset: p.global, shared: p.line * 128 + p.unit * 16 + p.byte, "
                             "line: p.line, unit: p.unit, bank: p.bank, halo: p.halo }; })()")
        wanted = {key: printed[key] for key in printed if key not in ("box_offset", "halo")}
        checks.hold(f"{spec} {name}: {element}", {key: seen[key] for key in wanted}, wanted)
        browser.value(f"mark({at})")
        checks.hold(f"{spec} {name}: way of {element}", browser.text("way"), checks.way(spec, name, index))
        checks.hold(f"{spec} {name}: halo of {element}", ", of the halo" in browser.text("way"), seen["halo"] == 1)


def modes_agree(checks, browser, folder):
    """Opens pages of copies in every mode; then edits one copy into another mode."""
    kinds = set()
    for file in MODES:
        spec = checks.root / "specs" / file
        for name, kind in drawn_copies(checks, spec):
            checks.page(browser, folder, spec, name)
            places_agree(checks, browser, spec, name)
            kinds.add(kind)
    all_kinds = ({"tiled", "im2col", "im2col_w", "im2col_w128"}, {"b4x16", "b4x16_p64", "b6x16_p32"},
                 {"load", "store", "gather4", "scatter4", "reduce_add"})
    for i, wanted in enumerate(all_kinds):
        checks.hold(f"kinds of pages: {wanted}", wanted - {kind[i] for kind in kinds}, set())


def pixels_are_edited(checks, browser, folder):
    """Edits the offsets of an im2col box, then its mode, and compares with the same copy in a spec."""
    tensor = ("{mode: im2col, type: f16, dims: [64, 14, 9, 64], lower_corner: [-1, -1], upper_corner: [-1, -1], "
              "channels_per_pixel: 64, pixels_per_column: 32, swizzle: 128B}")
    spec = folder / "pixels.yaml"
    spec.write_text("tmap: 1\ntensors:\n  conv: %s\n  tiled: {type: f16, axes: [c, w, h, n], dims: [64, 14, 9, 64], box: [64, 14, 2, 1], swizzle: 128B}\ncopies:\n"
                    "  first: {tensor: conv, op: load, at: [0, 4, 7, 7], offsets: [0, 0], shared: 0}\n"
                    "  second: {tensor: conv, op: load, at: [0, 4, 7, 7], offsets: [2, 1], shared: 0}\n" % tensor)
    checks.page(browser, folder, spec, "first")
    browser.set_field("offsets", "2,1")
    places_agree(checks, browser, spec, "second")
    browser.click("#views button:last-child")
    checks.hold("pixels: view of images", browser.value("document.querySelector('#views [aria-pressed=true]').textContent"), "image")
    checks.hold("pixels: all in the image", browser.value("document.querySelectorAll('.hit').length"), 32 * 64)
    browser.set_field("map_mode", "tiled")
    fields = browser.value("[...document.querySelectorAll('#fields label:not([hidden]) [name]')].map(f => f.name)")
    checks.hold("pixels: fields of tiled maps", [f for f in fields if f in ("box", "offsets", "lower_corner", "w_halo")], ["box"])
    browser.set_field("box", "64,14,2,1")
    browser.set_field("at", "0,0,0,0")
    places_agree(checks, browser, spec, "tiled")


def folds_agree(checks, browser, folder):
    """The page and the command fold the same lines of the same boxes; the period of the marked element is drawn."""
    spec = folder / "folds.yaml"
    spec.write_text("tmap: 1\ntensors:\n  planes: {type: bf16, dims: [64, 256, 10], box: [64, 64, 4], swizzle: 128B}\n"
                    "  rows_of_80_bytes: {type: bf16, dims: [4096, 8192], box: [40, 128]}\n")
    for name, element in (("planes", [8, 3, 2]), ("rows_of_80_bytes", [1, 77])):
        checks.page(browser, folder, spec, name)
        for marked in ([], ["--element", ",".join(map(str, element))]):
            if marked:
                browser.value(f"mark(number_of({element}))")
            notes = re.findall(r"(?m)^\.\.\. (lines .* above)", checks.run("draw", spec, name, *marked))
            seen = browser.value("[...document.querySelectorAll('#picture .head')].map(t => t.textContent).filter(t => t.includes(' × '))")
            checks.hold(f"{name}: folded lines", [re.sub(" × ", " x ", note).split(", with")[0] for note in seen], notes)
        checks.hold(f"{name}: the mark is drawn", browser.value("document.querySelectorAll('.mark').length"), 1)
        browser.set_field_by_id("lines", "all")
        checks.hold(f"{name}: all rows", browser.value("document.querySelectorAll('.hit').length === answer.elements.length"), True)


def presets_open(checks, browser):
    n = browser.value("settings.presets.length")
    for i in range(n):
        browser.value(f"(() => {{ const p = document.getElementById('preset'); p.value = {i}; p.onchange(); change('lines', 'all'); }})()")
        checks.hold(f"preset {i}: accepted", browser.value("answer.ok"), True)
        checks.hold(f"preset {i}: errors", browser.value("mode().complaints().filter(f => f.severity === 'error').length"), 0)
        for view in ("first", "last"):
            browser.click(f"#views button:{view}-child")
            drawn = browser.value("new Set([...document.querySelectorAll('.hit')].map(h => h.dataset.key).filter(k => k[0] === 'e')).size")
            checks.hold(f"preset {i}: all elements in the {view} view", drawn, browser.value("answer.elements.length"))
        if browser.value("question.get('mode')") == "layout":
            layout_agrees(checks, browser, i)


def layout_agrees(checks, browser, preset):
    """Compares every place of the page's layout with the table of the command, and the steps of a clicked element."""
    expression, times, shape, kind, type_ = browser.value("[question.get('expr'), question.get('times'), answer.shape, answer.kind, question.get('type')]")
    if times:
        expression = f"({expression}) * ({times})"
    said = json.loads(checks.run("layout", "--json", f"places(as_layout({expression}))" if kind == "register layout" else f"places({expression})"))["value"]
    names = browser.value("answer.axes.map(a => a.name)")
    elements = browser.value("answer.elements")
    for n, places in enumerate(elements):
        wanted = {axis: sorted({p[k] for p in places}) for k, axis in enumerate(names)}
        seen = {axis: sorted(set(v) if isinstance(v, list) else [v]) for axis, v in said[n].items() if axis in names}
        checks.hold(f"preset {preset}: places of element {n} of {expression}", wanted, seen)
    browser.click("#views button:first-child")
    chosen = min(5, len(elements) - 1)
    browser.click(f".hit[data-key='e{chosen}']")
    at = [chosen // math.prod(shape[d + 1 :]) % shape[d] for d in range(len(shape))]
    element = ",".join(map(str, at))
    drawn = checks.run("draw", expression, "--shape", ",".join(map(str, shape)), "--type", type_ or "f16", "--element", element)
    checks.hold(f"preset {preset}: way of {element}", browser.text("way"), drawn[drawn.index("\nelement ") + 1 :])
    if not times:
        layout_colours_agree(checks, browser, preset, expression, shape, type_)
        browser.click(f".hit[data-key='e{chosen}']")
    thread_is_highlighted(checks, browser, preset, elements)
    if times:
        factors_agree(checks, browser, preset, shape)
    browser.set_field("expr", "S[(8,4):(4,")
    checks.hold("expression: refused", "error" in browser.text("findings"), True)
    checks.hold("expression: marked", browser.value("document.querySelector('[name=expr]').getAttribute('aria-invalid')"), "true")


def frozen_page_shows_its_box(checks, browser, path):
    """A page of a build without the module: the first box, its files, no editable field, and a note."""
    checks.hold("frozen: small", path.stat().st_size < 270_000, True)
    checks.hold("frozen: said", browser.value("!$('frozen').hidden && $('frozen').textContent.includes('apt-get install')"), True)
    checks.hold("frozen: fields", browser.value("[...document.querySelectorAll('#fields [name]')].every(f => f.disabled)"), True)
    checks.hold("frozen: presets", browser.value("$('preset').parentElement.hidden"), True)
    checks.hold("frozen: a picture", browser.value("document.querySelectorAll('.hit').length === answer.elements.length && answer.ok"), True)
    browser.value("mark(answer.elements.length - 1)")
    checks.hold("frozen: ways", browser.text("way").startswith("element "), True)
    for kind in ("yaml", "c", "svg"):
        browser.value(f"show_file('{kind}')")
        checks.hold(f"frozen: {kind}", browser.value("$('file-text').value.length > 100"), True)
    browser.open(browser.value("location.href"))
    checks.hold("frozen: by its link", browser.value("[$('elsewhere').hidden, marked === answer.elements.length - 1]"), [True, True])
    browser.open(f"file://{path}#mode=copy&dims=77,3")
    checks.hold("frozen: link to a missing page", browser.value("$('elsewhere').hidden"), False)


SVG_FILL = re.compile(r'<rect class="(\w+)" x="[\d.]+" y="(\d+)" width="(\d+)" height="26"/>')


def colours_agree(checks, browser, what, svg):
    """The cells of the page, row by row, have the fills of the command's picture; empty cells beside the picture are
    ignored."""
    styles = dict(re.findall(r"\.(h\d+)\{fill:(#\w+)\}", svg))
    theirs = [rgb_of_hex(styles[c]) for c, _, _ in SVG_FILL.findall(svg) if c in styles]
    ours = browser.value("[...document.querySelectorAll('#picture rect.cell:not(.gap):not(.fill)')].map(r => [+r.getAttribute('y'), +r.getAttribute('x'), getComputedStyle(r).fill])")
    checks.hold(f"{what}: colours of the picture", [rgb(fill) for _, _, fill in sorted(ours)], theirs)


def rgb_of_hex(text):
    return tuple(int(text[i : i + 2], 16) for i in (1, 3, 5))


def layout_colours_agree(checks, browser, preset, expression, shape, type_):
    """Different owners have different colours: all owners up to 32, otherwise neighbours."""
    svg = checks.run("draw", expression, "--shape", ",".join(map(str, shape)), "--type", type_ or "f16", "--lines", "0-16383", "--svg", "-")
    browser.click("#views button:first-child")
    if len(shape) <= 2:
        colours_agree(checks, browser, f"preset {preset}", svg)
    hues, owners, count = browser.value("[answer.hues, answer.elements.map(c => text_at(c[0], owner_axes(answer).length ? owner_axes(answer) : [0])), answer.owners]")
    if count <= 32:
        pairs = set(zip(hues, owners))
        checks.hold(f"preset {preset}: a colour an owner", (len(pairs), len({h for h, _ in pairs})), (count, count))
    columns = shape[-1]
    beside = [(i, i + step) for i in range(len(hues)) for step in (1, columns)
              if i + step < len(hues) and (step > 1 or columns == 1 or (i + 1) % columns)]
    checks.hold(f"preset {preset}: neighbours", [(a, b) for a, b in beside if owners[a] != owners[b] and hues[a] == hues[b]], [])


def thread_is_highlighted(checks, browser, preset, elements):
    """The other elements of the marked element's owner are dashed."""
    owners = browser.value("owner_axes(answer)")
    mine = {tuple(p[i] for i in owners) for p in elements[browser.value("marked")]}
    wanted = [n for n, places in enumerate(elements) if owners and any(tuple(p[i] for i in owners) in mine for p in places)]
    checks.hold(f"preset {preset}: highlighted", browser.value("mode().related(marked).filter(r => r[1] === 'same').map(r => +r[0].slice(1))"), wanted)
    checks.hold(f"preset {preset}: drawn dashed", browser.value("document.querySelectorAll('.same').length"), max(len(wanted) - 1, 0))


def factors_agree(checks, browser, preset, shape):
    """Index i of the product is index i // n of the left factor and i % n of the right factor, which has size n."""
    left, right, origins = browser.value("[answer.product.left.shape, answer.product.right.shape, answer.product.from]")
    left, right = [[1] * (len(shape) - len(f)) + f for f in (left, right)]
    checks.hold(f"preset {preset}: shape of the product", [a * b for a, b in zip(left, right)], shape)
    for n, origin in enumerate(origins):
        index = [n // math.prod(shape[d + 1 :]) % shape[d] for d in range(len(shape))]
        number = [0, 0]
        for d, i in enumerate(index):
            number = [number[0] * left[d] + i // right[d], number[1] * right[d] + i % right[d]]
        checks.hold(f"preset {preset}: origin of {index}", origin, number)
    browser.click("#views button:last-child")
    tables = browser.value("['e', 'l', 'r'].map(letter => document.querySelectorAll(`.hit[data-key^=${letter}]`).length)")
    checks.hold(f"preset {preset}: tables of the factors", tables, [math.prod(shape), math.prod(left), math.prod(right)])
    marks = browser.value("[...document.querySelectorAll('.mark')].length")
    checks.hold(f"preset {preset}: element and its factors marked", marks, 3)
    browser.click(f".hit[data-key='l{origins[-1][0]}']")
    checks.hold(f"preset {preset}: clicked the left factor", browser.value("answer.product.from[marked][0]"), origins[-1][0])
    browser.set_field("times", "spatial(2,")
    checks.hold("times: marked", browser.value("document.querySelector('[name=times]').getAttribute('aria-invalid')"), "true")


def picture_is_legible(checks, browser):
    for cell, ink in browser.value("[...document.querySelectorAll('rect.cell')].map(r => [getComputedStyle(r).fill, "
                                   "getComputedStyle(document.querySelector('svg text.middle:not(.head)')).fill])"):
        checks.hold(f"contrast of {ink} on {cell}", contrast(rgb(cell), rgb(ink)) >= CONTRAST_LEAST, True)
    png = base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"])
    width, height, rows = pixels(png)
    checks.hold("screenshot: large enough", width >= 1000 and height >= 600, True)
    seen = {bytes(p) for row in rows for p in row}
    hues = {bytes(rgb(fill)) for fill in browser.value(
        "[...document.querySelectorAll('rect.cell:not(.gap)')].map(r => getComputedStyle(r).fill)")}
    checks.hold("screenshot: all colours of cells", hues <= seen, True)
    checks.hold("screenshot: dark ink", any(luminance(p) < 0.03 for p in seen), True)


def links_are_kept(checks, browser, path):
    """Selects a preset by its name, and settings of the picture alone."""
    browser.open(f"file://{path}#preset=m64n16:%20D")
    checks.hold("link: preset", browser.value("question.get('expr')"), "named(wgmma_d,16)")
    browser.click("#views button:last-child")
    browser.set_field_by_id("colour", "row")
    browser.set_field_by_id("owner", "37")
    browser.open(browser.value("location.href"))
    checks.hold("link: view, colour, thread", browser.value("[view, $('colour').value, $('owner').value]"), ["places", "row", "37"])
    checks.hold("link: thread's elements", browser.value("[...document.querySelectorAll('.same')].length"), browser.value("answer.locals"))
    checks.hold("link: elements of the thread", browser.text("holdings").count(";") + 1, browser.value("answer.locals"))


def ink_is_legible(checks, browser, what):
    """Checks the contrast of all text with its background, WCAG 2.1."""
    found = browser.value("""(() => {
      const ground = node => {
        for (; node; node = node.parentElement) {
          const colour = getComputedStyle(node).backgroundColor;
          if (!/, 0\\)$|transparent/.test(colour)) return colour;
        }
        return 'rgb(255, 255, 255)';
      };
      const texts = [...document.querySelectorAll('h1, p, label, summary, input, select, button, pre, #findings div, .swatch')]
        .filter(n => n.offsetParent && n.textContent.trim() + (n.value || '') !== '');
      const svgs = [...document.querySelectorAll('svg text.head, svg text.title')].map(n => [getComputedStyle(n).fill, ground(n.closest('div')), 'svg ' + n.textContent]);
      return [...texts.map(n => [getComputedStyle(n).color, ground(n), n.tagName + ' ' + n.textContent.slice(0, 30)]), ...svgs];
    })()""")
    for ink, paper, text in found:
        checks.hold(f"{what}: contrast of {text!r}, {ink} on {paper}", contrast(rgb(ink), rgb(paper)) >= CONTRAST_LEAST, True)
    for fill in browser.value("[...document.querySelectorAll('svg text.out')].map(t => [t, document.querySelector('.hatch-ground')]"
                              ".map(n => getComputedStyle(n).fill))"):
        checks.hold(f"{what}: contrast outside, {fill}", contrast(rgb(fill[0]), rgb(fill[1])) >= CONTRAST_LEAST, True)


def screens_fit(checks, browser, path):
    """On a laptop and on a telephone, light and dark: the page does not scroll sideways, and all text is legible."""
    for (width, height), scheme in itertools.product(((1280, 800), (390, 844)), ("light", "dark")):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for preset in ("128B", "im2col, first tap of a 3 x 3 filter", "two C fragments of mma.sync",
                       "6 bits, 16 values in 12 of 16 bytes, 128B", "blocks of an operand, 64 x 256"):
            what = f"{width} x {height}, {scheme}, {preset}"
            browser.open(f"file://{path}#preset={preset.replace(' ', '%20')}")
            browser.value("document.getElementById('parameters').open = true")
            checks.hold(f"{what}: opened", browser.value("settings.presets[$('preset').value].name"), preset)
            checks.hold(f"{what}: as wide as the screen", browser.value("document.documentElement.scrollWidth <= innerWidth"), True)
            overlap = browser.value("""(() => {
              for (const g of document.querySelectorAll('svg g')) {
                const heads = [...g.querySelectorAll('text.head.middle')].map(t => t.getBBox());
                for (const a of heads) for (const b of heads) if (a !== b && a.y === b.y && a.x < b.x && a.x + a.width > b.x) return 'heads';
                const cells = [...g.querySelectorAll('text.ink')].slice(0, 300).map(t => [t.getBBox(), t.textContent]);
                for (const [a] of cells) for (const [b, text] of cells) if (a !== b && a.y === b.y && a.x < b.x && a.x + a.width > b.x) return text;
              }
              return '';
            })()""")
            checks.hold(f"{what}: texts that overlap", overlap, "")
            if width > 1000:
                checks.hold(f"{what}: way beside the picture", browser.value("$('way').getBoundingClientRect().left >= $('picture').getBoundingClientRect().right"), True)
            ink_is_legible(checks, browser, what)
    browser.call("Emulation.clearDeviceMetricsOverride")
    browser.call("Emulation.setEmulatedMedia", features=[])


def pictures_fit(checks, browser, path):
    """With "fit" the picture has the size of its frame, which has the size of the screen; with "auto" it has the
    frame's width or a legible size."""
    for width, height in ((1400, 900), (420, 800)):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        for preset in ("128B", "im2col, first tap of a 3 x 3 filter", "tensor-core tile", "m64n16: D", "blocks of an operand, 64 x 256", "ld .32x32b.x8",
                       "four warps, C of mma.sync"):
            what = f"{width} x {height}, {preset}"
            browser.open(f"file://{path}#preset={preset.replace(' ', '%20')}")
            for before in ("50", "100"):
                browser.set_field_by_id("zoom", before)
                browser.set_field_by_id("zoom", "fit")
                seen = browser.value("(p => [p.scrollWidth <= p.clientWidth, p.scrollHeight <= p.clientHeight, p.offsetHeight <= innerHeight, "
                                     "p.getBoundingClientRect().right <= innerWidth])($('picture'))")
                checks.hold(f"{what}: fits, after {before} %", seen, [True] * 4)
            full = browser.value("(p => { const r = p.firstElementChild, s = +r.getAttribute('width') / +r.getAttribute('viewBox').split(' ')[2]; "
                                 "return s === 1 || r.clientWidth > 0.95 * p.parentElement.clientWidth || r.clientHeight > 0.75 * innerHeight; })($('picture'))")
            checks.hold(f"{what}: no smaller than necessary", full, True)
            browser.set_field_by_id("zoom", "auto")
            seen = browser.value("(p => p.scrollWidth <= p.clientWidth || +p.firstElementChild.getAttribute('width') / +p.firstElementChild.getAttribute('viewBox').split(' ')[2] <= 0.701)($('picture'))")
            checks.hold(f"{what}: as wide as its frame, or legible", seen, True)
    browser.call("Emulation.clearDeviceMetricsOverride")


def files_leave_the_page(checks, browser, folder, path):
    """Texts that the page copies or saves are equal to the command's output, and tmap reads them."""
    browser.open(f"file://{path}")
    for kind in ("YAML", "C", "SVG"):
        browser.value(f"[...document.querySelectorAll('#files button')].find(b => b.textContent === '{kind}').click()")
        (folder / f"out.{kind.lower()}").write_text(browser.value("$('file-text').value"))
        checks.hold(f"file: name of {kind}", browser.value("$('file-save').download"), f"swizzled.{kind.lower()}")
        checks.hold(f"file: {kind} to be saved", browser.value("fetch($('file-save').href).then(r => r.text()).then(t => t === $('file-text').value)"), True)
    spec = folder / "out.yaml"
    checks.hold("file: picture of the spec", (folder / "out.svg").read_text(), checks.run("draw", spec, "swizzled", "--svg", "-"))
    checks.hold("file: descriptor of the spec", (folder / "out.c").read_text().replace("swizzled[", "tensor["), checks.run("encode", spec, "tensor", "--format=c"))
    browser.click("#file-copy")
    checks.hold("file: copied", browser.value("new Promise(done => { const look = n => $('file-said').textContent || !n ? done($('file-said').textContent) : setTimeout(look, 50, n - 1); look(200); })"), "copied")
    browser.open(f"file://{path}#preset=segments%20of%20128%20bytes,%2016%20rows")
    browser.value("[...document.querySelectorAll('#files button')].find(b => b.textContent === 'SVG').click()")
    expression = browser.value("answer.text")
    drawn = checks.run("draw", expression, "--shape", "16,64", "--type", "f16", "--memory", "--svg", "-")
    checks.hold("file: SVG of the view", browser.value("$('file-text').value"), drawn)


def links_are_copied(checks, browser, path):
    browser.open(f"file://{path}")
    for refusal in ("", "document.execCommand = () => false; navigator.clipboard.writeText = () => Promise.reject(new Error('no'));"):
        browser.value(f"(() => {{ {refusal or ''} }})()")
        browser.click("#link")
        browser.value("new Promise(done => setTimeout(done, 100))")
        said, shown, selected = browser.value("[$('link-said').textContent, !$('link-text').hidden, getSelection().toString() || $('link-text').value]")
        if refusal:
            checks.hold("link: refused, and reported", ("Ctrl+C" in said, shown, selected), (True, True, browser.value("location.href")))
        else:
            checks.hold("link: copied, and reported", said, "copied")


def layouts_are_swizzled(checks, browser, path):
    """The control of TIRx's page: type and swizzle of a plain layout."""
    browser.open(f"file://{path}#mode=layout&expr=S%5B(8,64):(64,1)%5D")
    choices = browser.value("[...document.querySelector('[name=swizzle]').options].map(o => o.value)")
    checks.hold("swizzle: choices", choices, ["off", "none", "32B", "64B", "128B"])
    for swizzle in ("32B", "64B", "128B"):
        browser.set_field("swizzle", swizzle)
        said = json.loads(checks.run("layout", "--json", f"places(swizzle(f16, {swizzle}) o S[(8,64):(64,1)])"))["value"]
        checks.hold(f"swizzle: places of {swizzle}", browser.value("answer.elements.map(c => c[0][0])"), [p["m"] for p in said])
    browser.set_field("swizzle", "off")
    checks.hold("swizzle: off", browser.value("answer.elements.map(c => c[0][0])"), list(range(512)))
    browser.set_field("expr", "spatial(4,8)")
    browser.set_field("swizzle", "128B")
    checks.hold("swizzle: of registers is refused", browser.value("[reply.ok, document.querySelector('[name=swizzle]').getAttribute('aria-invalid')]"), [False, "true"])
    browser.click(".fix")
    checks.hold("swizzle: off by its fix", browser.value("[reply.ok, document.querySelector('[name=swizzle]').value]"), [True, "off"])


def nothing_is_fetched(checks, browser):
    checks.hold("resources fetched", browser.value(
        "performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).map(e => e.name)"), [])


def pages_compute(checks, browser, folder, spec):
    for tensor in ("text", "swizzled"):
        checks.page(browser, folder, spec, tensor)
        elements_agree(checks, browser, spec, tensor)
        colours_agree(checks, browser, tensor, checks.run("draw", spec, tensor, "--svg", "-"))
    edits_agree(checks, browser, folder, spec)
    modes_agree(checks, browser, folder)
    folds_agree(checks, browser, folder)
    pixels_are_edited(checks, browser, folder)
    presets_open(checks, browser)
    path = checks.page(browser, folder, spec, "swizzled")
    links_are_kept(checks, browser, path)
    screens_fit(checks, browser, path)
    pictures_fit(checks, browser, path)
    files_leave_the_page(checks, browser, folder, path)
    links_are_copied(checks, browser, path)
    layouts_are_swizzled(checks, browser, path)
    browser.open(f"file://{path}")
    picture_is_legible(checks, browser)
    nothing_is_fetched(checks, browser)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not harness.LONG or program is None:
        print("skipped: " + ("no Chromium is installed" if program is None else "not the long run (TMAP_LONG)"))
        return 77
    checks = Checks(arguments[1], pathlib.Path(arguments[2]))
    spec = checks.root / "specs/quickstart.yaml"
    with harness.scratch() as folder:
        browser = Browser(program, folder / "profile")
        try:
            path = checks.page(browser, folder, spec, "swizzled")
            if browser.value("computes"):
                pages_compute(checks, browser, folder, spec)
            else:
                frozen_page_shows_its_box(checks, browser, path)
        finally:
            browser.close()
    harness.end(checks.wrong, f"{checks.n} checks of pages hold")


if __name__ == "__main__":
    sys.exit(main(sys.argv))
