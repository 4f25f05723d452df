"""Rule known_answers: metrics, splits, leaks, statistics, labels and verdicts against known answers.

The cases are those of `reproduction.verification.known_answers`; there is no input, and the output has a row
a case, in the columns of rule verify.
"""

import sys

import pandas as pd

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

from reproduction.core.atomic_io import atomic_write_text  # noqa: E402
from reproduction.verification.known_answers import run_checks  # noqa: E402

atomic_write_text(snakemake.output[0], pd.DataFrame(run_checks()).to_csv(index=False, lineterminator="\n"))
