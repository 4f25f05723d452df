"""Two solvers with a slip that their certificates do not show: the verification fails the run at its end."""

import re

import pytest
from small_project import STUDY, outputs

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]

SLIPS = {
    # half of the loss is minimised, to its optimum and with a status to match
    "admm.py": ("else 0.0, 2.0 / m", "else 0.0, 1.0 / m"),
    # the certificate is that of another w
    "row_generation.py": (
        "return watch.solution(objective",
        "return watch.solution(1.05 * watch.w, objective",
    ),
}
WRONG = {"admm", "a2dm2", "a2dm2_restart", "exact"}


def test_a_wrong_solver_is_caught(project):
    for name, (right, wrong) in SLIPS.items():
        path = project.folder / "src/toprank/solvers" / name
        assert path.read_text().count(right) == 1
        path.write_text(path.read_text().replace(right, wrong))
    printed = project.snakemake("results/check.txt", fails=True)

    assert {"admm", "exact"} <= {path.split(".")[2] for path in outputs(printed) if "/fits/" in path}
    fits = project.table(f"{STUDY}/fits.csv")
    assert set(fits["status"]) <= {"certified", "stopped", "not obtained"}
    assert project.table("failures.csv").empty
    verification = project.table("verification.csv")
    failed = verification[verification["passed"] != "True"]
    assert set(failed["method"]) == WRONG and set(verification["method"]) > WRONG
    named = re.search(r"The run is not clean: (\d+) of (\d+) verification cases failed.*", printed)
    assert named and named.group(1, 2) == (str(len(failed)), str(len(verification)))
    assert f"the first is {min(WRONG)} on overlap" in named.group()
    n_passed, n_cases = len(verification) - len(failed), len(verification)
    assert f"Verification: {n_passed} of {n_cases} cases passed" in project.page()
