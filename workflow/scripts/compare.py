"""Rule compare: every printed number beside ours, and which feature block comes nearer to it."""

import sys

import pandas as pd

from toprank.reporting.comparison import compare, to_csv
from toprank.reporting.findings import nearer_features
from toprank.reporting.studies import PROTOCOLS

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

protocols = snakemake.params.protocols
tables = {
    name: PROTOCOLS[protocols[name]].form.read(path)
    for name, path in zip(protocols, snakemake.input, strict=True)
}
to_csv(pd.concat(map(compare, tables.values()), ignore_index=True), snakemake.output.comparison)
blocks = [nearer_features(table) for name, table in tables.items() if protocols[name] == "top_ranking"]
nearer = (
    pd.concat(blocks, ignore_index=True) if blocks else pd.DataFrame(columns=["study", "dataset", "nearer"])
)
nearer.to_csv(
    snakemake.output.features, index=False, float_format="%.10g", na_rep="not run", lineterminator="\n"
)
