"""Figures 2 and 3 of K15: one split iteration by iteration."""
