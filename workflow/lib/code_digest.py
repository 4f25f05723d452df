"""A digest of the code that a rule runs, since Snakemake does not notice edits below src/.

Each rule has in ``params`` the digest of its script and of all modules that the script imports. Snakemake
reruns the rule if the digest changes, not if a file has a new time stamp. The digest is taken of the syntax
trees without docstrings, so comments, docstrings and layout do not count.

All imports are followed, also those in functions, and strings that name a module or one of its members, such
as ``"toprank.InfinitePush"``. An estimator lists its solvers in its literal ``SOLVERS`` (name ->
"module:function"): all of them are followed, or only the one that a rule uses. If a package's ``__init__``
provides a name, by an import or by its literal ``HOMES``, only the module that defines the name is followed.
A new Python version may change the digest.

Hundreds of jobs need the digests of the same modules, so they are computed once per process; no file below
src/ may change meanwhile. Each job on a cluster starts one or two Snakemake processes that read all rules. A
run therefore saves its digests in .snakemake, where they are valid until the code changes.
"""

import ast
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGES = ("toprank", "reproduction")
WORKFLOW = Path(__file__).resolve().parents[1]
SOURCE = WORKFLOW.parent / "src"
SCRIPTS = WORKFLOW / "scripts"
NAME = re.compile(rf"(?:{'|'.join(PACKAGES)})(\.\w+)+(:\w+)?")
NOTES = Path(".snakemake/code_digests.json")


def code_digest(script: str, *modules: str, solver: str | None = None, source: Path = SOURCE) -> str:
    """Return 16 hexadecimal digits that change when the code that a rule runs does.

    `script`: name of the rule's script, without folder and suffix. `*modules`: further modules, which the
    script loads by name, such as an estimator's. `solver`: key of the ``SOLVERS`` of these modules, if
    only one of them is used; by default all are followed. `source`: folder of the package.
    """
    known, asked = _digests(source), " ".join((script, *modules, str(solver)))
    if asked not in known:
        path = SCRIPTS / f"{script}.py"
        digest = hashlib.sha256(_code(path).encode())
        imported = _used(path, script, source)
        covered = closure(*imported, source=source) | closure(*modules, solver=solver, source=source)
        for module in sorted(covered):
            digest.update(f"{module}\n{_code(_path(module, source))}\n".encode())
        known[asked] = digest.hexdigest()[:16]
    return known[asked]


def remember() -> None:
    """Save the digests of this process for later ones; call it in ``onstart``, when the jobs are known."""
    new = NOTES.with_suffix(".new")
    new.write_text(json.dumps({"of": _fingerprint(SOURCE), "digests": _digests(SOURCE)}), encoding="utf-8")
    os.replace(new, NOTES)


@cache
def _digests(source: Path) -> dict[str, str]:
    """Modules -> digest: those that `remember` saved, if the code is the same, and those computed later."""
    try:
        notes = json.loads(NOTES.read_text(encoding="utf-8")) if source == SOURCE else None
    except (OSError, ValueError):  # no run yet, or a damaged file: the digests are computed again
        notes = None
    return notes["digests"] if notes and notes["of"] == _fingerprint(source) else {}


@cache
def _fingerprint(source: Path) -> str:
    """A digest of every byte below ``source``, the scripts, this module and the version of Python."""
    whole = hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes())
    for folder in (source, SCRIPTS):
        for path in sorted(folder.rglob("*.py")):
            whole.update(f"\n{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return whole.hexdigest()


def closure(*modules: str, solver: str | None = None, source: Path = SOURCE) -> set[str]:
    """The given modules and, recursively, the modules of our packages that they import or name as solvers.

    Raises `ValueError`: a module does not exist, or none of the given ones has the solver.
    """
    found: set[str] = set()
    waiting = list(modules)
    if solver is not None and not any(
        solver in _literal(_existing(name, source), "SOLVERS") for name in modules
    ):
        raise ValueError(f"code_digest found no solver {solver!r} in {', '.join(modules)}.")
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        path = _existing(module, source)
        found.add(module)
        offered = _literal(path, "SOLVERS")
        chosen = [offered[solver]] if module in modules and solver in offered else offered.values()
        waiting += [home.partition(":")[0] for home in chosen]
        waiting += _used(path, module, source)
    return found


def _used(path: Path, module: str, source: Path) -> list[str]:
    """The modules of our packages that a file imports, or names in a string outside its ``SOLVERS``."""
    named = [(target, name) for target, name in _imports(path, module) if target.split(".")[0] in PACKAGES]
    for words in _texts(path):
        above, _, last = words.partition(":")[0].rpartition(".")
        if above and (_path(f"{above}.{last}", source) or _path(above, source)):
            named.append((above, last))
    return [_provider(target, name, source) for target, name in named]


def _existing(module: str, source: Path) -> Path:
    path = _path(module, source)
    if path is None:
        raise ValueError(f"code_digest found no module {module!r} below src/.")
    return path


def _provider(target: str, name: str | None, source: Path) -> str:
    """The module that ``from target import name`` (or, without a name, ``import target``) needs."""
    if name is None:
        return target
    if _path(f"{target}.{name}", source):
        return f"{target}.{name}"
    path = _path(target, source)
    if path and path.name == "__init__.py":
        home = _literal(path, "HOMES").get(name, "").partition(":")[0]
        if home:
            return home
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
    """(module, name) of each import in the file at ``path``, wherever it stands."""
    found: list[tuple[str, str | None]] = []
    here = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in _statements(_tree(path), executed=True):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else []
            target = ".".join([*above, *filter(None, [node.module])])
            found += [(target, alias.name) for alias in node.names]
    return tuple(found)


@cache
def _literal(path: Path, name: str) -> dict[str, str]:
    """The dictionary that a file, or one of its classes, assigns to this name."""
    found: dict[str, str] = {}
    for node in _statements(_tree(path)):
        if _assigns(node, name):
            found |= ast.literal_eval(node.value)
    return found


def _assigns(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]


@cache
def _texts(path: Path) -> tuple[str, ...]:
    """The strings of a file that look like names in our packages, outside ``SOLVERS`` and ``HOMES``."""
    left_out = {
        id(text)
        for node in _statements(_tree(path))
        if _assigns(node, "SOLVERS") or _assigns(node, "HOMES")
        for text in ast.walk(node)
    }
    texts = (
        node for node in ast.walk(_tree(path)) if isinstance(node, ast.Constant) and id(node) not in left_out
    )
    return tuple(node.value for node in texts if isinstance(node.value, str) and NAME.fullmatch(node.value))


@cache
def _tree(path: Path) -> ast.Module:
    """The syntax tree without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    for node in (tree, *_statements(tree)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if documented and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree


def _statements(node: ast.AST, executed: bool = False) -> Iterator[ast.AST]:
    """Walk the tree without its expressions, which are most of it and hold no docstring.

    ``executed``: without what stands under TYPE_CHECKING.
    """
    for child in ast.iter_child_nodes(node):
        if executed and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from _statements(child, executed)


@cache
def _code(path: Path) -> str:
    return ast.dump(_tree(path))
