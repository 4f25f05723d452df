"""The page: well formed, self-contained, escaped, and loud about what is missing."""

import json
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from markupsafe import escape
from memoize import memoize
from report_rows import PUBLISHED, STUDY, fits, made, results_of, write_results
from report_runs import check_links, embedded, read_page
from studies import compared, study_of

from reproduction.collection.failures import list_failures
from reproduction.comparison.table import RESULT, Comparison
from reproduction.comparison.verdicts import CONSISTENT, VERDICTS
from reproduction.core.results import read_data, read_verification
from reproduction.papers import paper
from reproduction.plotting.style import save_figure
from reproduction.reporting.figures.table1_plot import describe_table1, draw_table1
from reproduction.reporting.page.figures import inline_svg
from reproduction.reporting.page.fit_details import describe_origins, describe_status
from reproduction.reporting.page.published_values import count_verdicts, inflect_verdict
from reproduction.reporting.page.render import render_page
from reproduction.reporting.provenance import collect_run_provenance, digest_config
from reproduction.reporting.study_report import Drawing, StudyReport


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


HOSTILE = "</script><script>alert(1)</script><!--"
BLOCKS = {name: {"splice": ["0-4", "5-9"], "epsilon": ["0-9"]} for name in (STUDY, "quick")}
COMMAND = "snakemake --cores 1 --configfile a.yaml --force --"
PANELS = paper(STUDY).figures[0].options["panels"]


def report_of(results, name=STUDY, **changes):
    read = results_of(results)
    read["fits"] = read["fits"].assign(study=name)
    read |= changes
    table = made(**read).copy()
    words = ("Figure of Table 1", "A <caption>.", drawn(table), describe_table1(table, PANELS))
    drawing = Drawing(*words, "figure_table1", f"a,b\n{HOSTILE},1\n")
    tables = {"table1": table}
    published = None if read["published"] is None else PUBLISHED
    study = study_of(STUDY, [], published is not None, name)
    study.tables["table1"], study.fits, study.data = table, read["fits"], read["data"]
    about = (read["fits"], tables, beside(study), [drawing], published)
    return StudyReport(name, paper(STUDY), *about)


def beside(study):
    """What is published beside ours, with a level of an axis that was tried."""
    found = compared(study)
    names = ["study", "choice", "option", "changes", "compared", "recovered", "lost", "explains"]
    option_effects = pd.DataFrame([(study.name, "stop", "<m_k>", 1, 9, 5, 2, 3)], columns=names)
    return Comparison(found.rows, option_effects, found.factors)


