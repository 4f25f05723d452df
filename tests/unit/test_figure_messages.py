"""The message of a figure: one sentence whose numbers are those of the tables that it draws."""

import re

import numpy as np
import pandas as pd
import pytest
from figure_tables import (
    PANELS,
    frame,
    levels,
    ranks,
    results,
    scores,
    sizes,
    specifications,
    table1,
    table4,
    table5,
    toy_rates,
    traces,
)
from matplotlib.figure import Figure as Canvas
from small_page import write_page

from reproduction.core.results import STATUS_NOT_OBTAINED
from reproduction.papers import PAPERS, paper
from reproduction.papers.across import figures as across
from reproduction.papers.across.learning_curves.figure import state_curves as state_learning_curves
from reproduction.papers.kadkhodaie2015.convergence import messages as convergence
from reproduction.papers.kadkhodaie2015.dirty_model.figure import state_figure1 as state_dirty_model
from reproduction.papers.kadkhodaie2015.scale.costs import state_scale
from reproduction.papers.kadkhodaie2015.suboptimality.profiles import state_profiles
from reproduction.papers.laporte2014 import figure_messages as queries
from reproduction.papers.laporte2014.constant.figure import state_constant
from reproduction.papers.laporte2014.early_stop.figure import state_early_stop
from reproduction.papers.rakotomamonjy2012.paths.figure import state_path
from reproduction.papers.rakotomamonjy2012.times.figure import state_figure3 as state_times
from reproduction.papers.rakotomamonjy2012.toy import figures as toy
from reproduction.plotting.messages import MAX_MESSAGE_CHARACTERS, state_message
from reproduction.plotting.style import save_figure
from reproduction.reporting.figures import comparison_messages as comparison
from reproduction.reporting.figures.table1_plot import state_table1
from reproduction.reporting.method_comparison.critical_difference import state_rank_diagrams
from reproduction.reporting.method_comparison.heat_map import state_heat_map
from reproduction.reporting.multiverse.figures import state_curves, state_variance_shares
from reproduction.reporting.multiverse.specification_curve import state_specification_curves
from reproduction.reporting.standard_artefacts import COMPARISON_FIGURES, FIGURES
from reproduction.specs.paper import Figure, import_object


def every_record():
    """The figures that all papers share, and those of each paper and experiment."""
    for name in PAPERS:
        record = paper(name)
        yield from record.figures
        yield from (figure for block in record.experiments for figure in block.figures)
    yield from (*FIGURES, *COMPARISON_FIGURES)


