"""Postpone imports that other libraries make, until they are needed."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


class _Postponed(ModuleType):
    """Stand-in for a module, which is imported when one of its attributes is looked up."""

    def __getattr__(self, name):
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def postponed(*names):
    """Postpone the import of these modules by the imports of the block, until their first use.

    scikit-learn imports scipy.stats and pandas for a few of its functions. They take more than half of its
    import time and memory. After the block the modules are imported as usual.

    Parameters
    ----------
    *names : str
        Dotted names of modules; modules that are already loaded are left alone.
    """
    stand_ins = {name: _Postponed(name) for name in names if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
