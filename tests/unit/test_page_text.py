"""Texts of the page: escaped, in their place, with figures, failures and provenance."""

import json
import re
import subprocess

import pandas as pd
import pytest
from page_reports import (
    build_report,
    cut_section,
    render_reports,
)
from report_rows import STUDY, fits, results_of, write_results
from report_runs import read_page

from reproduction.core import provenance
from reproduction.core.results import read_data, read_verification
from reproduction.reporting.failures import list_failures
from reproduction.reporting.page.context import build_page_context
from reproduction.reporting.page.figures import inline_svg
from reproduction.reporting.page.fit_details import describe_origins, describe_status
from reproduction.reporting.page.published_values import inflect_verdict
from reproduction.reporting.page.render import render_page
from reproduction.reporting.provenance import collect_run_provenance, digest_config


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def page(results):
    return render_reports(results, [build_report(results), build_report(results, "quick", published=None)])


def test_texts_of_the_results_are_escaped(page):
    assert "<has>" not in page and "&amp; &lt;has&gt; no mirror" in page
    assert "the &lt;solver&gt; said no" in page
    assert "A &lt;caption&gt;." in page
    assert "</script><b>" not in page


def test_everything_has_its_place(page):
    text = " ".join(" ".join(read_page(page).text).split())
    places = ("Table 1", "Verification", "Failures", "Provenance", "Diagnosis", "λ max")
    for words in (*places, "sklearn_ridge", "331152"):
        assert words in text, words
    assert "there is nothing to compare" in text, "quick has no published table"
    assert "Statistics beyond the paper" not in text, "neither study has their tables"
    for words in ("TopPush beside the exact solver", "Seconds, median of the chosen"):
        assert words in text, words
    assert "6 of 6 cases passed" in text
    assert digest_config({"seed": 7, "note": "</script><b>"}) in text


def test_the_figure_is_inline_with_words_for_who_does_not_see_it(page):
    assert page.count("<svg") == 2 and page.count('role="img" aria-label="A &lt;message&gt;. Pos@Top') == 2
    assert page.count("<figcaption><p><strong>A &lt;message&gt;.</strong></p>") == 2
    assert f'<figure id="{STUDY}-figure_table1"' in page
    assert "<metadata" not in page and "<?xml" not in page


def test_failures_and_a_failed_verification_are_loud(results):
    verification = read_verification(results / "verification.csv")
    verification.loc[0, "passed"] = False
    page = render_reports(results, [build_report(results)], verification)
    top = page[: page.index(f'<section id="{STUDY}">')]
    assert "Verification: 5 of 6 cases passed" in top and "Unexpected: 1 status" in top


def test_a_clean_run_has_no_alarm(results):
    rows = results_of(results)["fits"]
    clean = rows[rows["status"].isin(["certified", "max_iterations"])]
    data = read_data(results / "data.csv")
    data = data[data["status"] == "obtained"]
    study = build_report(results, fits=clean, data=data, published=None)
    verified = read_verification(results / "verification.csv")
    context = build_page_context(
        [study], data, verified, list_failures([clean], data), collect_run_provenance({})
    )
    page = render_page(context)
    assert 'role="alert"' not in page and "No fit failed unexpectedly" in page


def test_both_colour_schemes_and_print_are_served(page):
    assert "prefers-color-scheme: dark" in page and "@media print" in page and "width=device-width" in page


def test_an_svg_is_made_fit_for_a_page():
    svg = (
        '<?xml version="1.0"?><!DOCTYPE svg><svg width="5pt" height="6pt" viewBox="0 0 5 6">'
        '<metadata>x</metadata><path id="p"/><use xlink:href="#p" clip-path="url(#c)"/></svg>'
    )
    assert inline_svg(svg, "s", 'a "b" <c>') == (
        '<svg viewBox="0 0 5 6" role="img" aria-label="a &#34;b&#34; &lt;c&gt;"><path id="s-p"/>'
        '<use xlink:href="#s-p" clip-path="url(#s-c)"/></svg>'
    )


def test_provenance_names_versions_machine_and_commit():
    provenance = collect_run_provenance({"seed": 5, "b": 1, "a": [2]})
    assert (
        provenance["seeds"] == {"master": 5}
        and provenance["cores"] >= 1
        and provenance["versions"]["numpy"][0].isdigit()
    )
    assert provenance["config_digest"] == digest_config({"a": [2], "b": 1, "seed": 5})
    assert provenance["config_digest"] != digest_config({"a": [2], "b": 1, "seed": 6})
    json.dumps(provenance)


