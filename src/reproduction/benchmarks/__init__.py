"""Solvers of others, with which the solvers of toprank are compared; it knows no paper."""
