"""The choices of a study as a table: what its paper leaves open, the declared defaults, and the cost."""

from dataclasses import replace

import pandas as pd

from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.multiverse import Specifications, option_text
from reproduction.specs.paper import Table
from reproduction.specs.study_results import Study
from reproduction.specs.table_cells import number_cell, number_columns, text_cell
from reproduction.specs.table_views import Cell, Column, Row, View

CHOICES_COLUMNS = ("choice", "title", "place", "default", "options", "reuses")


def build_choices_table(study: Study) -> pd.DataFrame:
    """Build the table of what the paper leaves open, a row a choice.

    Parameters
    ----------
    study : Study
        The study with its settings.

    Returns
    -------
    pandas.DataFrame
        The columns of `CHOICES_COLUMNS`; no row where the paper leaves nothing open.
    """
    specifications = Specifications(study.paper.choices, study.settings)
    rows = []
    for name, choice in specifications.choices.items():
        # an option in words where the paper's record has some, otherwise its value
        option_texts = {option_text(option): words for option, words in (choice.options or {}).items()}
        default, alternatives = specifications.defaults[name], specifications.alternatives(name)
        descriptions = [
            f"{option}: {option_texts[option]}" if option in option_texts else option
            for option in alternatives
        ]
        identity = (name, choice.title, choice.place, option_texts.get(default, default))
        rows.append((*identity, "; ".join(descriptions) or "none", choice.reuses_fits))
    return pd.DataFrame(rows, columns=list(CHOICES_COLUMNS))


def _describe_cost(row: Row) -> str:
    """Describe whether the options of a choice need new fits."""
    return "selects among existing fits" if str(row["reuses"]) == "True" else "needs new fits"


CHOICES = Table(
    "choices",
    build_choices_table,
    PlainCsv(),
    caption="Choices that the paper leaves open, the declared default, and the other options examined.",
    view=View(
        "choices",
        "Choices that the paper leaves open",
        (Column("Choice", text_cell("title"), latex_heading="Choice", style=""),),
        (
            Column("Place in the paper", text_cell("place"), style="words"),
            Column("Default", text_cell("default"), latex_heading="Default", style="words"),
            Column("Other options", text_cell("options"), style="words"),
            Column("Cost of an option", _describe_cost, style="words"),
        ),
        lead_text="A specification is one option of each choice. The default was declared "
        "before the numbers were compared with the published ones.",
    ),
)

COST_COLUMNS = ("part", "fits", "seconds", "budget_minutes")


def build_cost_table(study: Study) -> pd.DataFrame:
    """Build the table of the seconds of new fits, a row a part.

    Parameters
    ----------
    study : Study
        The study with its settings.

    Returns
    -------
    pandas.DataFrame
        The columns of `COST_COLUMNS`; ``budget_minutes`` is what the configuration allows.
    """
    settings = study.settings.get("multiverse", {})
    fits_anew = any(
        experiment.name == "multiverse" for experiment in study.paper.experiments_of(study.settings)
    )
    rows = study.read_experiment("multiverse", "cost") if fits_anew else []
    table = pd.DataFrame(rows, columns=list(COST_COLUMNS)).sort_values("part", ignore_index=True)
    return table.assign(budget_minutes=settings.get("budget_minutes"))


def _seconds_cell(row: Row) -> Cell:
    """Show seconds, in bold beyond the budget."""
    budget = row["budget_minutes"]
    exceeds_budget = not pd.isna(budget) and row["seconds"] > 60 * budget
    return replace(number_cell(row["seconds"]), strong=exceeds_budget)


MULTIVERSE_COST = Table(
    "multiverse_cost",
    build_cost_table,
    PlainCsv(),
    caption="Time on one core of the options that need new fits; bold: above the limit of the study.",
    view=View(
        "multiverse_cost",
        "Computing time of the other options",
        (Column("Part", text_cell("part"), latex_heading="Part", style=""),),
        (
            *number_columns(("Fits", "fits", ""), latex_heading="Fits"),
            Column("Seconds", _seconds_cell, latex_heading="Seconds"),
            *number_columns(("Allowed minutes", "budget_minutes", ""), latex_heading="Allowed minutes"),
        ),
        lead_text="Options that only select among existing fits cost nothing. In bold: above the limit of "
        "the study on a data set.",
    ),
)
