"""A study of a paper, made of files as the scripts make it."""

from io import StringIO

import pandas as pd
from default_specification import default_specification_rows
from matplotlib.text import Text

from reproduction.comparison.table import Comparison
from reproduction.papers import paper
from reproduction.reporting.study_report import build_study_report
from reproduction.specs.paper import import_object
from reproduction.specs.study_results import Study


def study_of(named, files, published=False, name=None, **settings):
    """A study that follows a paper, with these files."""
    return Study(name or named, paper(named), {"published": published, "datasets": {}} | settings, files)


def compare_study(study):
    """Its published numbers beside ours; without a table of specifications, in the default one alone."""
    if study.published_values is None:
        return Comparison()
    if study.published_file and "multiverse.csv" not in study.files:
        study.tables.setdefault("multiverse", default_specification_rows(study))
    return import_object(study.paper.compare)(study)


def get_row(rows, dataset, method=None, quantity=None):
    """The one row of these names."""
    for name, value in {"dataset": dataset, "method": method, "quantity": quantity}.items():
        rows = rows if value is None else rows[rows[name] == value]
    (row,) = rows.to_dict("records")
    return row


def as_read(rows, columns):
    """A table as the page reads it."""
    return pd.read_csv(StringIO(pd.DataFrame(rows, columns=list(columns)).to_csv(index=False)))


def texts(figure):
    """All that is written in a figure."""
    return [text.get_text() for text in figure.findobj(Text)]


def read_study(named, files, published=False, comparison=None, name=None, **settings):
    """What the page shows of it."""
    return build_study_report(study_of(named, files, published, name, **settings), comparison)
