#!/usr/bin/env python3
"""Compares the JSON Schema of the spec format with the reader's tables.

usage: check_schema.py SCHEMA TMAP_COMMAND [--update]

--update writes into the schema the names of the tables, and each other name of a key as the key itself; a new key accepts
all values of its kind.
Keys: every key and driver's name that the reader accepts is a property of its section, and the reverse. Names: every
name of the tables is in the schema's enums, and every word of an enum is read without a complaint about it. Shipped
specs point to the schema, and validate where Python's jsonschema and yaml are installed.

The schema of results, output.schema.json beside it, has a definition for every command with --json and every key that the
sources write; tests/cli/run.py validates the results.
"""
import copy
import functools
import json
import os
import pathlib
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402
import json_schema  # noqa: E402


schema_file, tmap = pathlib.Path(sys.argv[1]), sys.argv[2]
schema = json.loads(schema_file.read_text())
definitions = schema["definitions"]
problems = []


def table(name):
    run = harness.run(tmap, "list", name, "--json", check=True)
    return json.loads(run.stdout)[name]


SECTIONS = ("tensor", "copy", "size", "buffer", "map", "thread", "step", "cache_hint", "expect")
NAMES = {"type": "types", "interleave": "interleaves", "swizzle": "swizzles", "mode": "modes", "toolkit": "toolkits",
         "l2_promotion": "promotions", "oob_fill": "fills", "op": "ops", "arch": "archs"}


def from_tables():
    new = copy.deepcopy(schema)
    for definition, listed in NAMES.items():
        words = new["definitions"][definition]["enum"]
        words += [row["name"] for row in table(listed) if row["name"] not in words]
    new["definitions"]["fact"]["enum"] = [row["fact"] for row in table("facts")]
    new["definitions"]["qualifier"]["enum"] = [row["name"] for row in table("qualifiers")
                                               if row["name"] not in ("cache_hint", "cp_mask", "ignore_oob")]  # keys imply these
    for row in table("keys"):
        name, properties = row["name"], (new if row["section"] == "file" else new["definitions"][row["section"]])["properties"]
        key = properties.setdefault(name, {"$ref": f"#/definitions/{row['kind']}"} if row["kind"] in definitions else {})
        others = {word: f"Another library's name for {name}; tmap fmt writes {name}." for word in (row["words"] or "").split()}
        if row["alias"]:
            others[row["alias"]] = f"The driver's name for {name}" + ("; always innermost first." if row["kind"] == "integers" else ".")
        for word, text in others.items():
            value = {what: part for what, part in key.items() if what != "description"}
            properties[word] = {**(value if "allOf" in value else {"allOf": [value]}), "description": text}
    return new


def compare_keys():
    for section, node in {"file": schema, **{name: definitions[name] for name in SECTIONS}}.items():
        rows = [row for row in table("keys") if row["section"] == section]
        read = {row["name"] for row in rows} | {row["alias"] for row in rows if row["alias"]}
        read |= {word for row in rows for word in (row["words"] or "").split()}
        for key in sorted(read ^ set(node["properties"])):
            problems.append(f"{section}.{key}: " + ("not in the schema" if key in read else "the reader has no such key"))
        if node.get("additionalProperties") is not False:
            problems.append(f"{section}: the schema lets unknown keys pass")


def mapping(keys):
    return "{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}"


