"""The dirty model of K15: its Figure 1."""
