"""The end of a run: what is printed, what is expected, and the sentence with which an unclean run fails."""

import pandas as pd
import pytest
from report_rows import ROOT, STUDY, data, fits, results_of, verification, write_results
from report_runs import run

from toprank.reporting.inputs import read_data, read_verification
from toprank.reporting.status import expected_statuses, failures
from toprank.reporting.summary import complaint, missing_datasets, summary_text

PUBLISHED = str(ROOT / "reports/published/kadkhodaie2015_table1.csv")


@pytest.fixture
def clean(tmp_path):
    """The written rows, read back, without the failed fit."""
    read = results_of(write_results(tmp_path))
    read["fits"] = read["fits"][read["fits"]["status"] != "failed"]
    read["verification"] = read_verification(tmp_path / "verification.csv")
    return read


def sentence_of(read, missing_data="skip", overrides=None):
    failed = failures([read["fits"]], read["data"], overrides, missing_data)
    missing = missing_datasets(read["data"], {STUDY: read["fits"]})
    return complaint(failed, read["verification"], missing, missing_data)


def test_a_clean_run_with_missing_data_is_accepted(clean):
    assert sentence_of(clean) == ""


@pytest.mark.parametrize("status", ["failed", "diverged", "time_limit", "something new"])
def test_an_unexpected_status_is_named(clean, status):
    clean["fits"].loc[5, "status"] = status
    row = clean["fits"].loc[5]
    said = sentence_of(clean)
    assert status in said and row["dataset"] in said and row["method"] in said and "1 fit " in said


def test_the_exact_solver_has_to_be_optimal_unless_the_config_says_otherwise(clean):
    exact = clean["fits"].index[clean["fits"]["method"] == "exact"][0]
    clean["fits"].loc[exact, "status"] = "max_iterations"
    assert "exact" in sentence_of(clean)
    assert sentence_of(clean, overrides={"exact": ["optimal", "max_iterations"]}) == ""
    assert "exact" in sentence_of(clean, overrides={"toppush": ["optimal"]})


def test_expected_statuses():
    assert expected_statuses("exact") == ("optimal", "not obtained")
    assert expected_statuses("admm") == ("optimal", "max_iterations", "not obtained")
    assert expected_statuses("admm", {"admm": ["optimal"]}) == ("optimal", "not obtained")


def test_missing_data_fail_only_if_asked(clean):
    said = sentence_of(clean, missing_data="fail")
    assert "2 data sets could not be obtained" in said and "epsilon" in said and said.count(". ") == 0


def test_a_wrong_checksum_fails_always(clean):
    clean["data"].loc[clean["data"]["dataset"] == "covtype", "reason"] = (
        "covtype has the wrong checksum: replace it."
    )
    assert "1 data set had a file refused (covtype" in sentence_of(clean)
    listed = failures([clean["fits"]], clean["data"])
    assert listed[["study", "dataset", "status"]].to_numpy().tolist() == [["data", "covtype", "not obtained"]]


def test_a_wrong_checksum_that_another_source_made_good_is_no_failure(clean):
    clean["data"].loc[clean["data"]["dataset"] == "splice", "reason"] = "the first had the wrong checksum"
    assert sentence_of(clean) == ""


def test_a_failed_verification_is_named(clean):
    clean["verification"].loc[2, "passed"] = False
    said = sentence_of(clean)
    assert "1 of 6 verification cases failed" in said and clean["verification"].loc[2, "method"] in said


def test_no_verification_at_all_is_a_failure(clean):
    clean["verification"] = clean["verification"].iloc[:0]
    assert "no solver was verified" in sentence_of(clean)


def test_all_faults_make_one_sentence(clean):
    clean["fits"].loc[5, "status"] = "failed"
    clean["verification"].loc[2, "passed"] = False
    said = sentence_of(clean, missing_data="fail")
    assert said.startswith("The run is not clean: ") and said.count("; ") == 2 and "\n" not in said


def test_failures_name_every_fit_and_nothing_is_blank(clean):
    rows = fits()
    rows["split"] = pd.to_numeric(rows["split"])
    listed = failures([rows], data())
    assert listed.to_numpy().tolist() == [
        [STUDY, "cod-rna", "raw", "sklearn_ridge", "9", "chosen", "failed", "the <solver> said no"]
    ]
    assert failures([clean["fits"]], data()).empty


def test_the_summary_is_loud_and_says_where_things_are(clean):
    failed = failures([clean["fits"]], clean["data"])
    text = summary_text(
        "out", {STUDY: clean["fits"]}, clean["data"], clean["verification"], failed, {STUDY: ["F."]}
    )
    assert "!!! NOT OBTAINED: 2 data sets, 1 wanted by this run !!!" in text
    for made in (f"out/{STUDY}/table1.csv", f"out/{STUDY}/figure_table1.svg", "out/report.html"):
        assert made in text
    assert "6 of 6 cases passed" in text and "Unexpected statuses: 0" in text and "partial: cod-rna" in text
    assert f"max_iterations: {(clean['fits']['status'] == 'max_iterations').sum()}" in text


