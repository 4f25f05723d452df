r"""Result files as LaTeX: claims, comparison, coverage, data sets and verification, with booktabs.

A short table is a tabular, to be ``\input`` inside a table; one that may be longer than a page is a
longtable, to be ``\input`` as it is. The module `view` writes a `View`.
"""

from collections.abc import Callable, Sequence

import pandas as pd

from reproduction.comparison.claims import NO_SHARE
from reproduction.core.formatting import escape_breakable, escape_latex, format_latex_number, shrink_tabulars
from reproduction.specs.labels import method_label

SAID = "% Written by toprank; needs \\usepackage{booktabs}"
FACTS = ("rows", "features", "positives", "negatives", "queries", "preferences")


def longtable(
    heads: Sequence[str], columns: str, rows: Sequence[Sequence[str]], caption: str, size: str = "scriptsize"
) -> str:
    """Write a table of as many pages as it takes, with its heads on each.

    `heads`: heads of the columns. `columns`: their alignment. `rows` (sequence of sequences of str): cells;
    "nothing" stands in a table without rows. `caption`: all as LaTeX. `size`: name of the size of the type.
    """
    head, *body = _lines(heads, rows)
    lines = [
        f"{SAID}\\usepackage{{array}}\\usepackage{{longtable}}. \\input it as it is.",
        rf"\begingroup\{size}\setlength{{\tabcolsep}}{{3pt}}\setlength{{\LTcapwidth}}{{\linewidth}}%",
        rf"\begin{{longtable}}{{{columns}}}",
        rf"\caption{{{caption}}}\\",
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead"),
        r"\bottomrule",
        r"\endfoot",
        *body[1:],
        r"\end{longtable}",
        r"\endgroup",
    ]
    return "\n".join([*lines, ""])


def _lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    body = [" & ".join(cells) + r" \\" for cells in rows]
    nothing = rf"\multicolumn{{{len(heads)}}}{{l}}{{nothing}} \\"
    return [" & ".join(heads) + r" \\", r"\midrule", *(body or [nothing])]


def _of_columns(
    table: pd.DataFrame, columns: Sequence[tuple[str, float | str, Callable[[dict], str]]], *about: str
) -> str:
    """Write a longtable; `columns`: heads, widths or alignments, and row -> cell. `about`: caption, size."""
    aligned = "".join(width if isinstance(width, str) else paragraphs(width) for _, width, _ in columns)
    rows = [[cell(row) for *_, cell in columns] for row in table.to_dict("records")]
    return longtable([head for head, *_ in columns], aligned, rows, *about)


def _broken(name: str) -> Callable[[dict], str]:
    return lambda row: escape_breakable(row[name])


def latex_claims(table: pd.DataFrame) -> str:
    """Write the claims of a paper with their verdicts, the share of specifications and the evidence."""
    columns = (
        ("Place", 0.1, _broken("place")),
        ("Claim", 0.26, _broken("sentence")),
        ("Verdict", 0.1, _broken("verdict")),
        ("Share", "r", lambda row: format_latex_number(row["share"]) if row["share"] != NO_SHARE else ""),
        ("Found", 0.36, _broken("evidence")),
    )
    caption = (
        "What the paper claims: the verdict, the share of the specifications that decide in which the "
        "claim holds, and what was found with the default choices."
    )
    return _of_columns(table, columns, caption)


