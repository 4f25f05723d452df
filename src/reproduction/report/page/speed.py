"""What is known of cost: seconds of all fits, exponents, and the exact solver beside the others."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from reproduction.artefact import load
from reproduction.labels import method_key, method_label
from reproduction.report.page.cells import number
from reproduction.report.page.figures import figure
from reproduction.report.studies import StudyReport
from reproduction.tables import NOT_OBTAINED
from reproduction.text import short


def context(studies: Iterable[StudyReport]) -> list[dict]:
    """Prepare what is shown of the cost of each study, in their order."""
    found = []
    for study in studies:
        found.append(
            {
                "name": study.name,
                "methods": method_rows(study.fits),
                "exact": [],
                "exponents": [],
                "to_levels": None,
                "sizes": [],
                "figures": [figure(study, drawing) for drawing in study.drawings if drawing.of_cost],
                **(load(study.paper.costs)(study.tables) if study.paper.costs else {}),
            }
        )
    return found


def seconds_of(fits: pd.DataFrame) -> float:
    """Add up the seconds of all fits."""
    return float(fits["seconds"].sum())


def method_rows(fits: pd.DataFrame) -> list[dict]:
    """Count the fits of each method and add up their seconds, with the search."""
    ran = fits[fits["status"] != NOT_OBTAINED]
    rows = []
    for method in sorted(set(ran["method"]), key=method_key):
        block = ran[ran["method"] == method]
        chosen = block.loc[block["role"] == "chosen", "seconds"]
        rows.append(
            {
                "method": method_label(method),
                "cells": [
                    number(len(block), "{:.0f}".format),
                    number(len(chosen), "{:.0f}".format),
                    number(seconds_of(block), clock),
                    number(chosen.median()),
                    number(chosen.max()),
                ],
            }
        )
    return rows


def clock(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    if seconds < 60:
        return f"{short(seconds)} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
