"""Variants of the two-block solvers and a proximal operator, for their tests."""

import numpy as np

VARIANTS = ("admm", "a2dm2", "a2dm2-restart")


def soft_threshold(v, step):
    return np.sign(v) * np.maximum(np.abs(v) - step, 0.0)
