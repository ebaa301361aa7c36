"""The record of runs, tests/tool/recorded.json: a row for each tool and version. Evidence of class `tool` refers to
these rows."""
import datetime
import json
import pathlib

PATH = pathlib.Path(__file__).resolve().parent / "recorded.json"


def read():
    return json.loads(PATH.read_text()) if PATH.exists() else {}


def announce(package, version):
    """Prints a note if the record has another version."""
    rows = read().get(package, {})
    if version not in rows:
        print(f"{package} {version} is new: the record has {', '.join(rows) or 'none'}")


def text(rows):
    """A line for each version."""
    tools = [f"  {json.dumps(tool)}: {{\n" + ",\n".join(f"    {json.dumps(version)}: {json.dumps(row, sort_keys=True)}"
                                                       for version, row in sorted(versions.items())) + "\n  }"
             for tool, versions in sorted(rows.items())]
    return "{\n" + ",\n".join(tools) + "\n}\n"


def put(package, version, **result):
    rows = read()
    row = rows.setdefault(package, {}).setdefault(version, {})
    row.update({"date": datetime.date.today().isoformat(), **result})
    PATH.write_text(text(rows))
