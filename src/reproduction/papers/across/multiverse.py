"""Multiverse analysis of the study's own choices: selection metric, feature scaling, positive class."""

from __future__ import annotations

import pandas as pd

from reproduction.fitting.ranking_metrics import METRICS
from reproduction.papers.across.results import select_reported_fits
from reproduction.specs.metrics import LABELS
from reproduction.specs.multiverse import OUTCOME_KEY, Choice, Specifications
from reproduction.specs.study_results import Study

OUTCOME_QUANTITIES = (*METRICS, "n_variables")
REPORTED_METRIC = "reported"
DEFAULT_SCALING = "standardised"

CHOICES = (
    Choice(
        "selection_metric",
        "Metric of the validation",
        "Each metric is reported for the candidate selected by the same metric.",
        REPORTED_METRIC,
        {REPORTED_METRIC: "the metric that is reported"} | {name: LABELS[name] for name in METRICS},
    ),
    Choice(
        "feature_scaling",
        "Scaling of the features",
        "Features have mean 0 and variance 1 on the training part.",
        DEFAULT_SCALING,
        {DEFAULT_SCALING: "standardised", "raw": "as distributed"},
    ),
    Choice(
        "positive",
        "Which class is positive",
        "The smaller class is positive.",
        "smaller",
        {"smaller": "the smaller one", "other": "the other one"},
    ),
)


def build_outcomes(study: Study) -> pd.DataFrame:
    """Build a row for each specification, data set, method and split.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `OUTCOME_KEY`, zero_model, status, and `OUTCOME_QUANTITIES`.
    """
    specifications, other_class = (
        Specifications(CHOICES, study.settings),
        study.settings.get("other_class", {}),
    )
    first_scalings = {name: scalings[0] for name, scalings in study.settings["datasets"].items()}
    frames = []
    for metric in specifications.options["selection_metric"]:
        fits = select_reported_fits(study.fits, "" if metric == REPORTED_METRIC else metric)
        fits = fits[fits[METRICS[0]].notna()]
        # fingerprints are never standardised: what comes first for a data set is its default
        is_default = fits["feature_scaling"] == fits["dataset"].map(first_scalings)
        scaling = fits["feature_scaling"].mask(is_default, DEFAULT_SCALING)
        options = pd.DataFrame({"feature_scaling": scaling}).assign(
            selection_metric=metric, positive="smaller"
        )
        options.loc[fits["dataset"].isin(other_class.keys()), "positive"] = "other"
        options = options[options.isin(specifications.options).all(axis=1)]
        identities = list(map(specifications.identify, options.to_dict("records")))
        fits = fits.join(pd.DataFrame(identities, options.index, ["specification", "changes"]), how="right")
        zero, dataset = (fits["weight_norm"] == 0).astype(int), fits["dataset"].replace(other_class)
        # a data set with the other class as positive goes by the name of the original
        fits = fits.assign(dataset=dataset, zero_model=zero)
        frames.append(fits[[*OUTCOME_KEY, "zero_model", "status", *OUTCOME_QUANTITIES]])
    return pd.concat(frames, ignore_index=True)
