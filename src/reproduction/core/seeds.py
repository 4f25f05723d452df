"""Seeds: every consumer of random numbers derives its own from the master seed, by its purpose."""

import hashlib

LETOR_FOLDS = 5
"""Folds of a LETOR collection, which is distributed in as many parts."""


def derive_seed(master: int, *purpose: object) -> int:
    """Derive the seed of one consumer as a function of the master seed and of the purpose.

    Parameters
    ----------
    master : int
        The master seed.
    *purpose : object
        For instance study, data set, split, and a word for the use; the order of the jobs and the number of
        cores do not matter.

    Returns
    -------
    int
        Seed below 2**63: the first eight bytes of a SHA-256, without the last bit.
    """
    text = "/".join(str(part) for part in (master, *purpose))
    # 63 bits, so that a seed fits a signed int64 of an array; a hash, so that nearby purposes share no
    # stream.
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
