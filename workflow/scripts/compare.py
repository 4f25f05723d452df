"""Rule compare: every printed number beside ours, and which feature block comes nearer to it."""

import sys
from pathlib import Path

import pandas as pd

from toprank.reporting.comparison import to_csv
from toprank.reporting.findings import nearer_features
from toprank.reporting.studies import PROTOCOLS
from toprank.reporting.top_ranking import TABLE1 as TOP_RANKING

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

protocols = snakemake.params.protocols
files = {name: {} for name in protocols}
for path in map(Path, snakemake.input):
    files[path.parent.name][path.name] = path
comparisons = [PROTOCOLS[protocols[name]].compare(of_study) for name, of_study in files.items()]
to_csv(pd.concat(comparisons, ignore_index=True), snakemake.output.comparison)
blocks = [
    nearer_features(TOP_RANKING.read(of_study["table1.csv"]))
    for name, of_study in files.items()
    if protocols[name] == "top_ranking"
]
nearer = (
    pd.concat(blocks, ignore_index=True) if blocks else pd.DataFrame(columns=["study", "dataset", "nearer"])
)
nearer.to_csv(
    snakemake.output.features, index=False, float_format="%.10g", na_rep="not run", lineterminator="\n"
)
