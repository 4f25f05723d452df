"""Data sets: registry, download, readers, generators, splits.

Names are loaded on first use, because the registry alone must load quickly.
"""

from importlib import import_module

HOMES = {
    "DataError": "toprank.datasets.errors",
    "available_locally": "toprank.datasets.download",
    "fetch": "toprank.datasets.download",
    "Prepared": "toprank.datasets.prepare",
    "save_prepared": "toprank.datasets.prepare",
    "load_prepared": "toprank.datasets.prepare",
}
__all__ = list(HOMES)


def __getattr__(name):
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
