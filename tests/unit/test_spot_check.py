"""Fits that are made again are compared with a snapshot's rows."""

import pandas as pd
import pytest
from report_rows import fits
from spot_check import describe_difference


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("seconds", "99", ""),
        ("gap", "2e-16", ""),
        ("objective", "0.12345678901", ""),
        ("objective", "0.1234568", "objective: '0.123456789' is now '0.1234568'."),
        ("status", "stopped", "status: 'certified' is now 'stopped'."),
    ],
)
def test_rows_that_differ_are_named(column, value, words):
    changed = fits().astype(str).assign(objective="0.123456789")
    other = changed.copy()
    other.loc[other.index[1], column] = value
    assert describe_difference(changed, other).endswith(words) and bool(
        describe_difference(changed, other)
    ) == bool(words)
    assert describe_difference(changed, pd.concat([other, other.head(1)])).startswith(
        f"{len(changed) + 1} rows where"
    )
