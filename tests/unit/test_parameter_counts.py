"""A function has few parameters: what belongs together is one, a small frozen record or a tuple."""

import ast
from pathlib import Path

from test_names import sources

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "workflow", "examples", "docs")
MAX_PARAMETERS = 8

KERNEL_REASON = (
    "compiled by numba and called once a sweep: the arrays that it changes in place stand beside those that "
    "it reads, each by its own name; what is only read together (blocks, constants) is a tuple already"
)
#: (file, function) -> why it has more.
ACCEPTED = {
    ("src/toprank/solvers/admm_sweeps.py", "_update_rows"): KERNEL_REASON,
    ("src/toprank/solvers/admm_sweeps.py", "sweep_dense"): KERNEL_REASON,
    ("src/toprank/solvers/admm_sweeps.py", "sweep_stored"): KERNEL_REASON,
    ("src/toprank/solvers/admm_sweeps.py", "sweep_csr"): KERNEL_REASON,
    ("src/toprank/solvers/dual_gradient.py", "_take_gradient_step"): KERNEL_REASON,
    ("src/toprank/solvers/dual_gradient.py", "_finish_projection"): KERNEL_REASON,
    ("src/toprank/problems/pairwise_kernels.py", "compute_hessian_factors"): KERNEL_REASON,
    ("src/toprank/problems/pairwise_kernels.py", "compute_hessian_products"): KERNEL_REASON,
}


def count_parameters(function):
    """Return the number of named parameters without that of the object itself."""
    names = [
        part.arg for part in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    ]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def functions(tree):
    """Yield the functions of a tree, also those inside others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def is_constructor_of_estimator(path, function):
    """Whether it is a constructor whose parameters scikit-learn reads and searches, each by its own name."""
    return "estimators" in path.parts and function.name == "__init__"


def test_no_function_has_many_parameters():
    """Only the named kernels have more than eight, and each of them still does."""
    longer = {
        (path.as_posix(), function.name)
        for path, _, tree in sources(ROOT, FOLDERS)
        for function in functions(tree)
        if count_parameters(function) > MAX_PARAMETERS and not is_constructor_of_estimator(path, function)
    }
    assert longer == set(ACCEPTED)


def test_what_has_more_is_compiled():
    """The exception is for kernels alone."""
    for file, name in ACCEPTED:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        function = next(function for function in functions(tree) if function.name == name)
        decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
        assert len(decorators) == 1 and "njit" in decorators[0]


def test_parameters_of_every_kind_are_counted():
    """Positional and keyword parameters count, the object and what is gathered by ``*`` do not."""
    (function,) = functions(ast.parse("def f(self, a, /, b, *rows, c=1, **options): pass"))
    assert count_parameters(function) == 3
