"""The pages and the notebook are executed."""

import linecache
import os
import re
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("SLIPSTICK_ROOT", Path(__file__).parents[2]))


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "python/README.md"])
def test_the_examples_of_a_page_hold(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    names = {}
    for block in blocks:
        # What fails is shown.
        linecache.cache[page] = (len(block), None, block.splitlines(keepends=True), page)
        exec(compile(block, page, "exec"), names)


def test_the_notebook_runs(tmp_path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(ROOT / "examples" / "own_equations.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without what it prints"
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert {"image/svg+xml", "image/png", "text/html"} <= kinds
    assert not any(output.get("name") == "stderr" for output in shown)
    assert (tmp_path / "response.pdf").read_bytes().startswith(b"%PDF")
