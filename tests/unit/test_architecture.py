"""Two packages, one direction: a folder imports from lower layers; ARCHITECTURE.md is current."""

import ast
import sys
from pathlib import Path

import pytest
from architecture import LAYERS, PAGE, find_modules, get_folder, imported_names, render

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
            assert order[target[1]] < order[folder], f"{folder} imports {name}"
        if folder == "papers" and len(module_name) > 1 and target[:2] == ("reproduction", "papers"):
            assert target[2] == module_name[0], f"{module_name[0]} imports {name}: no paper imports another"


def test_the_page_of_the_architecture_is_current():
    assert PAGE.read_text(encoding="utf-8") == render(), "ARCHITECTURE.md is outdated: `make architecture`"
