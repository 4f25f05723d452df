"""Reasons of verdicts by number: clauses that differ in their numbers and names only are one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

BETWEEN = "; "
OPEN = "…"
NUMBER = r"[-−+]?\d+(?:\.\d+)?(?:e[-−+]?\d+)?"


def by_number(reasons: Sequence[str], names: Iterable[str]) -> tuple[list[str], list[tuple[int, ...]]]:
    """Give the clauses of reasons their numbers.

    `reasons`: clauses with `BETWEEN` them. `names`: names that vary as numbers do: data sets, methods.
    Returns `sentences`: of each number from 1 on; `OPEN` stands where the clauses differ; `numbers`: of the
    clauses of each reason.
    """
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    varying = re.compile(rf"(?<![\w.])({'|'.join([*longest, NUMBER])})(?!\w)")
    kinds: dict[tuple[str, ...], list[list[str]]] = {}
    split = [[varying.split(clause) for clause in reason.split(BETWEEN)] for reason in reasons]
    for parts in (parts for clauses in split for parts in clauses):
        kinds.setdefault(tuple(parts[::2]), []).append(parts[1::2])
    order = {kind: i for i, kind in enumerate(kinds, 1)}
    sentences = [_sentence(kind, said) for kind, said in kinds.items()]
    return sentences, [tuple(dict.fromkeys(order[tuple(parts[::2])] for parts in one)) for one in split]


def _sentence(kind: Sequence[str], said: Sequence[Sequence[str]]) -> str:
    """Fill what all clauses of a kind say alike."""
    filled = [found.pop() if len(found := set(at)) == 1 else OPEN for at in zip(*said, strict=True)]
    return "".join(part for pair in zip(kind, [*filled, ""], strict=True) for part in pair)