def findings_with(section, key, value, instead=None):
    """Returns the rules that fire if `key` of `section` has `value` and the rest of the file is correct, without
    `instead`."""
    steps = {None: {}, "parity": {"wait": "full"}, "stage": {"arrive": "full"}, "expect_tx": {"arrive": "full"},
             "count": {"arrive": "full"}, "at": {"copy": "c", "barrier": "full"}, "barrier": {"commit": "tcgen05"},
             "pending": {"wait_group": "bulk"}, "map": {"fence": "tensormap_acquire"}, "elect": {"arrive": "full"},
             "steps": {"repeat": "{k: 2}"}}
    parts = {"file": {"tmap": "1"}, "tensor": {"type": "f16", "dims": "[64, 64]", "box": "[64, 8]"},
             "copy": {"tensor": "t", "op": "load", "at": "[0, 0]", "shared": "0"}, "expect": {}, "cache_hint": {}, "map": {}, "size": {"max": "9"},
             "buffer": {"size": "1024"}, "thread": {"steps": "[{init: full}]"}, "step": dict(steps.get(key, steps[None]))}
    parts[section].pop(instead, None)
    parts[section][key] = value
    for nested in ("expect", "cache_hint"):
        if parts[nested]:
            parts["copy"][nested] = mapping(parts[nested])
    if section == "map":
        parts["tensor"]["map"] = mapping(parts["map"])
    if key == "issuers":
        parts["file"]["shared"] = "{full: {arrivals: 1}}"
        parts["copy"]["barrier"] = "full"
    if section == "buffer" and key == "expect_tx":
        parts["buffer"] = {"arrivals": "1", key: value}
    if section == "size":
        parts["file"]["sizes"] = f"{{N: {mapping(parts['size'])}}}"
    if section in ("buffer", "thread", "step"):
        thread = mapping(parts["thread"]) if section == "thread" else f"[{{init: full}}, {{fence: mbarrier_init}}, {mapping(parts['step'])}]"
        parts["file"]["shared"] = f"{{b: {mapping(parts['buffer'])}, full: {{arrivals: 1}}}}"
        parts["file"]["sequence"] = f"{{main: {thread}}}"
    file = {"tensors": f"{{t: {mapping(parts['tensor'])}}}", "copies": f"{{c: {mapping(parts['copy'])}}}", **parts["file"]}
    run = harness.run(tmap, "check", "--json", "-", input="\n".join(f"{k}: {v}" for k, v in file.items()) + "\n")
    rules = [d["rule"] for file in json.loads(run.stdout)["files"] for d in file["diagnostics"]]
    # Mistakes of a sequence without the value, and another library's name, do not show that the value was read.
    return [rule for rule in rules if (not rule.startswith("sequence-") or rule == "sequence-step") and rule != "key-name"]


def check_keys_are_read():
    """A value of a kind that no key accepts is reported; a key that the reader skips would accept anything."""
    if sound := findings_with("file", "tmap", "1"):
        problems.append(f"the sound file has findings: {sound}")
    for row in table("keys"):
        for key in filter(None, (row["name"], row["alias"], *(row["words"] or "").split())):
            if not findings_with(row["section"], key, "{x: {y: z}}", row["name"]):
                problems.append(f"{row['section']}.{key}: the reader accepts the key but does not read it")


def compare_names():
    if from_tables() != schema:
        problems.append("names of the schema are not those of tmap list: write them with --update")
    for definition in NAMES:
        words = definitions[definition]["enum"]
        if len(words) != len(set(words)):
            problems.append(f"{definition}: a word occurs twice")
        check_words(definition, words)


def check_words(definition, words):
    """The reader accepts every word: no finding is about a name."""
    for word in words:
        value = json.dumps(word)
        keys = {"type": "f16", "dims": "[64, 64]", "box": "[64, 8]"}
        copy = f"copies: {{c: {{tensor: t, op: {value}}}}}\n" if definition == "op" else ""
        arch = f"{definition}: {value}\n" if definition in ("arch", "toolkit") else ""
        if definition not in ("op", "arch", "toolkit"):
            keys[definition] = value
        fields = ", ".join(f"{key}: {field}" for key, field in keys.items())
        text = f"tmap: 1\n{arch}tensors: {{t: {{{fields}}}}}\n{copy}"
        run = harness.run(tmap, "check", "--json", "-", input=text)
        found = [d["rule"] for file in json.loads(run.stdout)["files"] for d in file["diagnostics"]]
        if "value-name" in found or "value-kind" in found:
            problems.append(f"{definition}: the reader does not accept '{word}'")


# The parts of a correct spec, of which one value is changed at a time.
TENSOR = {"type": "f16", "dims": [64, 64], "strides": [128], "box": [64, 8], "element_strides": [1, 1], "rank": 2, "address": 4096,
          "allocation": 65536, "ops": ["load"]}
