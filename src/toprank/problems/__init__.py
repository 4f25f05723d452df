"""Optimisation problems: objectives, gradients and dual bounds. `toprank.solvers` minimises them."""
