"""Rule suboptimality_of: iterations and seconds to levels of suboptimality, on the first split."""

import csv
import gc
import json
from pathlib import Path

from reproduction.artefacts import WATCHED
from reproduction.data import load_prepared
from reproduction.data.splits import Splits
from reproduction.methods import scale_features
from reproduction.papers.kadkhodaie2015.levels import COLUMNS, suboptimality
from toprank.problems.rows import take_rows

params, dataset = snakemake.params, snakemake.wildcards.dataset
settings, methods = params.suboptimality, [name for name in WATCHED if name in params.methods]


def rows():
    """Yield block of features, method and its rows; a single one where the data set was not obtained."""
    manifest = json.loads(Path(snakemake.input.manifest).read_text(encoding="utf-8"))
    obtained = manifest["status"] != "not obtained"
    if obtained:
        prepared = load_prepared(Path(snakemake.input.arrays).parent)
        train = Splits.load(snakemake.input.splits).train(0)
    for features in params.features:
        if obtained:
            (X,) = scale_features(features, take_rows(prepared.X, train))
        for method in methods:
            if not obtained:
                yield features, method, [{"status": "not obtained", "message": manifest["reason"]}]
                continue
            limits = settings["max_iter"], settings["time_limit"]
            levels, rhos = (settings["alphas"], settings["levels"]), params.rhos.get(method, [])
            found = suboptimality(X, prepared.y[train], method, *levels, rhos, *limits, params.admm)
            yield features, method, found


with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for features, method, found in rows():
        identity = {"dataset": dataset, "features": features, "method": method}
        for row in found:
            short = {name: f"{v:.10g}" if isinstance(v, float) else v for name, v in row.items()}
            writer.writerow(identity | short)
            said = ("alpha", "rho", "level", "iterations", "status")
            print(features, method, {name: row.get(name) for name in said}, file=log, flush=True)
gc.freeze()  # or the end of the process walks through all that was imported