PIXELS = {"type": "f16", "mode": "im2col", "dims": [64, 14, 14, 8], "lower_corner": [-1, -1], "upper_corner": [-1, -1],
          "channels_per_pixel": 64, "pixels_per_column": 64}
COPY = {"tensor": "t", "op": "load", "at": [0, 0], "shared": 0, "dst": "cluster", "cta_mask": 1}
FILE = {"cluster": 1, "arch": ["sm_90a"]}
NUMBERS = [-(1 << 63), -32769, -1, 0, 1, 2, 5, 6, 8, 9, 64, 255, 256, 257, 1024, 1025, 32768, 65536, 1 << 31, 1 << 32, (1 << 32) + 1, 1 << 40, 1 << 64]
TEXTS = ["064", "0", "00", "4Ki", "4K", "4e3", "1_000", "1__0", "_1", "0x40", "0x", "0xg", "2^8", "2^", "12x", "x y", "4*", "64.0", "-0x1", "0Ki", "0x0", "-4Ki", "-0", "0_0", "0^2", "-0x0", "0Gi", "f16", "BF16", ""]
# The rules about one value alone. Other errors depend on other values, which a schema does not compare.
OF_VALUE = {"value-kind", "value-name", "value-range", "value-count", "key-missing", "key-unknown", "dim-extent", "box-extent",
            "stride-range", "rank-range", "channels-range", "pixels-range"}
LOW = {"value-range", "dim-extent", "box-extent", "element-stride-range"}


def as_yaml(value):
    """A value in flow style; a text is plain unless it is empty or would be another kind of value."""
    if isinstance(value, list):
        return "[" + ", ".join(map(as_yaml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {as_yaml(item)}" for key, item in value.items()) + "}"
    return '""' if value == "" else "true" if value is True else "" if value is None else str(value)


def loaded(value):
    """The value as an editor's loader of YAML 1.2 has it: texts that are numbers there are numbers, except 064."""
    if isinstance(value, list):
        return [loaded(item) for item in value]
    if isinstance(value, dict):
        return {key: loaded(item) for key, item in value.items()}
    if isinstance(value, str) and re.fullmatch(r"-?(0|[1-9][0-9]*)|0x[0-9a-fA-F]+", value):
        return int(value, 0)
    return 64.0 if value == "64.0" else value


def mutants(chance, times):
    """Specs with one changed value: a number or text in place of a value or entry, or another number of entries."""
    for _ in range(times):
        file = {"tmap": 1, **FILE, "tensors": {"t": dict(TENSOR), "p": dict(PIXELS)}, "copies": {"c": dict(COPY)}}
        part = chance.choice([file["tensors"]["t"]] * 3 + [file["tensors"]["p"]] * 2 + [file["copies"]["c"]] * 2 + [file])
        key = chance.choice(list(FILE if part is file else part))
        other = chance.choice([chance.choice(NUMBERS), chance.choice(NUMBERS), chance.choice(TEXTS), None, True, [1], {"x": 1}])
        if isinstance(part[key], list) and chance.random() < 0.7:
            part[key] = list(part[key])
            part[key][chance.randrange(len(part[key]))] = other
        elif isinstance(part[key], list) and chance.random() < 0.5:
            part[key] = part[key][:1] * chance.choice((0, 6, 7))
        else:
            part[key] = other
        yield file


def concerns_value(finding, file):
    """Whether a schema can refuse what the finding reports: not a number of entries that only the rank forbids, not a name
    that may be a size, and not the value of a number that is written as a text."""
    values = [part[finding["field"]] for part in (file, *file["tensors"].values(), *file["copies"].values()) if finding["field"] in part]
    entries = [entry for value in values for entry in (value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value])]
    low = finding["rule"] in LOW and any(isinstance(entry, str) and re.fullmatch(r"-.*|0(x0+|_0)?(Ki|Gi|\^2)?", entry) for entry in entries)
    text = not low and any(isinstance(entry, str) and re.fullmatch(r"-?[A-Za-z0-9_^]+", entry) and not re.match("0[0-9]", entry) for entry in entries)
    few = finding["rule"] == "value-count" and (finding["field"] == "rank" or all(len(value) <= 5 for value in values if isinstance(value, (list, dict))))
    return finding["rule"] in OF_VALUE and not few and not (text and finding["rule"] != "value-name")


