"""The version, read from tmap/base.h: in c/ of an sdist, or beside this folder in a checkout."""
import pathlib
import re

_HERE = pathlib.Path(__file__).resolve().parent.parent


def dynamic_metadata(field, _settings=None):
    folder = _HERE / "c" if (_HERE / "c").exists() else _HERE.parent
    text = (folder / "include/tmap/base.h").read_text()
    return re.search(r'#define TMAP_VERSION +"(.*)"', text)[1]
