"""One arithmetic on every x86 processor: what is set, when, and that the libraries obey."""

import os

import numpy as np
import pytest
import simd_baseline
from numba.core.registry import cpu_target
from threadpoolctl import threadpool_info

from toprank.jit import array_max


def describe_machine(tmp_path, flags):
    file = tmp_path / "cpuinfo"
    file.write_text(f"processor : 0\nflags : {flags}\n")
    return file


def test_what_the_user_has_set_stays(tmp_path):
    environ = {"OPENBLAS_CORETYPE": "Zen"}
    simd_baseline.set_baseline(environ, describe_machine(tmp_path, "sse2 avx2 fma avx512f"))
    assert environ == simd_baseline.BASELINE_VARIABLES | {"OPENBLAS_CORETYPE": "Zen"}


@pytest.mark.parametrize("flags", ["sse2 avx", "avx2", None])
def test_no_change_without_these_instructions(tmp_path, flags):
    environ = {}
    simd_baseline.set_baseline(
        environ, tmp_path / "none" if flags is None else describe_machine(tmp_path, flags)
    )
    assert not environ


def test_the_libraries_of_these_tests_obey():
    if any(os.environ.get(name) != value for name, value in simd_baseline.BASELINE_VARIABLES.items()):
        pytest.skip("this processor has no AVX2, or the environment asks for another arithmetic")
    assert array_max(np.ones(2)) == 1.0
    _, *target = cpu_target.target_context.codegen().magic_tuple()
    assert target == [
        simd_baseline.BASELINE_VARIABLES["NUMBA_CPU_NAME"],
        simd_baseline.BASELINE_VARIABLES["NUMBA_CPU_FEATURES"],
    ]
    blas = [pool for pool in threadpool_info() if pool["internal_api"] == "openblas"]
    assert {pool["architecture"] for pool in blas} == {"Haswell"}
