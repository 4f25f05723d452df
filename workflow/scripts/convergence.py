"""Rule convergence: the methods on one split, iteration by iteration, and Figures 2 and 3 of K15."""

import csv
import json
from pathlib import Path

import pandas as pd

from reproduction.artefacts import WATCHED
from reproduction.data import load_prepared
from reproduction.data.splits import Splits
from reproduction.papers.kadkhodaie2015.convergence_figures import figure2, figure3
from reproduction.papers.kadkhodaie2015.watched import FIGURE2_COLUMNS, FIGURE3_COLUMNS, follow
from reproduction.style import save_figure
from toprank.problems.rows import take_rows

settings, admm = snakemake.params.convergence, snakemake.params.admm
identity = {name: settings[name] for name in ("dataset", "features", "split")}
methods = [method for method in WATCHED if method in ("toppush", "exact") or method in settings["rhos"]]


def followed():
    """Yield the method, its rows of Figure 2 and those of Figure 3, for each method."""
    manifest = json.loads(Path(snakemake.input.manifest[0]).read_text(encoding="utf-8"))
    if manifest["status"] == "not obtained":
        for method in methods:
            row = {"method": method, "status": "not obtained", "message": manifest["reason"]}
            yield method, [row], [row]
        return
    prepared = load_prepared(Path(snakemake.input.arrays[0]).parent)
    splits = Splits.load(snakemake.input.splits[0])
    train, test = splits.train(settings["split"]), splits.test(settings["split"])
    parts = [part for rows in (train, test) for part in (take_rows(prepared.X, rows), prepared.y[rows])]
    cost = settings["alpha"], settings["iterations"], settings["every"]
    for method in methods:
        rho = settings["rhos"].get(method)
        yield method, *follow(*parts, method, *cost, rho, admm, settings["features"])


def writer(file, columns):
    """Begin a table."""
    begun = csv.DictWriter(file, columns, lineterminator="\n")
    begun.writeheader()
    return begun


tables, figures = snakemake.output[:2], snakemake.output[2:]
with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    open(tables[0], "w", newline="", encoding="utf-8") as first,
    open(tables[1], "w", newline="", encoding="utf-8") as second,
):
    writers = writer(first, FIGURE2_COLUMNS), writer(second, FIGURE3_COLUMNS)
    for method, *found in followed():
        for table, rows in zip(writers, found, strict=True):
            for row in rows:
                short = {name: f"{v:.10g}" if isinstance(v, float) else v for name, v in row.items()}
                table.writerow(identity | short)
        print(f"{method}: {len(found[0])} iterations, {found[0][-1]['status']}", file=log, flush=True)
save_figure(figure2(pd.read_csv(tables[0])), figures[:3])
save_figure(figure3(pd.read_csv(tables[1])), figures[3:])
