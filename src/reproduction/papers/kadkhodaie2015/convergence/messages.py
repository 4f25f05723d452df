"""Messages of Figures 2 and 3 of K15: how near the runs come to the optimum, and which stop."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.papers.kadkhodaie2015.convergence.figures import MIN_SUBOPTIMALITY, sum_residuals
from reproduction.plotting.messages import count_noun
from reproduction.specs.labels import method_label


def state_figure2(table: pd.DataFrame) -> str:
    """State how many runs reach the optimum, and which ends farthest from it.

    Parameters
    ----------
    table : DataFrame
        Rows of figure2.csv.

    Returns
    -------
    str
    """
    last = table.sort_values("iteration", kind="stable").groupby("method", sort=False).tail(1)
    last = last.set_index("method")["suboptimality"].clip(lower=MIN_SUBOPTIMALITY)
    last = last[np.isfinite(last)].sort_values()
    if last.empty:
        return "Every run diverged."
    n_exact = int((last == MIN_SUBOPTIMALITY).sum())  # the lower edge of the panel
    farthest = f"{method_label(last.index[-1])} ({last.iloc[-1]:.0e})"
    return (
        f"{n_exact} of {count_noun(len(last), 'method')} end within {MIN_SUBOPTIMALITY:.0e} of F*; "
        f"farthest: {farthest}."
    )


def state_figure3(table: pd.DataFrame) -> str:
    """State for how many runs the published rule holds, and where the residuals end.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.

    Returns
    -------
    str
    """
    residuals = sum_residuals(table).sort_values("iteration", kind="stable")
    if residuals.empty:
        return "No method of the ADMM family has residuals."
    last = residuals.groupby("method", sort=False).tail(1).set_index("method")
    n_stopped = int(last["published_stop"].notna().sum())
    ends = last.loc[np.isfinite(last["residual"]), "residual"].sort_values()
    sentence = f"The published rule stops {n_stopped} of {count_noun(len(last), 'method')}"
    if ends.empty:
        return f"{sentence}; every run diverged."
    names = [f"{ends[name]:.0e} ({method_label(name)})" for name in (ends.index[0], ends.index[-1])]
    return f"{sentence}; residuals end at {' to '.join(dict.fromkeys(names))}."
