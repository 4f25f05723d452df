"""Sparse and top-of-the-list ranking: three papers' solvers, each with a certificate.

Names are imported on first use: code that needs none of the estimators loads neither scikit-learn nor numba.
"""

from importlib import import_module

__version__ = "0.2.0"

HOMES = {
    "FSMRank": "toprank.estimators.fsm_rank",
    "FenchelRank": "toprank.estimators.fenchel_rank",
    "InfinitePush": "toprank.estimators.infinite_push",
    "RankSVM": "toprank.estimators.ranksvm",
    "TopPush": "toprank.estimators.top_push",
    "L1": "toprank.penalties.convex",
    "SquaredL2": "toprank.penalties.convex",
    "GroupL2": "toprank.penalties.convex",
    "MCP": "toprank.penalties.concave",
    "Log": "toprank.penalties.concave",
    "Lp": "toprank.penalties.concave",
    "SCAD": "toprank.penalties.concave",
    "ProxNewton": "toprank.solvers.choice",
    "FISTA": "toprank.solvers.choice",
    "MonotoneFISTA": "toprank.solvers.choice",
    "Exact": "toprank.solvers.choice",
    "DualGradient": "toprank.solvers.choice",
    "ADMM": "toprank.solvers.choice",
    "A2DM2": "toprank.solvers.choice",
    "A2DM2Restart": "toprank.solvers.choice",
    "PairADMM": "toprank.solvers.choice",
    "PairDual": "toprank.solvers.choice",
    "make_ranking_scorer": "toprank.scorers",
    "path": "toprank.paths",
    "TwoBlock": "toprank.problems.two_block",
    "solve_two_block": "toprank.solvers.two_block:solve",
}
__all__ = list(HOMES)


def __getattr__(name):
    if name in HOMES:
        module, _, own_name = HOMES[name].partition(":")
        return getattr(import_module(module), own_name or name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
