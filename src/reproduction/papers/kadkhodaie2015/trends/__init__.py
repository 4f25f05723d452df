"""Figures 2 and 3 of K15 on more splits and data sets, in numbers."""