CASES = {
    "agreement": (
        lambda: comparison.state_agreement(
            frame(
                "verdict dataset",
                *(
                    ("agrees", "x"),
                    ("consistent", "x"),
                    ("explained", "x"),
                    ("differs", "y"),
                    ("differs", "y"),
                ),
                ("differs", "x"),
            )
        ),
        "Our results agree or are consistent with 2 of 6 published results; 3 differ unexplained, most on y "
        "(2).",
    ),
    "options": (
        lambda: comparison.state_option_effects(
            frame(
                "choice option recovered lost", ("a_b", "10", 3, 1), ("ties", "most", 0, 2), ("c", "d", 2, 1)
            )
        ),
        "2 of 3 options recover more than they lose, above all “a b: 10” (3 recovered, 1 lost).",
    ),
    "options that tie": (
        lambda: comparison.state_option_effects(
            frame("choice option recovered lost", ("a", "10", 1, 0), ("c", "d", 2, 1))
        ),
        "2 of 2 options recover more than they lose, none by more than 1 on balance.",
    ),
    "Table 1": (
        lambda: state_table1(table1(), PANELS),
        "Published values within one standard deviation of ours: Rate at the top 2 of 3, Time 0 of 3.",
    ),
    "Table 1 without published values": (
        lambda: state_table1(table1(None), PANELS),
        "Means over 2 data sets: Rate at the top 0.5 to 0.7, Time 1 to 4.",
    ),
    "curves": (
        lambda: state_curves(specifications()),
        "Published values within the range of our specifications: 1 of 2.",
    ),
    "curves without published values": (
        lambda: state_curves(specifications(np.nan)),
        "2 of 2 numbers range over a tenth of the default or more between the specifications.",
    ),
    "specification curves": (  # medians of ours minus .5: -.25, -.225, -.175 and -.1
        lambda: state_specification_curves(specifications()),
        "Nearer to the published values than the default, of 4 specifications: MAP 3.",
    ),
    "specification curves without published values": (
        lambda: state_specification_curves(specifications(np.nan)),
        "Median change from the default over the specifications: MAP 0 to 0.15.",
    ),
    "variance shares": (  # stop moves it by .15, ties by .05
        lambda: state_variance_shares(specifications().query("dataset == 'a'")),
        "Largest share of the variance: stop (MAP 90 %).",
    ),
    "heat map": (
        lambda: state_heat_map(scores()),
        "m1 has the best mean score over the 1 panel; it is best in 1 of 2 columns.",
    ),
    "one method": (
        lambda: state_heat_map(scores().query("method == 'm1'")),
        "m1 is the only method with numbers.",
    ),
    "ranks": (
        lambda: state_rank_diagrams(ranks()),
        "Nemenyi’s test separates 1 of 3 pairs; best mean rank: m1.",
    ),
    "path": (
        lambda: state_path(
            frame("share rate_at_top n_variables n_groups", (1, 0, 0, 0), (0.5, 0.4, 2, 2), (0.1, 0.4, 3, 3)),
            frame("share f0 f1 f2", (1, 0, 0, 0), (0.5, 1, 1, 0), (0.1, 1, 1, 1)),
        ),
        "Test rate at the top peaks at 0.40 with 2 of 3 features, at λ = 0.5 λ_max.",
    ),
    "times": (
        lambda: state_times(
            frame(
                "solver noise pairs seconds status",
                *(("a", 20, n, n**0.5, "certified") for n in (1, 10, 100)),
                *(("b", 20, n, n**1.5, "certified") for n in (1, 10, 100)),
            )
        ),
        "Exponents in the number of pairs: 0.50 (a) to 1.50 (b).",
    ),
    "toy rates": (
        lambda: toy.state_figure1(toy_rates()),
        "Best mean at 2 of 3 sizes: a; 3 of 6 differences from ℓ₁ infinite push have p < .05.",
    ),
    "retrieval": (
        lambda: toy.state_figure2(
            frame(
                "noise method precision_mean f_measure_mean",
                (10, "b", 1, 1),
                (20, "a", 0.9, 0.4),
                (20, "b", 0.8, 0.7),
            )
        ),
        "Best among 20 noise features: a in precision (0.90), b in F-measure (0.70).",
    ),
    "regularisers": (
        queries.state_figure1,
        "At |w| = 2 the penalties reach from 0.5 (MCP, γ = 1) to 2 (ℓ₁); convex: ℓ₁.",
    ),
    "removed features": (
        lambda: queries.state_figure2(table4()),
        "More features removed than published in 2 of 3 results; "
        "largest gap: ℓ₁ RankSVM on x, 0.80 against 0.50.",
    ),
    "removed features without published values": (
        lambda: queries.state_figure2(table4(np.nan)),
        "The methods remove 40 to 80 % of the features.",
    ),
    "MAP": (
        lambda: queries.state_figure3(
            table5()
            .assign(sparsity_ratio_mean=1.0, sparsity_ratio_std=0.0)[
                ["dataset", "feature_scaling", "method", "sparsity_ratio_mean", "sparsity_ratio_std"]
            ]
            .assign(published_sparsity_ratio=np.nan),
            table5(),
        ),
        "The methods span 0.02 to 0.1 of MAP on a data set: at most one standard error on 1 of 2 data sets.",
    ),
    "constant": (
        lambda: state_constant(
            frame(
                "dataset share solver seconds reached status",
                *(("x", 0.1, s, t, True, "reached") for s, t in (("fista_trace", 3.0), ("fista_exact", 2.0))),
                *(("x", 0.2, s, t, True, "reached") for s, t in (("fista_trace", 8.0), ("fista_exact", 2.0))),
                ("x", 0.3, "fista_trace", 9.0, False, "max_iterations"),
            )
        ),
        "With the published constant FISTA takes 1.5 to 4 times as long as with the exact one; "
        "1 of 5 runs hit a limit.",
    ),
    "early stop": (
        lambda: state_early_stop(
            frame(
                "dataset radius variables optimum_variables status",
                *(("x", 1, 2, 2, "stopped"), ("x", 2, 5, 4, "max_iterations"), ("x", 4, 5, 7, "stopped")),
            )
        ),
        "FenchelRank has as many variables as the optimum in 1 of 3 runs, more in 1; 1 ended by its steps.",
    ),
    "across, heat map": (
        lambda: across.state_heat_map(results()),
        "Most often best: rate at the top a (2 of 3); average precision b (3 of 3).",
    ),
    "across, variables": (
        lambda: across.state_quality_and_cost(results(), "variables"),
        "2 of 2 methods on the front, with quality: a (0.00) to b (1.00).",
    ),
    "across, seconds": (
        lambda: across.state_quality_and_cost(results(), "seconds"),
        "1 of 2 methods on the front, with quality: b (1.00).",
    ),
    "learning curves": (
        lambda: state_learning_curves(
            frame(
                "dataset method positives rate_at_top_mean",
                *(("x", "a", 5, 0.2), ("x", "b", 5, 0.1), ("x", "a", 50, 0.2), ("x", "b", 50, 0.3)),
                *(("y", "a", 5, 0.2), ("y", "b", 5, 0.1), ("y", "a", 80, 0.4), ("y", "b", 80, 0.3)),
            )
        ),
        "Highest rate at the top most often, on 2 data sets: a with the fewest positives (2); a and b with "
        "the most (1).",
    ),
    "dirty model": (
        lambda: state_dirty_model(traces()),
        "Median dual gap after 50 iterations, of the first: ADMM 1e-03, A2DM2 1e-03.",
    ),
    "suboptimality": (
        lambda: convergence.state_figure2(
            frame(
                "method iteration suboptimality",
                ("exact", 1, 1),
                ("exact", 2, 0),
                ("admm", 1, 1),
                ("admm", 9, 0.02),
            )
        ),
        "1 of 2 methods end within 1e-12 of F*; farthest: ADMM (2e-02).",
    ),
    "residuals": (
        lambda: convergence.state_figure3(
            frame(
                "kind method iteration published_stop primal_residual dual_residual",
                *(("residual", "admm", 1, 5, 1, 1), ("residual", "admm", 9, 5, 1e-5, 1e-5)),
                *(("residual", "a2dm2", 1, np.nan, 1, 1), ("residual", "a2dm2", 9, np.nan, 0.1, 0.2)),
            )
        ),
        "The published rule stops 1 of 2 methods; residuals end at 2e-05 (ADMM) to 3e-01 (A2DM2).",
    ),
    "size": (
        lambda: state_scale(sizes()),
        "At 1\u202f000 rows an iteration costs 1.5 to 4.5 times two passes; "
        "1 of 2 solvers stay within twice that.",
    ),
    "profiles": (
        lambda: state_profiles(levels()),
        "Most of 4 problems solved to 1e-06: Exact (4), then ADMM (3).",
    ),
}


