"""A digest of the code that a rule runs, since Snakemake does not notice edits below src/.

Each rule has in ``params`` the digest of its script and of all modules that the script imports. Snakemake
reruns the rule if the digest changes, not if a file has a new time stamp. The digest is taken of the syntax
trees without docstrings, so comments, docstrings and layout do not count.

All imports are followed, also those in functions, and strings that name a module or one of its members, such
as ``"toprank.InfinitePush"``. An estimator lists its solvers in its literal ``SOLVERS`` (name ->
"module:function"): all of them are followed, or only the one that a rule uses. If a package's ``__init__``
provides a name, by an import or by its literal ``EXPORT_MODULES``, only the module that defines the name
is followed.
A new Python version may change the digest.

Hundreds of jobs need the digests of the same modules, so they are computed once per process; no file below
src/ may change meanwhile. Each job on a cluster starts one or two Snakemake processes that read all rules. A
run therefore saves its digests in .snakemake, where they are valid until the code changes.
"""

import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from reproduction.core.atomic_io import atomic_write_text

PACKAGES = ("toprank", "reproduction")
WORKFLOW = Path(__file__).resolve().parents[1]
SOURCE = WORKFLOW.parent / "src"
SCRIPTS = WORKFLOW / "scripts"
MEMBER_NAME = re.compile(rf"(?:{'|'.join(PACKAGES)})(\.\w+)+(:\w+)?")
CACHE_FILE = Path(".snakemake/code_digests.json")


def code_digest(script: str, *modules: str, solver: str | None = None, source: Path = SOURCE) -> str:
    """Return 16 hexadecimal digits that change when the code that a rule runs does.

    Parameters
    ----------
    script : str
        Name of the rule's script, without folder and suffix.
    *modules : str
        Further modules, which the script loads by name, such as an estimator's.
    solver : str, optional
        Key of the ``SOLVERS`` of these modules, if only one of them is used; by default all are followed.
    source : pathlib.Path, optional
        Folder of the package.

    Returns
    -------
    str
        The digits.
    """
    # digests of one process, and those of an earlier one over the same code
    digests, key = _load_cache(source), " ".join((script, *modules, str(solver)))
    if key not in digests:
        path = SCRIPTS / f"{script}.py"
        digest = hashlib.sha256(_dump_code(path).encode())
        script_modules = _list_used_modules(path, script, source)
        covered_modules = collect_modules(*script_modules, source=source) | collect_modules(
            *modules, solver=solver, source=source
        )
        for module in sorted(covered_modules):
            digest.update(f"{module}\n{_dump_code(_find_path(module, source))}\n".encode())
        # 64 bits are enough: a chance collision is out of the question
        digests[key] = digest.hexdigest()[:16]
    return digests[key]


def save_cache() -> None:
    """Save the digests of this process for later ones; call it in ``onstart``, when the jobs are known."""
    content = {"of": _compute_fingerprint(SOURCE), "digests": _load_cache(SOURCE)}
    # written under another name first: a job that reads it meanwhile sees the old file
    atomic_write_text(CACHE_FILE, json.dumps(content))


@cache
def _load_cache(source: Path) -> dict[str, str]:
    """Return modules -> digest: those that `save_cache` saved, if the code is the same, and later ones."""
    try:
        saved = json.loads(CACHE_FILE.read_text(encoding="utf-8")) if source == SOURCE else None
    except (OSError, ValueError):  # no run yet, or a damaged file: the digests are computed again
        saved = None
    return saved["digests"] if saved and saved["of"] == _compute_fingerprint(source) else {}


@cache
def _compute_fingerprint(source: Path) -> str:
    """Return a digest of every byte below ``source``, the scripts, this module and the version of Python."""
    digest = hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes())
    for folder in (source, SCRIPTS):
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"\n{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def collect_modules(*modules: str, solver: str | None = None, source: Path = SOURCE) -> set[str]:
    """Return the given modules and, recursively, those of our packages that they import or name as solvers.

    Parameters
    ----------
    *modules : str
        Dotted names of modules.
    solver : str, optional
        Key of the ``SOLVERS`` of these modules, if only one of them is used; by default all are followed.
    source : pathlib.Path, optional
        Folder of the package.

    Returns
    -------
    set[str]
        Dotted names.

    Raises
    ------
    ValueError
        A module does not exist, or none of the given ones has the solver.
    """
    collected: set[str] = set()
    queue = list(modules)
    # an estimator with a solver that it does not have would silently lose a part of the digest
    if solver is not None and not any(
        solver in _read_literal(_require_path(name, source), "SOLVERS") for name in modules
    ):
        raise ValueError(f"code_digest found no solver {solver!r} in {', '.join(modules)}.")
    while queue:
        module = queue.pop()
        if module in collected:
            continue
        path = _require_path(module, source)
        collected.add(module)
        solvers = _read_literal(path, "SOLVERS")
        # Only the estimator itself has the choice of a solver; what it imports may use all of its own.
        used_solvers = [solvers[solver]] if module in modules and solver in solvers else solvers.values()
        queue += [home.partition(":")[0] for home in used_solvers]
        queue += _list_used_modules(path, module, source)
    return collected


