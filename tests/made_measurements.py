"""Measurements of made numbers: published values beside ours by default and in other specifications."""

import numpy as np
import pandas as pd

from reproduction.comparison.measurements import build_measurements
from reproduction.specs.multiverse import DEFAULT
from reproduction.specs.published_values import NUMBER_KEY

METHODS = ("toppush", "admm", "a2dm2", "a2dm2_restart")


def make_measurements(published, ours, *, margin=0.5, artefact="table1", **options):
    """Measurements on fixed folds, so that the margin decides.

    `published` and `ours`: {data set: numbers of the methods}; `options`: {name: {data set: numbers}}, where
    "x" stands for the specification "x=1" and "x_y" for "x=1; y=1".
    """
    cases = {DEFAULT: ours}
    cases |= {
        "; ".join(f"{choice}=1" for choice in name.split("_")): values for name, values in options.items()
    }
    results, rows = [], []
    for dataset, numbers in published.items():
        for place, number in enumerate(numbers):
            key = dict(zip(NUMBER_KEY, (artefact, dataset, METHODS[place], "pos_at_top"), strict=True))
            results.append(key | {"number": number, "deviation": np.nan})
            for specification, values in cases.items():
                if dataset in values:
                    row = {"specification": specification, "changes": specification.count("=")}
                    row |= {"ours_mean": values[dataset][place], "default_mean": ours[dataset][place]}
                    rows.append(key | row | {"ours_std": np.nan, "default_std": np.nan, "splits": 5})
    results = pd.DataFrame(results)
    margins = {tuple(key): margin for key in results[NUMBER_KEY].itertuples(index=False, name=None)}
    return build_measurements(pd.DataFrame(rows), results, margins, 0)


def join_tables(*tables):
    """Make one set of measurements of several tables without other specifications."""
    numbers = pd.concat([table.numbers for table in tables], ignore_index=True)
    results = numbers.rename(columns={"published": "number", "published_std": "deviation"})
    rows = numbers.assign(specification=DEFAULT, changes=0, splits=5, ours_std=np.nan)
    rows["ours_mean"] = np.concatenate([table.default.mean for table in tables])
    rows = rows.assign(default_mean=rows["ours_mean"], default_std=np.nan)
    keys = numbers[NUMBER_KEY].itertuples(index=False, name=None)
    return build_measurements(rows, results, dict(zip(keys, numbers["margin"], strict=True)), 0)
