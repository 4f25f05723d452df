"""The style of the figures, and how they are written."""
