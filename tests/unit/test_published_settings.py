"""Each constant that a paper prints is the one that the configuration, or a method's rule, runs."""

import re
from functools import reduce
from pathlib import Path

import pytest
import yaml

from reproduction.papers import paper
from reproduction.specs.published_values import pivot_counts, read_published_values
from toprank.solvers import admm, dual_gradient

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
STUDIES = {
    name: settings
    for name, settings in CONFIG["studies"].items()
    if paper(settings["paper"]).published_values
}
POWERS = [10.0**power for power in range(-4, 2)]

#: study -> key -> what is published, and where
PUBLISHED_SETTINGS = {
    "rakotomamonjy2012": {  # sections 4.1 and 4.2, captions of Figures 2 and 3
        "splits": 10,
        "validation_fraction": 0.3,
        "toy.test_rows": 1000,
        "toy.trials": 20,
        "toy.noise": [20, 100],
        "toy.retrieval_rows": 100,
        "times.noise": [20, 100],
    },
    "laporte2014": {"splits": 5},  # section V: LETOR's folds
    "kadkhodaie2015": {  # section 5.1; section 4 of the dirty model; section 5.4 of Figures 2 and 3
        "splits": 10,
        "test_fraction": 1 / 3,
        "inner_folds": 3,
        "alphas": [*POWERS, 100.0],
        "rhos.admm": POWERS,
        "rhos.a2dm2": POWERS[:3],
        "rhos.a2dm2_restart": POWERS,
        "admm.lambda1": 0.01,
        "admm.lambda2": 0.01,
        "admm.eta": 0.8,
        "admm.tol": 1e-4,
        "dirty_model.rows": 2**8,
        "dirty_model.features": 2**9,
        "dirty_model.nonzero_share": 0.05,
        "dirty_model.noise_mean": 0.01,
        "dirty_model.ridge": 1.0,
        "convergence.dataset": "spambase",
        "convergence.alpha": 10.0,
        "trends.alpha": 10.0,
        "trends.stride": 100,
    },
}
#: method -> what its rule fixes: L14, section V; K15, section 5.1, of TopPush
FIXED_SETTINGS = {
    "mcp_ranksvm": '"penalty": "mcp", "penalty__gamma": 2.0',
    "log_ranksvm": '"penalty": "log", "penalty__epsilon": 0.1',
    "lp_ranksvm": '"penalty": "lp", "penalty__p": 0.5',
    "toppush": '"solver__stop": "published", "tol": 1e-4',
}


@pytest.mark.parametrize(
    ("study", "key"), [(study, key) for study, keys in PUBLISHED_SETTINGS.items() for key in keys]
)
def test_a_published_constant_is_the_one_that_is_run(study, key):
    setting = reduce(lambda settings, name: settings[name], key.split("."), STUDIES[study])
    assert (
        setting == pytest.approx(PUBLISHED_SETTINGS[study][key])
        if not isinstance(setting, str)
        else setting == "spambase"
    )


@pytest.mark.parametrize("method", FIXED_SETTINGS)
def test_a_method_has_the_parameters_that_are_published(method):
    rule = (ROOT / f"workflow/rules/methods/{method}.smk").read_text(encoding="utf-8")
    assert len(re.findall(rf"fixed={{{re.escape(FIXED_SETTINGS[method])}[,}}]", rule)) == 1


def test_the_rows_of_a_training_part_are_the_first_published_counts():
    counts = pivot_counts(read_published_values(paper("rakotomamonjy2012").published_values))["first_count"]
    rows, outcomes = STUDIES["rakotomamonjy2012"]["train_rows"], {"bci": "p300"}
    for published, count in counts.items():
        name = outcomes.get(published, published)
        of_set = {set_name: n for set_name, n in rows.items() if set_name.split("-")[0] == name}
        assert of_set and set(of_set.values()) == {count}, published


def test_the_solvers_stop_where_it_is_published():
    assert admm.PUBLISHED_TOL == dual_gradient.PUBLISHED_TOL == 1e-4


def test_each_published_data_set_is_in_the_study_of_its_paper():
    for study, settings in STUDIES.items():
        table = read_published_values(paper(study).published_values)
        published = {name.replace("bci", "p300") for name in table["dataset"] if name != "mean"}
        assert published <= settings["datasets"].keys(), published - settings["datasets"].keys()
