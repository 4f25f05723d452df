"""The end of a run: what is published, what is expected, and the sentence with which an unclean run fails."""

from pathlib import Path

import pandas as pd
import pytest
from report_rows import STUDY, data, diagnosis, fits, results_of, verification, write_results
from report_runs import make_page, make_study, run
from studies import read_study

from reproduction.collection.collect import collect_fits, join_provenance
from reproduction.comparison.table import read_comparison_files
from reproduction.core.provenance import collect_provenance as made_by
from reproduction.core.provenance import provenance_row
from reproduction.core.results import read_data, read_verification
from reproduction.reporting.failures import list_expected_statuses, list_failures
from reproduction.reporting.run_summary import explain_failure, format_summary, list_missing_datasets


@pytest.fixture
def clean(tmp_path):
    """The written rows, read back, without the failed fit."""
    read = results_of(write_results(tmp_path))
    read["fits"] = read["fits"][read["fits"]["status"] != "failed"]
    read["verification"] = read_verification(tmp_path / "verification.csv")
    return read


def sentence_of(read, missing_data="skip", overrides=None):
    failed = list_failures([read["fits"]], read["data"], overrides, missing_data)
    missing = list_missing_datasets(read["data"], {STUDY: read["fits"]})
    return explain_failure(failed, read["verification"], missing, missing_data, pd.DataFrame())


def test_a_clean_run_with_missing_data_is_accepted(clean):
    assert sentence_of(clean) == ""


@pytest.mark.parametrize("status", ["failed", "diverged", "time_limit", "something new"])
def test_an_unexpected_status_is_named(clean, status):
    clean["fits"].loc[5, "status"] = status
    row = clean["fits"].loc[5]
    sentence = sentence_of(clean)
    assert (
        status in sentence
        and row["dataset"] in sentence
        and row["method"] in sentence
        and "1 fit " in sentence
    )
    assert (
        f"; log: results/logs/fit/{STUDY}.{row['dataset']}.{row['feature_scaling']}.{row['method']}.*.log"
        in sentence
    )


def test_each_failing_method_is_one_line_with_its_first_message(clean):
    rows = clean["fits"].index[clean["fits"]["method"].isin(["exact", "toppush"])]
    clean["fits"].loc[rows, "status"] = "failed"
    clean["fits"].loc[rows, "message"] = [f"ValueError: {i}" for i in rows]
    sentence, *lines = sentence_of(clean).splitlines()
    assert sentence == f"The run is not clean: {len(rows)} fits of 2 methods ended with an unexpected status."
    for method, line in zip(dict.fromkeys(clean["fits"].loc[rows, "method"]), lines, strict=True):
        own = [i for i in rows if clean["fits"].loc[i, "method"] == method]
        assert line.startswith(f"  {method}: {len(own)} fit") and f"failed, ValueError: {own[0]};" in line


def test_the_exact_solver_has_to_be_optimal_unless_the_config_says_otherwise(clean):
    exact = clean["fits"].index[clean["fits"]["method"] == "exact"][0]
    clean["fits"].loc[exact, "status"] = "max_iterations"
    assert "exact" in sentence_of(clean)
    assert sentence_of(clean, overrides={"exact": ["certified", "max_iterations"]}) == ""
    assert "exact" in sentence_of(clean, overrides={"toppush": ["certified"]})


def test_expected_statuses():
    assert list_expected_statuses("exact") == ("certified", "not obtained", "not feasible")
    assert list_expected_statuses("admm") == (
        *("certified", "stopped", "stalled", "max_iterations", "fitted", "not obtained", "not feasible"),
    )
    assert list_expected_statuses("admm", {"admm": ["certified"]}) == (
        "certified",
        "not obtained",
        "not feasible",
    )


def test_missing_data_fail_only_if_asked(clean):
    sentence = sentence_of(clean, missing_data="fail")
    assert (
        "2 data sets could not be obtained" in sentence
        and "epsilon" in sentence
        and sentence.count(". ") == 0
    )


