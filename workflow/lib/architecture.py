"""Write ARCHITECTURE.md: folders, layers, a line from each docstring, and the imports that there are.

``python workflow/lib/architecture.py`` (`make architecture`); a test compares the committed page with it.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "ARCHITECTURE.md"
LAYERS = {
    "toprank": (
        ("parameters", "jit", "typing", "labels", "queries", "clock"),
        ("least_squares", "projections", "top_mean", "penalties", "certificate", "document_ranks", "metrics"),
        ("problems",),
        ("solvers",),
        ("scorers", "estimators"),
        ("paths", "linear_model", "export"),
    ),
    "reproduction": (
        ("core", "statistics"),
        ("datasets", "specs", "benchmarks"),
        ("splits", "fitting", "plotting", "comparison"),
        ("collection", "verification", "reporting"),
        ("papers", "snapshot"),
    ),
}
"""Package -> its layers, from the lowest. A folder of reproduction imports from lower layers alone. The
library has modules beside its folders; there each imports, on its own layer, from those before it."""

INTRODUCTION = """# Architecture

Written by `make architecture` from the docstrings and the imports of the code; a test keeps it current.

- `Snakefile`, `workflow/Snakefile`: the entries.
- `workflow/rules/*.smk`: the rules; `workflow/rules/methods/*.smk`: one file a method.
- `workflow/scripts/*.py`: one thin script a rule. `workflow/lib/*.py`: what the rules need.
- `config/config.yaml`: what is computed; `config/quick.yaml`: the quick study.
- `src/toprank`: the library. `src/reproduction`: the reproduction of the papers. It imports the library,
  never the reverse.
- `tests/unit`, `tests/pipeline`, `tests/browser`; `tests/mutants_of`: wrong changes that a test must catch.
- `docs`: the documentation. `reports/snapshot`: the published results.

The code stands on six floors: the library and what imports nothing else on the first, the papers and
the snapshot on the fifth, the workflow above them. A folder of `reproduction` imports from lower layers
alone. A layer of the library holds single modules too, which import also from those named before them on
it. Nothing imports upwards, no two folders import each other, and no paper imports another
(`tests/unit/test_architecture.py`).
"""


def find_modules(package: str, root: Path = ROOT) -> list[Path]:
    """Return the modules of a package, without its own ``__init__.py``, which only exports names.

    Parameters
    ----------
    package : str
        Package below ``src``: toprank or reproduction.
    root : pathlib.Path, optional
        Folder of the project.

    Returns
    -------
    list[pathlib.Path]
        Paths in the order of their names.
    """
    folder = root / "src" / package
    return sorted(path for path in folder.rglob("*.py") if path != folder / "__init__.py")


def get_folder(path: Path, package: str, root: Path = ROOT) -> str:
    """Return the top-level folder, or the top-level module, of a package in which a file lies.

    Parameters
    ----------
    path : pathlib.Path
        Python file of the package.
    package : str
        Package below ``src``: toprank or reproduction.
    root : pathlib.Path, optional
        Folder of the project.

    Returns
    -------
    str
        Name of the folder, or of the module without its suffix.
    """
    return path.relative_to(root / "src" / package).with_suffix("").parts[0]


def imported_names(path: Path, root: Path = ROOT) -> Iterator[tuple[str, ...]]:
    """Yield what a file imports, within functions and for type checking too, as tuples of names.

    Parameters
    ----------
    path : pathlib.Path
        Python file below ``src``.
    root : pathlib.Path, optional
        Folder of the project.

    Yields
    ------
    tuple[str, ...]
        Dotted name, split at the dots; of ``from a import b`` it is ``("a", "b")``, whether b is a module
        or not.
    """
    package = path.relative_to(root / "src").with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package of the file, each further dot its parent.
            base = package[: len(package) - node.level + 1] if node.level else ()
            target = (*base, *(node.module.split(".") if node.module else ()))
            yield from ((*target, alias.name) for alias in node.names)


def collect_imports(package: str, root: Path = ROOT) -> dict[str, set[str]]:
    """Return the imports between the top-level folders and modules of a package.

    Parameters
    ----------
    package : str
        Package below ``src``: toprank or reproduction.
    root : pathlib.Path, optional
        Folder of the project.

    Returns
    -------
    dict[str, set[str]]
        Folder or module -> the others from which it imports.
    """
    imports = defaultdict(set)
    for path in find_modules(package, root):
        folder = get_folder(path, package, root)
        for target in imported_names(path, root):
            # Imports within one folder are not arrows between folders.
            if target[0] == package and len(target) > 1 and target[1] != folder:
                imports[folder].add(target[1])
    folders = {get_folder(path, package, root) for path in find_modules(package, root)}
    # What is imported from the package itself, such as a public name, is no folder and drops out.
    return {folder: imports[folder] & folders for folder in sorted(folders)}


def _first_line(folder: Path) -> str:
    """Return the first line of the docstring of a folder or module."""
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0].removesuffix(".")


def _render_package(package: str, root: Path) -> Iterator[str]:
    imports = collect_imports(package, root)
    yield f"## `{package}`: {_first_line(root / 'src' / package)}\n"
    yield "| layer | folder | content | imports |"
    yield "|---|---|---|---|"
    # The highest layer stands at the top of the table, as in a drawing of a building.
    for number, folders in reversed(list(enumerate(LAYERS[package], 1))):
        for folder in folders:
            used = ", ".join(f"`{name}`" for name in sorted(imports[folder])) or "–"
            yield f"| {number} | `{folder}` | {_first_line(root / 'src' / package / folder)} | {used} |"
    yield ""


def _render_folders(package: str, root: Path) -> Iterator[str]:
    """List the modules of each folder with the first line of their docstrings."""
    for folders in LAYERS[package]:
        for folder in folders:
            folder_path = root / "src" / package / folder
            if folder_path.is_dir():
                yield f"### `{package}/{folder}`\n"
                for path in sorted(folder_path.rglob("*.py")):
                    if path.name != "__init__.py":
                        name = path.relative_to(folder_path).with_suffix("").as_posix()
                        yield f"- `{name}`: {_first_line(path.with_suffix(''))}"
                yield ""


def render(root: Path = ROOT) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    root : pathlib.Path, optional
        Folder of the project.

    Returns
    -------
    str
        Content of ``ARCHITECTURE.md``.
    """
    lines = [INTRODUCTION]
    for package in LAYERS:
        lines += _render_package(package, root)
    for package in reversed(LAYERS):
        lines += _render_folders(package, root)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
