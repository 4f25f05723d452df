"""What a study of L14 shows beyond its tables."""

from __future__ import annotations

import pandas as pd

from reproduction.comparison.margins import MARGINS
from reproduction.finding import Finding
from reproduction.labels import method_label
from reproduction.papers.laporte2014 import run_findings
from reproduction.papers.laporte2014.significance import BEST, WORSE
from reproduction.papers.laporte2014.tables import KEYS, against_l1, known, methods_of

SPARSEST = ("log_ranksvm", "lp_ranksvm")
"""The two that the paper finds sparsest."""

CERTIFIED = ("l1_ranksvm", "adaptive_l1_ranksvm")
FIXED = {
    "mcp_ranksvm_tuned": "mcp_ranksvm",
    "log_ranksvm_tuned": "log_ranksvm",
    "lp_ranksvm_tuned": "lp_ranksvm",
}
"""Method that tunes its parameter -> the one that fixes it as the paper does."""

BLOCK = KEYS[:2]


def notes(table: pd.DataFrame) -> dict | None:
    """Collect the notes on the data sets that have numbers."""
    have = known(table[(table["splits_used"] > 0) & (table["note"] != "none")]).drop_duplicates("dataset")
    sets = have.assign(note=have["note"].str.rstrip("."))
    return {"sets": sets.to_dict("records")} if len(sets) else None


def reconstructed(table: pd.DataFrame) -> dict | None:
    """Ask whether numbers of FSMRank are shown."""
    have = known(table[table["method"] == "fsmrank"])
    return {} if (have["splits_used"] > 0).any() else None


def ratios(table: pd.DataFrame) -> dict | None:
    """Count how many of the printed sparsity ratios are met."""
    both = _both(table)
    if both.empty:
        return None
    ours, printed = both["sparsity_ratio_mean"], both["printed_sparsity_ratio"]
    distance = (ours - printed).abs()
    return {
        "ratios": len(both),
        "sets": both["dataset"].nunique(),
        "agree": (distance.round(12) <= MARGINS["sparsity_ratio"].value).sum(),
        "margin": MARGINS["sparsity_ratio"].value,
        "spread": (distance <= both["sparsity_ratio_std"]).sum(),
        "median": distance.median(),
    }


def order(table: pd.DataFrame) -> dict | None:
    """Rank the penalties by sparsity, and set those that the paper finds sparsest beside ℓ₁."""
    sparser = [found for method in SPARSEST if (found := against_l1(table, method))]
    if not sparser:
        return None
    rows = known(table, "sparsity_ratio_mean")
    by_set = rows.pivot_table(index=BLOCK, columns="method", values="sparsity_ratio_mean", sort=False)
    printed = _both(table).pivot_table(index="dataset", columns="method", values="printed_sparsity_ratio")
    ours = by_set[methods_of(rows)].dropna().mean().dropna()
    return {"sparser": sparser, "ours": _ranked(ours), "printed": _ranked(printed.mean())}


def _ranked(means: pd.Series) -> list[dict]:
    return [{"method": method_label(name), "mean": mean} for name, mean in means.sort_values().items()]


def farthest(table: pd.DataFrame) -> dict | None:
    """Find where ours is farthest from the printed sparsity ratio, and on which side the differences lie."""
    both = _both(table)
    if both.empty:
        return None
    signed = both["sparsity_ratio_mean"] - both["printed_sparsity_ratio"]
    far = both.loc[signed.abs().sort_values(ascending=False, kind="stable").index[:3]]
    return {
        "denser": (signed > 0.02).sum(),
        "sparser": (signed < -0.02).sum(),
        "far": far.assign(method=far["method"].map(method_label)).to_dict("records"),
    }


def best(table: pd.DataFrame, measure: str) -> dict | None:
    """Set the values of the printed best methods beside ours, and count where the same method is the best."""
    rows = table[table["printed_relation"] == BEST].dropna(subset=f"{measure}_mean")
    if rows.empty:
        return None
    sets = rows.assign(method=rows["method"].map(method_label), ours=rows[f"{measure}_mean"])
    return {"sets": sets.to_dict("records"), "same": (rows["relation"] == BEST).sum()}