@pytest.mark.parametrize("kind", CASES)
def test_the_numbers_of_a_message_are_those_of_its_table(kind):
    state, message = CASES[kind]
    assert state() == message and len(message) <= MAX_MESSAGE_CHARACTERS


def test_every_figure_names_a_function_of_its_message():
    records = list(every_record())
    assert len(records) > 30
    assert all(callable(import_object(record.message)) for record in records)


@pytest.mark.parametrize(
    ("state", "table"),
    [
        (comparison.state_agreement, pd.DataFrame({"verdict": [], "dataset": []})),
        (comparison.state_option_effects, pd.DataFrame({"recovered": [], "lost": []})),
        (state_curves, specifications().head(0)),
        (state_variance_shares, specifications().head(0)),
        (state_specification_curves, specifications().head(0)),
        (state_heat_map, scores().head(0)),
        (state_rank_diagrams, ranks(n_datasets=2)),
        (queries.state_figure2, table4().head(0)),
        (across.state_heat_map, results().head(0)),
        (
            state_learning_curves,
            pd.DataFrame({"dataset": [], "method": [], "positives": [], "rate_at_top_mean": []}),
        ),
    ],
)
def test_a_table_without_numbers_has_a_sentence(state, table):
    assert re.fullmatch(r"N[^\d]+\.", state(table))


def test_what_was_not_obtained_says_so():
    record = Figure("f", "F", "", ("t",), "m:f", "words", "m:f")
    table = pd.DataFrame({"status": [STATUS_NOT_OBTAINED], "message": ["no file."]})
    assert state_message(record, [table]) == "Not obtained: no file."


def test_the_title_of_a_file_is_the_message(tmp_path):
    figure = Canvas(figsize=(1, 1))
    files = [tmp_path / f"f.{suffix}" for suffix in ("svg", "pdf", "png")]
    save_figure(figure, files, "a < b")
    assert "<title>a &lt; b</title>" in files[0].read_text()
    assert b"/Title (a < b)" in files[1].read_bytes() and b"a < b" in files[2].read_bytes()
    save_figure(figure, files)
    assert "<title>" not in files[0].read_text()


def test_every_figure_of_the_page_begins_its_caption_with_the_message(tmp_path):
    page = write_page(tmp_path).read_text(encoding="utf-8")
    figures = re.findall(r"<figure id.*?</figure>", page, re.DOTALL)
    assert len(figures) >= 5
    for figure in figures:
        message = re.search(r"<figcaption><p><strong>([^<]+)\.</strong></p>", figure)[1]
        assert re.search(r"\d", message), message
        assert f'role="img" aria-label="{message}.' in figure and "<title>" not in figure
