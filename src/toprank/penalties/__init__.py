"""The penalties on the weights, imported on first use as in `toprank`; `Penalty` is their interface."""

from importlib import import_module

HOMES = {
    "L1": "toprank.penalties.convex",
    "GroupL2": "toprank.penalties.convex",
    "Penalty": "toprank.penalties.convex",
    "SquaredL2": "toprank.penalties.convex",
    "MCP": "toprank.penalties.concave",
    "SCAD": "toprank.penalties.concave",
    "Concave": "toprank.penalties.concave",
    "Log": "toprank.penalties.concave",
    "Lp": "toprank.penalties.concave",
}
__all__ = list(HOMES)


def __getattr__(name):
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
