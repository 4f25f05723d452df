"""What a run with L14 shows: the printed constant, FenchelRank's early stop, NDCG@10, slips of its tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.finding import Finding, Run, figure, of_one_study, rows
from reproduction.papers.laporte2014.constant.figure import COMPARED
from reproduction.papers.laporte2014.early_stop.figure import CAPPED
from reproduction.papers.laporte2014.inputs import obtained, short_queries
from reproduction.papers.laporte2014.significance import BEST
from reproduction.papers.laporte2014.tables import CONVEX, against_l1, known
from toprank.certificate import SUCCESS_STATUSES

FENCHEL = "fenchelrank"
CALLED_SPARSEST = ("hp2003", "td2003", "mq2007", "mq2008")
"""Where the text of the paper, section V, calls the log penalty "particularly effective"."""

LAST_DIGIT = 0.1
"""Of an average in Table III; some are rounded and some cut."""


def constant(run: Run) -> dict | None:
    """Measure what the printed Lipschitz constant costs."""
    studies, table = _measured(run, "constant")
    if table is None:
        return None
    parts = [table[table["solver"] == name] for name in COMPARED]
    trace, exact, _ = parts
    both = trace.merge(exact, on=["dataset", "split", "share"], suffixes=("", "_exact"))
    seconds = [block["seconds"].sum() for block in parts]
    missed = table[~table["reached"]].sort_values("excess", ascending=False, kind="stable")
    missed = missed.assign(solver=[COMPARED[name].label for name in missed["solver"]])
    evidence = [
        figure(study, "constant", "seconds to the optimum") + rows(_used(study, CONVEX)) for study in studies
    ]
    return {
        "sets": list(dict.fromkeys(table["dataset"])),
        "ratios": trace.drop_duplicates("dataset")["ratio"],
        "level": table["level"].iloc[0],
        "iterations": [block["iterations"] for block in parts],
        "times": (both["iterations"] / both["iterations_exact"])[both["reached"] & both["reached_exact"]],
        "problems": len(both),
        "seconds": seconds,
        "is_method_dearer": seconds[1] - seconds[2] > seconds[0] - seconds[1],
        "runs": len(table),
        "missed": missed.to_dict("records"),
        "evidence": sum(evidence, ()),
        "studies": [study.name for study in studies],
    }


def early_sparsity(run: Run) -> dict | None:
    """Compare FenchelRank, stopped early, with the optimum in the same ball: how many variables each has."""
    studies, table = _measured(run, "early_stop")
    ends = [end for study in studies if (end := _ends(study.fits))]
    if not ends:
        return None
    capped = table["status"] == CAPPED
    means = {
        name: {"ours": part["variables"].mean(), "optimum": part["optimum_variables"].mean()}
        for name, part in (("capped", table[capped]), ("met", table[~capped]))
        if len(part)
    }
    more = table["optimum_variables"] - table["variables"]
    evidence = [
        figure(study, "early_stop", "variables against the radius")
        + rows(_used(study, FENCHEL, CONVEX).head(6))
        for study in studies
    ]
    ratios = [against_l1(study.tables["table4"], FENCHEL) for study in studies]
    return {
        "ends": ends,
        "sets": list(dict.fromkeys(table["dataset"])),
        "gap": table["optimum_gap"].max(),
        "balls": len(table),
        "fewer": (more > 0).sum(),
        "more": (more < 0).sum(),
        "means": means,
        "widest": table.loc[more.idxmax()].to_dict() if more.max() > 0 else None,
        "ratios": [found for found in ratios if found],
        "evidence": sum(evidence, ()),
        "studies": [study.name for study in studies],
    }


def _ends(fits: pd.DataFrame) -> dict | None:
    fits = fits[(fits["method"] == FENCHEL) & fits["relative_gap"].notna()]
    chosen, search = (fits[fits["role"] == role] for role in ("chosen", "search"))
    if chosen.empty:
        return None
    return {
        "chosen": len(chosen),
        "capped": (chosen["status"] == CAPPED).sum(),
        "met": chosen["status"].isin(SUCCESS_STATUSES).sum(),
        "search": len(search),
        "search_capped": (search["status"] == CAPPED).mean(),
        "median": chosen["relative_gap"].median(),
        "largest": chosen["relative_gap"].max(),
    }


@of_one_study
def script(study) -> dict | None:
    """Ask which evaluation script explains the printed NDCG@10."""
    table = study.tables["table6"].dropna(subset=["ndcg10_mean", "ndcg10_standard_mean"])
    table = table[table["printed_relation"] == BEST]
    if table.empty:
        return None
    letor = (table["ndcg10_mean"] - table["printed_value"]).abs()
    standard = (table["ndcg10_standard_mean"] - table["printed_value"]).abs()
    apart = (table["ndcg10_mean"] - table["ndcg10_standard_mean"]).abs()
    short = []
    if study.queries is not None:
        short = short_queries(study.queries).set_index("dataset").reindex(table["dataset"]).dropna()
        short = short.reset_index().to_dict("records")
    return {
        "letor": letor.mean(),
        "standard": standard.mean(),
        "nearer": (letor < standard).sum(),
        "of": len(table),
        "widest": table.loc[apart.idxmax()].to_dict(),
        "short": short,
        "evidence": rows(table, "{dataset}, NDCG@10 by both"),
    }


@of_one_study
def averages(study) -> dict | None:
    """Hold the printed averages of Table III against the printed counts beside them."""
    table, name = study.tables["table3"], "printed_documents_per_query"
    table = table.assign(right=table["printed_query_document_pairs"] / table["printed_queries"])
    wrong = table[(table[name] - table["right"]).abs() >= LAST_DIGIT]
    if wrong.empty:
        return None
    ends = np.sort(wrong[name]) - np.sort(wrong["right"])
    evidence = rows(wrong.assign(features="raw", method="data"), "{dataset} in Table III")
    is_swapped = len(wrong) == 2 and (np.abs(ends) < LAST_DIGIT).all()
    return {"sets": wrong.to_dict("records"), "is_swapped": is_swapped, "evidence": evidence}


@of_one_study
def called_sparsest(study) -> dict | None:
    """Hold what the text says of the log penalty against Table IV."""
    table = known(study.tables["table4"], "printed_sparsity_ratio")
    wide = table.pivot_table(index="dataset", columns="method", values="printed_sparsity_ratio")
    wide = wide.reindex(columns=["log_ranksvm", "lp_ranksvm"])
    wide = wide.loc[[name for name in CALLED_SPARSEST if name in wide.index]]
    sparser = wide[wide["lp_ranksvm"] < wide["log_ranksvm"]].reset_index()
    if sparser.empty:
        return None
    at = table[table["dataset"].isin(sparser["dataset"]) & (table["method"] == "lp_ranksvm")]
    evidence = rows(at, "{dataset} in Table IV")[:2]
    return {"called": CALLED_SPARSEST, "sets": sparser.to_dict("records"), "evidence": evidence}


def _used(study, *methods: str) -> pd.DataFrame:
    table = study.tables["table4"]
    return table[table["method"].isin(methods) & (table["splits_used"] > 0)]


def _measured(run: Run, name: str) -> tuple[list, pd.DataFrame | None]:
    """Find the studies with a measured block, and the rows of all of them."""
    found = [(study, obtained(study.tables[name])) for study in run.studies if name in study.tables]
    found = [(study, table) for study, table in found if len(table)]
    whole = pd.concat([table for _, table in found], ignore_index=True) if found else None
    return [study for study, _ in found], whole


FINDINGS = (
    Finding(
        "constant",
        "What the printed Lipschitz constant costs",
        """For the step of FISTA, Laporte et al. add up the squared norms of all pairs (proof of Proposition
        1). The proof loses a factor 2, without which the step is too long. With it, the sum is the trace of a
        matrix whose largest eigenvalue would suffice: on one fold of {{ sets | joined }} the trace is
        {{ ratios | spread(".2g") }} times as large. To within {{ level | power }} of the certified optimum
        of ℓ₁ RankSVM, FISTA needs {{ iterations[0] | spread }} iterations with the printed constant and
        {{ iterations[1] | spread }} with the exact one; proximal Newton needs {{ iterations[2] | spread }}
        steps. {% if times | length %}So the printed constant takes {{ times | spread(".2g") }} times the
        iterations. Its size alone explains {{ (ratios ** 0.5) | spread(".2g") }}: an accelerated method needs
        iterations in proportion to √L.{% endif %} The {{ problems }} problems took
        {{ seconds[0] | to(".2g") }} s with the printed constant, {{ seconds[1] | to(".2g") }} s with the
        exact one and {{ seconds[2] | to(".2g") }} s by proximal Newton
        {%- if is_method_dearer %}: FISTA itself costs more than its constant{% endif %}.
        {% if missed %}A limit stopped {{ missed | length }} of {{ runs }} runs before. The farthest,
        {{ missed[0].solver }} on {{ missed[0].dataset }} at {{ missed[0].share | to("g") }} λ_max, was
        {{ missed[0].excess | to(".1e") }} above the optimum.{% endif %}""",
        constant,
    ),
    Finding(
        "early-sparsity",
        "How much of FenchelRank's sparsity comes from its early stop",
        """{% for end in ends %}Of FenchelRank's {{ end.chosen }} chosen fits, {{ end.capped }} reached the
        limit of steps and {{ end.met }} its loose gap
        {%- if end.search %} (of {{ end.search }} along the grid, {{ end.search_capped | to(".0%") }} reached
        the limit){% endif %}. The median relative gap is
        {{ end.median | to(".1e") }}, the largest {{ end.largest | to(".1e") }}. {% endfor %} On one fold of
        {{ sets | joined }} it is compared with the optimum in the same ball, certified to
        a gap of {{ gap | to(".1g") }}: it uses fewer variables in {{ fewer }} of {{ balls }} balls, and more
        in {{ more }}.
        {% if means.capped %}At the limit of steps it uses {{ means.capped.ours | to(".3g") }} on average
        and the optimum {{ means.capped.optimum | to(".3g") }}.{% endif %}
        {% if means.met %}At its gap it uses {{ means.met.ours | to(".3g") }} on average and the
        optimum {{ means.met.optimum | to(".3g") }}.{% endif %}
        {% if widest %}The early stop removes most on {{ widest.dataset }} at radius
        {{ widest.radius | to("g") }}: {{ widest.variables | to(".0f") }} variables against
        {{ widest.optimum_variables | to(".0f") }}, {{ widest.excess | to(".2%") }} above the
        optimum.{% endif %}
        {% for one in ratios %}As chosen on the validation part, it is sparser than ℓ₁ RankSVM, which is
        solved to the optimum, on {{ one.below }} of {{ one.of }} data sets (mean ratio
        {{ one.mean | to(".2f") }} against {{ one.convex | to(".2f") }}). {% endfor %}""",
        early_sparsity,
    ),
    Finding(
        "script",
        "Which evaluation script explains NDCG@10",
        """LETOR's script gives 0 to a query with fewer than ten documents and does not discount the second
        rank. The formula that Laporte et al. print has neither rule. For the printed best method of each
        data set obtained, NDCG@10 lies on average {{ letor | to(".3f") }} from the printed value by the
        script and {{ standard | to(".3f") }} by the formula.
        {% if letor < standard %}LETOR's script explains the printed values better. {%- else %}The printed
        formula explains the printed values better.{% endif %} The script is nearer on {{ nearer }} of
        {{ of }} data sets. They differ most on {{ widest.dataset }}: printed
        {{ widest.printed_value | to(".4f") }}, script {{ widest.ndcg10_mean | to(".4f") }}, formula
        {{ widest.ndcg10_standard_mean | to(".4f") }}.
        {% if short %}Queries with fewer than ten documents: {{ short | each("{dataset} {short:.0f} of
        {queries:.0f}") | joined }}.{% endif %}""",
        script,
    ),
    Finding(
        "averages",
        "Which printed averages cannot be right",
        """In Table III of Laporte et al. two columns contradict the documents per query of {{ sets |
        each("{dataset} ({printed_query_document_pairs:.0f} / {printed_queries:.0f} = {right:.1f}, printed
        {printed_documents_per_query:.1f})") | joined }}
        {%- if is_swapped %}: they are swapped{% endif %}.""",
        averages,
    ),
    Finding(
        "called-sparsest",
        "Which penalty is sparsest in print",
        """The text of Laporte et al. calls the log penalty particularly effective on {{ called | joined }}.
        In Table IV ℓ₀.₅ keeps a smaller share of the features on {{ sets | each("{dataset}
        ({lp_ranksvm:.2f} against {log_ranksvm:.2f})") | joined }}.""",
        called_sparsest,
    ),
)
"""The findings that a run shows on L14."""
