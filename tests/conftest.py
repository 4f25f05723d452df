"""One profile of hypothesis: the same examples in every run; HYPOTHESIS_PROFILE=random asks for others.

With "first" the first failing example is reported without shrinking, which takes time.
"""

import os

import pytest
import simd_baseline
from hypothesis import Phase, settings

simd_baseline.set_baseline()  # as in a study: the same results everywhere, kernels compiled once
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("random", derandomize=False, deadline=None)
settings.register_profile("first", derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Keep the tests of a file in one process, which makes their shared fixtures once."""
    for item in items if config.pluginmanager.hasplugin("xdist") else ():
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture
def empty_registry(tmp_path, monkeypatch):
    """Work in an empty folder, whose own_data.yaml is the registry of one's own."""
    from add_commands import clear_registry  # late: most tests add no data set

    from reproduction.datasets import registry

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)
    monkeypatch.setenv(registry.USER_REGISTRY_VARIABLE, str(tmp_path / "own_data.yaml"))
    yield
    clear_registry()
