r"""Result files as LaTeX: claims, comparison, coverage, data sets and verification, with booktabs.

A short table is a tabular, to be ``\input`` inside a table; one that may be longer than a page is a
longtable, to be ``\input`` as it is. The module `view` writes a `View`.
"""

from collections.abc import Callable, Sequence

import pandas as pd

from reproduction.comparison.claim_tables import NO_SHARE
from reproduction.core.formatting import escape_breakable, escape_latex, format_latex_number, shrink_tabulars
from reproduction.specs.labels import method_label

HEADER_COMMENT = "% Written by toprank; needs \\usepackage{booktabs}"
COUNT_COLUMNS = ("rows", "features", "positives", "negatives", "queries", "preferences")


def format_longtable(
    heads: Sequence[str], columns: str, rows: Sequence[Sequence[str]], caption: str, size: str = "scriptsize"
) -> str:
    """Write a table of as many pages as it takes, with its heads on each.

    Parameters
    ----------
    heads : sequence of str
        Heads of the columns, as LaTeX.
    columns : str
        Alignments of the columns.
    rows : sequence of sequence of str
        Cells, as LaTeX; "nothing" stands in a table without rows.
    caption : str
        The caption, as LaTeX.
    size : str, default "scriptsize"
        LaTeX name of the size of the type.

    Returns
    -------
    str
        The longtable as LaTeX.
    """
    head, *body = _format_lines(heads, rows)
    lines = [
        f"{HEADER_COMMENT}\\usepackage{{array}}\\usepackage{{longtable}}. \\input it as it is.",
        rf"\begingroup\{size}\setlength{{\tabcolsep}}{{3pt}}\setlength{{\LTcapwidth}}{{\linewidth}}%",
        rf"\begin{{longtable}}{{{columns}}}",
        rf"\caption{{{caption}}}\\",
        # booktabs rules around the heads, on the first page and on each that follows
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead"),
        r"\bottomrule",
        r"\endfoot",
        *body[1:],
        r"\end{longtable}",
        r"\endgroup",
    ]
    return "\n".join([*lines, ""])


