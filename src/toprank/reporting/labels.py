"""Names, order and colours of methods and feature blocks, for tables, figures and the page alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How one method is shown.

    Attributes
    ----------
    label : str
        Name for readers.
    colour : str
        Hexadecimal RGB colour.
    """

    label: str
    colour: str


# The palette of Okabe and Ito (2008), made to be told apart with any colour vision.
METHOD_STYLE = {
    "toppush": Style("TopPush", "#0072B2"),
    "admm": Style("ADMM", "#E69F00"),
    "a2dm2": Style("A2DM2", "#009E73"),
    "a2dm2_restart": Style("A2DM2 + restart", "#D55E00"),
    "exact": Style("Exact", "#000000"),
    "l1_infinite_push": Style("ℓ₁ infinite push", "#7A3E9D"),
    "l2_infinite_push": Style("ℓ₂ infinite push", "#3B8FC2"),
    "fenchelrank": Style("FenchelRank", "#0072B2"),
    "l1_ranksvm": Style("ℓ₁ RankSVM", "#7F6A00"),
    "fsmrank": Style("FSMRank (reconstructed)", "#000000"),
    "mcp_ranksvm": Style("MCP", "#009E73"),
    "log_ranksvm": Style("log", "#D55E00"),
    "lp_ranksvm": Style("ℓ₀.₅", "#CC79A7"),
    "adaptive_l1_ranksvm": Style("adaptive ℓ₁", "#E69F00"),
    "scad_ranksvm": Style("SCAD", "#56B4E9"),
    "mcp_ranksvm_tuned": Style("MCP (tuned γ)", "#009E73"),
    "log_ranksvm_tuned": Style("log (tuned ε)", "#D55E00"),
    "lp_ranksvm_tuned": Style("ℓp (tuned p)", "#CC79A7"),
    "rfe_infinite_push": Style("RFE infinite push", "#B3477D"),
    "l1_infinite_push_admm": Style("ℓ₁ infinite push, Algorithm 1", "#B5485D"),
    "l1_infinite_push_admm_exact_prox": Style("ℓ₁ infinite push, Algorithm 1 with the exact prox", "#D98A4B"),
}
"""Methods that the project knows, in the order in which they are shown."""

L14_METHODS = ("fenchelrank", "l1_ranksvm", "fsmrank", "mcp_ranksvm", "log_ranksvm", "lp_ranksvm")
"""The six methods of L14, in the order of its Table IV; a method of its studies that is none of them is
beyond the paper, and one that tunes what the paper fixes has the colour of the fixed one."""

FALLBACK_COLOURS = ("#CC79A7", "#56B4E9", "#5F5F5F", "#8B1E3F", "#4B6B2F", "#A0522D")

FEATURES_ORDER = ("raw", "standardised")


def method_styles(methods: Iterable[str]) -> dict[str, Style]:
    """Give every method its label and colour, in the order in which methods are shown.

    Parameters
    ----------
    methods : iterable of str
        Names as they stand in the result files; repetitions are ignored.

    Returns
    -------
    dict of str to Style
        Known methods first, in the order of `METHOD_STYLE`; then the others in alphabetical order, each with
        a colour of the fallback cycle and its own name as label.
    """
    names = set(methods)
    styles = {name: style for name, style in METHOD_STYLE.items() if name in names}
    for i, name in enumerate(sorted(names - METHOD_STYLE.keys())):
        styles[name] = Style(name, FALLBACK_COLOURS[i % len(FALLBACK_COLOURS)])
    return styles


def method_label(method: str) -> str:
    """Name of a method for readers; an unknown method keeps its own name."""
    return METHOD_STYLE[method].label if method in METHOD_STYLE else method


def method_key(method: str) -> tuple[int, str]:
    """Sort key that puts the known methods first, in their order."""
    known = list(METHOD_STYLE)
    return (known.index(method) if method in METHOD_STYLE else len(known), method)


def features_key(features: str) -> tuple[int, str]:
    """Sort key of the feature blocks: raw, standardised, then any other by name."""
    known = features in FEATURES_ORDER
    return (FEATURES_ORDER.index(features) if known else len(FEATURES_ORDER), features)


def row_id(row: Mapping[str, str]) -> str:
    """Anchor on the page of what is shown of a study, data set, feature block and method."""
    return re.sub(r"[^A-Za-z0-9]+", "-", f"{row['study']}-{row['dataset']}-{row['features']}-{row['method']}")
