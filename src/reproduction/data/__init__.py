"""Data sets: registry, download, readers, generators, splits."""