@memoize
def drawn(table):
    """The figure of Table 1 as SVG."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "figure.svg"
        save_figure(draw_table1(table, PANELS), [file])
        return file.read_text(encoding="utf-8")


def page_of(results, studies, verification=None):
    data, failed = read_data(results / "data.csv"), [study.fits for study in studies]
    if verification is None:
        verification = read_verification(results / "verification.csv")
    made_by = collect_run_provenance({"seed": 7, "note": "</script><b>"})
    return render_page(
        studies, data, verification, list_failures(failed, data), made_by, BLOCKS, "out", COMMAND
    )


@pytest.fixture(scope="module")
def page(results):
    return page_of(results, [report_of(results), report_of(results, "quick", published=None)])


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
    assert all("not on record" in file["said"] for file in splice["files"])
    assert splice["data"].startswith("Data (SHA-256): splice ") and "Master seed 7." in splice["data"]
    first = chosen.query("dataset == 'splice' and feature_scaling == 'raw' and method == 'toppush'").iloc[0]
    split, status, message, params, *numbers = splice["rows"][0]
    words = handed["words"]
    assert (split, words[status], words[message], words[params]) == (0, "certified", "", "alpha=0.01")
    found = dict(zip(columns, numbers, strict=True))
    assert found["Pos@Top"] == int(first["positives_at_top"])
    assert found["Seconds"] == pytest.approx(float(first["seconds"]), rel=1e-3)
    assert "the <solver> said no" in words, "the message of a failed fit, as it is"
    assert "epsilon/raw/admm" not in groups, "no command makes what was not obtained"


def test_a_number_leads_to_fits_that_are_there(page):
    groups = embedded(page, "data-fits")["studies"]
    leads = set(read_page(page).fits)
    assert f"{STUDY}/splice/raw/toppush" in leads and "quick/splice/raw/exact" in leads
    fitted = {rest.partition("/")[0] for rest in groups[STUDY]["groups"]}
    for key in leads:
        study, dataset, rest = key.split("/", 2)
        assert f"{dataset}/{rest}" in groups[study]["groups"] or dataset not in fitted, key


def test_what_a_figure_draws_can_be_had_as_it_was(page):
    drawn = embedded(page, "data-drawn")
    assert set(drawn) == {f"{STUDY}-figure_table1", "quick-figure_table1"}
    assert drawn[f"{STUDY}-figure_table1"] == f"a,b\n{HOSTILE},1\n" and HOSTILE not in page


def test_every_published_number_stands_once_in_one_table(page, results):
    table = page[page.index('<section id="published">') : page.index('<section id="verification">')]
    rows = report_of(results).comparison.rows
    assert table.count("<tr") - 1 == len(rows)
    assert 0 < table.count("<li>") < rows["reason"].nunique(), "clauses that differ in their numbers are one"
    assert all(str(escape(reason)) in table for reason in rows["reason"]), "the dialog says all"
    assert '<table class="data" data-filter="published">' in table
    for name in ("method", "quantity", "verdict"):
        assert f'data-choices="{name}"' in table
    for name in ("study", "artefact", "kind"):
        assert table.count(f"&#34;{name}&#34;]") == len(rows), "filters by what stands in the dialog"
    shown = " ".join(" ".join(read_page(table).text).split())
    assert "pos at top 10 % of the published value" in shown and "Smallest seen" in table


def test_what_two_studies_say_alike_is_said_once(results):
    page = page_of(results, [report_of(results), report_of(results, "quick")])
    caption = f'<figcaption id="{STUDY}-figure_table1-caption">A &lt;caption&gt;.</figcaption>'
    before = f'<figcaption>Explained <a href="#{STUDY}-figure_table1-caption">above</a>.</figcaption>'
    assert page.count(caption) == page.count(before) == 1


def section_of(page, start, end):
    return page[page.index(f'id="{start}"') : page.index(f'id="{end}"')]


def test_the_counts_of_the_overview_are_those_of_the_results(page, results):
    rows = report_of(results).comparison.rows
    of_results = rows[rows["kind"] == RESULT]
    (row,) = count_verdicts(of_results, ("study", "kind"))
    counts = {verdict["name"]: verdict["count"] for verdict in row["verdicts"]}
    assert list(counts) == list(VERDICTS)
    assert sum(counts.values()) == row["total"] == len(of_results) < len(rows)
    assert counts[CONSISTENT] == (of_results["verdict"] == CONSISTENT).sum() > 0
    overview = section_of(page, "overview", STUDY)
    link = f"#published?study={STUDY}&amp;kind=result&amp;verdict=consistent"
    assert f'<a href="{link}">{counts[CONSISTENT]} are consistent</a>' in overview
    shares = [float(verdict["share"]) for verdict in row["verdicts"]]
    assert sum(shares) == pytest.approx(100, abs=0.03)


def test_what_is_no_result_is_counted_apart(page, results):
    rows = report_of(results).comparison.rows
    overview = section_of(page, "overview", STUDY)
    apart = overview[overview.index("Counted apart") :]
    for kind in ("count", "mark", "seconds"):
        link = f"#published?study={STUDY}&amp;kind={kind}"
        assert f'<a href="{link}">{(rows["kind"] == kind).sum()}</a>' in apart
    neither = (rows["verdict"] == "marked in neither").sum()
    assert neither > 0 and f'verdict=marked+in+neither">{neither} marked in neither</a>' in apart


def test_a_study_shows_its_levels_and_who_is_faster(page, results):
    section = page[page.index(f'<section id="{STUDY}">') : page.index('<section id="quick">')]
    level = section[section.index("What each option recovers") : section.index("Who is faster than whom")]
    assert "&lt;m_k&gt;" in level and ">+3<" in level
    assert f"<summary>{len(report_of(results).comparison.factors)} pairs</summary>" in section


def test_each_published_result_of_a_table_has_its_verdict_and_the_table_counts_them(page, results):
    section = section_of(page, f"{STUDY}-table1", f"{STUDY}-figure_table1")
    rows = report_of(results).comparison.rows
    verdicts = rows.loc[(rows["kind"] == "result") & (rows["artefact"] == "table1"), "verdict"].value_counts()
    for verdict, count in verdicts.items():
        assert section.count(f'<small class="chip {verdict.replace(", ", "-").replace(" ", "-")}">') == count
    assert (
        f"{verdicts.sum()} published results: " in section and f">{verdicts['agrees']} agree</a>" in section
    )


def test_the_first_screen_says_what_a_paper_claims_and_what_holds(page, results):
    card = page[page.index('<article class="card">') : page.index("</article>")]
    assert report_of(results).paper.message in card and "40 published results." in card
    assert page.count('<article class="card">') == 1, "a study without print has none"


def test_what_was_not_obtained_stands_at_the_top(page):
    top = page[: page.index(f'<section id="{STUDY}">')]
    assert "2 of 7 data sets could not be obtained" in top
    assert "<strong>epsilon</strong> (used by kadkhodaie2015, quick)" in top
    assert "<strong>covtype</strong>" in top and "<strong>cod-rna</strong>" in top
    assert top.index("epsilon") < top.index("covtype")
    assert "&lt;has&gt;" not in top, "why stands with the data"


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
    assert page.count("<svg") == 2 and page.count('role="img" aria-label="Pos@Top') == 2
    assert f'<figure id="{STUDY}-figure_table1"' in page
    assert "<metadata" not in page and "<?xml" not in page


def test_failures_and_a_failed_verification_are_loud(results):
    verification = read_verification(results / "verification.csv")
    verification.loc[0, "passed"] = False
    page = page_of(results, [report_of(results)], verification)
    top = page[: page.index(f'<section id="{STUDY}">')]
    assert "Verification: 5 of 6 cases passed" in top and "Unexpected: 1 status" in top


def test_a_clean_run_has_no_alarm(results):
    rows = results_of(results)["fits"]
    clean = rows[rows["status"].isin(["certified", "max_iterations"])]
    data = read_data(results / "data.csv")
    data = data[data["status"] == "obtained"]
    study = report_of(results, fits=clean, data=data, published=None)
    verified = read_verification(results / "verification.csv")
    page = render_page([study], data, verified, list_failures([clean], data), collect_run_provenance({}))
    assert 'role="alert"' not in page and "every fit ended in a way that is expected" in page


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
    found = collect_run_provenance({"seed": 5, "b": 1, "a": [2]})
    assert found["seeds"] == {"master": 5} and found["cores"] >= 1 and found["versions"]["numpy"][0].isdigit()
    assert found["config_digest"] == digest_config({"a": [2], "b": 1, "seed": 5})
    assert found["config_digest"] != digest_config({"a": [2], "b": 1, "seed": 6})
    json.dumps(found)


def test_provenance_outside_a_repository(tmp_path):
    found = collect_run_provenance({}, root=tmp_path)
    assert found["commit"] == "not under version control" and found["dirty"] is None


def test_provenance_says_whether_tracked_files_differ_from_the_commit(tmp_path):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "a.txt").write_text("1")
    for words in (["init"], ["add", "a.txt"], ["commit", "-m", "first"]):
        git(*words)
    (tmp_path / "results.csv").write_text("what is not tracked is no change")
    clean = collect_run_provenance({}, root=tmp_path)
    assert clean["dirty"] is False and re.fullmatch("[0-9a-f]{40}", clean["commit"])
    (tmp_path / "a.txt").write_text("2")
    changed = collect_run_provenance({}, root=tmp_path)
    assert changed["dirty"] is True and changed["commit"] == clean["commit"]


def test_the_page_counts_the_fits(page):
    ran = (fits()["status"] != "not obtained").sum()
    assert f"<b>{ran}</b> fits of {STUDY}" in page


def test_no_table_has_more_than_seven_columns(page):
    for head in re.findall(r"<thead><tr>(.*?)</tr>", page):
        assert head.count("<th") <= 7, head


def test_a_row_without_data_is_folded(page):
    section = section_of(page, f"{STUDY}-table1", f"{STUDY}-figure_table1")
    there, absent = section.split('<details class="not-there">')
    assert 'id="kadkhodaie2015-epsilon-raw-admm"' in absent and "rows without data: " in absent
    assert "epsilon" not in there[there.index("<tbody") :]


def test_a_file_of_fits_says_where_it_comes_from():
    rows = fits()
    rows = rows[rows["split"] != ""].astype({"split": float, "seconds": float})
    key = rows.iloc[0][["study", "dataset", "feature_scaling", "method"]].to_dict()
    facts = {"commit": "a" * 40, "dirty": "True", "date": "2001-09-09T01:46:40+00:00", "seed": "7"}
    facts |= {"data": "b" * 64, "code": "0c", "machine": "a processor", "versions": "numpy 2"}
    said = describe_origins(pd.DataFrame([key | {"split_batch": "0-1"} | facts]), rows)
    ((named, block),) = said
    assert (named, block) == ("/".join((key["dataset"], key["feature_scaling"], key["method"])), "0-1")
    of_block = rows[(rows[list(key)] == key).all(axis=1) & rows["split"].isin([0.0, 1.0])]
    assert said[named, block] == (
        "Made 2001-09-09 01:46 UTC by commit aaaaaaaaaa with uncommitted changes on a processor; prepared "
        "data with SHA-256 bbbbbbbbbb…, code digest 0c. Expect about "
        f"{of_block['seconds'].sum():.2g} s to make them again:"
    )
    assert describe_origins(None, rows) == {}


def test_how_a_fit_ended_is_said_in_words():
    stopped = describe_status({"status": "stopped", "relative_gap": 0.38})
    assert stopped.startswith("met its own stop; at most 38 % of")
    assert describe_status({"status": "certified", "relative_gap": 1e-9}) == "certified"
    assert (
        describe_status({"status": "fitted", "relative_gap": float("nan")})
        == "finished normally; no certificate"
    )


def test_a_count_of_one_takes_a_singular():
    said = [inflect_verdict("does not hold", n) for n in (0, 1, 2)]
    assert said == ["do not hold", "does not hold", "do not hold"]
    assert inflect_verdict("as published", 1) == inflect_verdict("as published", 2) == "as published"
