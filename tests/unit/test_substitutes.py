"""A substitute counts only where its original is missing; what is done otherwise on a data set is noted."""

import json

import pandas as pd
import pytest
from report_rows import STUDY, data, fits, table1_of, write_results
from studies import study_of

SETTINGS = {name: ["raw"] for name in ("splice", "covtype", "covtype-sample")}


@pytest.fixture
def folder(tmp_path):
    return write_results(tmp_path)


def read_study(folder, status, **settings):
    """The study, with covtype of this status, and an experiment on all its data sets."""
    datasets = data()
    datasets.loc[datasets["dataset"] == "covtype", "status"] = status
    datasets.to_csv(folder / "data.csv", index=False)
    measured = [{"table": "suboptimality", "row": {"dataset": name, "level": 0.01}} for name in SETTINGS]
    files = [folder / "data.csv", *(folder / STUDY / name for name in ("fits.csv", "diagnosis.csv"))]
    for row in measured:
        files.append(folder / f"suboptimality.{row['row']['dataset']}.jsonl")
        files[-1].write_text(json.dumps(row) + "\n", encoding="utf-8")
    return study_of("kadkhodaie2015", files, **{"datasets": SETTINGS} | settings)


@pytest.mark.parametrize(("status", "is_superseded"), [("obtained", True), ("not obtained", False)])
def test_a_substitute_counts_only_where_its_original_is_missing(folder, status, is_superseded):
    study = read_study(folder, status)
    experiment = pd.DataFrame(study.read_experiment("suboptimality", "suboptimality"))
    for rows in (study.fits, study.diagnosis, experiment):
        assert ("covtype-sample" in set(rows["dataset"])) is not is_superseded
        assert "splice" in set(rows["dataset"])
        assert rows.index.tolist() == list(range(len(rows)))


def test_a_set_whose_original_is_not_in_the_study_counts_itself(folder):
    study = read_study(folder, "obtained", datasets={"covtype-sample": ["raw"]})
    assert "covtype-sample" in set(study.fits["dataset"]) and not study.superseded


def test_a_search_on_a_part_of_the_rows_is_noted(folder):
    rows = fits()
    changed = (rows["dataset"] == "cod-rna") & (rows["role"] == "search")
    rows.loc[changed, ["n_train_positives", "n_train_negatives"]] = ["70", "60"]
    rows.loc[changed, ["n_test_positives", "n_test_negatives"]] = ["35", "25"]
    rows.to_csv(folder / STUDY / "fits.csv", index=False)
    table = table1_of(folder)
    notes = table.set_index("dataset")["note"].groupby("dataset").first()
    assert notes["cod-rna"] == (
        "The parameters are chosen on 190 of the 1900 training rows, drawn within each class; the models are "
        "fitted to all. 10 splits."
    )
    assert set(notes.drop("cod-rna")) == {"none"}
