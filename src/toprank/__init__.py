"""Sparse and top-of-the-list ranking: three papers' solvers, each with a certificate."""

from toprank.estimators.top_push import TopPush

__all__ = ["TopPush"]
