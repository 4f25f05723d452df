"""The scikit-learn face of the solvers."""
