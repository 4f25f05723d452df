"""The toy problem of R12: its Figures 1 and 2."""
