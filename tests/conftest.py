"""One profile of hypothesis: the same examples in every run; HYPOTHESIS_PROFILE=random asks for others.

With "first" the first failing example is told as it is: finding a smaller one takes time.
"""

import os

import arithmetic
import pytest
from hypothesis import Phase, settings

arithmetic.settle()  # as the studies: the same results everywhere, and kernels that are compiled once
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("random", derandomize=False, deadline=None)
settings.register_profile("first", derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """The tests of a file stay in one process, which makes what they share once; some files share a group."""
    for item in items if config.pluginmanager.hasplugin("xdist") else ():
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
