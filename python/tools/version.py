"""The version, from its only home: tmap/base.h, in an sdist below c/ and in a checkout beside this folder."""
import pathlib
import re

_HERE = pathlib.Path(__file__).resolve().parent.parent


def dynamic_metadata(field, _settings=None):
    folder = _HERE / "c" if (_HERE / "c").exists() else _HERE.parent
    text = (folder / "include/tmap/base.h").read_text()
    return re.search(r'#define TMAP_VERSION +"(.*)"', text)[1]
