"""What a study of the infinite push, and a run with it, show beyond the tables."""

from __future__ import annotations

import pandas as pd

from reproduction.finding import Finding, Run, blocks, of_one_study, rows
from reproduction.labels import method_label
from reproduction.papers.rakotomamonjy2012.times.figure import exponents
from reproduction.printed import by_method, read_printed
from reproduction.results import parameter
from reproduction.statistics import wilcoxon_p

SPARSE, RIVAL = "l1_infinite_push", "l1_ranksvm"
NEAR = 0.1
"""Distance, as a share of the printed number, within which two numbers of variables are alike."""


def certified(fits: pd.DataFrame) -> dict | None:
    """Find the largest gap of all fits."""
    solved = fits.dropna(subset="relative_gap")
    if solved.empty:
        return None
    return {"fits": len(solved), "gap": solved["relative_gap"].max(), "seconds": solved["seconds"].sum()}


def variables_as_printed(table: pd.DataFrame) -> dict | None:
    """Find the printed data sets whose number of variables lies within one printed deviation."""
    known = table[table["method"] == SPARSE].dropna(subset=["printed_variables_mean", "variables_mean"])
    if known.empty:
        return None
    distance = (known["variables_mean"] - known["printed_variables_mean"]).abs()
    agree = known.assign(agrees=distance <= known["printed_variables_std"])
    in_some_reading = agree.groupby("printed_dataset", sort=False)["agrees"].any()
    return {"of": len(in_some_reading), "named": list(in_some_reading.index[in_some_reading])}


def sparser(fits: pd.DataFrame, table: pd.DataFrame) -> dict | None:
    """Find the data sets on which the sparse infinite push uses fewer variables than the sparse RankSVM."""
    chosen = fits[(fits["role"] == "chosen") & fits["n_variables"].notna()]
    found = []
    for dataset in dict.fromkeys(table["dataset"]):
        of_set = chosen[chosen["dataset"] == dataset]
        wide = of_set.pivot_table(index="split", columns="method", values="n_variables")
        if {SPARSE, RIVAL} <= set(wide):
            push, rank = wide[SPARSE], wide[RIVAL]
            p = wilcoxon_p(push, rank)
            found.append({"dataset": dataset, "push": push.mean(), "rank": rank.mean(), "p": p})
    if not found:
        return None
    fewer = [one for one in found if one["push"] < one["rank"]]
    return {"fewer": fewer, "others": [one for one in found if one not in fewer]}


def nearer_reading(table: pd.DataFrame) -> dict | None:
    """Find the reading of the labels that comes nearer to the printed rates, where there are two.

    The distance of a reading is the mean over the printed methods of |ours − printed| / printed standard
    deviation.
    """
    known = table.dropna(subset=["printed_rate_at_top_mean", "rate_at_top_mean"])
    distance = (known["rate_at_top_mean"] - known["printed_rate_at_top_mean"]).abs()
    known = known.assign(distance=distance / known["printed_rate_at_top_std"])
    means = known.groupby(["printed_dataset", "dataset"], sort=False)["distance"].mean()
    sets = []
    for name, block in means.groupby(level="printed_dataset", sort=False):
        ranked = [{"name": name, "distance": far} for name, far in block.droplevel(0).sort_values().items()]
        if len(ranked) > 1:
            sets.append({"dataset": name, "nearest": ranked[0], "others": ranked[1:]})
    return {"sets": sets} if sets else None


def toy(table: pd.DataFrame) -> dict | None:
    """Count how often the sparse infinite push is the best on the toy problem, and how often it is beaten."""
    if table.empty or SPARSE not in set(table["method"]):
        return None
    means = table.pivot_table(index=["noise", "rows"], columns="method", values="mean")
    rivals = table[table["p_value"].notna()]
    ours = means[SPARSE].reindex(pd.MultiIndex.from_frame(rivals[["noise", "rows"]])).to_numpy()
    significant = rivals["p_value"].to_numpy() < 0.05
    losses = significant & (ours < rivals["mean"])
    return {
        "sizes": len(means),
        "best": (means.idxmax(axis=1) == SPARSE).sum(),
        "comparisons": len(rivals),
        "wins": (significant & (ours > rivals["mean"])).sum(),
        "losses": losses.sum(),
        "beaten_by": list(dict.fromkeys(map(method_label, rivals.loc[losses, "method"]))),
    }