SWAPPED_MESSAGE = "positives 1527 (expected 1648), negatives 1648 (expected 1527)"
REFUSED_MESSAGE = "1 data set had a file refused (covtype: covtype h"


@pytest.mark.parametrize(
    ("dataset", "changes", "message"),
    [
        ("covtype", {"reason": "covtype has the wrong checksum: replace it."}, REFUSED_MESSAGE),
        ("covtype", {"reason": "covtype holds no label in row 500.", "verdict": "refused"}, REFUSED_MESSAGE),
        # classes of a set that a package ships, where no checksum stands guard
        (
            "splice",
            {"verdict": SWAPPED_MESSAGE},
            f"the counts that the registry expects (splice: {SWAPPED_MESSAGE[:30]}",
        ),
    ],
)
def test_data_that_are_not_what_they_should_be_fail_always(clean, dataset, changes, message):
    is_dataset = clean["data"]["dataset"] == dataset
    clean["data"].loc[is_dataset, [*changes]] = [*changes.values()]
    assert message in sentence_of(clean)
    listed = list_failures([clean["fits"]], clean["data"])[["study", "dataset", "status", "message"]]
    (status,) = clean["data"].loc[is_dataset, "status"]
    assert listed.to_numpy().tolist() == [["data", dataset, status, next(iter(changes.values()))]]


def test_a_wrong_checksum_that_another_source_made_good_is_no_failure(clean):
    clean["data"].loc[clean["data"]["dataset"] == "splice", "reason"] = "the first had the wrong checksum"
    assert sentence_of(clean) == ""


def test_a_failed_verification_is_named(clean):
    clean["verification"].loc[2, "passed"] = False
    sentence = sentence_of(clean)
    assert (
        "1 of 6 verification cases failed" in sentence and clean["verification"].loc[2, "method"] in sentence
    )


def test_no_verification_at_all_is_a_failure(clean):
    clean["verification"] = clean["verification"].iloc[:0]
    assert "no solver was verified" in sentence_of(clean)


def test_all_faults_make_one_sentence(clean):
    clean["fits"].loc[5, "status"] = "failed"
    clean["verification"].loc[2, "passed"] = False
    sentence = sentence_of(clean, missing_data="fail")
    assert sentence.startswith("The run is not clean: ") and sentence.splitlines()[0].count("; ") == 2
    assert len(sentence.splitlines()) == 2  # the sentence, and the method of the fit


def test_failures_name_every_fit_and_nothing_is_blank(clean):
    rows = fits()
    rows["split"] = pd.to_numeric(rows["split"])
    listed = list_failures([rows], data())
    failed = [STUDY, "cod-rna", "raw", "sklearn_ridge", "9", "chosen", "failed", "the <solver> said no"]
    assert listed.to_numpy().tolist() == [failed]
    assert list_failures([clean["fits"]], data()).empty


def test_the_summary_is_loud_and_says_where_things_are(clean):
    failed = list_failures([clean["fits"]], clean["data"])
    text = format_summary(
        *("out", {STUDY: clean["fits"]}, clean["data"], clean["verification"], failed),
        *({STUDY: (["table1"], ["figure_table1"])}, []),
    )
    assert "!!! NOT OBTAINED: 2 data sets, 1 wanted by this run !!!" in text
    for line_start in (f"out/{STUDY}: table1 (", f"out/{STUDY}: figure_table1 (", "out/report/index.html"):
        assert line_start in text
    assert "6 of 6 cases passed" in text and "Unexpected statuses: 0" in text and "partial: cod-rna" in text
    assert f"max_iterations: {(clean['fits']['status'] == 'max_iterations').sum()}" in text


