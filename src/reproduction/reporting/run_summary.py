"""The summary at the end of a run, and the sentence with which an unclean run fails."""

from collections.abc import Mapping, Sequence

import pandas as pd

from reproduction.core.formatting import format_count
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_label
from reproduction.specs.method_tables import count_values


def list_missing_datasets(data: pd.DataFrame, fits: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """List the data sets that were not obtained.

    Parameters
    ----------
    data : pandas.DataFrame
        The table of data sets.
    fits : mapping of str to pandas.DataFrame
        Study -> its collected fits.

    Returns
    -------
    pandas.DataFrame
        ``dataset``, ``reason`` and ``studies`` (names of the studies of this run that asked for it, joined by
        ", "; "" if none), those asked for first.
    """
    columns = ["status", "dataset", "reason", "study"]
    fit_rows = [
        rows.rename(columns={"message": "reason"}).assign(study=study) for study, rows in fits.items()
    ]
    rows = pd.concat([rows[columns] for rows in (data.assign(study=""), *fit_rows)], ignore_index=True)
    # the reason of the data table comes first, then that of fits
    missing = rows[rows["status"] == STATUS_NOT_OBTAINED].groupby("dataset")
    datasets = pd.DataFrame(
        {
            "reason": missing["reason"].first().replace("", "no reason given"),
            "studies": missing["study"].agg(lambda names: ", ".join(filter(None, names.unique()))),
        }
    ).reset_index()
    # data sets that a study of this run wanted stand first
    return datasets.sort_values("studies", key=lambda names: names == "", kind="stable", ignore_index=True)


def explain_failure(
    failures: pd.DataFrame,
    verification: pd.DataFrame,
    missing: pd.DataFrame,
    missing_data: str,
    uncovered: pd.DataFrame,
    results: str = "results",
) -> str:
    """Say in one sentence why the run is not clean, and in one line what is wrong with each method.

    Parameters
    ----------
    failures : pandas.DataFrame
        Rows of `failures.list_failures`.
    verification : pandas.DataFrame
        Rows of `results.read_verification`.
    missing : pandas.DataFrame
        Rows of `list_missing_datasets`.
    missing_data : {"skip", "fail"}
        With "fail" a data set that was not obtained makes the run fail.
    uncovered : pandas.DataFrame
        Published numbers that comparison.csv does not cover, with the reason (``why``).
    results : str, default "results"
        Folder of the results.

    Returns
    -------
    str
        One sentence that names the first of each kind of fault, and the lines of `list_failing_methods`;
        empty if the run is clean.
    """
    # faults of data sets, and faults of fits; counts that differ are told apart from refused files
    fits, refused = failures[failures["study"] != "data"], failures[failures["study"] == "data"]
    wrong_counts = refused[refused["status"] == "obtained"]
    refused = refused.drop(wrong_counts.index)
    if missing_data == "fail":
        refused = refused[refused["status"] != STATUS_NOT_OBTAINED]
    else:
        missing = missing[:0]
    failed_cases = verification[~verification["passed"]]
    cases = format_count(len(verification), "verification case")
    unverified = "" if len(verification) else "no solver was verified (verification.csv has no row)"
    faults = [
        _format_fault(
            fits,
            f"{{n}} of {format_count(fits['method'].nunique(), 'method')} ended with an unexpected status",
            "fit",
        ),
        _format_fault(
            wrong_counts, "{n} without the counts that the registry expects ({dataset}: {message})"
        ),
        _format_fault(refused, "{n} had a file refused ({dataset}: {message})"),
        unverified,
        _format_fault(
            failed_cases,
            f"{len(failed_cases)} of {cases} failed (the first is {{method}} on {{case}}, relative gap "
            "{relative_gap} where {tolerance} is allowed)",
        ),
        _format_fault(
            missing,
            "{n} could not be obtained and missing_data is 'fail' (the first is {dataset}: {reason})",
        ),
        _format_fault(
            uncovered,
            "{n} not covered by comparison.csv (the first is {text} in {file}, {quantity} of {dataset}, "
            "{method}: {why})",
            "published number",
        ),
    ]
    message = "; ".join(filter(None, faults))
    return (
        "\n".join([f"The run is not clean: {message}.", *list_failing_methods(fits, results)])
        if message
        else ""
    )


def list_failing_methods(failures: pd.DataFrame, results: str) -> list[str]:
    """Write a line for each method: how many fits failed, where and why the first did, and its log.

    Parameters
    ----------
    failures : pandas.DataFrame
        Fits with an unexpected status, as `failures.list_failures` has them.
    results : str
        Folder of the results.

    Returns
    -------
    list of str
        The lines, in the order of the first failure.
    """
    lines = []
    for method, rows in failures.groupby("method", sort=False):
        first = rows.iloc[0]
        case = f"{first['dataset']}.{first['feature_scaling']}"
        cause = first["status"] if first["message"] == "none" else f"{first['status']}, {first['message']}"
        lines.append(
            f"  {method}: {format_count(len(rows), 'fit')}, the first on {case}, split {first['split']}: "
            f"{cause.rstrip('.')}; log: {results}/logs/fit/{first['study']}.{case}.{method}.*.log"
        )
    return lines


def _format_fault(rows: pd.DataFrame, sentence: str, noun: str = "data set") -> str:
    """Fill a sentence with the number of rows and the first of them; empty where there is none."""
    if rows.empty:
        return ""
    # a sentence that ends in a message must not end with two full stops
    first = {name: cell.rstrip(".") if isinstance(cell, str) else cell for name, cell in rows.iloc[0].items()}
    return sentence.format(n=format_count(len(rows), noun), **first)


def format_summary(
    results: str,
    fits: Mapping[str, pd.DataFrame],
    data: pd.DataFrame,
    verification: pd.DataFrame,
    failures: pd.DataFrame,
    artefacts: Mapping[str, tuple[Sequence[str], Sequence[str]]],
    comparison_lines: Sequence[str],
) -> str:
    """Write the summary that ends a run.

    Parameters
    ----------
    results : str
        Folder of the results, as the user named it.
    fits : mapping of str to pandas.DataFrame
        Study -> its collected fits.
    data : pandas.DataFrame
        Rows of the file on the data sets.
    verification : pandas.DataFrame
        Rows of the file on the verification.
    failures : pandas.DataFrame
        Rows of the file on unexpected statuses.
    artefacts : mapping of str to pair of sequences of str
        Study -> names of its tables and figures.
    comparison_lines : Sequence[str]
        Lines of `coverage.format_totals` and `claim_tables.format_totals`.

    Returns
    -------
    str
        What was run, how it ended, what is missing, and where table, figure and page are.
    """
    lines = ["", "toprank: summary", "================"]
    for study, rows in fits.items():
        # fits on data sets that could not be obtained are no fits of the run
        run_fits = rows[rows["status"] != STATUS_NOT_OBTAINED]
        methods = ", ".join(method_label(name) for name in dict.fromkeys(run_fits["method"]))
        lines.append(
            f"{study}: {format_count(len(run_fits), 'fit')} of {methods} on "
            f"{format_count(run_fits['dataset'].nunique(), 'data set')}"
        )
        lines.append(f"  ended as   {count_values(run_fits['status']) or 'nothing was run'}")
    passed = int(verification["passed"].sum())
    lines.append(f"Verification: {passed} of {len(verification)} cases passed")
    lines.append(
        f"Unexpected statuses: {len(failures)}" + (f" (see {results}/failures.csv)" if len(failures) else "")
    )
    lines += comparison_lines
    missing = list_missing_datasets(data, fits)
    partial = data[data["status"] == "partial"]
    if len(missing):
        requested = missing[missing["studies"] != ""]
        lines += [
            "",
            f"!!! NOT OBTAINED: {format_count(len(missing), 'data set')}, {len(requested)} wanted by this "
            "run !!!",
        ]
        lines += [
            f"  {'!!' if row.studies else '  '} {row.dataset}: {row.reason}" for row in missing.itertuples()
        ]
    lines += [f"  partial: {row.dataset}: {row.reason}" for row in partial.itertuples()]
    lines.append("")
    for study in fits:
        tables, figures = artefacts[study]
        if tables:
            lines.append(
                f"Tables   {results}/{study}: {', '.join(tables)} (.csv; table* and ranks also .tex)"
            )
        if figures:
            lines.append(f"Figures  {results}/{study}: {', '.join(figures)} (.svg)")
    lines.append(f"Report   {results}/report/index.html")
    return "\n".join([*lines, ""])