def relations(maps: pd.DataFrame, gains: pd.DataFrame) -> dict | None:
    """Count how many of the printed relations to the best are found again."""
    measures = []
    for title, table in (("MAP", maps), ("NDCG@10", gains)):
        rows = table[table["printed_relation"].isin(["~", WORSE]) & (table["relation"] != "none")]
        if len(rows):
            ours, printed = rows["relation"] == WORSE, rows["printed_relation"] == WORSE
            tested = rows["relation_by_folds"] != "none"
            by_folds = (rows["relation_by_folds"] == WORSE) == printed
            counts = {"agree": ours == printed, "both": ours & printed, "by_folds": by_folds & tested}
            counts |= {"ours": ours & ~printed, "print": printed & ~ours, "tested": tested}
            counted = {name: holds.sum() for name, holds in counts.items()}
            measures.append({"title": title, "of": len(rows)} | counted)
    return {"measures": measures} if measures else None


def tests(maps: pd.DataFrame, gains: pd.DataFrame) -> dict | None:
    """Count what the test on folds and the corrected tests leave of the significant decreases."""
    rows = pd.concat([maps, gains], ignore_index=True).dropna(subset="t_p")
    rows = rows[rows["block"] == "paper"]
    if rows.empty:
        return None
    falls = rows[rows["decrease_percent"] > 0]
    found = {"queries": rows["relation"] == WORSE, "folds": rows["relation_by_folds"] == WORSE}
    found |= {"holm": falls["wilcoxon_holm"] < 0.05, "permutation": falls["permutation_p"] < 0.05}
    return {"of": len(rows)} | {name: is_worse.sum() for name, is_worse in found.items()}


def file_order(fits: pd.DataFrame) -> dict | None:
    """Find where the order of the file alone, which breaks ties, ranks better than every model."""
    search = fits[(fits["role"] == "search") & fits["validation_map"].notna()]
    none, keys = search["n_variables"] == 0, [*BLOCK, "split"]
    alike = search[none].groupby(keys, sort=False)["validation_map"].max()
    models = search[~none].groupby(keys, sort=False)["validation_map"].max()
    both = pd.concat({"alike": alike, "models": models}, axis=1).dropna()
    beaten = both[both["alike"] > both["models"]]
    sets = []
    for (dataset, _), here in beaten.groupby(level=BLOCK, sort=False):
        of = both.loc[dataset]
        sets.append({"dataset": dataset, "folds": len(here), "of": len(of), **of.mean()})
    return {"sets": sets} if sets else None


def certified(fits: pd.DataFrame) -> dict | None:
    """Find the largest gap of the convex fits, and how stationary the others are."""
    convex = fits[fits["method"].isin(CERTIFIED) & fits["relative_gap"].notna()]
    others = fits[fits["relative_gap"].isna() & fits["kkt"].notna()]
    if convex.empty and others.empty:
        return None
    return {
        "convex": {"n": len(convex), "gap": convex["relative_gap"].max(), "kkt": convex["kkt"].max()},
        "others": {"n": len(others), "kkt": others["kkt"].max()},
        "seconds": fits["seconds"].sum(),
    }


def tuned(table: pd.DataFrame, maps: pd.DataFrame) -> dict | None:
    """Measure what it changes to tune the parameter that the paper fixes."""
    by_set = {
        name: rows.pivot_table(index=BLOCK, columns="method", values=f"{name}_mean")
        for name, rows in (("sparsity_ratio", known(table)), ("map", maps))
    }
    methods = [
        {"method": method_label(one)}
        | {name: (means[one] - means[fixed]).mean() for name, means in by_set.items()}
        for one, fixed in FIXED.items()
        if all({one, fixed} <= set(means) for means in by_set.values())
    ]
    return {"methods": methods} if methods else None


def _both(table: pd.DataFrame) -> pd.DataFrame:
    return known(table, "sparsity_ratio_mean", "printed_sparsity_ratio")


