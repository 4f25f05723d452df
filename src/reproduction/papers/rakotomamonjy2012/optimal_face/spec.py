"""Record of the experiment ``optimal_face``: how many variables the optima of R12's l1 problems use."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

from reproduction.papers.rakotomamonjy2012.optimal_face.experiment import summarise_faces
from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.paper import Experiment, Table

METHODS = ("l1_infinite_push", "l1_ranksvm")
"""Methods with an l1 norm, whose optimum need not be unique."""


def _build_settings(study: Mapping, dataset: str) -> dict:
    """Return all that the results on a data set depend on: the shares are those of all grids of the study."""
    of_choice = study.get("multiverse", {}).get("choices", {}).get("share", [])
    fixed_shares = [share for share in of_choice if isinstance(share, Real)]
    return {
        "methods": [name for name in METHODS if name in study["methods"]],
        "shares": sorted({*study["shares"], *study.get("extra_shares", []), *fixed_shares}),
        "time_limit": study["optimal_face"]["time_limit"],
        "feature_scaling": study["datasets"][dataset][0],
    }


def _list_splits(study: Mapping, dataset: str) -> list[tuple[str, int]]:
    """List the splits of a data set that are used: its first ones."""
    return [(dataset, split) for split in range(min(study["optimal_face"]["splits"], study["splits"]))]


OPTIMAL_FACE = Experiment(
    "optimal_face",
    run="reproduction.papers.rakotomamonjy2012.optimal_face.experiment:run_experiment",
    parts=lambda study: study["optimal_face"]["datasets"],
    settings=_build_settings,
    split_inputs=_list_splits,
    tables=(
        Table(
            "optimal_face",
            lambda study: summarise_faces(study.read_experiment("optimal_face", "faces")),
            PlainCsv("reproduction.papers.rakotomamonjy2012.optimal_face.experiment:COLUMNS"),
        ),
    ),
)
