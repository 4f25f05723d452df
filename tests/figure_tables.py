"""Made tables of figures, whose numbers can be counted by hand."""

import numpy as np
import pandas as pd

from reproduction.reporting.figures.table1 import Panel
from reproduction.specs.multiverse import DEFAULT

PANELS = (Panel("rate_at_top", "Rate at the top (share)", "share"), Panel("seconds", "Time (s)", "seconds"))


def frame(columns, *rows):
    return pd.DataFrame(list(rows), columns=columns.split())


def table1(published=0.5):
    """Three lanes: ours .5 ± .1, .6 ± .05 and .7 ± .2; seconds 1 ± .1, 2 and 4 against twice as many."""
    columns = "dataset feature_scaling method data_status rate_at_top_mean rate_at_top_std seconds_mean"
    columns += " seconds_std published_rate_at_top_mean published_rate_at_top_std published_seconds_mean"
    columns += " published_seconds_std"
    rows = [
        (name, "raw", method, "obtained", rate, std, time, 0.1, published, np.nan, 2 * time, np.nan)
        for name, method, rate, std, time in (
            ("a", "l1_ranksvm", 0.5, 0.1, 1.0),
            ("a", "toppush", 0.6, 0.05, 2.0),
            ("b", "toppush", 0.7, 0.2, 4.0),
        )
    ]
    table = frame(columns, *rows)
    return (
        table if published else table.assign(published_seconds_mean=np.nan, published_rate_at_top_mean=np.nan)
    )


def specifications(published=0.5):
    """Two data sets in four specifications: the published .5 is reached on the first of them alone."""
    values = {"a": (0.4, 0.45, 0.55, 0.6), "b": (0.1, 0.1, 0.1, 0.2)}
    names = (DEFAULT, "ties=most", "stop=10", "ties=most; stop=10")
    return frame(
        "specification dataset method quantity published ours_mean default_mean",
        *(
            (name, dataset, "toppush", "map", published, ours, of_set[0])
            for dataset, of_set in values.items()
            for name, ours in zip(names, of_set, strict=True)
        ),
    )


def ranks(n_datasets=6):
    """Mean ranks 1, 2 and 3 at a critical difference of 1.5: one pair of three is apart."""
    return frame(
        "feature_scaling metric method mean_rank critical_difference n_datasets n_methods",
        *(("raw", "map", f"m{i}", i, 1.5, n_datasets, 3) for i in (1, 2, 3)),
    )


def scores():
    """Two data sets: m1 has the best mean score (.75) and is the best of one."""
    rows = [("x", "m1", 0.9, 1.0), ("x", "m2", 0.5, 0.0), ("y", "m1", 0.7, 0.5), ("y", "m2", 0.8, 1.0)]
    rows = [("raw", "map", *row) for row in [*rows, ("y", "m3", 0.6, 0.0), ("x", "m3", 0.5, 0.0)]]
    return frame("feature_scaling metric dataset method mean score", *rows)


def results():
    """Three lists: a is the best of two by the rate at the top, b of all three by average precision."""
    columns = "dataset method rate_at_top_mean average_precision_mean certified_share reason n_variables_mean"
    rows = [("x", "a", 0.9, 0.5), ("x", "b", 0.1, 0.6), ("y", "a", 0.9, 0.5), ("y", "b", 0.1, 0.6)]
    rows += [("z", "a", 0.1, 0.5), ("z", "b", 0.9, 0.6)]
    return frame(
        f"{columns} data_features search_seconds",
        *((*row, 1.0, "none", 2 if row[1] == "a" else 8, 10, 3.0 if row[1] == "a" else 1.0) for row in rows),
    )


def toy_rates():
    rows = [(20, n, m, mean, p) for n in (50, 100) for m, mean, p in (("a", 0.9, 0.01), ("b", 0.8, 0.2))]
    rows += [(20, 200, "a", 0.7, 0.04), (20, 200, "b", 0.8, 0.5), (20, 200, "c", 0.5, np.nan)]
    return frame("noise rows method mean p_value", *rows)


def traces():
    rows = [
        (
            "declared",
            seed,
            method,
            k,
            1.0,
            0.1,
            0.999,
            1.0,
            1.0 / k,
            -1.0,
            1.0,
            10.0**power / (1 if k > 1 else 1e-3),
        )
        for seed in (0, 1)
        for method, power in (("admm", -2), ("a2dm2", -4))
        for k in (1, 50)
    ]
    columns = (
        "kind seed method iteration ridge mu eta tau_share primal_residual primal_gap feasible_gap dual_gap"
    )
    return frame(columns, *rows).assign(bound=np.nan, optimal_objective=1.0)


def levels():
    rows = [
        (f"d{i}", "raw", 1.0, method, 1e-6, seconds, seconds, True, 1.0, "reached")
        for i in range(4)
        for method, seconds in (("exact", 1.0), ("admm", 2.0 if i < 3 else np.inf))
    ]
    columns = (
        "dataset feature_scaling alpha method level seconds iterations best_rho zero_suboptimality status"
    )
    return frame(columns, *rows)


def table4(published=0.5):
    rows = [("x", 0.2), ("y", 0.6), ("z", 0.3)]
    columns = "dataset feature_scaling method method_group data_status sparsity_ratio_mean sparsity_ratio_std"
    return frame(
        f"{columns} published_sparsity_ratio",
        *((name, "raw", "l1_ranksvm", "paper", "obtained", ratio, 0.1, published) for name, ratio in rows),
    )


def table5():
    """MAP of two methods on two data sets: .02 and .10 apart, with an error of .1 / 2 each."""
    rows = [("x", "m1", 0.40), ("x", "m2", 0.42), ("y", "m1", 0.30), ("y", "m2", 0.40)]
    columns = "dataset method map_mean feature_scaling method_group map_std splits_used published_relation"
    table = frame(columns, *((*row, "raw", "paper", 0.1, 4, "none") for row in rows))
    return table.assign(published_value=np.nan)


def sizes():
    rows = [
        (solver, n, cost * n * 1e-6, 1e-6 * n)
        for n in (10, 1000)
        for solver, cost in (("admm", 3), ("exact", 9))
    ]
    columns = "solver rows seconds_per_iteration pass_seconds"
    return frame(columns, *rows).assign(kind="measured", status="certified", features=5)