_BEST = """{{ sets | each("{dataset} {method} {ours:.4f} against {printed_value:.4f}") | join(", ") }}. It is
the best here on {{ same }} of {{ sets | length }}."""
FINDINGS: tuple[Finding, ...] = (
    Finding(
        "notes",
        "What is special about the data",
        """{{ sets | each("{dataset}: {note}.") | join(" ") }}""",
        notes,
        ("table4",),
    ),
    Finding(
        "reconstructed",
        "FSMRank is reconstructed",
        """FSMRank is reconstructed from its papers. Its code was given on demand only, and its grid is our
        choice. So its numbers follow our reading.""",
        reconstructed,
        ("table4",),
    ),
    Finding(
        "ratios",
        "How many sparsity ratios agree",
        """Of {{ ratios }} printed sparsity ratios on {{ sets }} data sets {{ agree }} agree within
        {{ margin }}, and {{ spread }} lie within one standard deviation of ours over the
        folds. The median distance is {{ median | to(".2g") }}.""",
        ratios,
        ("table4",),
    ),
    Finding(
        "order",
        "Which penalties are sparsest",
        """Sparser than ℓ₁ RankSVM: {{ sparser | each("{method} on {below} of {of} data sets (mean {mean:.2f}
        against {convex:.2f})") | join("; ") }}.
        {% if ours %}Mean over the data sets, sparsest first:
        {{ ours | each("{method} {mean:.2f}") | join(", ") }}.{% endif %}
        {% if printed %}As printed for the same data sets:
        {{ printed | each("{method} {mean:.2f}") | join(", ") }}.{% endif %}""",
        order,
        ("table4",),
    ),
    Finding(
        "farthest",
        "Where the sparsity ratios differ most",
        """Where they differ, ours uses more features than printed in {{ denser }} cases and fewer in
        {{ sparser }}. The largest distances: {{ far | each("{method} on {dataset}
        ({sparsity_ratio_mean:.2f} against {printed_sparsity_ratio:.2f})") | join(", ") }}.""",
        farthest,
        ("table4",),
    ),
    Finding(
        "best-map",
        "MAP of the best methods",
        "MAP of the printed best method, ours against printed:  " + _BEST,
        lambda maps: best(maps, "map"),
        ("table5",),
    ),
    Finding(
        "best-ndcg",
        "NDCG@10 of the best methods",
        "NDCG@10 of the printed best method, ours against printed:  " + _BEST,
        lambda gains: best(gains, "ndcg10"),
        ("table6",),
    ),
    Finding(
        "relations",
        "How many relations to the best agree",
        """Relations to the best method that come out as printed: {{ measures | each("{title} {agree} of {of}
        (worse in both {both}, only in ours {ours}, only in print {print}); by the test on the folds
        {by_folds} of {tested}") | join("; ") }}.""",
        relations,
        ("table5", "table6"),
    ),
    Finding(
        "tests",
        "How many methods are worse, by each test",
        """Significantly worse in {{ of }} comparisons with the best (MAP and NDCG@10): {{ queries }} by the
        paper's test on the queries, {{ folds }} by the same test on the folds, {{ holm }} by the two-sided
        Wilcoxon test with Holm's correction, {{ permutation }} by the two-sided permutation test.""",
        tests,
        ("table5", "table6"),
    ),
    Finding(
        "file-order",
        "Where the order of the file ranks better than the models",
        """Ties are broken by the order of the file, which is not neutral. A model that scores all documents
        alike has a higher validation MAP than every model with features {{ sets | each("on {dataset} on
        {folds} of {of} folds (on average {alike:.3f}, the best models {models:.3f})") | join("; ") }}.
        Such a model ranks nothing, and is never chosen.""",
        file_order,
        ("fits",),
    ),
    Finding(
        "certified",
        "How tightly the fits are certified",
        """{% if convex.n %}Over {{ convex.n }} fits under a plain or weighted ℓ₁ norm the largest relative
        duality gap is {{ convex.gap | to(".1e") }} and the largest violation of the optimality conditions
        {{ convex.kkt | to(".1e") }} λ.{% endif %}
        {% if others.n %}Over {{ others.n }} nonconvex fits the largest violation of stationarity is
        {{ others.kkt | to(".1e") }} λ.{% endif %} Fitting took {{ seconds | to(".0f") }} s in all.""",
        certified,
        ("fits",),
    ),
    Finding(
        "tuned",
        "What tuning changes",
        """Beyond the paper, tuning changes sparsity ratio and MAP, on average over the data sets: {{ methods
        | each("{method} {sparsity_ratio:+.2f} and {map:+.4f}") | join("; ") | replace("-", "−") }}.""",
        tuned,
        ("table4", "table5"),
    ),
    *run_findings.FINDINGS,
)
"""The findings on L14, in the order in which they are shown."""
