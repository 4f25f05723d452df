"""The published snapshot: its archive of fits, and what a new run changes."""