def compare_values():
    """The schema accepts what the reader accepts, and refuses what the reader or a rule refuses about one value alone."""
    chance = random.Random(int(os.environ.get("TMAP_SEED", "1")))
    files = list(mutants(chance, 20000 if harness.LONG else 1500))
    with tempfile.TemporaryDirectory() as work:
        paths = [pathlib.Path(work) / f"{number}.yaml" for number in range(len(files))]
        for path, file in zip(paths, files):
            path.write_text("".join(f"{key}: {as_yaml(value)}\n" for key, value in file.items()))
        run = harness.run(tmap, "check", "--json", *paths)
        texts = [path.read_text() for path in paths]
    refused = 0
    for text, file, checked in zip(texts, files, json.loads(run.stdout)["files"]):
        errors = [d for d in checked["diagnostics"] if d["severity"] == "error"]
        wrong = json_schema.problem(loaded(file), schema, schema)
        refused += wrong is not None
        if wrong and not errors:
            problems.append(f"the schema refuses a spec without errors: {wrong}\n{text}")
        elif not wrong and any(concerns_value(d, file) for d in errors):
            problems.append(f"the schema accepts what the reader refuses: {errors[0]['message']} [{errors[0]['rule']}]\n{text}")
    print(f"{len(files)} changed specs, {refused} refused by the schema")


# A sequence whose keys are changed one at a time. `pitch` depends on `size`, `at` on `align`, `block` on `cluster`.
SHARED = {"smem": {"size": 1024, "stages": 2, "align": 1024, "pitch": 1024, "at": 8192, "reader": "ld"},
          "full": {"arrivals": 1, "stages": 2, "expect_tx": 1024}, "sums": {"columns": 32, "stages": 2}}
STEPS = [{"init": ["full"]}, {"fence": "mbarrier_init"}, {"arrive": "full", "stage": 0, "expect_tx": 1024, "count": 1, "block": 0},
         {"copy": "c", "at": [0, 0], "offset": 0, "when": "1 < 2"}, {"wait": "full", "parity": 0}, {"read": ["smem"], "stage": 0},
         {"wait_group": "bulk", "pending": 0}, {"repeat": {"k": 2}, "steps": [{"sync": "all"}]}]


def changed_sequences():
    """Yields files with one changed key of a buffer, a barrier, a thread or a step, and whether the value is a number on
    which no other key depends."""
    parts = [("shared", name) for name in SHARED] + [("sequence", "main")] + [("sequence", "main", "steps", i) for i in range(len(STEPS))]
    for path in parts:
        file = {"tmap": 1, "arch": "sm_100a", "tensors": {"t": {"type": "f16", "dims": [64, 64], "box": [64, 8]}},
                "copies": {"c": {"tensor": "t", "op": "load", "at": [0, 0], "buffer": "smem", "barrier": "full"}},
                "shared": SHARED, "sequence": {"main": {"threads": 1, "blocks": 1, "steps": STEPS}}}
        for key in functools.reduce(lambda node, name: node[name], path, file):
            for value in [*NUMBERS, *TEXTS, "k + 1", "64*k", [], [1], {"x": 1}]:
                changed = copy.deepcopy(file)
                functools.reduce(lambda node, name: node[name], path, changed)[key] = value
                yield changed, isinstance(value, int) and key not in ("size", "pitch", "at", "block", "blocks", "threads")


