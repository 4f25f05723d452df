"""Figures of a table of the papers."""
