"""Two packages, one direction, six floors: a folder imports from lower layers; ARCHITECTURE.md is current."""

import ast
import sys
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from architecture import (
    LAYERS,
    PAGE,
    collect_imports,
    find_modules,
    get_folder,
    imported_names,
    render,
)

SOURCE = Path(__file__).resolve().parents[2] / "src"
#: packages that only functions may import; they are not installed with the library
OPTIONAL = {"matplotlib"}
LIBRARY = {"numpy", "scipy", "sklearn", "numba", "highspy", "clarabel"}
MODULES = [(package, path) for package in LAYERS for path in find_modules(package)]
ORDER = {
    package: {
        folder: (layer, place) for layer, folders in enumerate(layers) for place, folder in enumerate(folders)
    }
    for package, layers in LAYERS.items()
}


def test_what_is_optional_is_imported_by_functions_alone():
    for path in find_modules("toprank"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None) or ""}
                assert not OPTIONAL & {name.split(".")[0] for name in names}, path


@pytest.mark.parametrize(
    ("package", "path"), MODULES, ids=[str(path.relative_to(SOURCE)) for _, path in MODULES]
)
def test_imports_go_downwards(package, path):
    folder, module_name = (
        get_folder(path, package),
        path.relative_to(SOURCE / package).with_suffix("").parts[1:],
    )
    order = ORDER[package]
    assert folder in order, f"{folder} has no layer yet: give it one in workflow/lib/architecture.py"
    for target in imported_names(path):
        name = ".".join(target)
        if package == "toprank":
            allowed = target[0] in LIBRARY | OPTIONAL | {"toprank"} or target[0] in sys.stdlib_module_names
            assert allowed, f"the library imports {name}"
        assert target[0] != "snakemake", f"{path.name} imports snakemake: only workflow/ knows it"
        if target[0] == package and len(target) > 1 and target[1] in order and target[1] != folder:
            is_lower = order[target[1]][0] < order[folder][0]
            is_before = package == "toprank" and order[target[1]] < order[folder]
            assert is_lower or is_before, f"{folder} imports {name}"
        if folder == "papers" and len(module_name) > 1 and target[:2] == ("reproduction", "papers"):
            assert target[2] == module_name[0], f"{module_name[0]} imports {name}: no paper imports another"


@cache
def list_imports(path):
    """List what a module imports, read once for all folders in which it lies."""
    return [*imported_names(path)]


def imports_below(folder=()):
    """Return, of a folder of src, each module or folder in it -> the others in it that it imports."""
    depth, imports = len(folder), defaultdict(set)
    modules = {path.relative_to(SOURCE).with_suffix("").parts: path for _, path in MODULES}
    names = {name for module_name in modules for name in (module_name, module_name[:-1])}
    for module_name, path in modules.items():
        if module_name[:depth] == folder and len(module_name) > depth:
            for target in list_imports(path):
                is_module = target in names or target[:-1] in names
                if is_module and target[:depth] == folder and len(target) > depth:
                    imports[module_name[depth]].add(target[depth])
    return {name: targets - {name} for name, targets in imports.items()}


def test_no_modules_import_each_other_in_a_circle():
    """Neither directly nor by others, nor for type checking alone: each is read after what it uses."""
    folders = {path.relative_to(SOURCE).parent.parts for _, path in MODULES}
    assert len(folders) > 20 and "solvers" in imports_below(("toprank",))["estimators"]
    for folder in sorted(folders | {()}):
        TopologicalSorter(imports_below(folder)).prepare()  # raises a CycleError that names the circle


def test_the_code_stands_on_six_floors():
    """Of the library, the folders of reproduction and the workflow, each stands above all that it imports."""
    rooms = {folder: set(imports) for folder, imports in collect_imports("reproduction").items()}
    for path in find_modules("reproduction"):
        if any(target[0] == "toprank" for target in list_imports(path)):
            rooms[get_folder(path, "reproduction")].add("toprank")
    floors: dict[str, int] = {}
    for room in TopologicalSorter(rooms | {"workflow": set(rooms)}).static_order():
        imported = rooms.get(room, set()) if room != "workflow" else set(rooms)
        floors[room] = 1 + max((floors[name] for name in imported), default=0)
    assert floors["toprank"] == floors["core"] == 1 and floors["papers"] == 5
    assert floors["workflow"] == 6, floors


def test_the_page_of_the_architecture_is_current():
    assert PAGE.read_text(encoding="utf-8") == render(), "ARCHITECTURE.md is outdated: `make architecture`"
