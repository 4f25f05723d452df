"""The page: well formed, self-contained, its sections, numbers and verdicts."""

import re
import zlib
from base64 import b64decode

import pandas as pd
import pytest
from markupsafe import escape
from page_reports import (
    COMMAND,
    HOSTILE,
    build_report,
    cut_section,
    render_reports,
)
from report_rows import STUDY, fits, write_results
from report_runs import check_links, embedded, read_page

from reproduction.comparison.results import Comparison
from reproduction.comparison.table import RESULT
from reproduction.comparison.verdicts import CONSISTENT, VERDICTS
from reproduction.papers.across.paper import PAPER as ACROSS
from reproduction.reporting.page.published_values import count_verdicts
from reproduction.reporting.study_report import StudyReport


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def page(results):
    return render_reports(results, [build_report(results), build_report(results, "quick", published=None)])


def test_it_is_well_formed_and_every_anchor_exists_once(page):
    check_links(read_page(page))


def test_it_loads_nothing_from_elsewhere(page):
    reader = read_page(page)
    assert all(link.startswith("#") for link in reader.loaded)
    assert "@import" not in page and not re.search(r"<(link|iframe|img|object|embed)\b", page)
    assert not re.search(r"<script[^>]*\bsrc", page) and not re.search(r"\b(fetch|import)\(", page)
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page))


def test_the_sections_stand_in_their_order(page):
    sections = re.findall(r'<section id="([^"]*)"', page)
    after = ["published", "verification", "speed", "data", "glossary", "provenance"]
    assert sections == ["overview", STUDY, "quick", *after]
    contents = page[page.index("<nav") : page.index("</nav>")]
    assert all(f'href="#{name}"' in contents for name in sections)
    assert f'href="#{STUDY}-table1"' in contents and f'href="#{STUDY}-figure_table1"' in contents


def test_a_paper_is_named_and_another_study_goes_by_its_own_name(page):
    assert "<h2>Accelerated Alternating Direction Method of Multipliers</h2>" in page
    assert "Mojtaba Kadkhodaie" in page and "<h2>quick</h2>" in page


def test_bodies_of_tables_have_no_spans_and_every_head_has_words(page):
    assert not read_page(page).spans
    assert not re.search(r"<th[^>]*>\s*</th>", page)


def test_every_chosen_fit_is_embedded_and_leads_to_its_command(page, results):
    handed = embedded(page, "data-fits")
    rows = fits()
    chosen = rows[(rows["role"] == "chosen") & (rows["status"] != "not obtained")]
    for study in (STUDY, "quick"):
        held = {key: len(group["rows"]) for key, group in handed["studies"][study]["groups"].items()}
        keys = chosen["dataset"] + "/" + chosen["feature_scaling"] + "/" + chosen["method"]
        assert held == keys.value_counts().to_dict()
    assert handed["command"] == COMMAND
    groups, columns = handed["studies"][STUDY]["groups"], handed["studies"][STUDY]["columns"]
    splice = groups["splice/raw/toppush"]
    paths = [f"out/{STUDY}/fits/splice.raw.toppush.{block}.csv" for block in ("0-4", "5-9")]
    assert [file["path"] for file in splice["files"]] == paths
    assert all("not on record" in file["provenance"] for file in splice["files"])
    assert splice["data"].startswith("Data (SHA-256): splice ") and "Master seed 7." in splice["data"]
    first = chosen.query("dataset == 'splice' and feature_scaling == 'raw' and method == 'toppush'").iloc[0]
    split, status, message, params, *numbers = splice["rows"][0]
    words = handed["words"]
    assert (split, words[status], words[message], words[params]) == (0, "certified", "", "alpha=0.01")
    cells = dict(zip(columns, numbers, strict=True))
    assert cells["Pos@Top"] == int(first["positives_at_top"])
    assert cells["Seconds"] == pytest.approx(float(first["seconds"]), rel=1e-3)
    assert "the <solver> said no" in words, "the message of a failed fit, as it is"
    assert "epsilon/raw/admm" not in groups, "no command makes what was not obtained"


def test_a_number_leads_to_fits_that_are_there(page):
    groups = embedded(page, "data-fits")["studies"]
    leads = set(read_page(page).fits)
    assert f"{STUDY}/splice/raw/toppush" in leads and "quick/splice/raw/exact" in leads
    fitted = {remainder.partition("/")[0] for remainder in groups[STUDY]["groups"]}
    for key in leads:
        study, dataset, remainder = key.split("/", 2)
        assert f"{dataset}/{remainder}" in groups[study]["groups"] or dataset not in fitted, key


def test_what_a_figure_draws_can_be_had_as_it_was(page):
    plot_data = embedded(page, "data-drawn")
    assert set(plot_data) == {f"{STUDY}-figure_table1", "quick-figure_table1"}
    packed = b64decode(plot_data[f"{STUDY}-figure_table1"])
    assert zlib.decompress(packed).decode() == f"a,b\n{HOSTILE},1\n" and HOSTILE not in page


