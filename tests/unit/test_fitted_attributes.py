"""Each fitted attribute of the public estimators is described in the docstring, and no other."""

import inspect
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from test_docstrings import section

import toprank

ESTIMATORS = [name for name in toprank.__all__ if hasattr(getattr(toprank, name), "predict")]
OPTIONAL = {"weights_", "l1_ratio_"}
"""Attributes that only some penalties and searches give."""


def list_documented(estimator):
    """Name -> description; names with a comma between them share one."""
    text = section(inspect.getdoc(estimator), "Attributes")
    entries = re.findall(r"^(\w[\w, ]*) : .*\n((?: .*\n)*)", text, re.MULTILINE)
    return {name: description.strip() for names, description in entries for name in names.split(", ")}


def list_fitted(model):
    """Names of the attributes that a fit has set."""
    return {name for name in dir(model) if name.endswith("_") and not name.startswith("_")}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fitted_attributes_are_described(name):
    estimator = getattr(toprank, name)
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator().fit(X, (X["a"] + rng.normal(size=60) > 0).astype(int))
    documented = list_documented(estimator)
    assert {*documented} - OPTIONAL == list_fitted(model)
    assert all(documented.values()), "an attribute has no description"


def test_there_are_nine_estimators():
    assert len(ESTIMATORS) == 9
