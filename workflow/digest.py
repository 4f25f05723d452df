"""A digest of the code that a rule depends on, since Snakemake does not see edits below src/.

A rule names the modules that do its work and carries their digest in ``params``; Snakemake runs the rule
again when the digest changes. It covers the named modules and everything of the package that these import
when they are loaded, and it is taken over the syntax tree without docstrings: comments, docstrings and
layout do not count.

Imports inside functions are not followed, on purpose: a module that offers a choice (an estimator with
several solvers) imports the chosen one late, and the rule names the one it uses. Where a name comes through
the ``__init__`` of a package, only the module that it comes from is followed. A change of the Python
version may change the digest.

Hundreds of jobs ask for the digest of the same modules, so everything here is computed once a process: no
file below src/ may change in between. And each job on a cluster is a process of Snakemake, or two, that
read all rules: a run therefore leaves its digests in .snakemake, where they serve until a byte below src/
changes.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = "toprank"
SOURCE = Path(__file__).resolve().parents[1] / "src"
NOTES = Path(".snakemake/code_digests.json")


def code_digest(*modules: str, source: Path = SOURCE) -> str:
    """Return 16 hexadecimal digits that change when the code behind ``modules`` (dotted names) does."""
    known, asked = _digests(source), " ".join(modules)
    if asked not in known:
        digest = hashlib.sha256()
        for module in sorted(closure(*modules, source=source)):
            digest.update(f"{module}\n{_code(_path(module, source))}\n".encode())
        known[asked] = digest.hexdigest()[:16]
    return known[asked]


def remember() -> None:
    """Leave the digests of this process for the next ones; for ``onstart``, when the jobs are known."""
    new = NOTES.with_suffix(".new")
    new.write_text(json.dumps({"of": _fingerprint(SOURCE), "digests": _digests(SOURCE)}), encoding="utf-8")
    os.replace(new, NOTES)


@cache
def _digests(source: Path) -> dict[str, str]:
    """Modules -> digest: what `remember` left, if it is of this very code, and what is computed later."""
    try:
        notes = json.loads(NOTES.read_text(encoding="utf-8")) if source == SOURCE else None
    except (OSError, ValueError):  # no run yet, or a file system in trouble: they are only computed again
        notes = None
    return notes["digests"] if notes and notes["of"] == _fingerprint(source) else {}


@cache
def _fingerprint(source: Path) -> str:
    """A digest of every byte below ``source``, of this module and of the version of Python."""
    whole = hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes())
    for path in sorted(source.rglob("*.py")):
        whole.update(f"\n{path.relative_to(source)}\n".encode() + path.read_bytes())
    return whole.hexdigest()


def closure(*modules: str, source: Path = SOURCE) -> set[str]:
    """The modules named, those of the package that they import when they are loaded, and so on."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        path = _path(module, source)
        if path is None:
            raise ValueError(f"code_digest knows no module {module!r}: there is no such file below src/.")
        found.add(module)
        for target, name in _imports(path, module):
            if target.split(".")[0] == PACKAGE:
                waiting.append(_provider(target, name, source))
    return found


def _provider(target: str, name: str | None, source: Path) -> str:
    """The module that ``from target import name`` (or, without a name, ``import target``) needs."""
    if name is None:
        return target
    if _path(f"{target}.{name}", source):
        return f"{target}.{name}"
    path = _path(target, source)
    if path and path.name == "__init__.py":
        for origin, imported in _imports(path, target):
            if imported == name and origin != target:
                return _provider(origin, name, source)
    return target


@cache
def _path(module: str, source: Path) -> Path | None:
    base = source.joinpath(*module.split("."))
    candidates = (base.with_name(f"{base.name}.py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def _imports(path: Path, module: str) -> tuple[tuple[str, str | None], ...]:
    """(module, name) of each import that loading the file at ``path`` carries out."""
    found: list[tuple[str, str | None]] = []
    here = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in _executed(_tree(path)):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else []
            target = ".".join([*above, *filter(None, [node.module])])
            found += [(target, alias.name) for alias in node.names]
    return tuple(found)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """Walk the tree without the bodies of functions and without what only type checkers read."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _executed(child)


@cache
def _tree(path: Path) -> ast.Module:
    """The syntax tree without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    for node in (tree, *_statements(tree)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if documented and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Walk the tree without its expressions, which are most of it and hold no docstring."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _statements(child)
            yield child


@cache
def _code(path: Path) -> str:
    return ast.dump(_tree(path))
