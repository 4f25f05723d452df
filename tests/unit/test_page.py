"""The page: well formed, self-contained, escaped, and loud about what is missing."""

import json
import re

import pandas as pd
import pytest
from report_rows import STUDY, fits, results_of, write_results
from report_runs import read_page

from toprank.reporting.comparison import compare
from toprank.reporting.figures import describe_figure, figure_table1, save_figure
from toprank.reporting.inputs import read_data, read_verification
from toprank.reporting.page import inline_svg, render_page
from toprank.reporting.provenance import config_digest, provenance
from toprank.reporting.status import failures
from toprank.reporting.studies import Drawing, StudyReport
from toprank.reporting.top_ranking import table1


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


def report_of(results, name=STUDY, **changes):
    read = results_of(results)
    read["fits"] = read["fits"].assign(study=name)
    read |= changes
    table = table1(**read)
    save_figure(figure_table1(table), [results / f"{name}.svg"])
    svg = (results / f"{name}.svg").read_text(encoding="utf-8")
    drawing = Drawing("Figure of Table 1", "A <caption>.", svg, describe_figure(table), "figure_table1")
    finding = ["a <finding> & more"]
    tables = {"table1": table, "errata": pd.read_csv(results / STUDY / "errata.csv")}
    return StudyReport(name, "top_ranking", read["fits"], tables, compare(table), [drawing], finding)


def page_of(results, studies, verification=None):
    data = read_data(results / "data.csv")
    return render_page(
        studies,
        data,
        read_verification(results / "verification.csv") if verification is None else verification,
        failures([study.fits for study in studies], data),
        provenance({"seed": 7, "note": "</script><b>"}),
    )


@pytest.fixture(scope="module")
def page(results):
    return page_of(results, [report_of(results), report_of(results, "quick", published=None)])


def test_the_slips_of_the_paper_stand_with_what_each_form_leads_to(page):
    words = " ".join(" ".join(read_page(page).text).split())
    assert "γ₂ + <s> γ₂ inf 1e-15 distance; 30 rows" in words
    assert "313 0.24 quotient; ‖x‖²" in words


def test_it_is_well_formed_and_every_anchor_exists_once(page):
    reader = read_page(page)
    assert len(reader.ids) == len(set(reader.ids))
    assert all(link.startswith("#") for link in reader.links)
    assert {link[1:] for link in reader.links} <= set(reader.ids)


def test_it_loads_nothing_from_elsewhere(page):
    reader = read_page(page)
    assert all(link.startswith("#") for link in reader.loaded)
    assert "<script" not in page and "@import" not in page
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page))


def test_what_was_not_obtained_stands_at_the_top(page):
    assert page.index("Not obtained: 2 data sets") < page.index('<section id="data">')
    top = page[: page.index('<section id="data">')]
    assert "<strong>epsilon</strong> (wanted by kadkhodaie2015, quick)" in top
    assert "<strong>covtype</strong>:" in top and "<strong>cod-rna</strong>" in top
    assert top.index("epsilon") < top.index("covtype")


def test_texts_of_the_results_are_escaped(page):
    assert "<has>" not in page and "&amp; &lt;has&gt; no mirror" in page
    assert "the &lt;solver&gt; said no" in page
    assert "a &lt;finding&gt; &amp; more" in page and "A &lt;caption&gt;." in page
    assert "</script><b>" not in page


def test_everything_has_its_place(page):
    text = " ".join(" ".join(read_page(page).text).split())
    places = ("Table 1", "Verification", "Failures", "Provenance", "Diagnosis", "λ max")
    for words in (*places, "sklearn_ridge", "331152"):
        assert words in text, words
    assert "there is nothing to compare" in text, "quick has no printed table"
    assert "6 of 6 cases passed" in text
    assert config_digest({"seed": 7, "note": "</script><b>"}) in text


def test_the_figure_is_inline_with_words_for_who_does_not_see_it(page):
    assert page.count("<svg") == 2 and page.count('role="img" aria-label="Pos@Top') == 2
    assert "<metadata" not in page and "<?xml" not in page


def test_failures_and_a_failed_verification_are_loud(results):
    verification = read_verification(results / "verification.csv")
    verification.loc[0, "passed"] = False
    page = page_of(results, [report_of(results)], verification)
    top = page[: page.index('<section id="data">')]
    assert "Verification: 5 of 6 cases passed" in top and "Unexpected: 1 status" in top


def test_a_clean_run_has_no_alarm(results):
    rows = results_of(results)["fits"]
    clean = rows[rows["status"].isin(["optimal", "max_iterations"])]
    data = read_data(results / "data.csv")
    data = data[data["status"] == "obtained"]
    page = render_page(
        [report_of(results, fits=clean, data=data, published=None)],
        data,
        read_verification(results / "verification.csv"),
        failures([clean], data),
        provenance({}),
    )
    assert 'role="alert"' not in page and "every fit ended in a way that is expected" in page


def test_both_colour_schemes_and_print_are_served(page):
    assert "prefers-color-scheme: dark" in page and "@media print" in page and "width=device-width" in page


def test_an_svg_is_made_fit_for_a_page():
    svg = (
        '<?xml version="1.0"?><!DOCTYPE svg><svg width="5pt" height="6pt" viewBox="0 0 5 6">'
        "<metadata>x</metadata>"
        '<path id="p"/><use xlink:href="#p" clip-path="url(#c)"/></svg>'
    )
    assert inline_svg(svg, "s", 'a "b" <c>') == (
        '<svg viewBox="0 0 5 6" role="img" aria-label="a &#34;b&#34; &lt;c&gt;"><path id="s-p"/>'
        '<use xlink:href="#s-p" clip-path="url(#s-c)"/></svg>'
    )


def test_provenance_names_versions_machine_and_commit():
    found = provenance({"seed": 5, "b": 1, "a": [2]})
    assert found["seeds"] == {"master": 5} and found["cores"] >= 1 and found["versions"]["numpy"][0].isdigit()
    assert found["config_digest"] == config_digest({"a": [2], "b": 1, "seed": 5})
    assert found["config_digest"] != config_digest({"a": [2], "b": 1, "seed": 6})
    json.dumps(found)


def test_provenance_outside_a_repository(tmp_path):
    found = provenance({}, root=tmp_path)
    assert found["commit"] == "not under version control" and found["dirty"] is None


def test_the_page_counts_the_fits(page):
    ran = (fits()["status"] != "not obtained").sum()
    assert f"<b>{ran}</b> fits of {STUDY}" in page
