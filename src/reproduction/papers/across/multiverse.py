"""What the study leaves open itself: the measure that chooses, the scaling, the class that is positive."""

from __future__ import annotations

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.fitting.multi_metric import METRICS
from reproduction.papers.across.results import reported
from reproduction.specs.metrics import LABELS
from reproduction.specs.multiverse import IDENTITY, Axis, Universes

QUALITIES = (*METRICS, "n_variables")
OWN = "reported"

AXES = (
    Axis(
        "choice",
        "Measure of the validation",
        "Each measure is reported for the candidate that it chose itself.",
        OWN,
        {OWN: "the measure that is reported"} | {name: LABELS[name] for name in METRICS},
    ),
    Axis(
        "scaling",
        "Scaling of the features",
        "Features have mean 0 and variance 1 on the training part.",
        "standardised",
        {"standardised": "standardised", "raw": "as distributed"},
    ),
    Axis(
        "positive",
        "Which class is positive",
        "The smaller class is positive.",
        "smaller",
        {"smaller": "the smaller one", "other": "the other one"},
    ),
)


def readings(study: Study) -> pd.DataFrame:
    """One row a universe, data set, method and split: the columns of `IDENTITY`, and `QUALITIES`."""
    universes, other = Universes(AXES, study.settings), study.settings.get("other_class", {})
    frames = []
    for choice in universes.levels["choice"]:
        fits = reported(study.fits, "" if choice == OWN else choice)
        fits = fits[fits[METRICS[0]].notna()]
        levels = fits[["features"]].set_axis(["scaling"], axis=1).assign(choice=choice, positive="smaller")
        levels.loc[fits["dataset"].isin(other.keys()), "positive"] = "other"
        levels = levels[levels.isin(universes.levels).all(axis=1)]
        named = list(map(universes.named, levels.to_dict("records")))
        fits = fits.join(pd.DataFrame(named, levels.index, ["universe", "changes"]), how="right")
        zero, dataset = (fits["weight_norm"] == 0).astype(int), fits["dataset"].replace(other)
        fits = fits.assign(dataset=dataset, zero_model=zero)
        frames.append(fits[[*IDENTITY, "zero_model", "status", *QUALITIES]])
    return pd.concat(frames, ignore_index=True)
