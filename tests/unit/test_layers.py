"""Two packages, one direction: a module imports from lower floors or from its own room."""

import ast
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
#: packages that only functions may import; they are not installed with the library
OPTIONAL = {"matplotlib"}
LIBRARY = {"numpy", "scipy", "sklearn", "numba", "highspy", "clarabel"}


def on_floor(number, rooms):
    return dict.fromkeys(rooms.split(), number)


FLOORS = {
    "toprank": {
        **on_floor(0, "parameters jit labels clock typing"),
        **on_floor(1, "least_squares projections penalties certificate metrics"),
        "problems": 2,
        "solvers": 3,
        "estimators": 4,
        **on_floor(5, "scorers paths"),
    },
    "reproduction": {
        **on_floor(0, "addresses whole made process_tree"),
        **on_floor(1, "schema data statistics rank_statistics references ties"),
        **on_floor(1, "features foreign job_process solver_peers"),
        **on_floor(2, "program peers methods results labels text fold"),
        **on_floor(3, "search query_search measured_search printed sentence_templates"),
        **on_floor(3, "multiverse collect columns verification"),
        "artefact": 4,
        **on_floor(5, "measures tables style"),
        **on_floor(6, "study job_checks"),
        **on_floor(7, "claim comparison"),
        **on_floor(8, "report known"),
        "papers": 9,
    },
}
FRONT_DOORS = {SOURCE / "toprank/__init__.py", SOURCE / "reproduction/__init__.py"}
MODULES = sorted({path for package in FLOORS for path in (SOURCE / package).rglob("*.py")} - FRONT_DOORS)


def imported(path):
    """The modules that the file at ``path`` imports anywhere, for types too, as tuples of names."""
    here = path.relative_to(SOURCE).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else ()
            target = (*above, *(node.module.split(".") if node.module else ()))
            yield from ((*target, alias.name) for alias in node.names)


def room(parts):
    return parts[1] if len(parts) > 1 else None


def test_what_is_optional_is_imported_by_functions_alone():
    for path in MODULES:
        if path.is_relative_to(SOURCE / "toprank"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                at_once = [node] if isinstance(node, ast.Import | ast.ImportFrom) else []
                named = {name.name for found in at_once for name in found.names}
                named |= {getattr(found, "module", None) or "" for found in at_once}
                assert not OPTIONAL & {name.split(".")[0] for name in named}, path


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(SOURCE)) for path in MODULES])
def test_imports_go_downwards(path):
    package, own, *within = path.relative_to(SOURCE).with_suffix("").parts
    assert own in FLOORS[package], f"{own} has no floor yet: give it one here and in CONTRIBUTING.md"
    for target in imported(path):
        name = ".".join(target)
        if package == "toprank":
            known = target[0] in LIBRARY | OPTIONAL | {"toprank"} or target[0] in sys.stdlib_module_names
            assert known, f"the library imports {name}"
        assert target[0] != "snakemake", f"{path.name} imports snakemake: only workflow/ knows it"
        if target[0] == package and room(target) in FLOORS[package] and room(target) != own:
            assert FLOORS[package][room(target)] < FLOORS[package][own], f"{own} imports {name}"
        if own == "papers" and len(within) > 1 and target[:2] == ("reproduction", "papers"):
            assert target[2] == within[0], f"{within[0]} imports {name}: no paper imports another"
