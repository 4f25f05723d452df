"""The checks of the documentation's site find what is planted, and nothing in a page without fault."""

import docs_checks
import pytest

FAULTS = {
    '<a href="mailto:Pos@Top">Pos@Top</a>': "for an address",
    '<a href="missing.html">there</a>': "no file",
    '<img alt="" src="missing.png">': "no file",
    '<a href="second.html#missing">there</a>': "nowhere",
    '<a href="#missing">there</a>': "nowhere",
    '<math><munderover><mi>x</mi><mi>k</mi><mo stretchy="false">~</mo></munderover></math>': "tilde",
}
FAULTLESS = """
<a href="https://example.org/missing">out</a> <a href="second.html#w%3D0">there</a>
<a href="#here" id="here">here</a>
<math><munderover><mo>∑</mo><mi>k</mi><mi>n</mi></munderover><mover><mi>x</mi><mo>~</mo></mover></math>
"""


@pytest.fixture
def write_site(tmp_path):
    def write(body):
        (tmp_path / "second.html").write_text('<h1 id="w=0">Second</h1>', encoding="utf-8")
        (tmp_path / "first.html").write_text(body, encoding="utf-8")
        return docs_checks.list_pages(tmp_path)

    return write


@pytest.mark.parametrize(("body", "complaint"), FAULTS.items(), ids=FAULTS.values())
def test_a_planted_fault_is_noticed(write_site, body, complaint):
    (words,) = docs_checks.check_texts(write_site(FAULTLESS + body))
    assert words.startswith("first.html") and complaint in words


def test_a_page_without_fault_has_no_complaint(write_site):
    assert docs_checks.check_texts(write_site(FAULTLESS)) == []


def test_the_report_and_parts_of_the_theme_are_left_out(tmp_path):
    for name in ("index", "report/index", "_static/macros"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.html").touch()
    assert [page.name for page in docs_checks.list_pages(tmp_path)] == ["index.html"]


def test_a_site_that_is_not_built_is_one_sentence(tmp_path, capsys):
    assert docs_checks.main(tmp_path) == 2
    assert "run `make docs` first" in capsys.readouterr().err
