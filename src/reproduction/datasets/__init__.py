"""Data sets: registry, download, readers, preparation, synthetic sets."""
