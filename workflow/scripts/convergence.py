"""Rule convergence: one method on one split, iteration by iteration."""

import csv
import gc
import json
from pathlib import Path

params, method = snakemake.params, snakemake.wildcards.method
settings = params.convergence
identity = {name: settings[name] for name in ("dataset", "features", "split")}


def rows():
    """Rows of Figure 2 and of Figure 3; a single one each where the data set was not obtained."""
    manifest = json.loads(Path(snakemake.input.manifest).read_text(encoding="utf-8"))
    if manifest["status"] == "not obtained":
        row = {"method": method, "status": "not obtained", "message": manifest["reason"]}
        return [row], [row]
    # only now: a data set that is not there costs no import
    from toprank.convergence import follow
    from toprank.datasets import load_prepared
    from toprank.datasets.splits import Splits
    from toprank.problems.rows import take_rows

    prepared = load_prepared(Path(snakemake.input.arrays).parent)
    splits = Splits.load(snakemake.input.splits)
    train, test = splits.train(settings["split"]), splits.test(settings["split"])
    return follow(
        take_rows(prepared.X, train),
        prepared.y[train],
        take_rows(prepared.X, test),
        prepared.y[test],
        method,
        settings["alpha"],
        settings["iterations"],
        settings["every"],
        settings["rhos"].get(method),
        params.admm,
        settings["features"],
    )


def write(path, columns, found):
    """Write one table, numbers to ten digits."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for row in found:
            short = {name: f"{v:.10g}" if isinstance(v, float) else v for name, v in row.items()}
            writer.writerow(identity | short)


with Path(snakemake.log[0]).open("w", encoding="utf-8") as log:
    from toprank.convergence import FIGURE2_COLUMNS, FIGURE3_COLUMNS

    tables = rows()
    write(snakemake.output.figure2, FIGURE2_COLUMNS, tables[0])
    write(snakemake.output.figure3, FIGURE3_COLUMNS, tables[1])
    print(f"{len(tables[0])} iterations, {tables[0][-1]['status']}", file=log)
gc.freeze()  # or the end of the process walks through all that was imported