def test_provenance_outside_a_repository(tmp_path):
    record = collect_run_provenance({}, root=tmp_path)
    assert record["commit"] == "not under version control" and record["dirty"] is None


def test_provenance_says_whether_tracked_files_differ_from_the_commit(tmp_path):
    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "a.txt").write_text("1")
    for words in (["init"], ["add", "a.txt"], ["commit", "-m", "first"]):
        git(*words)
    (tmp_path / "results.csv").write_text("what is not tracked is no change")
    clean = collect_run_provenance({}, root=tmp_path)
    assert clean["dirty"] is False and re.fullmatch("[0-9a-f]{40}", clean["commit"])
    (tmp_path / "a.txt").write_text("2")
    changed = collect_run_provenance({}, root=tmp_path)
    assert changed["dirty"] is True and changed["commit"] == clean["commit"]


def test_a_file_of_fits_names_optional_packages_where_they_are_installed(monkeypatch):
    versions = dict.fromkeys(provenance.RECORDED_PACKAGES, "1.0") | {"rdkit": "2026.3"}
    monkeypatch.setattr(
        provenance,
        "read_versions",
        lambda names: {name: versions.get(name, "not installed") for name in names},
    )
    recorded = provenance.collect_provenance(0, [], "code")["versions"]
    assert recorded.endswith("clarabel 1.0 rdkit 2026.3") and "lightgbm" not in recorded


def test_the_page_counts_the_fits(page):
    ran = (fits()["status"] != "not obtained").sum()
    assert f"<b>{ran}</b> fits of {STUDY}" in page


def test_no_table_has_more_than_seven_columns(page):
    for head in re.findall(r"<thead><tr>(.*?)</tr>", page):
        assert head.count("<th") <= 7, head


def test_a_row_without_data_is_folded(page):
    section = cut_section(page, f"{STUDY}-table1", f"{STUDY}-figure_table1")
    present, absent = section.split('<details class="not-there">')
    assert 'id="kadkhodaie2015-epsilon-raw-admm"' in absent and "rows without data: " in absent
    assert "epsilon" not in present[present.index("<tbody") :]


def test_a_file_of_fits_says_where_it_comes_from():
    rows = fits()
    rows = rows[rows["split"] != ""].astype({"split": float, "seconds": float})
    key = rows.iloc[0][["study", "dataset", "feature_scaling", "method"]].to_dict()
    facts = {"commit": "a" * 40, "dirty": "True", "date": "2001-09-09T01:46:40+00:00", "seed": "7"}
    facts |= {"data": "b" * 64, "code": "0c", "machine": "a processor", "versions": "numpy 2"}
    sentence = describe_origins(pd.DataFrame([key | {"split_batch": "0-1"} | facts]), rows)
    ((named, block),) = sentence
    assert (named, block) == ("/".join((key["dataset"], key["feature_scaling"], key["method"])), "0-1")
    of_block = rows[(rows[list(key)] == key).all(axis=1) & rows["split"].isin([0.0, 1.0])]
    assert sentence[named, block] == (
        "Made 2001-09-09 01:46 UTC by commit aaaaaaaaaa with uncommitted changes on a processor; prepared "
        "data with SHA-256 bbbbbbbbbb…, code digest 0c. Expect about "
        f"{of_block['seconds'].sum():.2g} s to make them again:"
    )
    assert describe_origins(None, rows) == {}


def test_how_a_fit_ended_is_said_in_words():
    stopped = describe_status({"status": "stopped", "relative_gap": 0.38})
    assert stopped == "stopped by its published rule; relative duality gap ≤ 38 %"
    assert describe_status({"status": "certified", "relative_gap": 1e-9}) == "certified"
    assert (
        describe_status({"status": "fitted", "relative_gap": float("nan")})
        == "finished normally; no certificate"
    )


def test_a_count_of_one_takes_a_singular():
    texts = [inflect_verdict("does not hold", n) for n in (0, 1, 2)]
    assert texts == ["do not hold", "does not hold", "do not hold"]
    assert inflect_verdict("as published", 1) == inflect_verdict("as published", 2) == "as published"
