"""What docs/add_a_paper.md says, done in a copy of the project: folder, line and configuration."""

import pytest
from doc_code_blocks import read_code_blocks, write_files
from small_project import ROOT

pytestmark = [pytest.mark.pipeline, pytest.mark.long, pytest.mark.xdist_group("pipeline")]

LINE = "src/reproduction/papers/__init__.py"
NAME = "losses2026"


@pytest.fixture(scope="module")
def followed(bare_project, tmp_path_factory):
    """A copy of the project with the paper of the page, after its run."""
    project = bare_project.copy(tmp_path_factory.mktemp("paper") / "copy")
    files = read_code_blocks(ROOT / "docs/add_a_paper.md")
    assert {path for path in files if f"/{NAME}/" not in path} == {LINE, "losses.yaml"}
    path = project.folder / LINE
    lines = path.read_text()
    path.write_text(lines.replace("PAPERS = {\n", "PAPERS = {\n" + files.pop(LINE)))
    write_files(files, project.folder)
    project.overlay = project.folder / "losses.yaml"
    project.snakemake("results/check.txt", f"results/{NAME}/table1.tex")
    return project


def test_its_table_stands_beside_print(followed):
    table = followed.table(f"{NAME}/table1.csv")
    assert len(table) == 4 and set(table["splits_used"]) == {"4"}
    assert (followed.results / NAME / "table1.tex").is_file()
    rows = followed.table("comparison.csv")
    assert len(rows) == 10 and set(rows["study"]) == {NAME}
    assert set(rows.loc[rows["method"] == "data", "verdict"]) == {"as published"}
    assert "not obtained" not in set(rows["verdict"])


def test_its_claim_is_on_the_page(followed):
    claims = followed.table("claims.csv")
    assert claims["claim"].tolist() == ["alike"] and claims["verdict"].iloc[0] != "cannot tell"
    page = followed.page()
    for words in "Two losses for the top of a list":
        assert words in page, words


def test_a_wrong_key_of_the_paper_is_told(followed):
    project = followed
    text = project.overlay.read_text()
    project.overlay.write_text(text.replace("alphas:", "alfas:"))
    published = project.snakemake("--dry-run", fails=True)
    project.overlay.write_text(text)
    assert f"unknown key 'alfas' in studies.{NAME}; the nearest known one is 'alphas'" in published
