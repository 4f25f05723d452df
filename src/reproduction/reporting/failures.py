"""The expected statuses of fits, and the list of unexpected ones."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from reproduction.core.results import read_text, to_numbers
from reproduction.datasets.summary import ACCEPTED_VERDICTS, VERDICT_REFUSED
from toprank.certificate import SUCCESS_STATUSES

DEFAULT_STATUSES = (*SUCCESS_STATUSES, "stalled", "max_iterations", "fitted")
"""The published stops may end at the cap on iterations: that is a finding of the table, not a failure of the
run. "fitted" is the word of a method that is not ours."""

CERTIFIED_METHODS = (
    *("exact", "l1_infinite_push", "l2_infinite_push", "rfe_infinite_push"),
    *("l1_ranksvm", "l2_ranksvm", "adaptive_l1_ranksvm", "toppush_exact"),
)
CERTIFIED_STATUSES = dict.fromkeys(CERTIFIED_METHODS, ("certified",))
"""The exact solvers must end with a certificate."""

FAILURE_COLUMNS = ("study", "dataset", "feature_scaling", "method", "split", "role", "status", "message")
WRONG_CHECKSUM_PATTERN = "wrong checksum|not the one that was added"
"""Words of the reason if a file has another content than expected. That is a failure of the run, since the
data may have changed silently; a site that is down is none."""


def read_statuses(path: str | Path) -> pd.DataFrame:
    """Read the columns of the collected fits of a study that `list_failures` needs.

    Parameters
    ----------
    path : path-like
        File of the collected fits.

    Returns
    -------
    pandas.DataFrame
        The columns of `FAILURE_COLUMNS`; ``split`` is a number.
    """
    return to_numbers(read_text(path, FAILURE_COLUMNS), ["split"], path)


def list_expected_statuses(
    method: str, overrides: Mapping[str, Iterable[str]] | None = None
) -> tuple[str, ...]:
    """Return the statuses that a fit of this method may end with.

    Parameters
    ----------
    method : str
        Name of the method.
    overrides : mapping of str to iterable of str, optional
        The configuration's `expected_status`: method -> statuses. It wins over the default method by method.

    Returns
    -------
    tuple of str
        ``not obtained`` is always among them: whether missing data are an error is the setting
        `missing_data`. So is ``not feasible``: its row says why a method cannot rank the set.
    """
    # a method may be expected to fail in a study: the configuration says with which status
    expected = (overrides or {}).get(method, CERTIFIED_STATUSES.get(method, DEFAULT_STATUSES))
    return (*expected, "not obtained", "not feasible")


def select_unexpected_fits(
    fits: pd.DataFrame, overrides: Mapping[str, Iterable[str]] | None = None
) -> pd.DataFrame:
    """Select the fits of any role that ended with a status unexpected for their method.

    Parameters
    ----------
    fits : pandas.DataFrame
        The collected fits of a study.
    overrides : mapping of str to iterable of str, optional
        The configuration's `expected_status`: method -> statuses. It wins over the default method by method.

    Returns
    -------
    pandas.DataFrame
        These fits, with the columns of `FAILURE_COLUMNS`.
    """
    is_unexpected = [
        status not in list_expected_statuses(method, overrides)
        for method, status in zip(fits["method"], fits["status"], strict=True)
    ]
    return fits.loc[is_unexpected, list(FAILURE_COLUMNS)]


def select_refused_datasets(data: pd.DataFrame) -> pd.DataFrame:
    """Select the data sets with a refused or unreadable file, or with unexpected counts.

    A refused file does not count if another source gave a good one.

    Parameters
    ----------
    data : pandas.DataFrame
        The table of data sets.

    Returns
    -------
    pandas.DataFrame
        Its rows of these data sets.
    """
    refused = data["reason"].str.lower().str.contains(WRONG_CHECKSUM_PATTERN)
    return data[((data["status"] != "obtained") & refused) | ~data["verdict"].isin(ACCEPTED_VERDICTS)]


def list_failures(
    fits: Iterable[pd.DataFrame],
    data: pd.DataFrame,
    overrides: Mapping[str, Iterable[str]] | None = None,
    missing_data: str = "skip",
) -> pd.DataFrame:
    """List every fit and every data set with an unexpected status.

    Parameters
    ----------
    fits : iterable of pandas.DataFrame
        The collected fits of each study.
    data : pandas.DataFrame
        The table of data sets.
    overrides : mapping of str to iterable of str, optional
        The configuration's `expected_status`: method -> statuses. It wins over the default method by method.
    missing_data : {"skip", "fail"}
        With "fail" a data set that was not obtained is a failure too.

    Returns
    -------
    pandas.DataFrame
        Strings, the columns of `FAILURE_COLUMNS`; a cell that does not apply reads "none".
    """
    frames = [select_unexpected_fits(rows, overrides) for rows in fits]
    refused = select_refused_datasets(data)
    # By default a site that is down fails no run; a file with another content always does.
    if missing_data == "fail":
        refused = data[(data["status"] == "not obtained") | data.index.isin(refused.index)]
    frames.append(
        pd.DataFrame(
            {
                "study": "data",
                "dataset": refused["dataset"],
                "status": refused["status"],
                # for wrong counts the verdict says which; otherwise the reason of the missing file
                "message": refused["reason"].where(
                    refused["verdict"].isin((*ACCEPTED_VERDICTS, VERDICT_REFUSED)), refused["verdict"]
                ),
            }
        )
    )
    table = pd.concat(frames, ignore_index=True).reindex(columns=list(FAILURE_COLUMNS))
    # a split is a number, a data set has none
    table["split"] = [f"{split:g}" if pd.notna(split) else "none" for split in table["split"]]
    return table.astype(object).fillna("none").replace("", "none").astype(str)
