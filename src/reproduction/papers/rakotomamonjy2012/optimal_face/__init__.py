"""The optima of the l1 problems of R12: how many variables they use where there are several."""