def test_the_scripts_lead_from_the_jobs_to_the_page_and_the_check(tmp_path, monkeypatch, capsys):
    made = write_results(tmp_path)
    rows = fits()
    rows = rows[rows["status"] != "failed"]
    parts = [str(tmp_path / f"job{k}.csv") for k in range(3)]
    for k, path in enumerate(parts):
        rows.iloc[k::3].to_csv(path, index=False)

    def path(name):
        return str(made / name)

    def study(name):
        return str(made / STUDY / name)

    def step(name, inputs, outputs, **params):
        run(name, monkeypatch, tmp_path, inputs, outputs, **params)

    kinds = {kind: study(f"figure_table1.{kind}") for kind in ("svg", "pdf", "png")}
    common = {
        "data": path("data.csv"),
        "verification": path("verification.csv"),
        "failures": path("failures.csv"),
    }
    names = ("fits.csv", "table1.csv", "errata.csv", "figure_table1.svg")
    shown = {STUDY: [study(name) for name in names]}
    protocols = {STUDY: "top_ranking"}
    compared = {"comparison": "comparison", "coverage": "coverage", "features": "feature_blocks"}
    tables = {"shown": shown[STUDY], "comparison": path("comparison.csv")}
    sources = {"fits": study("fits.csv"), "diagnosis": study("diagnosis.csv"), "data": path("data.csv")}

    step("collect", {"jobs": parts}, {"fits": study("fits.csv")}, protocol="top_ranking")
    step(
        "table1",
        sources | {"published": PUBLISHED},
        {"csv": study("table1.csv"), "tex": study("table1.tex")},
        protocol="top_ranking",
    )
    step("figure_table1", {"table": study("table1.csv")}, kinds, protocol="top_ranking")
    step(
        "compare",
        {"tables": [study("table1.csv")], "data": path("data.csv")},
        {name: path(f"{file}.csv") for name, file in compared.items()},
        published={STUDY: PUBLISHED},
        protocols=protocols,
    )
    fits_files = {"fits": [study("fits.csv")]}
    step(
        "failures",
        fits_files | {"data": path("data.csv")},
        {"csv": common["failures"]},
        expected={},
        missing_data="skip",
    )
    step("provenance", fits_files, {"json": path("provenance.json")})
    everything = fits_files | tables | common
    params = {"published": {STUDY: PUBLISHED}, "shown": shown, "protocols": protocols}
    step(
        "page",
        everything | {"provenance": path("provenance.json")},
        {"html": path("report.html")},
        **params,
        blocks={STUDY: {"splice": ["0-9"]}},
        command="snakemake --force --",
    )
    everything["findings"] = path("findings.csv")
    step("findings", everything, {"csv": everything["findings"]}, **params)
    step("check", everything, {"txt": path("check.txt")}, missing_data="skip", **params)
    printed = capsys.readouterr().out
    assert "NOT OBTAINED" in printed and "  Where w = 0 is the exact optimum\n" in printed
    assert "convex hull" not in printed, "the paragraphs stand on the page"
    assert "report.html" in (made / "check.txt").read_text(encoding="utf-8")
    assert "raw" in (made / "feature_blocks.csv").read_text(encoding="utf-8")
    assert "Not obtained: 2 data sets" in (made / "report.html").read_text(encoding="utf-8")

    assert f"Printed numbers of {STUDY}: 193 (273 cells): agrees " in (made / "check.txt").read_text()
    assert "kadkhodaie2015,table1,fast_mark,40,40," in (made / "coverage.csv").read_text(encoding="utf-8")

    (made / "check.txt").unlink()
    whole = (made / "comparison.csv").read_text(encoding="utf-8")
    rows = [row for row in whole.splitlines() if ",splice,raw,data,positives_count," not in row]
    (made / "comparison.csv").write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"1 printed number not covered .* positives_count of splice"):
        step("check", everything, {"txt": path("check.txt")}, missing_data="skip", **params)
    assert not (made / "check.txt").exists()
    (made / "comparison.csv").write_text(whole, encoding="utf-8")
    verification(passed=False).to_csv(path("verification.csv"), index=False)
    with pytest.raises(SystemExit, match="1 of 6 verification cases failed"):
        step("check", everything, {"txt": path("check.txt")}, missing_data="skip", **params)
    assert not (made / "check.txt").exists()


def test_missing_sets_wanted_by_the_run_come_first(tmp_path):
    write_results(tmp_path)
    found = missing_datasets(read_data(tmp_path / "data.csv"), {STUDY: results_of(tmp_path)["fits"]})
    assert found[["dataset", "studies"]].to_numpy().tolist() == [["epsilon", STUDY], ["covtype", ""]]
