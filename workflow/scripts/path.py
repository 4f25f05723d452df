"""Rule path: the regularisation path of one data set on its first split, as numbers and as a figure."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.data import load_prepared
from reproduction.data.splits import Splits
from reproduction.methods import standardise
from reproduction.papers.rakotomamonjy2012.figures import figure_path
from reproduction.papers.rakotomamonjy2012.paths import COLUMNS, regularisation_path
from reproduction.style import save_figure, words_only

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, snakemake.output
manifest = json.loads(Path(snakemake.input.manifest).read_text(encoding="utf-8"))
points, weights = [], np.empty((0, 0))
if manifest["status"] != "not obtained":
    prepared = load_prepared(Path(snakemake.input.arrays).parent)
    splits = Splits.load(snakemake.input.splits)
    train, test = splits.train(0), splits.test(0)
    X_train, X_test = standardise(prepared.X[train], prepared.X[test])
    groups = None
    if params.path["penalty"] == "group":
        groups = np.arange(X_train.shape[1]) // params.path["group_size"]
    shares = np.geomspace(params.smallest, 1.0, params.path["points"])
    points, weights = regularisation_path(
        X_train, prepared.y[train], X_test, prepared.y[test], shares, groups
    )
pd.DataFrame(points, columns=COLUMNS).to_csv(
    output.points, index=False, float_format="%.10g", lineterminator="\n"
)
pd.DataFrame(weights, index=[point["share"] for point in points]).to_csv(
    output.weights, index_label="share", float_format="%.10g", lineterminator="\n"
)
figure = (
    figure_path(pd.DataFrame(points), weights, params.path["penalty"] == "group")
    if points
    else words_only(f"not obtained: {manifest['reason']}")
)
save_figure(figure, output.figure)
