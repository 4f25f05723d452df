"""A job computes with as many threads as its rule asks for, here one, whatever the caller exports."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.pipeline

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SCRIPT = f"""
import os
from pathlib import Path
Path(snakemake.output[0]).write_text(" ".join(os.environ[name] for name in {VARIABLES}))
"""
RULES = """
rule all:
    input:
        "one",
        "two",

rule one:
    output:
        "one",
    script:
        "job.py"

rule two:
    output:
        "two",
    threads: 2
    script:
        "job.py"
"""


def test_snakemake_hands_the_threads_of_a_rule_to_openmp_and_blas(tmp_path):
    (tmp_path / "Snakefile").write_text(RULES)
    (tmp_path / "job.py").write_text(SCRIPT)
    run = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2"],
        cwd=tmp_path,
        env=os.environ | dict.fromkeys(VARIABLES, "7"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert run.returncode == 0, run.stdout
    assert (tmp_path / "one").read_text() == "1 1 1" and (tmp_path / "two").read_text() == "2 2 2"
