"""From rows to what a reader sees: tables, figures, the comparison with the printed numbers, and the page.

Everything here reads result files only (CSV and JSON in, files out) and imports nothing from the solvers or
the estimators, so that a report can be made again from the rows alone.
"""