def test_every_published_number_stands_once_in_one_table(page, results):
    table = page[page.index('<section id="published">') : page.index('<section id="verification">')]
    rows = build_report(results).comparison.rows
    assert table.count("<tr") - 1 == len(rows)
    assert all(str(escape(reason)) in table for reason in rows["reason"]), "the dialog says all"
    assert '<table class="data" data-filter="published">' in table
    for name in ("method", "quantity", "verdict"):
        assert f'data-choices="{name}"' in table
    for name in ("study", "artefact", "kind"):
        assert table.count(f"&#34;{name}&#34;]") == len(rows), "filters by what stands in the dialog"
    visible_text = " ".join(" ".join(read_page(table).text).split())
    assert "pos at top 10 % of the published value" in visible_text and "Explanations by row" in page


def test_what_two_studies_say_alike_is_said_once(results):
    page = render_reports(results, [build_report(results), build_report(results, "quick")])
    caption = f'<p id="{STUDY}-figure_table1-caption">A &lt;caption&gt;.</p></figcaption>'
    before = f'<p>Explained <a href="#{STUDY}-figure_table1-caption">above</a>.</p></figcaption>'
    assert page.count(caption) == page.count(before) == 1


def test_the_counts_of_the_overview_are_those_of_the_results(page, results):
    rows = build_report(results).comparison.rows
    of_results = rows[rows["kind"] == RESULT]
    (row,) = count_verdicts(of_results, ("study", "kind"))
    counts = {verdict["name"]: verdict["count"] for verdict in row["verdicts"]}
    assert list(counts) == list(VERDICTS)
    assert sum(counts.values()) == row["total"] == len(of_results) < len(rows)
    assert counts[CONSISTENT] == (of_results["verdict"] == CONSISTENT).sum() > 0
    overview = cut_section(page, "overview", STUDY)
    link = f"#published?study={STUDY}&amp;kind=result&amp;verdict=consistent"
    assert f'<a href="{link}">{counts[CONSISTENT]} are consistent</a>' in overview
    shares = [float(verdict["share"]) for verdict in row["verdicts"]]
    assert sum(shares) == pytest.approx(100, abs=0.03)


def test_what_is_no_result_is_counted_apart(page, results):
    rows = build_report(results).comparison.rows
    overview = cut_section(page, "overview", STUDY)
    section_apart = overview[overview.index("Other published items") :]
    for kind in ("count", "mark", "seconds"):
        link = f"#published?study={STUDY}&amp;kind={kind}"
        assert f'<a href="{link}">{(rows["kind"] == kind).sum()}</a>' in section_apart
    neither = (rows["verdict"] == "marked in neither").sum()
    assert neither > 0 and f'verdict=marked+in+neither">{neither} marked in neither</a>' in section_apart


def test_a_study_shows_its_levels_and_who_is_faster(page, results):
    section = page[page.index(f'<section id="{STUDY}">') : page.index('<section id="quick">')]
    level = section[section.index("Numbers recovered by each option") : section.index("Ratios of run times")]
    assert "&lt;m_k&gt;" in level and ">5<" in level
    assert f"<summary>{len(build_report(results).comparison.factors)} pairs</summary>" in section


def test_each_published_result_of_a_table_has_its_verdict_and_the_table_counts_them(page, results):
    section = cut_section(page, f"{STUDY}-table1", f"{STUDY}-figure_table1")
    rows = build_report(results).comparison.rows
    verdicts = rows.loc[(rows["kind"] == "result") & (rows["artefact"] == "table1"), "verdict"].value_counts()
    for verdict, count in verdicts.items():
        assert (
            section.count(
                f'<small class="chip {verdict.replace(", ", "-").replace(" ", "-")}" data-opens="verdict/'
            )
            == count
        )
    assert (
        f"{verdicts.sum()} published results: " in section and f">{verdicts['agrees']} agree</a>" in section
    )


def test_the_first_screen_says_what_a_paper_claims_and_what_holds(page, results):
    card = page[page.index('<article class="card">') : page.index("</article>")]
    assert build_report(results).paper.message in card and "of 40 published results" in card
    assert page.count('<article class="card">') == 1, "a study without print has none"


def test_what_was_not_obtained_stands_at_the_top(page):
    top = page[: page.index(f'<section id="{STUDY}">')]
    assert "2 of 7 data sets could not be obtained" in top
    assert "<strong>epsilon</strong> (used by kadkhodaie2015, quick)" in top
    assert "<strong>covtype</strong>" in top and "<strong>cod-rna</strong>" in top
    assert top.index("epsilon") < top.index("covtype")
    assert "&lt;has&gt;" not in top, "why stands with the data"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("across", "Which method, at which depth?"),
        ("across_scaffolds", "Which method, at which depth? (across_scaffolds)"),
    ],
)
def test_a_second_study_of_a_question_that_is_no_papers(name, title):
    report = StudyReport(name, ACROSS, pd.DataFrame(), {}, Comparison(), [], has_group_splits=True)
    assert report.title == title
