"""Every figure of the report, drawn from small tables whose numbers follow plain laws."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import query_rows
import report_rows
from matplotlib.figure import Figure

from reproduction.papers import paper
from reproduction.papers.kadkhodaie2015.convergence import figures as convergence_figures
from reproduction.papers.kadkhodaie2015.dirty_model import figure as dirty_figure
from reproduction.papers.kadkhodaie2015.scale import costs as scale
from reproduction.papers.kadkhodaie2015.suboptimality import profiles as suboptimality
from reproduction.papers.laporte2014 import figures as query_figures
from reproduction.papers.rakotomamonjy2012.paths import figure as path_figure
from reproduction.papers.rakotomamonjy2012.times import figure as times_figure
from reproduction.papers.rakotomamonjy2012.toy import figures as push_figures
from reproduction.papers.rakotomamonjy2012.toy.tables import REFERENCE_METHOD
from reproduction.reporting.figures import table1_plot as figures

FAMILY = ("toppush", "admm", "a2dm2", "a2dm2_restart", "exact")
TOY = ("l1_infinite_push", "l2_infinite_push", "l1_ranksvm", "rfe_infinite_push")
TIMED = ("l1_infinite_push", "l1_ranksvm", "l1_infinite_push_admm", "l1_infinite_push_admm_exact_prox")
ALGORITHMS = ("admm", "a2dm2", "a2dm2_restart")
LEVELS = (1e-2, 1e-4, 1e-6)


def convergence2() -> pd.DataFrame:
    """Rows of figure2.csv: 2000 iterations, of the exact solver seven; the objective falls to its optimum."""
    rows = []
    for i, method in enumerate(FAMILY):
        run = {"rho": 0.1 if i in (1, 2, 3) else np.nan, "published_stop": 300 + i if i < 3 else np.nan}
        run |= {"status": "max_iterations", "optimum": 0.9, "limit": 0.9 + 0.01 * (i in (2, 3))}
        for k in range(1, 8) if method == "exact" else [*range(1, 101), *range(110, 2001, 10)]:
            far = 10.0 ** (1 - k) if method == "exact" else k ** -(0.5 + i)
            step = {"method": method, "iteration": k, "seconds": 1e-3 * k * (1 + i), "suboptimality": far}
            step |= {"objective": 0.9 * (1 + far), "positives_at_top": int(30 * (1 - far)) + i}
            rows.append(run | step)
    return pd.DataFrame(rows)


def convergence3() -> pd.DataFrame:
    """Rows of figure3.csv: residuals of the ADMM family, and ROC curves of 500 steps of all."""
    rows = []
    for i, method in enumerate(FAMILY):
        run = {"method": method, "rho": 0.1 if i in (1, 2, 3) else np.nan, "status": "max_iterations"}
        run["published_stop"] = 300 if i < 3 else np.nan
        for k in range(1, 401) if i in (1, 2, 3) else ():
            step = {"kind": "residual", "iteration": k, "seconds": 1e-3 * k}
            rows.append(run | step | {"primal_residual": 1 / k**i, "dual_residual": 1 / k})
        for after in ("published stop", "all iterations"):
            for x in np.linspace(0.0, 1.0, 501):
                step = {"kind": "roc", "iterate": after, "false_positive_rate": x}
                rows.append(run | step | {"true_positive_rate": x ** (1 / (2 + i))})
    return pd.DataFrame(rows)


def traces() -> pd.DataFrame:
    """Rows of the dirty model's traces: three draws, and three settings varied."""
    rows = []
    for i, method in enumerate(ALGORITHMS):
        declared = [("declared", seed, 0.1, 1.0) for seed in range(3)]
        for kind, seed, mu, tau in (*declared, ("mu", 0, 0.01, 1.0), ("tau_share", 0, 0.1, 10.0)):
            for k in range(1, 301):
                gap = (1 + seed) * k ** -(1.0 + i) * (10 * mu)
                row = {"kind": kind, "seed": seed, "method": method, "iteration": k, "primal_residual": gap}
                row |= {"primal_gap": -gap, "feasible_gap": 3 * gap, "dual_gap": gap}
                row |= {"bound": 20 / (k + 1) ** 2}
                row |= {"optimal_objective": 10.0, "ridge": 1.0, "mu": mu, "eta": 0.999, "tau_share": tau}
                rows.append(row)
    return pd.DataFrame(rows)


def levels() -> pd.DataFrame:
    """Rows of suboptimality.csv: twelve problems; A2DM2 solves none, TopPush half to the first level."""
    rows = []
    for i, method in enumerate(FAMILY):
        for problem in range(12):
            for level in LEVELS:
                first_level_only = method == "toppush" and level == 1e-2 and problem < 6
                solved = first_level_only or method in ("admm", "exact")
                cost = 10.0 ** (i / 2) * (1 + problem) if solved else np.inf
                row = {"dataset": f"set{problem}", "feature_scaling": "raw", "alpha": 1.0, "method": method}
                row |= {"level": level, "seconds": cost / 100, "iterations": cost}
                row |= {"best_rho": True, "zero_suboptimality": 1.0}
                rows.append(row | {"status": "reached", "rho": np.nan, "smallest": 1e-3})
    return pd.DataFrame(rows)


