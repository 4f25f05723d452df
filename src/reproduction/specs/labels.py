"""Names, order and colours of methods and feature scaling, for tables, figures and the page alike."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How one method is shown.

    Attributes
    ----------
    colour : str
        Hexadecimal RGB.
    marker : str
        Of Matplotlib; markers differ as well as colours, so that no reader depends on colour.
    is_filled : bool
        Whether the marker is filled; variants of a method have open ones.
    label : str
        Name for readers.
    """

    label: str
    colour: str
    marker: str = "o"
    is_filled: bool = True


# Hues of Okabe and Ito (2008), darker, so that each stands out from white (3 : 1), and moved until those that
# stand in one figure differ with any colour vision.
METHOD_STYLE = {
    "toppush": Style("TopPush", "#10599C", "o"),
    "admm": Style("ADMM", "#CE810C", "s"),
    "a2dm2": Style("A2DM2", "#079E73", "^"),
    "a2dm2_restart": Style("A2DM2 + restart", "#A42B05", "D"),
    "exact": Style("Exact", "#000000", "v"),
    "l1_infinite_push": Style("ℓ₁ infinite push", "#522699", "o"),
    "l2_infinite_push": Style("ℓ₂ infinite push", "#2C95D3", "^"),
    "fenchelrank": Style("FenchelRank", "#3648AB", "o"),
    "l1_ranksvm": Style("ℓ₁ RankSVM", "#554400", "s"),
    "fsmrank": Style("FSMRank (reconstructed)", "#000000", "^"),
    "mcp_ranksvm": Style("MCP", "#067E5A", "D"),
    "log_ranksvm": Style("log", "#DB5737", "v"),
    "lp_ranksvm": Style("ℓ₀.₅", "#BD709E", "P"),
    "adaptive_l1_ranksvm": Style("adaptive ℓ₁", "#D37E00", "s", is_filled=False),
    "scad_ranksvm": Style("SCAD", "#3E99DA", "X", is_filled=False),
    "mcp_ranksvm_tuned": Style("MCP (tuned γ)", "#067E5A", "D", is_filled=False),
    "log_ranksvm_tuned": Style("log (tuned ε)", "#DB5737", "v", is_filled=False),
    "lp_ranksvm_tuned": Style("ℓp (tuned p)", "#BD709E", "P", is_filled=False),
    "rfe_infinite_push": Style("RFE infinite push", "#BC4C85", "D"),
    "toppush_exact": Style("TopPush, certified", "#10599C", "o", is_filled=False),
    "l2_ranksvm": Style("ℓ₂ RankSVM", "#8A6D00", "s", is_filled=False),
    "logistic_regression": Style("Logistic regression", "#B2182B", "D"),
    "logistic_l1": Style("ℓ₁ logistic regression", "#B2182B", "D", is_filled=False),
    "linear_svc": Style("Linear SVM", "#5F5F5F", "P"),
    "boosted_trees": Style("Boosted trees, logistic loss", "#4B6B2F", "s"),
    "lambdamart": Style("LambdaMART", "#4B6B2F", "^"),
    "xgboost_ranker": Style("XGBoost's ranker", "#4B6B2F", "v", is_filled=False),
    "best_feature": Style("Best single feature", "#5F5F5F", "X"),
    "random_scorer": Style("Random scores", "#5F5F5F", "d"),
    "toppush_depth": Style("TopPush, depth searched", "#10599C", "d"),
    "l1_infinite_push_depth": Style("ℓ₁ infinite push, depth searched", "#522699", "s"),
    "l2_infinite_push_depth": Style("ℓ₂ infinite push, depth searched", "#2C95D3", "v"),
    "balanced_logistic": Style("Logistic regression, classes weighted", "#B2182B", "P"),
    "random_forest": Style("Random forest", "#4B6B2F", "D"),
    "nearest_active": Style("Nearest active (Tanimoto)", "#9D2F4C", "X"),
    "l1_infinite_push_admm": Style("ℓ₁ infinite push, Algorithm 1", "#9D2F4C", "v"),
    "l1_infinite_push_admm_exact_prox": Style(
        "ℓ₁ infinite push, Algorithm 1 with the exact prox", "#C37533", "P"
    ),
}
"""Methods that the project knows, in the order in which they are shown."""

FALLBACK_COLOURS = ("#BD709E", "#3E99DA", "#5F5F5F", "#8B1E3F", "#4B6B2F", "#A0522D")
FALLBACK_MARKERS = ("h", "p", "<", ">", "8", "*", "H")
"""For unknown methods; the cycles have different lengths, so that pairs differ."""

SCALING_ORDER = ("raw", "standardised")


def method_styles(methods: Iterable[str]) -> dict[str, Style]:
    """Give every method its label and colour, in the order in which methods are shown.

    Parameters
    ----------
    methods : Iterable[str]
        Names as they stand in the result files; repetitions are ignored.

    Returns
    -------
    dict[str, Style]
        Known methods first, in the order of `METHOD_STYLE`; then the others in alphabetical order, each with
        a colour and a marker of the fallback cycles and its own name as label.
    """
    names = set(methods)
    styles = {name: style for name, style in METHOD_STYLE.items() if name in names}
    # an unknown method keeps its name; colour and marker follow from its place among the unknown ones
    for i, name in enumerate(sorted(names - METHOD_STYLE.keys())):
        colour, marker = (cycle[i % len(cycle)] for cycle in (FALLBACK_COLOURS, FALLBACK_MARKERS))
        styles[name] = Style(name, colour, marker)
    return styles


def method_label(method: str) -> str:
    """Return the name of a method for readers.

    Parameters
    ----------
    method : str
        Name as in the result files.

    Returns
    -------
    str
        Its label; an unknown method keeps its own name.
    """
    return METHOD_STYLE[method].label if method in METHOD_STYLE else method


def method_sort_key(method: str) -> tuple[int, str]:
    """Return a sort key that puts the known methods first, in their order.

    Parameters
    ----------
    method : str
        Name as in the result files.

    Returns
    -------
    tuple[int, str]
        Position and name.
    """
    order = list(METHOD_STYLE)
    return (order.index(method) if method in METHOD_STYLE else len(order), method)


def scaling_sort_key(feature_scaling: str) -> tuple[int, str]:
    """Return the sort key of a feature scaling: raw, standardised, then any other by name.

    Parameters
    ----------
    feature_scaling : str
        Name as in the result files.

    Returns
    -------
    tuple[int, str]
        Position and name.
    """
    is_known = feature_scaling in SCALING_ORDER
    return (SCALING_ORDER.index(feature_scaling) if is_known else len(SCALING_ORDER), feature_scaling)


def anchor_id(row: Mapping[str, str]) -> str:
    """Return the anchor on the page for a study, data set, feature scaling and method.

    Parameters
    ----------
    row : Mapping[str, str]
        Row with these four columns; one without a method is about the data themselves.

    Returns
    -------
    str
        Letters, digits and hyphens.
    """
    # a row of a data set alone: the anchors of Table III
    identity = row if "method" in row else {**row, "feature_scaling": "raw", "method": "data"}
    names = (identity[name] for name in ("study", "dataset", "feature_scaling", "method"))
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join(names))


def format_identity(name: str, value: str) -> str:
    """Write a cell that identifies a published number as readers see it.

    Parameters
    ----------
    name : str
        Name of the column.
    value : str
        Its content.

    Returns
    -------
    str
        Label of a method or a quantity; anything else stays.
    """
    if name == "method":
        return method_label(value)
    return value.replace("_", " ") if name == "quantity" else value
