"""Claims judged on made outcomes: a row a specification, data set, method and split."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from reproduction.papers import paper
from reproduction.specs.multiverse import complete_specifications
from reproduction.specs.paper import import_object
from reproduction.specs.published_values import read_published_values

R12, L14, K15 = "rakotomamonjy2012", "laporte2014", "kadkhodaie2015"
PUBLISHED_VALUES = {name: read_published_values(paper(name).published_values) for name in (R12, L14, K15)}


def judge_claim(name, claim, status="obtained", **tables):
    """Judge one claim of a paper by some tables, beside its published numbers; ``status``: of cod-rna."""
    specifications = complete_specifications(tables["outcomes"]) if "outcomes" in tables else {}
    data = pd.DataFrame({"dataset": ["cod-rna"], "status": [status]})
    of_paper = {"data": data, "published_values": PUBLISHED_VALUES[name], "specifications": specifications}
    study = SimpleNamespace(tables=tables, file=lambda name: name == "data.csv", table=tables.get, **of_paper)
    return next(
        candidate for candidate in import_object(paper(name).claims) if candidate.name == claim
    ).evaluate(study)


def verdicts(name, *claims, **tables):
    """The verdicts on some claims of a paper, all judged by the same tables."""
    return [judge_claim(name, claim, **tables).verdict for claim in claims]


def rows(values, metric, splits=10, spread=0.01, specification="default", seed=0):
    """Readings of one metric; ``values``: (data set, method) -> mean. The noise of a split is shared."""
    noise = spread * np.random.default_rng(seed).normal(size=splits)
    records = [(*case, k, value + noise[k]) for case, value in values.items() for k in range(splits)]
    table = pd.DataFrame(records, columns=["dataset", "method", "split", metric])
    return table.assign(specification=specification)


def make_outcomes(datasets, **methods):
    return {(dataset, method): value for dataset in datasets for method, value in methods.items()}
