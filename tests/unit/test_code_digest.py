"""The digest of the code behind a rule changes with that code, and with nothing else."""

import os
from functools import partial
from itertools import count
from pathlib import Path

import code_digest as digest_module
import pytest
from code_digest import SOURCE, code_digest, collect_modules, save_cache
from doc_code_blocks import write_files

from reproduction.papers import PAPERS, paper

ROOT = Path(__file__).resolve().parents[2]

FILES = {
    "toprank/__init__.py": (
        "from .solvers.fast import solve\n\nEXPORT_MODULES = {'Model': 'toprank.models'}\n"
    ),
    "toprank/maths.py": '"""Sums."""\nLIMIT = 3\n\n\ndef total(x):\n    """Sum."""\n    return sum(x)\n',
    "toprank/tools/__init__.py": "from .inner import helper\nfrom .unrelated import other\n",
    "toprank/tools/inner.py": "def helper():\n    return 1\n",
    "toprank/tools/unrelated.py": "def other():\n    return 2\n",
    "toprank/solvers/__init__.py": "",
    "toprank/solvers/fast.py": (
        "import os\n\nfrom toprank.tools import helper\n\nfrom ..maths import total\n\n\n"
        "def solve(x):\n    from . import slow  # late\n    return total(x) + helper()\n"
    ),
    "toprank/solvers/slow.py": "def crawl():\n    return 0\n",
    "toprank/solvers/exact.py": "def solve():\n    return 5\n",
    "toprank/models.py": (
        "class Model:\n    SOLVERS = {\n        'fast': 'toprank.solvers.fast:solve',\n"
        "        'exact': 'toprank.solvers.exact:solve',\n    }\n"
    ),
    "toprank/named.py": "ESTIMATOR = 'toprank.Model'\n",
}
SCRIPT = "from toprank.solvers import fast\n\nfast.solve(snakemake.params.x)\n"


@pytest.fixture
def digest_with(tmp_path):
    """Return a function: the digest of the script beside a copy of the package with some files edited."""
    number = count()

    def digest(edits=None, remove=()):
        source = tmp_path / str(next(number))
        write_files(FILES | (edits or {}), source)
        for name in remove:
            (source / name).unlink()
        return code_digest("script", source=source)

    return digest


@pytest.fixture(autouse=True)
def script(tmp_path, monkeypatch):
    """A script of a rule, which imports solvers.fast."""
    monkeypatch.setattr(digest_module, "SCRIPTS", tmp_path / "scripts")
    (tmp_path / "scripts").mkdir()
    path = tmp_path / "scripts/script.py"
    path.write_text(SCRIPT)
    yield path
    digest_module._load_cache.cache_clear()  # of this script, and of what a test made of the code


NON_CODE_FILES = [
    ("toprank/solvers/fast.py", "  # late", ""),
    ("toprank/solvers/fast.py", "return total(x)", "return (  # brackets\n        total(x))"),
    ("toprank/maths.py", '"""Sum."""', '"""Add up."""'),
    ("toprank/maths.py", '"""Sums."""\n', "# no docstring any more\n"),
    ("toprank/solvers/exact.py", "return 5", "return 6"),  # another solver
    ("toprank/tools/unrelated.py", "return 2", "return 3"),  # only beside the name that is imported
    ("toprank/__init__.py", ".solvers.fast", ".solvers.fast  "),
]
CODE = [
    ("toprank/solvers/fast.py", "+ helper()", "- helper()"),
    ("toprank/maths.py", "LIMIT = 3", "LIMIT = 4"),
    ("toprank/maths.py", "sum(x)", "sum(x, 1)"),
    ("toprank/tools/inner.py", "return 1", "return -1"),  # through the __init__ of its package
    ("toprank/solvers/slow.py", "return 0", "return 1"),  # imported late, in a function
]


@pytest.mark.parametrize(("name", "old", "new"), NON_CODE_FILES + CODE)
def test_what_changes_the_digest(digest_with, name, old, new):
    assert old in FILES[name]
    is_changed = digest_with({name: FILES[name].replace(old, new)}) != digest_with()
    assert is_changed == ((name, old, new) in CODE)