def costs_of_size() -> pd.DataFrame:
    """Rows of scale.csv: two sizes and what is extrapolated."""
    rows = []
    for i, solver in enumerate(FAMILY):
        for kind, n in (("measured", 1000), ("measured", 100_000), ("extrapolated", 300_000)):
            row = {"kind": kind, "solver": solver, "rows": n, "features": 2000, "pass_seconds": 1e-6 * n}
            row |= {"seconds_per_iteration": (1 + i) * 1e-6 * n, "seconds": (1 + i) * 1e-4 * n}
            rows.append(row | {"status": "time_limit" if n > 1000 and i == 1 else "certified"})
    return pd.DataFrame(rows)


def toy_rates() -> pd.DataFrame:
    """Rows of R12's figure1.csv."""
    return pd.DataFrame(
        {"noise": noise, "rows": rows, "method": method, "mean": 1 - (i + noise / 50) / rows, "std": 0.05 * i}
        | {"trials": 20, "p_value": np.nan if method == REFERENCE_METHOD else 10.0 ** -(1 + i)}
        for noise in (20, 100)
        for rows in (50, 100, 150, 200, 300, 400)
        for i, method in enumerate(TOY)
    )


def retrieval() -> pd.DataFrame:
    """Rows of R12's figure2.csv."""
    return pd.DataFrame(
        {"noise": noise, "method": method, "trials": 20, "precision_std": 0.1, "f_measure_std": 0.1}
        | {"precision_mean": 0.9 / (1 + i), "f_measure_mean": 1 / (1 + i + noise / 100)}
        for noise in (10, 20, 50, 100, 200)
        for i, method in enumerate(TOY)
    )


def times() -> pd.DataFrame:
    """Rows of R12's figure3.csv: lines that end in the same place."""
    return pd.DataFrame(
        {"solver": solver, "noise": noise, "pairs": pairs, "seconds": (1 + 1e-3 * noise) * pairs**0.5 / 1e3}
        | {"status": "time_limit" if pairs > 1e8 and solver == "l1_ranksvm" else "certified"}
        for solver in TIMED
        for noise in (20, 100)
        for pairs in (100, 2500, 10**6, 10**9)
    )


def path(points: int = 40, curves: int = 30) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Points and weights of a path whose curves enter one after the other."""
    shares = np.geomspace(1.0, 1e-3, points)
    entered = np.clip(np.arange(points)[:, None] - np.arange(curves), 0, None)
    weights = entered * np.where(np.arange(curves) % 2, 1.0, -1.0) / points
    columns = {"dataset": "sonar", "share": shares, "rate_at_top": 0.5 * shares, "rate_at_top_train": shares}
    used = (weights != 0).sum(axis=1)
    of_curves = pd.DataFrame(weights).rename(columns=str).assign(share=shares)
    return pd.DataFrame(columns | {"n_variables": used, "n_groups": used}), of_curves


def all_figures(folder: Path) -> dict[str, Callable[[], Figure]]:
    """Name -> a function that draws it; files that are read back lie in `folder`."""
    k15 = report_rows.table1_of(report_rows.write_results(folder))
    l14 = query_rows.default_tables()
    push = k15.assign(
        **{
            f"{prefix}{ours}_{end}": k15[f"{prefix}{quantity}_{end}"] / scale
            for ours, quantity, scale in (("rate_at_top", "pos_at_top", 200), ("variables", "seconds", 1e-3))
            for prefix, end in itertools.product(("", "published_"), ("mean", "std"))
        }
    )
    points, weights = path()
    grouped = points.assign(n_variables=10 * points["n_groups"])
    return {
        "K15 Table 1": lambda: figures.draw_table1(k15, **paper("kadkhodaie2015").figures[0].options),
        "K15 Figure 1": lambda: dirty_figure.draw_figure1(traces()),
        "K15 Figure 2": lambda: convergence_figures.draw_figure2(convergence2()),
        "K15 Figure 3": lambda: convergence_figures.draw_figure3(convergence3()),
        "K15 profiles": lambda: suboptimality.draw_suboptimality(levels()),
        "K15 size": lambda: scale.draw_scale(costs_of_size()),
        "R12 Table 1": lambda: figures.draw_table1(push, **paper("rakotomamonjy2012").figures[0].options),
        "R12 Figure 1": lambda: push_figures.draw_figure1(toy_rates()),
        "R12 Figure 2": lambda: push_figures.draw_figure2(retrieval()),
        "R12 Figure 3": lambda: times_figure.draw_figure3(times()),
        "R12 path": lambda: path_figure.draw_path(points, weights),
        "R12 path of groups": lambda: path_figure.draw_path(grouped, weights.abs()),
        "L14 Figure 1": query_figures.draw_figure1,
        "L14 Figure 2": lambda: query_figures.draw_figure2(l14["table4"]),
        "L14 Figure 3": lambda: query_figures.draw_figure3(l14["table4"], l14["table5"]),
    }
