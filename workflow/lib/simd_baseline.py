"""The same sums on every x86 processor: the instructions that the compiled kernels and BLAS may use.

Numba, OpenBLAS and numpy choose their code by the processor. Wider vectors add in another order, and an
iteration that runs to its limit carries the last digit up to the seventh. x86 processors since 2013 have AVX2
and FMA: with these alone, all of them take the same code.
"""

import os
from collections.abc import MutableMapping
from pathlib import Path

BASELINE_VARIABLES = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx2,+fma",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_ENABLE_CPU_FEATURES": "X86_V3",
}


def set_baseline(
    environ: MutableMapping[str, str] = os.environ, cpu_info: Path = Path("/proc/cpuinfo")
) -> None:
    """Set the variables of `BASELINE_VARIABLES` that the user has not set, if the processor has AVX2 and FMA.

    Parameters
    ----------
    environ : MutableMapping[str, str], optional
        Variables of the environment; changed in place.
    cpu_info : pathlib.Path, optional
        File in which Linux describes the processor.
    """
    try:
        flags = set(cpu_info.read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        return
    # on older processors the user's defaults stay: the kernels would not run with these
    if {"avx2", "fma"} <= flags:
        for name, value in BASELINE_VARIABLES.items():
            environ.setdefault(name, value)
