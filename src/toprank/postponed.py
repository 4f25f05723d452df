"""Imports that other libraries make for functions that are not called here: made when they are."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


class _Postponed(ModuleType):
    """Stands for a module until one of its attributes is looked up."""

    def __getattr__(self, name):
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def postponed(*names):
    """Let what is imported in the block import these modules at their first use.

    scikit-learn imports scipy.stats and pandas for a few of its functions: more than half of the time and of
    the memory that it takes to load. After the block the names are imported as ever.

    Parameters
    ----------
    *names : str
        Dotted names of modules; those that are loaded already stay as they are.
    """
    stand_ins = {name: _Postponed(name) for name in names if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
