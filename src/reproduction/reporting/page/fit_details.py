"""The chosen fits behind the numbers of the page, embedded once: as columns, with few digits."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd
from markupsafe import Markup

from reproduction.core.formatting import format_percent
from reproduction.core.sentence_templates import fill_template
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_label
from reproduction.specs.method_tables import format_params
from reproduction.specs.table_views import fits_key

SIGNIFICANT_DIGITS = 4
"""Significant digits of the numbers of a fit; the files of the results hold all of them."""

STATUS_TEXTS = {
    "certified": "certified",
    "stopped": "stopped by its published rule",
    "stalled": "no further progress in floating-point arithmetic",
    "max_iterations": "reached its limit of iterations",
    "time_limit": "reached its limit of seconds",
    "fitted": "finished normally; no certificate",
}
"""Status -> its words for readers; any other status is shown as it is."""

STATUS_TEMPLATE = "{{ ended }}{% if gap %}; relative duality gap ≤ {{ gap }}{% endif %}"

ORIGIN_TEMPLATE = """
Made {{ date[:10] }} {{ date[11:16] }} UTC by commit {{ commit[:10] }}
{{- " with uncommitted changes" if dirty == "True" }} on {{ machine }}; prepared data with SHA-256
{{ data[:10] }}…, code digest {{ code }}. Expect about {{ seconds | to(".2g") }} s to make them again:
"""
UNKNOWN_ORIGIN_TEXT = "When and by which commit these fits were made is not on record."

FIT_COLUMN_LABELS = {
    "relative_gap": "Relative gap",
    "kkt": "Violation",
    "n_iter": "Iterations",
    "seconds": "Seconds",
    "positives_at_top": "Pos@Top",
    "rate_at_top": "Rate at the top",
    "n_variables": "Variables",
    "n_relevant_variables": "Relevant ones",
    "sparsity_ratio": "Sparsity ratio",
    "validation_map": "Validation MAP",
    "map": "MAP",
    "ndcg10": "NDCG@10",
    "ndcg10_standard": "NDCG@10, published formula",
    "objective": "Objective",
}
"""Column of the fits -> its name on the page."""


@dataclass(frozen=True)
class FitFiles:
    """Files of the fits of a run, and the command that makes one again.

    Parameters
    ----------
    split_batches : mapping of study to mapping of data set to list of str, optional
        Names of the split batches whose fits share a file.
    results : str, default "results"
        Folder of the results, as the commands name it.
    command : str, default "snakemake --cores 1 --force --"
        The command that makes the file named behind it again.
    """

    split_batches: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    results: str = "results"
    command: str = "snakemake --cores 1 --force --"


def embed_json(value: object) -> Markup:
    """Write a value as JSON that can stand in a <script>, whatever text it holds.

    Parameters
    ----------
    value : object
        What JSON can hold.

    Returns
    -------
    Markup
        The JSON text with the characters <, >, & and the line separators of Unicode escaped.
    """
    # in a script element only these characters could end it, or break a string of older browsers
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def collect_fit_details(
    studies: Iterable[StudyReport],
    fit_files: FitFiles,
    data: Mapping[str, str],
) -> dict:
    """Collect the chosen fits of all studies.

    A number that is not there is null. What was not obtained has no group: no command could make it.

    Parameters
    ----------
    studies : iterable of StudyReport
        The studies of the run.
    fit_files : FitFiles
        Files of the fits, and the command that makes one again.
    data : mapping of str to str
        Data set -> what is said of it: its checksums and the seed.

    Returns
    -------
    dict
        ``command``; ``words`` to which rows refer by their place; and ``studies``, each with ``columns``
        (the names of what a row holds behind its status, message and parameters) and ``groups``: "data
        set/feature scaling/method" -> ``label``, what is said of the ``data``, ``files``, each with its
        ``path`` and its ``provenance``, and ``rows``.
    """
    # texts repeat over many fits: each stands once, and rows hold its number
    words: dict[str, int] = {}
    details = {}
    for study in studies:
        is_shown = (study.fits["role"] == "chosen") & (study.fits["status"] != STATUS_NOT_OBTAINED)
        chosen = study.fits[is_shown].drop_duplicates(
            ["dataset", "feature_scaling", "method", "split", "status", "params"]
        )
        # columns without a single value in this study are left out
        columns = [name for name in FIT_COLUMN_LABELS if name in chosen and chosen[name].notna().any()]
        study_batches = fit_files.split_batches.get(study.name, {})
        groups: dict[str, dict] = {}
        origins = describe_origins(study.provenance, study.fits)
        for row in chosen.to_dict("records"):
            # the key without its study, which is the level above
            key = fits_key(row | {"study": study.name}).partition("/")[2]
            if key not in groups:
                stem = f"{fit_files.results}/{study.name}/fits/{key.replace('/', '.')}"
                files = [
                    {
                        "path": f"{stem}.{split_batch}.csv",
                        "provenance": origins.get((key, split_batch), UNKNOWN_ORIGIN_TEXT),
                    }
                    for split_batch in study_batches.get(row["dataset"], [])
                ]
                header = {"label": method_label(row["method"]), "data": data.get(row["dataset"], "")}
                groups[key] = header | {"files": files, "rows": []}
            text_indices = [
                words.setdefault(text, len(words)) for text in (describe_status(row), row["message"])
            ]
            params_index = words.setdefault(format_params(row["params"]), len(words))
            numbers = [_round_significant(row[name]) for name in columns]
            groups[key]["rows"].append(
                [_round_significant(row["split"]), *text_indices, params_index, *numbers]
            )
        details[study.name] = {"columns": [FIT_COLUMN_LABELS[name] for name in columns], "groups": groups}
    return {"command": fit_files.command, "words": list(words), "studies": details}


def describe_origins(provenance: pd.DataFrame | None, fits: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Describe the origin of each file of fits.

    Parameters
    ----------
    provenance : pandas.DataFrame or None
        Rows of `collect.join_provenance`; None where the study has none.
    fits : pandas.DataFrame
        All fits of the study.

    Returns
    -------
    dict of tuple of str to str
        "data set/feature scaling/method" and split batch -> a sentence.
    """
    origins = {}
    seconds = fits.groupby(["dataset", "feature_scaling", "method", "split"])["seconds"].sum()
    for row in () if provenance is None else provenance.to_dict("records"):
        # a file holds the splits from the first to the last of its batch
        first, last = map(int, row["split_batch"].split("-"))
        key = row["dataset"], row["feature_scaling"], row["method"]
        split_seconds = (seconds.get((*key, float(split)), 0.0) for split in range(first, last + 1))
        origins["/".join(key), row["split_batch"]] = fill_template(
            ORIGIN_TEMPLATE, row | {"seconds": sum(split_seconds)}
        )
    return origins


def describe_status(row: Mapping) -> str:
    """Describe how a fit ended, and the bound on its suboptimality.

    Parameters
    ----------
    row : mapping
        A row of the fits.

    Returns
    -------
    str
    """
    gap = row.get("relative_gap", math.nan)
    facts = {"ended": STATUS_TEXTS.get(row["status"], row["status"].replace("_", " ")), "gap": ""}
    # a certified fit has a gap within the tolerance: only of others it is worth a word
    if row["status"] != "certified" and not pd.isna(gap) and math.isfinite(gap):
        facts["gap"] = "less than 0.001 %" if gap < 1e-5 else format_percent(gap)
    return fill_template(STATUS_TEMPLATE, facts)


def _round_significant(value: float) -> float | int | None:
    """Round to a few significant digits; whole numbers lose the point, what JSON cannot hold is null."""
    if pd.isna(value) or math.isinf(value):
        return None
    # beyond 1e9 the digits are no count, and an exponent is shorter
    if value == int(value) and abs(value) < 1e9:
        return int(value)
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
