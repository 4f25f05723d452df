"""Number the clauses of the reasons of verdicts, so that the page says each kind of clause once."""

import re
from collections.abc import Iterable, Sequence

CLAUSE_SEPARATOR, PLACEHOLDER = "; ", "…"
"""What stands between the clauses of a reason, and where clauses of one kind differ."""

NUMBER_PATTERN = r"[-−+]?\d+(?:\.\d+)?(?:e[-−+]?\d+)?"


def number_clauses(reasons: Sequence[str], names: Iterable[str]) -> tuple[list[str], list[tuple[int, ...]]]:
    """Give each kind of clause of the reasons a number, so that the page says it once.

    Clauses that differ only in numbers and names are one kind and have one number.

    Parameters
    ----------
    reasons : sequence of str
        Reasons, each of clauses with `CLAUSE_SEPARATOR` between them.
    names : iterable of str
        Names that vary as numbers do: data sets, methods.

    Returns
    -------
    tuple of list of str and list of tuple
        The sentence of each number from 1 on, with `PLACEHOLDER` where its clauses differ; and for each
        reason the numbers of its clauses.
    """
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    varying = re.compile(rf"(?<![\w.])({'|'.join([*longest, NUMBER_PATTERN])})(?!\w)")
    kinds: dict[tuple[str, ...], list[list[str]]] = {}
    split_reasons = [
        [varying.split(clause) for clause in reason.split(CLAUSE_SEPARATOR)] for reason in reasons
    ]
    for parts in (parts for clauses in split_reasons for parts in clauses):
        kinds.setdefault(tuple(parts[::2]), []).append(parts[1::2])
    order = {kind: i for i, kind in enumerate(kinds, 1)}
    sentences = [_merge_clauses(kind, values) for kind, values in kinds.items()]
    return sentences, [
        tuple(dict.fromkeys(order[tuple(parts[::2])] for parts in clauses)) for clauses in split_reasons
    ]


def _merge_clauses(kind: Sequence[str], values: Sequence[Sequence[str]]) -> str:
    """Merge the clauses of a kind: what is not the same in all of them becomes `PLACEHOLDER`."""
    filled = [
        distinct.pop() if len(distinct := set(place_values)) == 1 else PLACEHOLDER
        for place_values in zip(*values, strict=True)
    ]
    return "".join(part for pair in zip(kind, [*filled, ""], strict=True) for part in pair)
