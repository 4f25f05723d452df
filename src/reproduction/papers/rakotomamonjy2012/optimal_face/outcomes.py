"""The outcomes of R12 with the variables of all optima in place of those of the optimum at hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from reproduction.specs.multiverse import Specifications, require_specifications


def count_other_optima(
    rows: Iterable[Mapping], faces: Iterable[Mapping], specifications: Specifications
) -> list[dict]:
    """Make the rows of the options of the choice ``optimum``, beside at most one other change.

    The rate at the top stays that of the optimum at hand.

    Parameters
    ----------
    rows : iterable of mapping
        Outcomes of fits, with an option of each choice, ``fitted_dataset`` and the ``params`` of the fit.
    faces : iterable of mapping
        Rows of the experiment ``optimal_face``.
    specifications : Specifications
        The choices of the study.

    Returns
    -------
    list of dict
        Rows of the fits whose optima were counted, for each option.

    Raises
    ------
    ResultsError
        If optima of a data set, method and split were counted, but not at the regularisation that a search
        has chosen.
    """
    bounds = {(face["dataset"], face["method"], face["split"], face["share"]): face for face in faces}
    counted_fits = {key[:3] for key in bounds}
    stop, threshold = (specifications.defaults[name] for name in ("stop", "threshold"))
    other_rows = []
    for row in rows:
        fitted = row["fitted_dataset"], row["method"], row["split"]
        # faces were computed for certified optima at the default threshold
        if fitted not in counted_fits or (row["stop"], row["threshold"]) != (stop, threshold):
            continue
        options = {name: row[name] for name in specifications.choices}
        if specifications.identify(options)["changes"] > 1:
            continue
        key = (*fitted, json.loads(row["params"])["share"])
        if key not in bounds and options.get("share", "") in specifications.alternatives("share"):
            continue  # optima are counted on the grid alone, and some fixed shares lie between its points
        require_specifications(bounds, [key], "a file of the block optimal_face")
        other_rows += [
            row | {"optimum": option, "variables": bounds[key][option]}
            for option in specifications.alternatives("optimum")
        ]
    return other_rows
