"""The section of a study of L14 on the page, and the words with which a run of it ends."""

import re
from pathlib import Path

import pandas as pd
import pytest
from query_rows import EXTRA_METHODS, MISSING, NOTE, STUDY, manifests, tables_of, write_results
from report_rows import verification
from report_runs import check_links, draw, make_page, make_study, read_page, run
from studies import read_study

from reproduction.comparison.table import read_comparison_files


def make(folder, published=True, **changes):
    """Run the scripts from the collected rows to the figures, and return the paths of all files."""
    write_results(folder, **changes)
    names = manifests(changes.get("datasets", ("ohsumed", "mq2008", "mq2007")))
    paths = [str(folder / "data" / name / "manifest.json") for name in names]
    data = pd.DataFrame(names.values())[["dataset", "status", "reason"]]
    data["verdict"] = data["status"].replace("obtained", "as expected")
    data.to_csv(folder / "data.csv", index=False)
    verification().to_csv(folder / "verification.csv", index=False)
    return make_study(folder, STUDY, "laporte2014", published, paths)


def study_of(folder, paths):
    comparison = read_comparison_files(folder)
    return read_study(
        STUDY, paths.list_page_files(STUDY), bool(paths.list_published_values(STUDY)), comparison
    )


def page_of(paths):
    return make_page(paths, {"ohsumed": ["0-4"]}).read_text("utf-8")


@pytest.fixture(scope="module")
def page_results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    paths = make(folder)
    return folder, paths, study_of(folder, paths), page_of(paths)


def test_the_scripts_write_what_the_functions_make(page_results, tmp_path):
    folder = page_results[0]
    tables_of(write_results(tmp_path))
    for name in ("table3", "table4", "table5", "table6"):
        new_file, old_file = (root / STUDY / f"{name}.csv" for root in (tmp_path, folder))
        assert new_file.read_bytes() == old_file.read_bytes()
    assert (folder / STUDY / "table6.tex").stat().st_size > 1000


def test_a_figure_for_print_is_as_wide_as_the_text_of_a_page(page_results):
    paths = page_results[1]
    files = [file for file in paths.list_figure_exports(STUDY) if "/figure3" in file]
    assert not any(Path(file).exists() for file in files), "nobody has asked for them yet"
    draw(paths, files)
    page, image = (Path(file).read_bytes() for file in files)
    width = float(re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ", page)[1]) / 72
    assert 5 < width < 8 and image.startswith(b"\x89PNG")


def test_it_is_well_formed_and_every_anchor_exists_once(page_results):
    reader = read_page(page_results[3])
    check_links(reader)
    assert not reader.spans
    assert all(link.startswith("#") for link in reader.loaded)


def test_every_table_and_figure_has_its_place(page_results):
    page = page_results[3]
    text = " ".join(" ".join(read_page(page).text).split())
    titles = ("Table III: data sets", "Table IV: sparsity ratio", "Table V: MAP", "Table VI: NDCG@10")
    for title in (*titles, "Tests against the best method", "Fits", "Figure 1: the regularisers"):
        assert f">{title}</h3>" in page, title
    of_paper = ("Figure 1: the reg", *titles[:2], "Figure 2: ", *titles[2:], "Figure 3: MAP", "Tests against")
    places = [page.index(f">{title}", page.index(f'<section id="{STUDY}">')) for title in of_paper]
    assert places == sorted(places), "the order of the paper"
    # with the specifications, the heat map, the critical differences, and print beside ours
    assert page.count("<svg") == 10
    assert "Beyond the paper" in text and "adaptive ℓ₁" in text
    assert "FSMRank (reconstructed)" in text and "Diagnosis" not in text
    assert "sparsity ratio 0.05" in text and "there is nothing to compare" not in text


def test_best_values_are_bold_and_the_print_stands_below(page_results):
    page = page_results[3]
    assert page.count("<strong>0.4") >= 3 and "<small><strong>published 0.4672</strong></small>" in page
    assert "published −0.7 % (p &lt; 0.001)" in page and "<small>published ~</small>" in page
    assert "<small>published 404467</small>" in page, "a count that differs"
    assert "<small>published 582588</small>" not in page, "a count that agrees"


def test_notes_and_reasons_are_said_and_escaped(page_results):
    page = page_results[3]
    assert NOTE.rstrip(".") in page and "<no>" not in page and "&lt;no&gt; mirror" in page
    assert f"<strong>{MISSING}</strong> (used by {STUDY})" in page


def test_relations_are_words_in_the_comparison(page_results):
    folder, _, study, page = page_results
    not_requested = pd.read_csv(folder / "not_requested.csv")  # of what this run was not asked for
    of_tables = (9 + 9 + 3 * 8, 9 + 9 + 3 * 6)  # V and VI: best values and methods; what is worse
    assert len(study.comparison.rows) + len(not_requested) == 54 + 60 + sum(of_tables)
    assert "hp2004" in set(not_requested["dataset"]) and MISSING not in set(not_requested["dataset"])
    row = '<td>map relation</td><td class="num" data-value="1">worse</td><td class="num" data-value="0"'
    assert row in page


def test_a_study_without_print_of_one_data_set_method_and_fold(tmp_path):
    paths = make(tmp_path, published=False, datasets=("ohsumed",), methods=EXTRA_METHODS[:1], folds=1)
    study, page = study_of(tmp_path, paths), page_of(paths)
    assert "there is nothing to compare" in page and study.comparison.rows.empty
    assert "there is nothing to test" in page
    section = page[page.index(f'<section id="{STUDY}">') : page.index('<section id="published">')]
    assert "<small>published" not in section and "Methods of the paper</h4>" not in section
    read_page(page)


def test_the_page_and_the_check_run_from_their_scripts(page_results, capsys):
    folder, _, _, page = page_results
    assert str(folder / STUDY / "fits/ohsumed.raw.l1_ranksvm.0-4.csv") in page
    run("check", folder, [str(folder / "summary.json")], [str(folder / "check.txt")])
    output = capsys.readouterr().out
    (tables,) = (line for line in output.splitlines() if f"{STUDY}: table3" in line)
    (figures,) = (line for line in output.splitlines() if f"{STUDY}: figure1" in line)
    assert "table6, " in tables and " ranks, " in tables
    assert "figure2, " in figures and "critical_difference" in figures
    assert "table1" not in output
    (line,) = [text for text in output.splitlines() if text.startswith(f"Claims of {STUDY}")]
    assert line == f"Claims of {STUDY}: 17: does not hold 1, cannot tell 16"
    reader = read_page(page)
    check_links(reader)
    assert f"#{STUDY}-claims?verdict=cannot+tell" in reader.links and f"Claims of {STUDY}" in reader.labels
