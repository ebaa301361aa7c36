"""``python -m libtmap`` is the command tmap of the same wheel."""
import os
import pathlib
import sys
from importlib import metadata


def command() -> str:
    """The path of the command. With pip install --target it is in bin/ beside the package."""
    listed = [file.locate() for file in metadata.files("libtmap") or () if file.parts[-2:] == ("bin", "tmap")]
    for path in (*listed, pathlib.Path(__file__).resolve().parents[1] / "bin/tmap"):
        if os.access(path, os.X_OK):
            return str(pathlib.Path(os.fspath(path)).resolve())
    sys.exit("tmap: this installation of libtmap has no command: install the package with pip")


if __name__ == "__main__":
    os.execv(command(), ["tmap", *sys.argv[1:]])
