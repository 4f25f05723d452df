"""Record of the experiment ``facts``: facts of a data set."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.datasets import registry
from reproduction.specs.paper import Experiment


def list_datasets(study: Mapping) -> list[str]:
    """List the data sets of one list, in the default specification.

    Parameters
    ----------
    study : mapping
        Settings of the study.

    Returns
    -------
    list of str
    """
    other = study.get("other_class", {})
    return [name for name in study["datasets"] if name not in other and registry.get(name).task != "graded"]


FACTS = Experiment(
    "facts",
    run="reproduction.papers.across.facts.experiment:run_experiment",
    parts=list_datasets,
    split_inputs=lambda study, part: [(part, 0)],
)
