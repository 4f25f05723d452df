"""The penalties on the weights, imported on first use as in `toprank`; `Penalty` is their interface."""

from importlib import import_module
from typing import TYPE_CHECKING

EXPORT_MODULES = {
    "L1": "toprank.penalties.convex",
    "ElasticNet": "toprank.penalties.elastic_net",
    "GroupL2": "toprank.penalties.convex",
    "Penalty": "toprank.penalties.base",
    "SquaredL2": "toprank.penalties.convex",
    "MCP": "toprank.penalties.concave",
    "SCAD": "toprank.penalties.concave",
    "Concave": "toprank.penalties.concave",
    "Log": "toprank.penalties.concave",
    "Lp": "toprank.penalties.concave",
}
__all__ = list(EXPORT_MODULES)


if TYPE_CHECKING:  # what EXPORT_MODULES names, for editors and type checkers
    from toprank.penalties.base import Penalty as Penalty
    from toprank.penalties.concave import MCP as MCP
    from toprank.penalties.concave import SCAD as SCAD
    from toprank.penalties.concave import Concave as Concave
    from toprank.penalties.concave import Log as Log
    from toprank.penalties.concave import Lp as Lp
    from toprank.penalties.convex import L1 as L1
    from toprank.penalties.convex import GroupL2 as GroupL2
    from toprank.penalties.convex import SquaredL2 as SquaredL2
    from toprank.penalties.elastic_net import ElasticNet as ElasticNet
else:

    def __getattr__(name: str) -> object:
        """Import a penalty on first use (PEP 562)."""
        if name in EXPORT_MODULES:
            return getattr(import_module(EXPORT_MODULES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
