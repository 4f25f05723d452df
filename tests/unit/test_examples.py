"""The examples: six short scripts that a gallery can read, and that run on what they make themselves."""

import ast
import re
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_an_example_runs(script, monkeypatch, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(
        "socket.socket.connect", lambda *arguments: pytest.fail("an example asks the network")
    )
    before = pyplot.get_backend()
    pyplot.switch_backend("agg")
    try:
        runpy.run_path(str(script), run_name="__main__")
        assert pyplot.get_fignums(), "no picture"
    finally:
        pyplot.close("all")
        pyplot.switch_backend(before)
    assert capsys.readouterr().out, "nothing is published"


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_an_example_is_a_page_of_a_gallery(script):
    text = script.read_text(encoding="utf-8")
    title, line, *body = ast.get_docstring(ast.parse(text)).splitlines()
    assert title and line == "=" * len(title) and "".join(body)
    cells = re.split(r"^# %%\n", text, flags=re.MULTILINE)[1:]
    assert len(cells) >= 3 and all(cell.startswith("# ") for cell in cells)
    assert script.name.startswith("plot_") and len(text.splitlines()) <= 100


def test_there_are_six():
    assert len(SCRIPTS) == 6 and (FOLDER / "README.rst").is_file()