def _list_used_modules(path: Path, module: str, source: Path) -> list[str]:
    """List the modules of our packages that a file imports, or names in a string outside its ``SOLVERS``."""
    # imports of our packages alone: versions of others are recorded in the environment
    members = [
        (target, name) for target, name in _list_imports(path, module) if target.split(".")[0] in PACKAGES
    ]
    for text in _list_member_names(path):
        # names as "module:function" in strings are imported on use, and belong to the code too
        parent, _, member = text.partition(":")[0].rpartition(".")
        if parent and (_find_path(f"{parent}.{member}", source) or _find_path(parent, source)):
            members.append((parent, member))
    return [_find_provider(target, name, source) for target, name in members]


def _require_path(module: str, source: Path) -> Path:
    path = _find_path(module, source)
    if path is None:
        raise ValueError(f"code_digest found no module {module!r} below src/.")
    return path


def _find_provider(target: str, name: str | None, source: Path) -> str:
    """Return the module that ``from target import name`` (or, without a name, ``import target``) needs."""
    if name is None:
        return target
    # a submodule that is imported by name
    if _find_path(f"{target}.{name}", source):
        return f"{target}.{name}"
    # a name that a package passes on: the module where it is defined
    path = _find_path(target, source)
    if path and path.name == "__init__.py":
        home = _read_literal(path, "EXPORT_MODULES").get(name, "").partition(":")[0]
        if home:
            return home
        for origin, imported in _list_imports(path, target):
            if imported == name and origin != target:
                return _find_provider(origin, name, source)
    return target


@cache
def _find_path(module: str, source: Path) -> Path | None:
    base = source.joinpath(*module.split("."))
    candidates = (base.with_name(f"{base.name}.py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def _list_imports(path: Path, module: str) -> tuple[tuple[str, str | None], ...]:
    """Return (module, name) of each import in the file at ``path``, wherever it stands."""
    imports: list[tuple[str, str | None]] = []
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in _walk_statements(_parse_tree(path), executed=True):
        if isinstance(node, ast.Import):
            imports += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # A relative import: one dot is the package of the file, each further one its parent.
            base = package[: len(package) - node.level + 1] if node.level else []
            target = ".".join([*base, *filter(None, [node.module])])
            imports += [(target, alias.name) for alias in node.names]
    return tuple(imports)


@cache
def _read_literal(path: Path, name: str) -> dict[str, str]:
    """Return the dictionary that a file, or one of its classes, assigns to this name."""
    entries: dict[str, str] = {}
    for node in _walk_statements(_parse_tree(path)):
        if _is_assignment(node, name):
            entries |= ast.literal_eval(node.value)
    return entries


def _is_assignment(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]


@cache
def _list_member_names(path: Path) -> tuple[str, ...]:
    """List the strings of a file that look like our names, outside ``SOLVERS`` and ``EXPORT_MODULES``."""
    excluded = {
        id(text)
        for node in _walk_statements(_parse_tree(path))
        if _is_assignment(node, "SOLVERS") or _is_assignment(node, "EXPORT_MODULES")
        for text in ast.walk(node)
    }
    texts = (
        node
        for node in ast.walk(_parse_tree(path))
        if isinstance(node, ast.Constant) and id(node) not in excluded
    )
    return tuple(
        node.value for node in texts if isinstance(node.value, str) and MEMBER_NAME.fullmatch(node.value)
    )


@cache
def _parse_tree(path: Path) -> ast.Module:
    """Return the syntax tree without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    for node in (tree, *_walk_statements(tree)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        # edits of docstrings change no result
        if documented and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree


def _walk_statements(node: ast.AST, executed: bool = False) -> Iterator[ast.AST]:
    """Walk the statements of a tree; its expressions are most of it and hold no docstring.

    Parameters
    ----------
    node : ast.AST
        Root of the tree, which is not yielded.
    executed : bool, optional
        Whether to leave out what stands under TYPE_CHECKING.
    """
    for child in ast.iter_child_nodes(node):
        if executed and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from _walk_statements(child, executed)


@cache
def _dump_code(path: Path) -> str:
    return ast.dump(_parse_tree(path))
