"""Record of R12, Rakotomamonjy (2012): its studies, tables, figures and claims."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reproduction.core.result_columns import LIST_FIT_COLUMNS
from reproduction.papers.rakotomamonjy2012 import multiverse
from reproduction.papers.rakotomamonjy2012 import table_views as views
from reproduction.papers.rakotomamonjy2012.optimal_face.spec import OPTIMAL_FACE
from reproduction.papers.rakotomamonjy2012.paths.spec import PATHS
from reproduction.papers.rakotomamonjy2012.table1 import TABLE1_FORMAT, build_table1
from reproduction.papers.rakotomamonjy2012.times.spec import TIMES
from reproduction.papers.rakotomamonjy2012.toy.spec import TOY
from reproduction.reporting import standard_artefacts as common
from reproduction.reporting.figures.table1 import DIAGNOSIS, Panel, make_table1_figure
from reproduction.specs.metrics import N_VARIABLES, RATE_AT_TOP
from reproduction.specs.paper import Experiment, Paper, Table


def _resolve_splits(study: Mapping, dataset: str) -> dict:
    """Return the splits of a data set: random training rows, of which a part is held out for validation."""
    # Table 1 prints the number of training rows of each data set; validation is a share of them.
    train = study.get("train_rows", {}).get(dataset)
    return {"kind": "hold_out", "train_rows": train, "validation_fraction": study["validation_fraction"]}


MULTIVERSE = Experiment(
    "multiverse",
    run="reproduction.papers.rakotomamonjy2012.multiverse:run_experiment",
    parts=multiverse.list_parts,
    settings=multiverse.build_experiment_settings,
    # On all splits of the study: options are compared with the default on equal splits.
    split_inputs=lambda study, dataset: [(dataset, split) for split in range(study["splits"])],
)

PAPER = Paper(
    name="rakotomamonjy2012",
    title="Sparse Support Vector Infinite Push",
    authors="Alain Rakotomamonjy",
    venue="International Conference on Machine Learning (ICML), 2012",
    citation="Rakotomamonjy 2012",
    message="An infinite push with an ℓ₁ norm is as good at the top of the list as its competitors and uses "
    "far fewer variables, at a cost that grows linearly with the number of pairs.",
    methods=("l1_infinite_push", "l2_infinite_push", "l1_ranksvm", "rfe_infinite_push"),
    # One held-out part is a cross-validation with a single fold.
    search="reproduction.fitting.cross_validation",
    # Single lists of two classes.
    queries=False,
    splits=_resolve_splits,
    fits=LIST_FIT_COLUMNS,
    metrics=(RATE_AT_TOP, N_VARIABLES),
    tests="The paper's own test is the Wilcoxon signed-rank test on the splits: Table 1 underlines what is "
    "worse than the best method at .05, and Figure 1 shows the p-values. They are not corrected for "
    "multiple tests.",
    tables=(
        Table(
            "table1",
            build_table1,
            TABLE1_FORMAT,
            caption="Table 1 of the paper: rate at the top and number of variables, mean and standard "
            "deviation over the splits, published and ours. Underlined: worse than the best by a Wilcoxon "
            "signed-rank test at the level of .05.",
            compared=True,
            view=views.TABLE1,
        ),
        *common.TABLES,
    ),
    figures=(
        make_table1_figure(
            Panel("rate_at_top", "Rate at the top (share of the test positives)", "share"),
            Panel("variables", "Number of variables", "count"),
        ),
        *common.FIGURES,
    ),
    # Figures 1 and 2, Figure 3, paths of one split, the choices left open, and the face of the optima.
    experiments=(TOY, TIMES, PATHS, MULTIVERSE, OPTIMAL_FACE),
    order=("figure1", "figure2", "figure3", "table1", "figure_table1"),
    extra_artefacts=("diagnosis",),
    views=(DIAGNOSIS,),
    costs=(views.EXPONENTS,),
    compare="reproduction.papers.rakotomamonjy2012.comparison:compare",
    claims="reproduction.papers.rakotomamonjy2012.claims:CLAIMS",
    published_values=Path(__file__).with_name("published_values.csv"),
    choices=multiverse.CHOICES,
    outcomes="reproduction.papers.rakotomamonjy2012.multiverse:build_outcomes",
    # Table 1: mean and standard deviation over ten splits, which Welch's interval needs.
    published_splits=10,
)
