"""The notebook of examples/python runs, and its cells show pictures."""
import pathlib
import sys

import pytest

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples/python/situations.ipynb"


def test_notebook(tmp_path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    kernel = tmp_path / "kernels/python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(
        '{"argv": ["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3"}' % sys.executable)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    svgs = [output.data["image/svg+xml"] for output in outputs if "image/svg+xml" in output.get("data", {})]
    assert len(svgs) == 5 and all("</svg>" in svg for svg in svgs)
    printed = "".join(output.get("text", "") for output in outputs)
    assert all(text in printed for text in ("box-inner-span", "the swizzle was none", "XOR", "expects 4096 bytes", "never ends"))
    assert "{'none': 8, '128B': 1}" in str(outputs)
