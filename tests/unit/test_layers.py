"""The library stands on floors: a module imports from lower floors or from its own room."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
FLOORS = {
    "artefacts": 1,
    "projections": 1,
    "penalties": 1,
    "parameters": 0,
    "certificate": 1,
    "metrics": 1,
    "statistics": 1,
    "rank_statistics": 1,
    "postponed": 1,
    "datasets": 1,
    "problems": 2,
    "reporting": 2,
    "solvers": 3,
    "estimators": 4,
    "methods": 5,
    "paths": 5,
    "protocol": 6,
    "query_protocol": 6,
    "running_times": 7,
    "dirty_traces": 7,
    "references": 6,  # apart: it may use anything, and only what checks or certifies uses it
    "plain_iterations": 6,  # apart too: the papers' iterations, for the errata and the tests
    "size_costs": 7,
    "one_fold": 6,
    "printed_constant": 7,
    "early_stop": 7,
    "verification": 7,
    "errata": 7,
    "convergence": 7,
    "suboptimality": 8,
}
FRONT_DOOR = SOURCE / "toprank/__init__.py"  # it shows what lies behind it
MODULES = sorted(set((SOURCE / "toprank").rglob("*.py")) - {FRONT_DOOR})


def room(parts):
    return parts[1] if len(parts) > 1 else None


def imported(path):
    """The modules of the package that the file at ``path`` imports anywhere, as tuples of names."""
    here = path.relative_to(SOURCE).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else ()
            target = (*above, *(node.module.split(".") if node.module else ()))
            yield from ((*target, alias.name) for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(SOURCE)) for path in MODULES])
def test_imports_go_downwards(path):
    own = room(path.relative_to(SOURCE).with_suffix("").parts)
    assert own in FLOORS, f"{own} has no floor yet: give it one here and in CONTRIBUTING.md"
    for target in imported(path):
        if target[0] == "snakemake":
            pytest.fail(f"{path.name} imports snakemake: the library knows nothing of the pipeline")
        if target[0] == "toprank" and room(target) in FLOORS and room(target) != own:
            assert FLOORS[room(target)] < FLOORS[own], (
                f"{own} (floor {FLOORS[own]}) imports {'.'.join(target)}"
            )
