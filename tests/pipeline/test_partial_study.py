"""A part of a run has the numbers of the whole, and a program is a method: both in one small study."""

import pytest
from doc_code_blocks import read_code_blocks, write_files
from small_project import DATASETS, ROOT, SPLITS, STUDY, outputs, without_times

pytestmark = [pytest.mark.pipeline, pytest.mark.long, pytest.mark.xdist_group("bare")]

FITS = f"results/{STUDY}/fits.csv"


@pytest.fixture(scope="module")
def whole_project(bare_project, tmp_path_factory):
    """The fits of TopPush and of the awk program of docs/add_a_method.md on two data sets."""
    project = bare_project.copy(tmp_path_factory.mktemp("whole") / "copy")
    examples = read_code_blocks(ROOT / "docs/add_a_method.md")
    write_files({path: text for path, text in examples.items() if "centroid" in path}, project.folder)
    datasets = {name: ["raw"] for name in DATASETS}
    project.select_study(methods=["toppush"], extra_methods=["centroid"], datasets=datasets, rhos={})
    project.snakemake(FITS, each_job=False)
    return project


def test_a_part_has_the_rows_of_the_whole(whole_project):
    part = "only={datasets: overlap, splits: 1}"
    whole_project.snakemake("part/tiny/fits.csv", "--config", "results=part", part, each_job=False)
    rows = whole_project.table(f"{STUDY}/fits.csv")
    expected = rows[(rows["dataset"] == "overlap") & (rows["split"] == "0")].reset_index(drop=True)
    rows_of_part = whole_project.table(whole_project.folder / "part" / STUDY / "fits.csv")
    assert set(rows_of_part["method"]) == {"toppush", "centroid"} and len(rows_of_part) == len(expected)
    assert without_times(rows_of_part) == without_times(expected)


def test_a_program_is_a_method(whole_project):
    rows = whole_project.table(f"{STUDY}/fits.csv").query("method == 'centroid'")
    assert set(rows["status"]) == {"fitted"} and rows["seconds"].astype(float).gt(0).all()
    assert (rows["role"] == "chosen").sum() == len(DATASETS) * SPLITS
    assert rows["n_variables"].astype(float).gt(0).all()


def test_an_edit_of_a_program_reruns_it_alone(whole_project):
    program = whole_project.folder / "workflow/programs/centroid.awk"
    before = program.read_text()
    program.write_text(before.replace("shrink)", "shrink + 0)"))
    made_files = outputs(whole_project.snakemake(FITS, "--dry-run"))
    program.write_text(before)
    assert {path.split(".")[2] for path in made_files if "/fits/" in path} == {"centroid"}
    assert not [path for path in made_files if "/splits/" in path or "/data/" in path]


def test_another_grid_of_the_configuration_reruns_its_method_alone(whole_project):
    study = whole_project.study()
    whole_project.select_study(grids={"centroid": {"shrink": [1, 5]}})
    made_files = outputs(whole_project.snakemake(FITS, "--dry-run"))
    whole_project.write({STUDY: study})
    assert {path.split(".")[2] for path in made_files if "/fits/" in path} == {"centroid"}
