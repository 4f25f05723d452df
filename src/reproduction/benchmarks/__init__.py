"""Solvers of others, with which the solvers of toprank are raced; it knows no paper."""
