"""Record of the experiment ``paths``: regularisation paths."""

from __future__ import annotations

import pandas as pd

from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.paper import Experiment, Figure, Table
from reproduction.specs.study_results import Study


def _read_weights(study: Study, part: str) -> pd.DataFrame:
    """Read the weights of a path; no row where it was not fitted."""
    rows = study.read_experiment("paths", f"path_{part}_weights", part)
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=["share"])


PATHS = Experiment(
    "paths",
    run="reproduction.papers.rakotomamonjy2012.paths.experiment:run_experiment",
    parts=lambda study: list(study["paths"]),
    settings=lambda study, part: {**study["paths"][part], "smallest": min(study["shares"])},
    split_inputs=lambda study, part: [(part, 0)],
    tables=(
        Table(
            "path_{part}",
            lambda study, part: [
                {"dataset": part} | row for row in study.read_experiment("paths", f"path_{part}", part)
            ],
            PlainCsv("reproduction.papers.rakotomamonjy2012.paths.figure:PATH_COLUMNS"),
        ),
        Table("path_{part}_weights", _read_weights, PlainCsv()),
    ),
    figures=(
        Figure(
            "path_{part}",
            "Regularisation path on {part}",
            "Weights of the certified optimum on the first split, or the norms of groups of weights, against "
            "λ as a share of λ_max. A curve begins where its weight leaves 0; the first eight are coloured "
            "and numbered in order, the others grey. Below: rate at the top and number in use. Beyond the "
            "paper.",
            tables=("path_{part}", "path_{part}_weights"),
            draw="reproduction.papers.rakotomamonjy2012.paths.figure:draw_path",
            alt_text="Regularisation path on {part}: weights, and below them the rate at the top.",
            message="reproduction.papers.rakotomamonjy2012.paths.figure:state_path",
            plot_data="reproduction.papers.rakotomamonjy2012.paths.figure:select_path_data",
        ),
    ),
)
