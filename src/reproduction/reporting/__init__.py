"""From rows to tables, figures, LaTeX and the page.

Everything here reads result files only (CSV and JSON in, files out) and imports no solver or estimator, so
that a report can be rebuilt from the rows alone.
"""