def compare_sequences():
    """The schema accepts what the reader accepts of buffers, threads and steps, and refuses a number out of range."""
    refused = 0
    with tempfile.TemporaryDirectory() as work:
        files = [(pathlib.Path(work) / f"{i}.yaml", *row) for i, row in enumerate(changed_sequences())]
        for path, file, _ in files:
            path.write_text("".join(f"{key}: {as_yaml(value)}\n" for key, value in file.items()))
        run = harness.run(tmap, "check", "--json", *(path for path, *_ in files))
        texts = [path.read_text() for path, *_ in files]
    for text, (_, file, of_value), checked in zip(texts, files, json.loads(run.stdout)["files"]):
        found = [d for d in checked["diagnostics"] if d["severity"] == "error"]
        wrong = json_schema.problem(loaded(file), schema, schema)
        refused += wrong is not None
        if wrong and not any(d["rule"].startswith(("value", "key", "name", "sequence-step")) for d in found):
            problems.append(f"the schema refuses a sequence that the reader accepts: {wrong}\n{text}")
        elif not wrong and of_value and any("out of range" in d["message"] or "is below 0" in d["message"] for d in found):
            problems.append(f"the schema accepts what the reader refuses: {found[0]['message']}\n{text}")
    print(f"{len(files)} changed sequences, {refused} refused by the schema")


def keys_of(node):
    """Returns all names of properties below a node of a schema."""
    children = node if isinstance(node, list) else node.values() if isinstance(node, dict) else []
    names = set(node["properties"]) if isinstance(node, dict) and isinstance(node.get("properties"), dict) else set()
    return names.union(*map(keys_of, children))


def compare_results():
    results = json.loads((schema_file.parent / "output.schema.json").read_text())
    commands = re.findall(r"^(\w+)\t", harness.run(tmap, "complete", "").stdout, re.MULTILINE)
    with_json = [name for name in commands if "--json" in harness.output(tmap, name, "--help")]
    defined = [node["$ref"].removeprefix("#/definitions/") for node in results["anyOf"]]
    if sorted(with_json) != sorted(defined) or len(defined) < 15 or not set(defined) <= set(results["definitions"]):
        problems.append(f"output.schema.json defines {sorted(defined)}; commands with --json: {sorted(with_json)}")
    written = set()
    for source in [*(schema_file.parent.parent / "tools/tmap").rglob("*.c"), *(schema_file.parent.parent / "src/spec/emit").glob("*.c")]:
        if source.name != "check_formats.c":  # the log of SARIF has the standard's keys
            written |= set(re.findall(r'(?:json_(?:field_[a-z]+|list|object)|tmap_json_key|key_[a-z]+)\(\&?[\w>.-]+, "([\w ]+)"', source.read_text()))
            written |= {key for row in re.findall(r"JSON_FIELDS\((.*?)\);", source.read_text(), re.S) for key in re.findall(r'\{"(\w+)"', row)}
    if len(written) < 100 or written - keys_of(results):
        problems.append(f"keys that output.schema.json lacks: {sorted(written - keys_of(results))}")


def validate_specs(specs):
    try:
        import jsonschema
        import yaml
    except ImportError as missing:
        print(f"skipped: validating the specs, because Python has no module {missing.name}")
        return
    jsonschema.Draft7Validator.check_schema(json.loads((schema_file.parent / "output.schema.json").read_text()))
    validator = jsonschema.Draft7Validator(schema)
    for spec in specs:
        for error in validator.iter_errors(yaml.safe_load(spec.read_text())):
            problems.append(f"{spec.name}: {'/'.join(map(str, error.path))}: {error.message[:100]}")
    for bad in ("specs/broken/key_misspelt.yaml", "tests/data/bad/key-missing.order.yaml"):
        if validator.is_valid(yaml.safe_load((schema_file.parent.parent / bad).read_text())):
            problems.append(f"{bad} passes the schema")


if "--update" in sys.argv:
    schema_file.write_text(json.dumps(from_tables(), indent=2, ensure_ascii=False) + "\n")
    sys.exit()
specs = sorted(schema_file.parent.glob("*.yaml"))
for spec in specs:
    if "# yaml-language-server: $schema=tmap.schema.json" not in spec.read_text().splitlines():
        problems.append(f"{spec.name}: no comment that points editors to the schema")
compare_keys()
check_keys_are_read()
compare_names()
compare_results()
compare_values()
compare_sequences()
validate_specs(specs)
harness.end(problems, f"the schema agrees with the reader; {len(specs)} specs point to it", len(specs) >= 12)