def latex_comparison(table: pd.DataFrame, study: str) -> str:
    """Write every published number of a study beside ours, with the verdict but not the reasons.

    `table`: rows of comparison.csv of all studies, as text.
    """
    columns = (
        ("Artefact", "l", lambda row: escape_latex(_spaced(row["artefact"]))),
        ("Data set", 0.09, _broken("dataset")),
        ("Method", 0.12, lambda row: escape_breakable(_label(row["method"]))),
        ("Quantity", 0.08, lambda row: escape_breakable(_spaced(row["quantity"]))),
        ("Published", "r", lambda row: _beside(row["published"], row["published_std"], escape_latex)),
        ("Ours", "r", lambda row: _beside(row["ours_mean"], row["ours_std"], format_latex_number)),
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
    return _of_columns(table[table["study"] == study], columns, caption, "tiny")


def latex_coverage(table: pd.DataFrame) -> str:
    """Write how many published numbers of each artefact, quantity and kind have each verdict."""
    words = sum(name in ("artefact", "quantity", "kind") for name in table.columns)
    heads = ["Study", *(escape_latex(_spaced(name)).capitalize() for name in table.columns[1:])]
    heads[1 + words :] = [rf"\rotatebox{{90}}{{{head}}}" for head in heads[1 + words :]]
    rows = []
    for i, row in enumerate(table.to_dict("records")):
        study = row["study"] if i == 0 or row["study"] != table["study"].iloc[i - 1] else ""
        rows.append(
            [escape_latex(study), *(format_latex_number(_spaced(row[name])) for name in table.columns[1:])]
        )
    columns = "l" * (1 + words) + "r" * (len(heads) - 1 - words)
    return longtable(heads, columns, rows, "Published numbers by what became of them.", "tiny")


def latex_data(table: pd.DataFrame) -> str:
    """Write status and counts of each data set, published ones where they differ, and what is special."""
    rows = []
    for row in table.to_dict("records"):
        why = row.get("reason", "").partition(";")[0]  # without the remedy, which the page gives
        said = [why, *(row.get(name, "") for name in ("note", "differs_from_print"))]
        rows.append(
            [
                escape_breakable(row["dataset"]),
                escape_latex(row["status"]),
                *(_count(row, name) for name in FACTS),
                " ".join(filter(None, map(escape_breakable, said))),
            ]
        )
    caption = (
        "Data sets: the counts found, in parentheses those that a paper prints where they differ, and notes."
    )
    heads = ("Data set", "Status", *FACTS, "Notes")
    return longtable(heads, f"{paragraphs(0.1)}l*{{6}}{{r}}{paragraphs(0.25)}", rows, caption, "tiny")


def latex_verification(table: pd.DataFrame) -> str:
    """Write for each method its cases, those that passed, and the largest relative gap to the reference."""
    rows = []
    for method, block in table.groupby("method", sort=True):
        gaps = pd.to_numeric(block["relative_gap"], errors="coerce").abs()
        passed = block["passed"].astype(str).str.lower().isin(("true", "1")).sum()
        tolerances = pd.to_numeric(block["tolerance"], errors="coerce")
        rows.append(
            [
                method_name(method),
                str(len(block)),
                str(passed),
                format_latex_number(gaps.max()),
                f"{tolerances.max():.2g}",
            ]
        )
    lines = [
        f"{SAID}\\usepackage{{graphicx}}. \\input it inside a table.",
        r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}%",
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        *_lines(("Method", "Cases", "Passed", "Largest gap", "Tolerance"), rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\endgroup",
    ]
    return shrink_tabulars("\n".join([*lines, ""]))


WRITERS: dict[str, tuple[Callable[[pd.DataFrame], str], tuple[str, ...]]] = {
    "coverage": (latex_coverage, ("study",)),
    "verification": (latex_verification, ("method", "relative_gap", "tolerance", "passed")),
    "data": (latex_data, ("dataset", "status")),
}
"""Name of a table of the whole run -> what writes it as LaTeX, and the columns that this needs."""


def paragraphs(*shares: float) -> str:
    """Align columns of text that is broken into lines, each a share of the text width."""
    return "".join(rf">{{\raggedright\arraybackslash}}p{{{share:.3g}\linewidth}}" for share in shares)


def _spaced(name: object) -> str:
    return str(name).replace("_", " ")


def _label(method: str) -> str:
    """Name of a method for readers; one that no figure shows keeps its name, without underscores."""
    label = method_label(method)
    return _spaced(method) if label == method else label


def method_name(method: str) -> str:
    """Write the name of a method for readers."""
    return escape_latex(_label(method))


def _beside(mean: str, std: str, written: Callable[[str], str]) -> str:
    """Write a mean and its standard deviation, if that is a number."""
    is_number = pd.notna(pd.to_numeric(std, errors="coerce"))
    return rf"{written(mean)} $\pm$ {written(std)}" if is_number else written(mean)


def _count(row: dict, name: str) -> str:
    """Write a count that was found, and the published one behind it where that is another."""
    found, published = row.get(name, ""), row.get(f"{name}_published", "")
    shown = _whole(found)
    return f"{shown} ({_whole(published)})".lstrip() if published and _whole(published) != shown else shown


def _whole(cell: str) -> str:
    """Write a count in full; an empty cell stays empty."""
    value = pd.to_numeric(cell, errors="coerce")
    return escape_latex(cell) if pd.isna(value) or value != int(value) else str(int(value))
