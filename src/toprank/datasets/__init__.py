"""Data sets: registry, download, readers, generators, splits.

Names are loaded on first use, because the registry alone must load quickly.
"""

from importlib import import_module

_HOMES = {
    "DataError": "errors",
    "available_locally": "download",
    "fetch": "download",
    "Prepared": "prepare",
    "save_prepared": "prepare",
    "load_prepared": "prepare",
}
__all__ = list(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
