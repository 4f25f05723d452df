"""Sparse and top-of-the-list ranking: three papers' solvers, each with a certificate.

Names are imported on first use: code that needs none of the estimators loads neither scikit-learn nor numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.3.0"

EXPORT_MODULES = {
    "FSMRank": "toprank.estimators.fsm_rank",
    "FenchelRank": "toprank.estimators.fenchel_rank",
    "InfinitePush": "toprank.estimators.infinite_push",
    "InfinitePushCV": "toprank.estimators.infinite_push_cv",
    "RFEInfinitePush": "toprank.estimators.rfe",
    "RankSVM": "toprank.estimators.ranksvm",
    "RankSVMCV": "toprank.estimators.ranksvm_cv",
    "TopPush": "toprank.estimators.top_push",
    "TopPushCV": "toprank.estimators.top_push_cv",
    "L1": "toprank.penalties.convex",
    "SquaredL2": "toprank.penalties.convex",
    "ElasticNet": "toprank.penalties.elastic_net",
    "GroupL2": "toprank.penalties.convex",
    "MCP": "toprank.penalties.concave",
    "Log": "toprank.penalties.concave",
    "Lp": "toprank.penalties.concave",
    "SCAD": "toprank.penalties.concave",
    "ProxNewton": "toprank.solvers.solver_specs",
    "FISTA": "toprank.solvers.solver_specs",
    "MonotoneFISTA": "toprank.solvers.solver_specs",
    "Exact": "toprank.solvers.solver_specs",
    "DualGradient": "toprank.solvers.solver_specs",
    "ADMM": "toprank.solvers.solver_specs",
    "A2DM2": "toprank.solvers.solver_specs",
    "A2DM2Restart": "toprank.solvers.solver_specs",
    "PairADMM": "toprank.solvers.solver_specs",
    "PairDual": "toprank.solvers.solver_specs",
    "make_ranking_scorer": "toprank.scorers",
    "path": "toprank.paths",
    "TwoBlock": "toprank.problems.two_block",
    "Restart": "toprank.solvers.alternating_directions",
    "AdaptiveTau": "toprank.solvers.alternating_directions",
    "solve_two_block": "toprank.solvers.two_block:solve",
}
__all__ = list(EXPORT_MODULES)


if TYPE_CHECKING:  # what EXPORT_MODULES names, for editors and type checkers
    from toprank.estimators.fenchel_rank import FenchelRank as FenchelRank
    from toprank.estimators.fsm_rank import FSMRank as FSMRank
    from toprank.estimators.infinite_push import InfinitePush as InfinitePush
    from toprank.estimators.infinite_push_cv import InfinitePushCV as InfinitePushCV
    from toprank.estimators.ranksvm import RankSVM as RankSVM
    from toprank.estimators.ranksvm_cv import RankSVMCV as RankSVMCV
    from toprank.estimators.rfe import RFEInfinitePush as RFEInfinitePush
    from toprank.estimators.top_push import TopPush as TopPush
    from toprank.estimators.top_push_cv import TopPushCV as TopPushCV
    from toprank.paths import path as path
    from toprank.penalties.concave import MCP as MCP
    from toprank.penalties.concave import SCAD as SCAD
    from toprank.penalties.concave import Log as Log
    from toprank.penalties.concave import Lp as Lp
    from toprank.penalties.convex import L1 as L1
    from toprank.penalties.convex import GroupL2 as GroupL2
    from toprank.penalties.convex import SquaredL2 as SquaredL2
    from toprank.penalties.elastic_net import ElasticNet as ElasticNet
    from toprank.problems.two_block import TwoBlock as TwoBlock
    from toprank.scorers import make_ranking_scorer as make_ranking_scorer
    from toprank.solvers.alternating_directions import AdaptiveTau as AdaptiveTau
    from toprank.solvers.alternating_directions import Restart as Restart
    from toprank.solvers.solver_specs import A2DM2 as A2DM2
    from toprank.solvers.solver_specs import ADMM as ADMM
    from toprank.solvers.solver_specs import FISTA as FISTA
    from toprank.solvers.solver_specs import A2DM2Restart as A2DM2Restart
    from toprank.solvers.solver_specs import DualGradient as DualGradient
    from toprank.solvers.solver_specs import Exact as Exact
    from toprank.solvers.solver_specs import MonotoneFISTA as MonotoneFISTA
    from toprank.solvers.solver_specs import PairADMM as PairADMM
    from toprank.solvers.solver_specs import PairDual as PairDual
    from toprank.solvers.solver_specs import ProxNewton as ProxNewton
    from toprank.solvers.two_block import solve as _solve

    solve_two_block = _solve
else:

    def __getattr__(name: str) -> object:
        """Import a public name on first use (PEP 562)."""
        if name in EXPORT_MODULES:
            module, _, own_name = EXPORT_MODULES[name].partition(":")
            return getattr(import_module(module), own_name or name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
