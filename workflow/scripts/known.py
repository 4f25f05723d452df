"""Rule known: metrics, splits, leaks, statistics, labels and verdicts against known answers."""

import sys

import pandas as pd

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

from reproduction.known import answers  # noqa: E402
from reproduction.whole import write_whole  # noqa: E402

write_whole(snakemake.output[0], pd.DataFrame(answers()).to_csv(index=False, lineterminator="\n"))
