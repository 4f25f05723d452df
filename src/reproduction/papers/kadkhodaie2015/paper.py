"""Specification of K15, Kadkhodaie et al. 2015: methods, splits, tables, figures and experiments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reproduction.core.result_columns import LIST_FIT_COLUMNS
from reproduction.papers.kadkhodaie2015 import multiverse
from reproduction.papers.kadkhodaie2015 import table_views as views
from reproduction.papers.kadkhodaie2015.convergence.spec import CONVERGENCE
from reproduction.papers.kadkhodaie2015.dirty_model.spec import DIRTY_MODEL
from reproduction.papers.kadkhodaie2015.perturbation.spec import PERTURBATION
from reproduction.papers.kadkhodaie2015.scale.spec import SCALE
from reproduction.papers.kadkhodaie2015.search_size.spec import SEARCH_SIZE
from reproduction.papers.kadkhodaie2015.suboptimality.spec import SUBOPTIMALITY
from reproduction.papers.kadkhodaie2015.table1 import FEATURE_BLOCKS, TABLE1, build_table1, compare_scalings
from reproduction.papers.kadkhodaie2015.trends.spec import TRENDS
from reproduction.reporting import standard_artefacts
from reproduction.reporting.figures.table1 import DIAGNOSIS, Panel, make_table1_figure
from reproduction.specs.metrics import RATE_AT_TOP, SECONDS
from reproduction.specs.paper import Experiment, Paper, Table


def _splits(study: Mapping, dataset: str) -> dict:
    """Return how a data set is split: at random, with the study's shares and the rows that a search sees."""
    # 2/3 : 1/3 with 3 inner folds (K15, section 5.1); the largest sets are searched on a sample of their
    # rows.
    names = ("test_fraction", "inner_folds", "search_sample")
    return {"kind": "random"} | {name: study[name] for name in names if name in study}


MULTIVERSE = Experiment(
    "multiverse",
    run="reproduction.papers.kadkhodaie2015.multiverse:run_experiment",
    parts=multiverse.list_parts,
    settings=multiverse.experiment_settings,
    split_inputs=multiverse.split_inputs,
    # The refits inherit λ from TopPush's search, as the paper does (section 5.1).
    fits=lambda study, part: [(*multiverse.list_parts(study)[part], multiverse.TOP_PUSH)],
    # A fit of the ADMM family reads all rows in each iteration, so memory bandwidth limits it.
    bandwidth=True,
)

PAPER = Paper(
    name="kadkhodaie2015",
    title="Accelerated Alternating Direction Method of Multipliers",
    authors="Mojtaba Kadkhodaie, Konstantina Christakopoulou, Maziar Sanjabi and Arindam Banerjee",
    venue="ACM SIGKDD Conference on Knowledge Discovery and Data Mining (KDD), 2015",
    citation="Kadkhodaie et al. 2015",
    address="https://doi.org/10.1145/2783258.2783400",
    message="An accelerated ADMM needs a few hundred iterations where TopPush needs thousands. It is as "
    "fast as TopPush or faster on most data sets, and better at the top where it is slower.",
    methods=("toppush", "admm", "a2dm2", "a2dm2_restart"),
    search="reproduction.fitting.cross_validation",
    queries=False,
    splits=_splits,
    fits=LIST_FIT_COLUMNS,
    metrics=(RATE_AT_TOP, SECONDS),
    tests="The paper makes no test: its marks in Table 1 compare the decimal exponents of means.",
    tables=(
        Table(
            "table1",
            lambda study: build_table1(study.fits, study.data, study.diagnosis, study.published_values),
            TABLE1,
            caption="Table 1 of the paper: Pos@Top and training seconds, mean and standard deviation over "
            "the splits, published and ours, and the distance to the certified optimum in per cent (median / "
            "maximum). ● and ★: the paper's marks, best at the top and fastest.",
            compared=True,
            view=views.TABLE1_VIEW,
        ),
        Table("feature_blocks", lambda study: compare_scalings(study.table("table1")), FEATURE_BLOCKS),
        *standard_artefacts.TABLES,
    ),
    figures=(
        make_table1_figure(
            Panel("pos_at_top", "Pos@Top (positives of the test part)", "count"),
            Panel("seconds", "Training time (s)", "seconds"),
        ),
        *standard_artefacts.FIGURES,
    ),
    experiments=(
        DIRTY_MODEL,
        CONVERGENCE,
        TRENDS,
        PERTURBATION,
        SUBOPTIMALITY,
        SCALE,
        SEARCH_SIZE,
        MULTIVERSE,
    ),
    order=("figure1", "table1", "figure_table1", "figure2", "figure3"),
    extra_artefacts=("diagnosis",),
    views=(DIAGNOSIS,),
    costs=(views.EXACT_VIEW, views.LEVELS_VIEW, views.SIZES_VIEW),
    compare="reproduction.papers.kadkhodaie2015.comparison:compare",
    claims="reproduction.papers.kadkhodaie2015.claims:CLAIMS",
    published_values=Path(__file__).with_name("published_values.csv"),
    choices=multiverse.CHOICES,
    outcomes="reproduction.papers.kadkhodaie2015.multiverse:outcomes",
    # Table 1: mean and standard deviation over ten random splits.
    published_splits=10,
)
