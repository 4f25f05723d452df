"""What is said at the end of a run, and the one sentence with which an unclean run fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from reproduction.labels import method_label
from reproduction.tables import NOT_OBTAINED, counts


def missing_datasets(data: pd.DataFrame, fits: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """List the data sets that were not obtained.

    `data`: the table of data sets. `fits` (mapping of study to pandas.DataFrame): the collected fits.
    Returns: dataset, reason, studies (names of the studies of this run that wanted it, joined by ", "; "" if
    none), wanted ones first.
    """
    reasons = dict(data.loc[data["status"] == NOT_OBTAINED, ["dataset", "reason"]].itertuples(index=False))
    wanted: dict[str, list[str]] = {}
    for study, rows in fits.items():
        for dataset, message in rows.loc[rows["status"] == NOT_OBTAINED, ["dataset", "message"]].itertuples(
            index=False
        ):
            reasons.setdefault(dataset, message)
            if study not in wanted.setdefault(dataset, []):
                wanted[dataset].append(study)
    rows = [
        (name, reason or "no reason given", ", ".join(wanted.get(name, [])))
        for name, reason in reasons.items()
    ]
    rows.sort(key=lambda row: (row[2] == "", row[0]))
    return pd.DataFrame(rows, columns=["dataset", "reason", "studies"])


def complaint(
    failures: pd.DataFrame,
    verification: pd.DataFrame,
    missing: pd.DataFrame,
    missing_data: str,
    uncovered: pd.DataFrame | None = None,
) -> str:
    """Say in one sentence why the run is not clean; empty if it is.

    `failures`: rows of `status.failures`. `verification`: rows of `inputs.read_verification`. `missing`: rows
    of `missing_datasets`. `missing_data` ({"skip", "fail"}): with "fail" a data set that was not obtained
    makes the run fail. `uncovered`: rows of `coverage.not_shown`. Returns: one sentence that names the first
    of each kind and where to look.
    """
    faults = []
    fits, refused = failures[failures["study"] != "data"], failures[failures["study"] == "data"]
    if len(fits):
        row = fits.iloc[0]
        named = (
            f"{row['method']} on {row['dataset']} ({row['features']}), split {row['split']}: {row['status']}"
        )
        faults.append(f"{_plural(len(fits), 'fit')} ended with an unexpected status (the first is {named})")
    other = refused[refused["status"] == "obtained"]
    if len(other):
        row = other.iloc[0]
        faults.append(
            f"{_plural(len(other), 'data set')} without the counts that the registry expects "
            f"({row['dataset']}: {row['message'].rstrip('.')})"
        )
    refused = refused.drop(other.index)
    refused = refused[refused["status"] != NOT_OBTAINED] if missing_data == "fail" else refused
    if len(refused):
        row = refused.iloc[0]
        faults.append(
            f"{_plural(len(refused), 'data set')} had a file refused "
            f"({row['dataset']}: {row['message'].rstrip('.')})"
        )
    if verification.empty:
        faults.append("no solver was verified (verification.csv has no row)")
    wrong = verification[~verification["passed"]]
    if len(wrong):
        row = wrong.iloc[0]
        gap = f"relative gap {row['relative_gap']} where {row['tolerance']} is allowed"
        named = f"{row['method']} on {row['case']}, {gap}"
        faults.append(
            f"{len(wrong)} of {_plural(len(verification), 'verification case')} failed (the first is {named})"
        )
    if missing_data == "fail" and len(missing):
        row = missing.iloc[0]
        faults.append(
            f"{_plural(len(missing), 'data set')} could not be obtained and missing_data is 'fail' "
            f"(the first is {row['dataset']}: {row['reason'].rstrip('.')})"
        )
    if uncovered is not None and len(uncovered):
        row = uncovered.iloc[0]
        named = (
            f"{row['text']} in {row['file']}, {row['quantity']} of {row['dataset']}, "
            f"{row['method']}: {row['why']}"
        )
        lacking = f"{_plural(len(uncovered), 'printed number')} not covered by comparison.csv"
        faults.append(f"{lacking} (the first is {named})")
    return f"The run is not clean: {'; '.join(faults)}." if faults else ""


def summary_text(
    results: str,
    fits: Mapping[str, pd.DataFrame],
    data: pd.DataFrame,
    verification: pd.DataFrame,
    failures: pd.DataFrame,
    findings: Sequence[str] = (),
    artefacts: Mapping[str, tuple[Sequence[str], Sequence[str]]] | None = None,
    beside_print: Sequence[str] = (),
) -> str:
    """Write the summary that ends a run.

    `results`: folder of the results, as the user named it. `fits` (mapping of study to pandas.DataFrame): the
    collected fits. `data`, `verification`, `failures`: rows of the other result files. `findings`: titles of
    the findings of the run. `artefacts` (mapping of study to pair of sequences of str): names of its tables
    and figures; the default is Table 1 and its figure. `beside_print`: lines of `coverage.totals` and
    `claim.totals`. Returns: what was run, how it ended, what is missing, and where table, figure and page
    are.
    """
    lines = ["", "toprank: summary", "================"]
    for study, rows in fits.items():
        ran = rows[rows["status"] != NOT_OBTAINED]
        methods = ", ".join(method_label(name) for name in dict.fromkeys(ran["method"]))
        lines.append(
            f"{study}: {_plural(len(ran), 'fit')} of {methods} on "
            f"{_plural(ran['dataset'].nunique(), 'data set')}"
        )
        lines.append(f"  ended as   {counts(ran['status']) or 'nothing was run'}")
    if findings:
        lines.append(f"Findings (see {results}/findings.csv)")
        lines += [f"  {title}" for title in findings]
    passed = int(verification["passed"].sum())
    lines.append(f"Verification: {passed} of {len(verification)} cases passed")
    lines.append(
        f"Unexpected statuses: {len(failures)}" + (f" (see {results}/failures.csv)" if len(failures) else "")
    )
    lines += beside_print
    missing = missing_datasets(data, fits)
    partial = data[data["status"] == "partial"]
    if len(missing):
        wanted = missing[missing["studies"] != ""]
        lines += [
            "",
            f"!!! NOT OBTAINED: {_plural(len(missing), 'data set')}, {len(wanted)} wanted by this run !!!",
        ]
        lines += [
            f"  {'!!' if row.studies else '  '} {row.dataset}: {row.reason}" for row in missing.itertuples()
        ]
    lines += [f"  partial: {row.dataset}: {row.reason}" for row in partial.itertuples()]
    lines.append("")
    for study in fits:
        tables, figures = (artefacts or {}).get(study, (["table1"], ["figure_table1"]))
        lines.append(f"Tables   {results}/{study}: {', '.join(tables)} (.csv; table* and ranks also .tex)")
        lines.append(f"Figures  {results}/{study}: {', '.join(figures)} (.svg)")
    lines.append(f"Page     {results}/report.html")
    return "\n".join([*lines, ""])


def _plural(n: int, noun: str) -> str:
    """Write a count with its noun."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