def test_digests_are_remembered_until_a_byte_of_the_source_changes(tmp_path, monkeypatch):
    write_files(FILES, tmp_path / "src")
    monkeypatch.setattr(digest_module, "SOURCE", tmp_path / "src")
    monkeypatch.setattr(digest_module, "CACHE_FILE", tmp_path / "digests.json")
    named = partial(code_digest, "script", source=tmp_path / "src")

    def new_process():
        for part in (
            "_load_cache",
            "_compute_fingerprint",
            "_find_path",
            "_list_imports",
            "_parse_tree",
            "_dump_code",
            "_read_literal",
            "_list_member_names",
        ):
            getattr(digest_module, part).cache_clear()

    first = named()
    save_cache()
    new_process()
    with monkeypatch.context() as context:
        context.setattr(digest_module, "collect_modules", None)  # nothing is parsed again
        assert named() == first
    (tmp_path / "src/toprank/maths.py").write_text(FILES["toprank/maths.py"].replace("sum(x)", "sum(x, 1)"))
    new_process()
    assert named() != first


def test_an_edit_of_the_script_changes_the_digest_and_a_new_time_stamp_does_not(digest_with, script):
    before = digest_with()
    os.utime(script, (1e9, 1e9))
    script.write_text("# what the rule does\n" + SCRIPT)
    digest_module._parse_tree.cache_clear()
    assert digest_with() == before
    script.write_text(SCRIPT.replace("params.x", "params.y"))
    for part in ("_parse_tree", "_dump_code"):
        getattr(digest_module, part).cache_clear()
    assert digest_with() != before


def list_covered(tmp_path, *modules, **options):
    write_files(FILES, tmp_path)
    return {name.removeprefix("toprank.") for name in collect_modules(*modules, source=tmp_path, **options)}


def test_closure_follows_imports_names_in_texts_and_the_solvers_of_an_estimator(tmp_path):
    fast = {"solvers.fast", "maths", "tools.inner", "solvers.slow"}
    assert list_covered(tmp_path, "toprank.solvers.fast") == fast
    assert list_covered(tmp_path, "toprank.named") == {"named", "models", "solvers.exact", *fast}
    assert list_covered(tmp_path, "toprank.models", solver="exact") == {"models", "solvers.exact"}
    with pytest.raises(ValueError, match=r"no solver 'exat' in toprank\.models"):
        list_covered(tmp_path, "toprank.models", solver="exat")


def test_an_unknown_module_is_named(digest_with):
    with pytest.raises(ValueError, match=r"no module 'toprank\.solvers\.fats'"):
        code_digest("script", "toprank.solvers.fats")
    with pytest.raises(ValueError, match=r"no module 'toprank\.maths'"):
        digest_with(remove=["toprank/maths.py"])


@pytest.mark.parametrize(
    ("script", "used", "module"),
    [
        # its alpha_max is the scale of every point
        ("run_experiment", "rakotomamonjy2012.times.experiment", "toprank.estimators.infinite_push"),
        ("run_experiment", "rakotomamonjy2012.times.experiment", "toprank.solvers.regularisation_max"),
        ("run_experiment", "kadkhodaie2015.suboptimality.experiment", "toprank.solvers.admm"),
        ("run_experiment", "kadkhodaie2015.convergence.experiment", "reproduction.verification.cvxpy_models"),
        ("splits", "", "reproduction.datasets.prepared_data"),
    ],
)
def test_the_digest_of_a_rule_covers_what_its_script_reaches(tmp_path, monkeypatch, script, used, module):
    """The tests above show that a digest follows the code; here one module gets other code."""
    monkeypatch.setattr(digest_module, "SCRIPTS", ROOT / "workflow/scripts")
    monkeypatch.setattr(digest_module, "CACHE_FILE", tmp_path / "none")
    modules = [f"reproduction.papers.{used}"] if used else []
    before = code_digest(script, *modules)
    file, code = SOURCE.joinpath(*module.split(".")).with_suffix(".py"), digest_module._dump_code
    monkeypatch.setattr(digest_module, "_dump_code", lambda path: code(path) + "ADDED = 1" * (path == file))
    digest_module._load_cache.cache_clear()
    assert code_digest(script, *modules) != before


@pytest.mark.parametrize("name", PAPERS)
def test_the_digest_of_a_paper_covers_the_functions_that_it_names(name):
    """A name composed at run time is not followed: an edit of its function would rerun nothing."""
    record = paper(name)
    figures = [*record.figures, *(figure for block in record.experiments for figure in block.figures)]
    fields = ("draw", "alt_text", "message", "plot_data")
    named = [getattr(figure, field) for figure in figures for field in fields]
    named += [record.search, record.outcomes, record.compare, record.claims]
    named += [block.run for block in record.experiments]
    modules = {words.partition(":")[0] for words in named if words.startswith("reproduction.")}
    assert modules and modules <= collect_modules(PAPERS[name].partition(":")[0])


def test_the_real_package_has_a_digest_for_each_module():
    modules = [
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(SOURCE.rglob("*.py"))
    ]
    assert len({code_digest("script", module) for module in modules}) > 0.9 * len(modules) > 100
