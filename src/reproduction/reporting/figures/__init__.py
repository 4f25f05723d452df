"""Figures that several papers have: of a table's values, of published against measured numbers."""
