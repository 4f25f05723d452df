"""A data set that cannot be had: said loudly, fatal only if asked; once there, only what needs it runs."""

import missing_dataset
import pytest
from small_project import DATASETS, STUDY, outputs

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def rows(project):
    fits = project.table(f"{STUDY}/fits.csv")
    return fits[fits["dataset"] == "planted"]


def test_what_is_not_there_is_a_row_and_said_at_the_end(finished_project):
    data = finished_project.table("data.csv").set_index("dataset").loc["planted"]
    assert data["status"] == "not obtained" and "planted.data" in data["reason"]
    missing = rows(finished_project)
    assert sorted(missing["method"]) == sorted(finished_project.study()["methods"])
    assert set(missing["status"]) == {"not obtained"}
    assert missing["message"].str.contains("planted.data").all()
    assert "not obtained" in (finished_project.results / STUDY / "table1.csv").read_text()
    assert "not obtained" in finished_project.page() and "planted.data" in finished_project.page()
    report = finished_project.published.split("NOT OBTAINED", 1)[1]
    assert "planted" in report and "td2003" in report


def test_required_then_there(finished_project, tmp_path):
    project = finished_project.copy(tmp_path / "copy")
    published = project.snakemake("results/check.txt", "--config", "missing_data=fail", fails=True)
    assert "planted" in published and not any("/fits/" in path for path in outputs(published))

    missing_dataset.write_file(project, missing_dataset.file_text())
    made_files = outputs(project.snakemake(f"results/{STUDY}/fits.csv"))
    assert any("planted" in path for path in made_files)
    assert not [path for path in made_files if any(f"/{name}." in path for name in DATASETS)]
    chosen = rows(project).query("role == 'chosen'")
    assert set(chosen["status"]) <= {"certified", "stopped", "max_iterations"}
    assert set(chosen["method"]) == set(project.study()["methods"])


def test_a_file_with_the_wrong_content_is_never_used(project):
    missing_dataset.write_file(project, missing_dataset.file_text().replace("1", "2", 1))
    # it may be a silent change of the data: more than a set not obtained
    assert "planted" in project.snakemake("results/check.txt", fails=True)
    data = project.table("data.csv").set_index("dataset").loc["planted"]
    assert data["status"] == "not obtained" and "checksum" in data["reason"]
    assert "planted" in set(project.table("failures.csv")["dataset"])
