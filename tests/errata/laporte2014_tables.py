"""The slips that L14's published tables show by themselves, beside the text and beside each other.

Two things are right and not listed: the mean row of Table IV, and the counts of best and of equivalent
methods in section VI-B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from errata import Erratum
from reproduction.papers.laporte2014.inputs import published_tables
from reproduction.specs.published_values import read_published_values

A_FIFTH = 0.2
"""How far a factor may lie beyond a range that is given in words, whatever was rounded away."""
ROUNDING_ERROR = 0.005
"""Of Table IV."""
NDCG_CUTOFF = 10
"""The k of NDCG@k in Table VI."""
CONVEX = ("fenchelrank", "l1", "fsmrank")
CONVEX_AND_MCP = (*CONVEX, "mcp")
FACTORS = (
    (
        *("log on MQ2008", "mq2008", ("log",), (CONVEX_AND_MCP, 2, 3), (CONVEX_AND_MCP, 3, 5)),
        "log “selects two to three times fewer features” than convex or MCP",
        "three to five times fewer",
    ),
    (
        *("log on MQ2007", "mq2007", ("log",), (CONVEX_AND_MCP, 2, 2), (CONVEX, 2, 2)),
        "log “selects half as many features as convex and MCP penalties”",
        "half as many as the convex ones; MCP has fewer",
    ),
    (
        *("l0.5 on MQ2007", "mq2007", ("l0.5",), (CONVEX_AND_MCP, 10, 12), (CONVEX, 10, 12)),
        "ℓ.5 “selects from ten to twelve times fewer features that convex regularizations and MCP”",
        "than the convex ones",
    ),
    (
        *("HP2004", "hp2004", ("log", "l0.5"), (CONVEX_AND_MCP, 2, 4), (CONVEX_AND_MCP, 1.4, 4)),
        "log and ℓ.5 “use from a quarter to an half as many features as MCP and convex”",
        "from a quarter to seven tenths",
    ),
    (
        *("TD2004", "td2004", ("l0.5",), (CONVEX_AND_MCP, 2, 3), (CONVEX_AND_MCP, 0.9, 2.3)),
        "“two to three times fewer features used by ℓ.5 than by MCP and convex”",
        "0.9 to 2.3 times; MCP has fewer",
    ),
    (
        *("TD2003", "td2003", ("l0.5",), (CONVEX_AND_MCP, 2, 2), (CONVEX_AND_MCP, 2, 4)),
        "ℓ.5 uses “half as many features as MCP and convex regularizations”",
        "from a quarter to a half",
    ),
    (
        *("l0.5 on MQ2007 beside MCP and log", "mq2007", ("l0.5",)),
        *((("mcp", "log"), 1, 4), (("mcp", "log"), 1, 6)),
        "ℓ.5 selects “up to four times fewer features than the other non-convex algorithms”",
        "up to six times",
    ),
)
"""Name of a slip, data set, sparse methods; those that they are compared with and the range of the factor, as
published and as it should be; and both in words. The last is in section VI-C."""


def relative_excess(
    shares: pd.DataFrame, dataset: str, sparse, other_methods, low: float, high: float
) -> float:
    """Say how far the factors between sparsity ratios lie beyond a range, whatever was rounded away.

    `shares`: table IV, a row a data set, ratios of two decimals. `sparse`, `other_methods`: a factor is a
    ratio of one of `other_methods` over a ratio of one of `sparse`. `low`, `high`: the range. Returns: 0.5
    means: half as much again above the range, or as far below it. 0 where all factors can lie within.
    """
    sparse_shares, other_shares = (
        shares.loc[dataset, list(names)].to_numpy() for names in (sparse, other_methods)
    )
    least_ratios = np.divide.outer(other_shares - ROUNDING_ERROR, sparse_shares + ROUNDING_ERROR)
    greatest_ratios = np.divide.outer(other_shares + ROUNDING_ERROR, sparse_shares - ROUNDING_ERROR)
    return float(max(0.0, least_ratios.max() / high - 1, low / greatest_ratios.min() - 1))


def most_ndcg(discounts: Sequence[float], mean_average_precision: float, relevant: float) -> float:
    """Bound the mean NDCG@10 that any ranking of binary relevance can have at a given MAP.

    Per query only the relevant ranks up to 10 count; AP is smallest where the others are infinitely far down.
    The bound is a linear program over the shares of the queries that have each of these patterns.

    `discounts`: of the ranks from 1 to 10. `mean_average_precision`: the largest that is allowed. `relevant`:
    the largest mean number of relevant documents per query that is allowed.
    """
    patterns = ((np.arange(1, 2**NDCG_CUTOFF)[:, None] >> np.arange(NDCG_CUTOFF)) & 1).astype(float)
    precisions = (patterns * patterns.cumsum(axis=1) / np.arange(1, NDCG_CUTOFF + 1)).sum(axis=1)
    gains, ideal = patterns @ discounts, np.cumsum(discounts)
    largest = 60
    # a query with more relevant documents than that counts as the best there can be: AP = 0 and NDCG = 1
    points = [np.array([[0.0, 0.0, 0.0], [0.0, 1.0, largest + 1.0]])]
    for count in range(1, largest + 1):
        possible = patterns.sum(axis=1) <= count
        pair = np.column_stack([precisions / count, gains / ideal[min(count, NDCG_CUTOFF) - 1]])[possible]
        if len(pair) > 3:
            pair = pair[ConvexHull(pair).vertices]
        points.append(np.column_stack([pair, np.full(len(pair), count)]))
    average_precision, ndcg, relevants = np.concatenate(points).T
    solution = linprog(
        -ndcg,
        A_ub=np.stack([average_precision, relevants]),
        b_ub=[mean_average_precision, relevant],
        A_eq=np.ones((1, ndcg.size)),
        b_eq=[1.0],
    )
    return -float(solution.fun)


def _sparsity(published):
    """Rows of what section VI says of Table IV."""
    shares = sparsity_ratios(published).drop("mean")
    for name, dataset, sparse, *forms, words, right in FACTORS:
        yield Erratum(
            f"factor: {name}",
            "section VI-C" if "beside" in name else "section VI-A",
            words,
            right,
            f"ratios of two columns of Table IV on {dataset.upper()}, whatever was rounded away",
            "how far the factor lies beyond the range of the text, relatively",
            *(relative_excess(shares, dataset, sparse, *form) for form in forms),
            A_FIFTH,
        )
    sets = shares.loc[["hp2003", "td2003", "mq2008", "mq2007"]]
    yield Erratum(
        "log for l0.5",
        "section VI-A",
        "“The log penalty is particularly effective for inducing sparsity on HP2003, TD2003 and the MQ "
        "datasets”",
        "The ℓ.5 penalty is …",
        "the smallest ratio of Table IV on these four sets",
        "sets on which another method is the sparsest",
        *(int((sets.idxmin(axis=1) != method).sum()) for method in ("log", "l0.5")),
        0,
    )


def _statistics(published):
    """Rows of what the columns of Table III say of each other."""
    table = published["table3"].set_index("dataset")
    two = table.loc[["np2004", "hp2004"]]
    average, printed_average = (
        two["query_document_pairs"] / two["queries"],
        two["documents_per_query"].to_numpy(),
    )
    yield Erratum(
        "averages of NP2004 and HP2004",
        "Table III",
        "average number of documents: NP2004 992.1, HP2004 984.5",
        "NP2004 984.5, HP2004 992.1",
        "query-document pairs over queries",
        "largest distance from the average number of documents",
        *(
            float(np.abs(form - average.to_numpy()).max())
            for form in (printed_average, printed_average[::-1])
        ),
        0.1,  # 152.26 is published as 152.2
    )
    yield Erratum(
        "relevant documents of NP2004 and HP2004",
        "Table III",
        "average number of relevant documents: NP2004 1.1, HP2004 1",
        "NP2004 1, HP2004 1.1: exchanged like the averages beside them",
        "preferences over queries × relevant × other documents per query; averages have one digit",
        "preferences outside of what the averages allow, relatively",
        *(_excess_over_averages(two, averages) for averages in (two, two[::-1])),
        0.01,
    )
    web = table.loc["hp2003"]
    excess = [
        float(web["preferences"] / (web["queries"] * count * (web["documents_per_query"] - count)) - 1)
        for count in (web["relevant_per_query"] + 0.05, 1.2)
    ]
    yield Erratum(
        "relevant documents of HP2003",
        "Table III",
        "average number of relevant documents of HP2003: 1",
        "1.2",
        "preferences over queries × relevant × other documents per query; 1.05 is the most that rounds to 1",
        "preferences beyond what the averages allow, relatively",
        *excess,
        0.1,
    )


def _excess_over_averages(counts: pd.DataFrame, averages: pd.DataFrame) -> float:
    """Say how far preferences lie outside of what averages of one digit allow, a row of each a data set."""
    documents, relevant = (averages[f"{name}_per_query"].to_numpy() for name in ("documents", "relevant"))
    queries, preferences = (counts[name].to_numpy() for name in ("queries", "preferences"))
    least_pairs, greatest_pairs = (
        queries * relevant_count * (documents - relevant_count)
        for relevant_count in (relevant - 0.05, relevant + 0.05)
    )
    return float(max(0.0, (least_pairs / preferences).max() - 1, (preferences / greatest_pairs).max() - 1))


def _measure(published):
    """Row of the formula of NDCG, which Tables V and VI together rule out."""
    ranks = np.arange(1, NDCG_CUTOFF + 1)
    maps, best = (
        float(published[name].set_index("dataset")["best_value"]["np2004"].iloc[0])
        for name in ("table5", "table6")
    )
    allowed = maps + 0.00005
    relevant = float(published["table3"].set_index("dataset").loc["np2004", "relevant_per_query"]) + 0.05
    forms = (1 / np.log2(ranks + 1), 1 / np.maximum(np.log2(ranks), 1))
    yield Erratum(
        "discount of NDCG",
        "section V-B",
        "DCG@k = Σᵢ (2^r(i) − 1)/log₂(i + 1)",
        "DCG@k = Σᵢ (2^r(i) − 1)/max(1, log₂ i), as LETOR's script has it",
        f"NP2004: the best NDCG@10 ({best}) and the best MAP ({allowed:.4f}) of any method; "
        "linear program over all rankings",
        "NDCG@10 beyond the most that the MAP allows",
        *(best - most_ndcg(discounts, allowed, relevant) for discounts in forms),
        0,
    )


def sparsity_ratios(published: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Pivot Table IV: a row a data set and one of the means, a column a method as the paper calls it."""
    shares = published["table4"].replace({"method": {"lp_ranksvm": "l0.5"}})
    shares["method"] = shares["method"].str.removesuffix("_ranksvm")
    return shares.pivot(index="dataset", columns="method", values="sparsity_ratio")


def table_errata(published: str) -> list[Erratum]:
    """Check the published tables against the text and against each other."""
    published = published_tables(read_published_values(published))
    return [*_statistics(published), *_sparsity(published), *_measure(published)]
