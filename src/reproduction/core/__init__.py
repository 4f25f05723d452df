"""What all else stands on: atomic files, provenance, columns of a result, formats of numbers, seeds."""
