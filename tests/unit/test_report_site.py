"""The report as a site, without a browser: files, links, archive, search, and the picture of the README."""

import io
import json
import re
import zipfile
from types import SimpleNamespace

import pandas as pd
import pytest
import site_checks
from report_rows import ROOT
from small_page import write_page

from reproduction.comparison.row_tables import parse_explained_values
from reproduction.comparison.table import RESULT
from reproduction.papers import paper
from reproduction.reporting.page.chance import measure_chance_level
from reproduction.reporting.page.published_values import count_verdicts
from reproduction.reporting.page.search_index import build_search_index, read_glossary
from reproduction.reporting.page.site import ARCHIVE, link_pages, pack_page
from reproduction.reporting.page.verdict_picture import draw_verdict_picture

SNAPSHOT = ROOT / "reports/snapshot"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("page")).parent / "report"


def read_store(site, name):
    text = (site / f"{name}.js").read_text(encoding="utf-8")
    start, _, content = text.partition(" = ")
    assert start == f"(window.reportData ??= {{}}).{name}"
    return json.loads(content.removesuffix(";\n"))


@pytest.mark.parametrize("folder", ["small", "snapshot"])
def test_links_lead_to_files_and_anchors(site, folder):
    assert site_checks.dead_links(site if folder == "small" else SNAPSHOT / "report") == []


def test_dead_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#x">1</a><a href="#y">2</a><a href="c.html">3</a>')
    (tmp_path / "b.html").write_text('<p id="x"></p><a href="a.html">4</a><a href="https://x.org/#y">5</a>')
    assert site_checks.dead_links(tmp_path) == [
        "a.html links to #y, which is nowhere.",
        "a.html links to c.html, which is no file.",
    ]


def test_a_link_goes_to_the_page_that_has_the_anchor():
    pages = {
        "a": '<p id="x"></p><a href="#x"></a><a href="#y?k=1&amp;l"></a><a href="#z"></a>',
        "b": '<p id="y">',
    }
    linked = link_pages(pages)
    assert linked["a"].count('href="#x"') == 1 and 'href="b#y?k=1&amp;l"' in linked["a"]
    assert 'href="#z"' in linked["a"] and linked["b"] == pages["b"]


def test_the_archive_has_the_single_page_and_no_date(site):
    page = (site.parent / "report.html").read_text(encoding="utf-8")
    packed = (site / ARCHIVE).read_bytes()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.read("report.html").decode() == page
    assert packed == pack_page(page)


def test_pages_hold_no_script_and_load_only_files_beside_them(site):
    for path in site.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        sources = re.findall(r'<(?:script|img|iframe)\b[^>]*\bsrc="([^"]*)"', text)
        assert sources and all((site / source).is_file() for source in sources), path.name
        assert not re.search(r"<script(?![^>]*\bsrc=)", text)


def test_every_number_and_claim_is_found_by_the_search(site):
    index, verdicts = read_store(site, "search"), read_store(site, "verdicts")
    files = [file for file, _ in index["pages"]]
    entries = {anchor: (files[number], title) for number, anchor, title, _ in index["entries"]}
    assert verdicts and all(entries[address][0] == "explorer.html" for address in verdicts)
    assert entries["kadkhodaie2015-table1"] == ("kadkhodaie2015.html", "Table 1")
    terms = {title for number, anchor, title, _ in index["entries"] if anchor == "glossary"}
    assert {"Agrees", "Specification"} <= terms
    assert read_store(site, "glossary")["agrees"].startswith("The difference is at most the margin")


def test_the_index_reads_headings_rows_claims_and_terms():
    page = (
        '<nav><h2 id="no">no</h2></nav><section id="s"><h2>Head <a>#</a></h2><p>Some words.</p>'
        "<svg><p>x</p></svg>"
        '<table data-filter="p-claims"><tbody><tr><th>“It is so”</th><td>section 1</td></tr></tbody></table>'
        '<table><tbody><tr id="r"><th>sonar</th><td>push</td><td>.5</td></tr></tbody></table></section>'
        '<section id="glossary"><h2>Glossary</h2><dl><dt>Gap</dt><dd>A bound.</dd></dl></section>'
    )
    verdicts = {"verdict/a": {"title": "T", "published": "1", "ours": "2", "verdict": "differs"}}
    index = build_search_index({"explorer.html": page}, {"explorer.html": "E"}, verdicts)
    assert index["pages"] == [["explorer.html", "E"]]
    assert [entry[1:] for entry in index["entries"]] == [
        ["s", "Head #", "Some words."],
        ["p-claims", "“It is so”", "section 1"],
        ["r", "sonar push", ".5"],
        ["glossary", "Glossary", ""],
        ["glossary", "Gap", "A bound."],
        ["verdict/a", "T", "published 1, ours 2: differs"],
    ]
    assert read_glossary(page) == {"gap": "A bound."}


def test_values_with_the_explaining_combination_are_read():
    values = (
        "ADMM, pos at top: 53.3 published, 44.8 by default, 49.8 with it; A2DM2 + restart, variables: 1 "
        "published, 2 by default; MCP, tuned, map: 0.5 published, 0.4 by default, 0.45 with it"
    )
    assert parse_explained_values(values) == {("ADMM", "pos at top"): "49.8", ("MCP, tuned", "map"): "0.45"}
    assert parse_explained_values("no number of ours") == {}


def test_the_picture_of_the_readme_is_current():
    rows = pd.read_csv(SNAPSHOT / "comparison.csv")
    placebo = pd.read_csv(SNAPSHOT / "placebo.csv", na_values="none")
    cards, levels = [], {}
    for study, of_study in rows.groupby("study", sort=False):
        (results,) = count_verdicts(of_study[of_study["kind"] == RESULT], ("study", "kind"))
        cards.append({"study": study, "cited": paper(study).citation, "results": results})
        comparison = SimpleNamespace(rows=of_study, placebo=placebo[placebo["study"] == study])
        levels[study] = measure_chance_level(SimpleNamespace(comparison=comparison))
    picture = (SNAPSHOT / "report/verdicts.svg").read_text(encoding="utf-8")
    assert draw_verdict_picture(cards, levels) == picture
    assert "reports/snapshot/report/verdicts.svg" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert picture.count('class="tick"') == len(cards) + 1 and "prefers-color-scheme: dark" in picture


def test_the_findings_of_the_readme_stand_on_the_page():
    """The counts of the three findings: verdicts and chance, the sparsest methods, lists better and worse."""
    first, question = (
        (SNAPSHOT / "report" / name).read_text(encoding="utf-8") for name in ("index.html", "across.html")
    )
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    (counts,) = re.findall(r"Of (\d+) published results (\d+) agree", readme)
    assert f"The papers publish {counts[0]} results: {counts[1]} agree or are consistent" in " ".join(
        first.split()
    )
    pattern = r"On (\d+) lists its rate at the top .*? on (\d+) and lower on (\d+)"
    (lists, more, fewer) = re.findall(pattern, readme)[0]
    sentence = f"than logistic regression on {more} of {lists} lists, and fewer on {fewer}"
    assert sentence in " ".join(question.split())
    sparsest = "log or ℓ₀.₅ uses the fewest features" in readme
    assert sparsest and "laporte2014" in first
