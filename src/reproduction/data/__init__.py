"""Data sets: registry, download, readers, generators, splits.

Names are loaded on first use, because the registry alone must load quickly.
"""

from importlib import import_module

HOMES = {
    "DataError": "reproduction.data.errors",
    "available_locally": "reproduction.data.download",
    "fetch": "reproduction.data.download",
    "Prepared": "reproduction.data.prepare",
    "save_prepared": "reproduction.data.prepare",
    "load_prepared": "reproduction.data.prepare",
}
__all__ = list(HOMES)


def __getattr__(name):
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