def _format_lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Write the line of heads, a rule and the lines of cells."""
    body = [" & ".join(cells) + r" \\" for cells in rows]
    empty_line = rf"\multicolumn{{{len(heads)}}}{{l}}{{nothing}} \\"
    return [" & ".join(heads) + r" \\", r"\midrule", *(body or [empty_line])]


def _format_columns(
    table: pd.DataFrame,
    columns: Sequence[tuple[str, float | str, Callable[[dict], str]]],
    *caption_and_size: str,
) -> str:
    """Write a longtable from its columns.

    Parameters
    ----------
    table : pandas.DataFrame
        A row a line.
    columns : sequence of tuple of str, float or str and callable
        Head, width (share of the line) or alignment, and function row -> cell.
    *caption_and_size : str
    """
    # a column of text has a share of the line, one of numbers its natural width
    alignments = "".join(
        width if isinstance(width, str) else format_paragraph_columns(width) for _, width, _ in columns
    )
    rows = [[cell(row) for *_, cell in columns] for row in table.to_dict("records")]
    return format_longtable([head for head, *_ in columns], alignments, rows, *caption_and_size)


def _make_breakable_cell(name: str) -> Callable[[dict], str]:
    """Make a function that writes a column of a row as LaTeX that may be broken into lines."""
    return lambda row: escape_breakable(row[name])


def claims_to_latex(table: pd.DataFrame) -> str:
    """Write the claims of a paper with their verdicts, the share of specifications, and the evidence.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of claims.csv of one study, as text.

    Returns
    -------
    str
        A longtable.
    """
    columns = (
        ("Place", 0.1, _make_breakable_cell("place")),
        ("Claim", 0.26, _make_breakable_cell("sentence")),
        ("Verdict", 0.1, _make_breakable_cell("verdict")),
        ("Share", "r", lambda row: format_latex_number(row["share"]) if row["share"] != NO_SHARE else ""),
        ("Found", 0.36, _make_breakable_cell("evidence")),
    )
    caption = (
        "Claims of the paper: the verdict, the share of the deciding specifications in which the "
        "claim holds, and the result with the default choices."
    )
    return _format_columns(table, columns, caption)


def comparison_to_latex(table: pd.DataFrame, study: str) -> str:
    """Write every published number of a study beside ours, with the verdict but without the reason.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of comparison.csv of all studies, as text.
    study : str
        Name of the study.

    Returns
    -------
    str
        A longtable.
    """
    columns = (
        ("Artefact", "l", lambda row: escape_latex(_replace_underscores(row["artefact"]))),
        ("Data set", 0.09, _make_breakable_cell("dataset")),
        ("Method", 0.12, lambda row: escape_breakable(_label_method(row["method"]))),
        ("Quantity", 0.08, lambda row: escape_breakable(_replace_underscores(row["quantity"]))),
        (
            "Published",
            "r",
            lambda row: _format_mean_std(row["published"], row["published_std"], escape_latex),
        ),
        ("Ours", "r", lambda row: _format_mean_std(row["ours_mean"], row["ours_std"], format_latex_number)),
        ("Margin", "r", lambda row: format_latex_number(row["margin"])),
        ("Verdict", "l", lambda row: escape_latex(row["verdict"])),
        (
            "Under",
            0.12,
            lambda row: "" if row["specification"] == "default" else escape_breakable(row["specification"]),
        ),
    )
    caption = (
        f"Published numbers of {escape_latex(study)} and ours. "
        "Under: the choices that recover a number, one or two changes of the defaults."
    )
    return _format_columns(table[table["study"] == study], columns, caption, "tiny")


def coverage_to_latex(table: pd.DataFrame) -> str:
    """Write how many published numbers of each artefact, quantity and kind have each verdict.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of coverage.csv, as text.

    Returns
    -------
    str
        A longtable.
    """
    n_text_columns = sum(name in ("artefact", "quantity", "kind") for name in table.columns)
    heads = ["Study", *(escape_latex(_replace_underscores(name)).capitalize() for name in table.columns[1:])]
    # as many narrow columns as there are verdicts: their heads stand upright
    heads[1 + n_text_columns :] = [rf"\rotatebox{{90}}{{{head}}}" for head in heads[1 + n_text_columns :]]
    rows = []
    for i, row in enumerate(table.to_dict("records")):
        # a study is named in its first row only
        study = row["study"] if i == 0 or row["study"] != table["study"].iloc[i - 1] else ""
        rows.append(
            [
                escape_latex(study),
                *(format_latex_number(_replace_underscores(row[name])) for name in table.columns[1:]),
            ]
        )
    columns = "l" * (1 + n_text_columns) + "r" * (len(heads) - 1 - n_text_columns)
    return format_longtable(heads, columns, rows, "Published numbers by verdict.", "tiny")


def data_to_latex(table: pd.DataFrame) -> str:
    """Write status and counts of each data set, published ones where they differ, and notes.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of data.csv, as text.

    Returns
    -------
    str
        A longtable.
    """
    rows = []
    for row in table.to_dict("records"):
        reason = row.get("reason", "").partition(";")[0]  # without the remedy, which the page gives
        notes = [reason, *(row.get(name, "") for name in ("note", "differs_from_published"))]
        rows.append(
            [
                escape_breakable(row["dataset"]),
                escape_latex(row["status"]),
                *(_format_counts(row, name) for name in COUNT_COLUMNS),
                " ".join(filter(None, map(escape_breakable, notes))),
            ]
        )
    caption = "Data sets: the counts, in parentheses the published ones where they differ, and notes."
    heads = ("Data set", "Status", *COUNT_COLUMNS, "Notes")
    return format_longtable(
        heads,
        f"{format_paragraph_columns(0.1)}l*{{6}}{{r}}{format_paragraph_columns(0.25)}",
        rows,
        caption,
        "tiny",
    )


def verification_to_latex(table: pd.DataFrame) -> str:
    """Write for each method its cases, those that passed, and the largest relative gap to the reference.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of verification.csv, as text.

    Returns
    -------
    str
        A tabular.
    """
    rows = []
    for method, cases in table.groupby("method", sort=True):
        gaps = pd.to_numeric(cases["relative_gap"], errors="coerce").abs()
        # the table comes from a file, where true and false are words
        passed = cases["passed"].astype(str).str.lower().isin(("true", "1")).sum()
        tolerances = pd.to_numeric(cases["tolerance"], errors="coerce")
        rows.append(
            [
                method_to_latex(method),
                str(len(cases)),
                str(passed),
                format_latex_number(gaps.max()),
                f"{tolerances.max():.2g}",
            ]
        )
    lines = [
        f"{HEADER_COMMENT}\\usepackage{{graphicx}}. \\input it inside a table.",
        r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}%",
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        *_format_lines(("Method", "Cases", "Passed", "Largest gap", "Tolerance"), rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\endgroup",
    ]
    return shrink_tabulars("\n".join([*lines, ""]))


RUN_TABLE_WRITERS: dict[str, tuple[Callable[[pd.DataFrame], str], tuple[str, ...]]] = {
    "coverage": (coverage_to_latex, ("study",)),
    "verification": (verification_to_latex, ("method", "relative_gap", "tolerance", "passed")),
    "data": (data_to_latex, ("dataset", "status")),
}
"""Name of a table of the whole run -> what writes it as LaTeX, and the columns that this needs."""


def format_paragraph_columns(*shares: float) -> str:
    """Align columns of text that is broken into lines.

    Parameters
    ----------
    *shares : float

    Returns
    -------
    str
        The alignments for a tabular or longtable.
    """
    return "".join(rf">{{\raggedright\arraybackslash}}p{{{share:.3g}\linewidth}}" for share in shares)


def _replace_underscores(name: object) -> str:
    """Replace underscores by blanks."""
    return str(name).replace("_", " ")


def _label_method(method: str) -> str:
    """Return the label of a method; one without a label keeps its name, without underscores."""
    label = method_label(method)
    return _replace_underscores(method) if label == method else label


def method_to_latex(method: str) -> str:
    """Write the label of a method as LaTeX.

    Parameters
    ----------
    method : str
        Name of the method.

    Returns
    -------
    str
    """
    return escape_latex(_label_method(method))


def _format_mean_std(mean: str, std: str, format_number: Callable[[str], str]) -> str:
    """Write a mean and its standard deviation, if that is a number."""
    # "not published" and "none" are words for a missing deviation
    is_number = pd.notna(pd.to_numeric(std, errors="coerce"))
    return rf"{format_number(mean)} $\pm$ {format_number(std)}" if is_number else format_number(mean)


def _format_counts(row: dict, name: str) -> str:
    """Write a count of ours, and the published one in parentheses where it differs."""
    count, published = row.get(name, ""), row.get(f"{name}_published", "")
    text = _format_count(count)
    return (
        f"{text} ({_format_count(published)})".lstrip()
        if published and _format_count(published) != text
        else text
    )


def _format_count(cell: str) -> str:
    """Write a count in full; an empty cell stays empty."""
    value = pd.to_numeric(cell, errors="coerce")
    return escape_latex(cell) if pd.isna(value) or value != int(value) else str(int(value))