def times(table: pd.DataFrame) -> dict | None:
    """Fit the exponents of the running times; find the most pairs that the exact solver was given."""
    if table.empty:
        return None
    largest = table[table["solver"] == SPARSE].nlargest(1, "pairs").to_dict("records")
    return {"exponents": exponents(table), "largest": largest}


def zero_optimum(table: pd.DataFrame) -> dict | None:
    """Find the data sets whose optimum is w = 0, or the one that comes nearest to that."""
    known = table.dropna(subset="lambda_max_median").drop_duplicates(["dataset", "features"])
    if known.empty:
        return None
    nearest = known.loc[known["lambda_max_median"].idxmin()]
    return {
        "zero": blocks(known[known["zero_optimal_share"] > 0]),
        "sets": len(known),
        "nearest": nearest["dataset"],
        "smallest": nearest["lambda_max_median"],
    }


def printed_sizes(run: Run) -> dict | None:
    """Add up the counts in parentheses of Table 1, called training and testing examples there."""
    whole = run.data[(run.data["status"] == "obtained") & (run.data["substitute_for"] == "")]
    whole = whole[whole["reading_of"] == ""] if "reading_of" in whole else whole

    @of_one_study
    def of_study(study) -> dict | None:
        printed = by_method(read_printed(study.published), "table1")
        if printed is None:
            return None
        sets = printed.drop_duplicates("dataset").merge(whole.rename(columns={"rows": "size"}), on="dataset")
        size = pd.to_numeric(sets["size"])
        is_sum = sets["first_count"] + sets["second_count"] == size
        second = sets.loc[~is_sum & (sets["second_count"] == size), "dataset"]
        if second.empty:
            return None
        table = study.tables["table1"]
        at = table[table["dataset"].isin(second)].drop_duplicates("dataset").head(3)
        evidence = rows(at, "{dataset}, {data_rows:.0f} rows")
        return {"summed": sets[is_sum].to_dict("records"), "second": second, "evidence": evidence}

    return of_study(run)


@of_one_study
def hardly_regularised(study) -> dict | None:
    """Ask whether the printed numbers of variables of RankSVM fit a hardly regularised model."""
    table = study.tables["table1"]
    names = ["printed_variables_mean", "variables_mean", "limit_variables"]
    known = table[table["method"] == RIVAL].dropna(subset=names)
    printed, *ours = (known[name] for name in names)
    as_chosen, at_limit = ((number - printed).abs() <= NEAR * printed for number in ours)
    if at_limit.sum() <= as_chosen.sum() or at_limit.mean() < 0.5:
        return None
    return {
        "near": NEAR,
        "chosen": as_chosen.sum(),
        "of": len(known),
        "share": _weakest_share(study.fits),
        "at_limit": known[at_limit].to_dict("records"),
        "neither": list(known.loc[~at_limit & ~as_chosen, "dataset"]),
        "fewer": _sparser_than_rival(table, known),
        "evidence": rows(known[at_limit].head(6)),
    }


def _sparser_than_rival(table: pd.DataFrame, known: pd.DataFrame) -> dict | None:
    """Count where the infinite push uses fewer variables, as printed and here, if the print says more."""
    names = ["dataset", "features"]
    both = known.merge(table[table["method"] == SPARSE], "left", on=names, suffixes=("", "_push"))
    printed = (both["printed_variables_mean_push"] < both["printed_variables_mean"]).sum()
    ours = (both["variables_mean_push"] < both["variables_mean"]).sum()
    if both["variables_mean_push"].isna().any() or printed <= ours:
        return None
    return {"printed": printed, "of": len(both), "ours": ours}


def _weakest_share(fits: pd.DataFrame) -> float:
    """Find the weakest regularisation that was looked at beside the grid, as a share; 0 if there is none."""
    path = fits.loc[(fits["role"] == "path") & (fits["method"] == RIVAL), "params"].drop_duplicates()
    return min(filter(None, (parameter(params, "share") for params in path)), default=0.0)


