"""A fit loads no code of the package that the digest of its rule does not cover."""

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest
from code_digest import collect_modules

from toprank import InfinitePush, RankSVM, TopPush

SOURCE = Path(__file__).resolve().parents[2] / "src"

#: Parameters beside the solver that may decide which modules are loaded.
PUSH_PENALTIES = [{"penalty": "l1"}, {"penalty": "l2"}, {"penalty": "group", "penalty__groups": [0, 0, 1]}]
VARIANTS = {
    "RankSVM": [*PUSH_PENALTIES, {"penalty": "adaptive-l1"}, {"penalty": "mcp"}],
    "InfinitePush": PUSH_PENALTIES,
}
#: Solver and a value that it does not take.
EXCLUDED = {("dual", "l1"), ("dual", "group")}

#: Fits each case in a process of its own, forked when the libraries are loaded and nothing of ours is.
PROGRAM = """
import json, os, sys
import highspy, clarabel, numba, numpy, scipy.optimize, scipy.sparse.linalg, sklearn.feature_selection

def loaded(module, name, params, is_of_queries):
    from reproduction.fitting.fit_rows import fit_grid
    from reproduction.fitting.method import Method
    rows = numpy.random.default_rng(0).normal(size=(12, 3))
    y = numpy.arange(12) % (3 if is_of_queries else 2)
    qid = numpy.arange(12) // 6 if is_of_queries else None
    method = Method(f"{module}.{name}", params)
    scales = {"alpha_max", "beta_max", "C_zero_max"}
    has_scale = any(hasattr(method.build(), scale) for scale in scales)
    # as in the studies, which give the alpha of TopPush itself
    grid = {"alpha": [0.5]} if name == "TopPush" else {"share": [0.5]} if has_scale else {}
    (row,) = fit_grid(method, grid, rows, y, lambda model, row, i: model.decision_function(rows), qid)
    ours = [module for module in sys.modules if module.split(".")[0] in ("toprank", "reproduction")]
    return row["status"], row["message"], [m for m in ours if not hasattr(sys.modules[m], "__path__")]

assert not any(module.startswith(("toprank", "reproduction")) for module in sys.modules)
for case in json.loads(sys.argv[1]):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, json.dumps(loaded(*case)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        print(answer.read())
    os.waitpid(child, 0)
"""


def estimators():
    """Yield module, name and ``SOLVERS`` of each estimator, from its text alone as the digest reads it."""
    for path in sorted((SOURCE / "toprank/estimators").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            attributes = node.body if isinstance(node, ast.ClassDef) else []
            for statement in attributes:
                if isinstance(statement, ast.Assign) and statement.targets[0].id == "SOLVERS":
                    module = f"toprank.estimators.{path.stem}"
                    yield module, node.name, ast.literal_eval(statement.value)


def cases():
    """Yield module, name, parameters, whether the rows are of queries, and the module of the solver."""
    for module, name, solvers in estimators():
        class_ = getattr(import_module(module), name)
        defaults = class_().get_params()
        for solver, function in solvers.items():
            for variant in VARIANTS.get(name, [{}]):
                if any((solver, str(value)) in EXCLUDED for value in variant.values()):
                    continue
                options = {"solver": solver, "max_iter": 20}
                params = {key: value for key, value in options.items() if key in defaults} | variant
                is_of_queries = name in ("RankSVM", "FenchelRank", "FSMRank")
                yield module, name, params, is_of_queries, function.partition(":")[0]


@pytest.fixture(scope="module")
def fits():
    """Return the cases, and of each the status, the message and the modules that it loaded."""
    run = list(cases())
    # without compilation: 12 rows need none
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, json.dumps([case[:-1] for case in run])]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stderr
    return list(zip(run, map(json.loads, process.stdout.splitlines()), strict=True))


def test_a_fit_loads_what_its_digest_covers(fits):
    of_module = {module: solvers for module, _, solvers in estimators()}
    for (module, name, params, _, solver), (status, message, loaded) in fits:
        assert status != "failed", f"{name} {params}: {message}"
        (key, *_) = (key for key, function in of_module[module].items() if function.startswith(f"{solver}:"))
        covered = collect_modules("reproduction.fitting.fit_rows", source=SOURCE) | collect_modules(
            module, solver=key, source=SOURCE
        )
        uncovered = set(loaded) - covered
        assert not uncovered, f"{name} {params} loads what is not named: {sorted(uncovered)}"
        assert solver in loaded, f"{name} {params} names a solver that it does not run"


def test_every_solver_is_fitted(fits):
    fitted = {(case[1], case[-1]) for case, _ in fits}
    named = {(name, f.partition(":")[0]) for _, name, solvers in estimators() for f in solvers.values()}
    assert fitted == named
    assert len({name for name, _ in named}) == 6


def test_a_solver_is_in_the_digest_of_its_own_fits_only():
    for module, _, solvers in estimators():
        for key, function in solvers.items():
            homes = {other.partition(":")[0] for other in solvers.values()} - {function.partition(":")[0]}
            assert not homes & collect_modules(module, solver=key, source=SOURCE)


def test_the_solvers_read_from_the_text_are_those_of_the_class():
    for module, name, solvers in estimators():
        assert solvers == getattr(import_module(module), name).SOLVERS
        for function in solvers.values():
            home, _, own_name = function.partition(":")
            assert callable(getattr(import_module(home), own_name))


def test_each_solver_is_an_object_that_names_it():
    for model in (InfinitePush, RankSVM, TopPush):
        assert list(model.CHOICES["solver"]) == list(model.SOLVERS)
        for name, choice in model.CHOICES["solver"].items():
            home, _, own_name = model.SOLVERS[name].partition(":")
            parameters = signature(getattr(import_module(home), own_name)).parameters
            assert set(choice().options()) <= set(parameters), f"{model.__name__}, {name}"
    of_rfe = import_module("toprank.estimators.rfe").RFEInfinitePush.SOLVERS
    assert of_rfe.items() <= InfinitePush.SOLVERS.items()
