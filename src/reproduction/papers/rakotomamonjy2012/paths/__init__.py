"""Regularisation paths, beyond R12."""
