"""The order of result rows, which does not depend on the order in which their jobs ended."""

import pandas as pd

from reproduction.core.result_columns import FITS_KEY


def numeric_sort_key(column: pd.Series) -> pd.Series:
    """Return a sort key by which the numbers of an identity, which are text or missing, sort as numbers.

    Parameters
    ----------
    column : pd.Series
        Column by which a table is sorted.

    Returns
    -------
    pd.Series
        Numbers for split, fold and qid, -1 where missing; other columns as they are.
    """
    is_number = column.name in ("split", "fold", "qid")
    return pd.to_numeric(column, errors="coerce").fillna(-1) if is_number else column


def sort_fits(fits: pd.DataFrame) -> pd.DataFrame:
    """Sort fits by their identity, so that the order of the input does not matter.

    Parameters
    ----------
    fits : pd.DataFrame
        Table with the columns `FITS_KEY`.

    Returns
    -------
    pd.DataFrame
    """
    return fits.sort_values(list(FITS_KEY), key=numeric_sort_key, kind="stable", ignore_index=True)
