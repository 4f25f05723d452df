"""Rule scale: the measured sizes, what a study would take on the training parts of epsilon, a figure."""

import sys

import pandas as pd

from reproduction.papers.kadkhodaie2015.scale import figure_scale, with_extrapolation
from reproduction.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, (written, *figures) = snakemake.params, snakemake.output
folds, splits, n_alphas = params.inner_folds, params.splits, len(params.alphas)
fits = {
    # the search on the inner folds and the chosen fit; the exact solver is given alpha, and fits the path
    "toppush": (splits * folds * n_alphas, splits),
    "exact": (0, splits * (n_alphas + 1)),
    **{method: (splits * folds * len(values), splits) for method, values in params.rhos.items()},
}
max_iter = {"toppush": 10_000, "exact": 200, **dict.fromkeys(params.rhos, params.max_iter)}
table = with_extrapolation(
    pd.concat([pd.read_csv(file) for file in snakemake.input], ignore_index=True),
    round((1.0 - params.test_fraction) * params.rows),
    max_iter,
    fits,
    1.0 - 1.0 / folds,
)
table.to_csv(written, index=False, float_format="%.10g", lineterminator="\n")
save_figure(figure_scale(pd.read_csv(written)), figures)
