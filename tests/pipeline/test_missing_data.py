"""A data set that cannot be had: said loudly, fatal only if asked; once there, only what needs it runs."""

import pytest
from planted import plant
from small_project import DATASETS, STUDY, outputs

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


@pytest.fixture
def planted(project):
    """The finished study with one more data set, whose file exists nowhere; also the text of that file."""
    text = plant(project)
    project.write_study(datasets={name: ["raw"] for name in [*DATASETS, "planted"]})
    return project, text


def test_missing_then_required_then_there(planted):
    project, text = planted

    printed = project.snakemake()
    assert not [path for path in outputs(printed) if any(f"/{name}." in path for name in DATASETS)]
    data = project.table("data.csv").set_index("dataset").loc["planted"]
    assert data["status"] == "not obtained" and "planted.data" in data["reason"]
    fits = project.table(f"{STUDY}/fits.csv")
    rows = fits[fits["dataset"] == "planted"]
    assert set(rows["method"]) == set(project.study()["methods"])
    assert set(rows["status"]) == {"not obtained"} and rows["message"].str.contains("planted.data").all()
    assert "not obtained" in (project.results / STUDY / "table1.csv").read_text()
    assert "not obtained" in (project.results / "report.html").read_text()
    assert "not obtained" in printed.casefold() and "planted" in printed

    printed = project.snakemake("--config", "missing_data=fail", fails=True)
    assert "planted" in printed

    place = project.folder / "data/covtype-sample/planted.data"
    place.parent.mkdir(parents=True)
    place.write_text(text)
    printed = project.snakemake()
    assert not [path for path in outputs(printed) if any(f"/{name}." in path for name in DATASETS)]
    fits = project.table(f"{STUDY}/fits.csv")
    rows = fits[(fits["dataset"] == "planted") & (fits["role"] == "chosen")]
    assert set(rows["status"]) <= {"optimal", "max_iterations"}
    assert set(rows["method"]) == set(project.study()["methods"])


def test_a_file_with_the_wrong_content_is_never_used(planted):
    project, text = planted
    place = project.folder / "data/covtype-sample/planted.data"
    place.parent.mkdir(parents=True)
    place.write_text(text.replace("1", "2", 1))
    printed = project.snakemake(
        fails=True
    )  # it may be a silent change of the data: more than a set not obtained
    assert "planted" in printed
    data = project.table("data.csv").set_index("dataset").loc["planted"]
    assert data["status"] == "not obtained" and "checksum" in data["reason"]
    assert "planted" in set(project.table("failures.csv")["dataset"])