def test_the_scripts_lead_from_the_jobs_to_the_page_and_the_check(tmp_path, capsys):
    results = write_results(tmp_path)
    rows = fits()
    rows = rows[rows["status"] != "failed"]
    parts = [str(tmp_path / f"job{k}.csv") for k in range(3)]
    for k, path in enumerate(parts):
        by = pd.DataFrame([rows.iloc[k].to_dict() | provenance_row(made_by(7, [], "0a1b"), "0-1")])
        pd.concat([rows.iloc[k::3], by]).to_csv(path, index=False)
    diagnosis_rows = diagnosis()
    diagnosis_rows.to_csv(tmp_path / "known.csv", index=False)
    written = [str(results / STUDY / name) for name in ("fits.csv", "diagnosis.csv", "provenance.csv")]
    for table, path in zip(
        (collect_fits(parts), diagnosis_rows, join_provenance(parts)), written, strict=True
    ):
        table.to_csv(path, index=False)
    paths = make_study(results, STUDY, "kadkhodaie2015", True)
    list_study_files(paths)

    def end():
        """The page, and the check of what it found."""
        make_page(paths, {"splice": ["0-9"]})
        run("check", tmp_path, [str(results / "summary.json")], [str(results / "check.txt")])

    end()
    published = capsys.readouterr().out
    assert "NOT OBTAINED" in published
    for name, message in {
        "check.txt": f"Published numbers of {STUDY}: 20 results: ",
        f"{STUDY}/feature_blocks.csv": "raw",
        "report.html": "2 of 7 data sets could not be obtained",
        "coverage.csv": "kadkhodaie2015,table1,fast_mark,mark,20,20,",
    }.items():
        assert message in (results / name).read_text(encoding="utf-8")
    assert "report/index.html" in (results / "check.txt").read_text(encoding="utf-8")
    (results / "check.txt").unlink()
    compared = (results / "comparison.csv").read_text(encoding="utf-8")
    rows = [row for row in compared.splitlines() if ",splice,data,positives_count," not in row]
    (results / "comparison.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    verification(passed=False).to_csv(results / "verification.csv", index=False)
    with pytest.raises(SystemExit, match="1 of 6 verification cases failed") as message:
        end()
    message.match(r"1 published number not covered .* positives_count of splice")
    assert not (results / "check.txt").exists()


def list_study_files(paths):
    """Statistics and figures are there for the page, and in print."""
    comparison = read_comparison_files(paths.results)
    report = read_study(STUDY, paths.list_page_files(STUDY), True, comparison)
    assert {"table1", "ranks", "pairwise"} <= set(report.tables)
    drawings = {drawing.name: drawing for drawing in report.drawings}
    of_all = {"critical_difference", "published_measured", "option_effects"}
    of_all |= {"multiverse", "multiverse_choices", "specification", "heat_map"}
    assert set(drawings) == {"figure_table1", *of_all}
    texts = {path.name: path.read_text("utf-8") for path in map(Path, paths.list_page_files(STUDY))}
    assert drawings["critical_difference"].data == texts["ranks.csv"]
    assert "critical difference" in drawings["critical_difference"].description
    points = texts["published_measured.csv"]
    assert ",," not in points and ",pos_at_top," in points
    assert drawings["published_measured"].data == points
    assert "points" in drawings["published_measured"].description
    for file in map(Path, paths.list_study_latex(STUDY)):
        assert file.read_bytes().startswith(b"% Written by toprank"), file
    ranks = Path(paths.results, STUDY, "ranks.tex").read_text("utf-8")
    assert ranks.count(r"\toprule") == ranks.count(r"\bottomrule") == 1 and r"\textbf{" in ranks
    assert "standardised features" in ranks and "epsilon: not obtained" in ranks
    compared = Path(paths.results, STUDY, "comparison.tex").read_text("utf-8")
    assert f"of {STUDY} and ours" in compared


def test_missing_sets_wanted_by_the_run_come_first(tmp_path):
    write_results(tmp_path)
    missing = list_missing_datasets(read_data(tmp_path / "data.csv"), {STUDY: results_of(tmp_path)["fits"]})
    assert missing[["dataset", "studies"]].to_numpy().tolist() == [["epsilon", STUDY], ["covtype", ""]]
