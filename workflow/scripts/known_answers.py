"""Rule known: metrics, splits, leaks, statistics, labels and verdicts against known answers."""

import sys

import pandas as pd

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

from reproduction.core.atomic_io import write_whole  # noqa: E402
from reproduction.verification.known_answers import answers  # noqa: E402

write_whole(snakemake.output[0], pd.DataFrame(answers()).to_csv(index=False, lineterminator="\n"))