FINDINGS = (
    Finding(
        "certified",
        "How tightly the fits are certified",
        """The largest relative duality gap over all {{ fits }} fits is {{ gap | to(".1e") }}. Fitting took
        {{ seconds | to(".0f") }} s.""",
        certified,
        ("fits",),
    ),
    Finding(
        "variables-as-printed",
        "Where the number of variables agrees with the print",
        """The number of variables of the ℓ₁ infinite push lies within the printed mean ± standard deviation
        on {{ named | length }} of {{ of }} printed data sets in at least one reading of the labels
        ({{ named | join(", ") or "none" }}).""",
        variables_as_printed,
        ("table1",),
    ),
    Finding(
        "sparser",
        "Where the infinite push is sparser than RankSVM",
        """{% set words = "{dataset} ({push:.3g} against {rank:.3g}, p = {p:.2g})" %} The ℓ₁ infinite push
        uses fewer variables than the ℓ₁ RankSVM on
        {{ fewer | each(words) | join(", ") or "no data set" }}.
        {% if others %}It does not on {{ others | each(words) | join(", ") }}.{% endif %}""",
        sparser,
        ("fits", "table1"),
    ),
    Finding(
        "nearer-reading",
        "Which reading of the labels is nearer to the print",
        """The paper names no positive class. For each data set, the reading with rates nearest to the
        printed ones comes first, with its mean distance in printed standard deviations:
        {% for set in sets %}{{ set.dataset }}: {{ set.nearest.name }}
        ({{ set.nearest.distance | to(".2g") }};
        {{ set.others | each("{name} {distance:.2g}") | join(", ") }}){{ "." if loop.last else ";" }}
        {% endfor %}""",
        nearer_reading,
        ("table1",),
    ),
    Finding(
        "toy",
        "Who is best on the toy problem",
        """Toy problem: of {{ sizes }} sizes the ℓ₁ infinite push has the best mean rate at the top on
        {{ best }}. Of {{ comparisons }} comparisons with a rival it is better in {{ wins }} and worse in
        {{ losses }} at the level of .05 (Wilcoxon){% if beaten_by %}, worse than
        {{ beaten_by | join(", ") }}{% endif %}.""",
        toy,
        ("figure1",),
    ),
    Finding(
        "times",
        "How time grows with the pairs",
        """Exponent of the time in the number of pairs: {{ exponents | each("{method} with {noise:.0f} noise
        features {exponent:.2f}") | join(", ") }}.
        {% for row in largest %}The exact solver takes {{ row.seconds | to(".2g") }} s on
        {{ row.pairs | to(".1e") }} pairs with {{ row.noise | to(".0f") }} noise features, to a relative gap
        of {{ row.relative_gap | to(".0e") }}.{% endfor %}""",
        times,
        ("figure3",),
    ),
    Finding(
        "zero-optimum",
        "Whether w = 0 is an optimum",
        """{% if zero %}On {{ zero | joined }} w = 0 is the exact optimum at every regularisation.
        {%- elif sets == 1 %}On {{ nearest }} w = 0 is not the exact optimum: the median λ_max is
        {{ smallest | to(".2g") }}.
        {%- else %}On none of the {{ sets }} data sets and readings is w = 0 the exact optimum: the smallest
        median λ_max is {{ smallest | to(".2g") }}, on {{ nearest }}.{% endif %}""",
        zero_optimum,
        ("table1",),
    ),
    Finding(
        "printed-sizes",
        "What the printed training and test sizes count",
        """Rakotomamonjy calls the two counts in parentheses training and testing examples. They add up to the
        file on {{ summed | each("{dataset} ({first_count:.0f} + {second_count:.0f} = {size})") | joined
        }}. On {{ second | joined }} the second count is already the whole file.""",
        printed_sizes,
    ),
    Finding(
        "hardly-regularised",
        "The printed RankSVM looks hardly regularised, or stopped early",
        """Table 1 of Rakotomamonjy prints how many variables ℓ₁ RankSVM uses. Our RankSVM, chosen on a
        validation part, uses about as many (within {{ near | to(".0%") }})
        on {{ chosen }} of {{ of }} data sets and readings. Hardly regularised
        {%- if share %} ({{ share | power }} of the strongest regularisation){% endif %}, it does on
        {{ at_limit | length }}: {{ at_limit | each("{dataset}
        {printed_variables_mean:.3g} (chosen {variables_mean:.3g}, limit {limit_variables:.3g})") | joined
        }}.
        {% if neither %}Neither explains {{ neither | joined }}.{% endif %} There is a second
        explanation: a first-order RankSVM stopped after a few iterations uses about as many variables.
        {% if fewer %}The printed ℓ₁ infinite push uses fewer variables than this rival on {{ fewer.printed }}
        of {{ fewer.of }}; ours, with a rival chosen in the same way, on {{ fewer.ours }}.{% endif %}""",
        hardly_regularised,
    ),
)
"""The findings on R12, in the order in which they are shown."""
