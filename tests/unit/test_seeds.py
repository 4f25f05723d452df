"""One master seed: whoever draws derives its own from it, so that another one changes every draw."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made_measurements import make_measurements
from ranking_data import gaussians, stack_classes
from report_runs import run
from test_dirty_model import SETTINGS as DIRTY

from reproduction.comparison.placebo import compare_orders, compare_with_chance
from reproduction.comparison.table import comparison_rows
from reproduction.fitting.ranking_metrics import METRICS
from reproduction.papers.across import joined_ranking
from reproduction.papers.across.learning_curves import experiment as curves
from reproduction.papers.kadkhodaie2015.dirty_model import experiment as dirty_model
from reproduction.papers.rakotomamonjy2012.times import experiment as times
from reproduction.verification import solver_checks as verification

SOURCE = Path(__file__).resolve().parents[2] / "src"
X, Y = stack_classes(*gaussians(m=30, n=45))
HOME = "reproduction.papers"
#: modules that derive a seed, but from no master seed: the parts of a list that is read in
WITHOUT_MASTER = {"datasets.readers.queries"}


def write_prepared(folder):
    """What the rule prepare writes, as far as a job reads it."""
    np.savez(folder / "arrays.npz", X=X, y=Y)
    manifest = {"dataset": "overlap", "status": "obtained", "reason": "", "rows": len(Y)}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return {"arrays": str(folder / "arrays.npz"), "manifest": str(folder / "manifest.json")}


def draw_splits(folder, seed, **settings):
    wildcards = {"study": "tiny", "dataset": "overlap", "split_batch": "0-1"}
    outputs = {"splits": str(folder / "0-1.npz"), "diagnosis": str(folder / "0-1.csv")}
    run(
        "splits",
        folder,
        write_prepared(folder),
        outputs,
        wildcards,
        settings=settings | {"feature_scaling": []},
        seed=seed,
    )


def draw_random_splits(folder, seed):
    draw_splits(folder, seed, kind="random", test_fraction=1 / 3, inner_folds=3)


def draw_held_out_splits(folder, seed):
    draw_splits(folder, seed, kind="hold_out", train_rows=40, validation_fraction=0.3)


def draw_toy(folder, seed):
    names = {"arrays": "toy.npz", "manifest": "toy.json", "splits": "0-1.npz"}
    outputs = {name: str(folder / file) for name, file in names.items()}
    wildcards = {"study": "tiny", "dataset": "toy-n20-noise3", "split_batch": "0-1"}
    settings = {"validation_fraction": 0.3, "test_rows": 10, "relevant": 2}
    generate = f"{HOME}.rakotomamonjy2012.toy.generate:generate_data_set"
    run("generate", folder, [], outputs, wildcards, settings=settings, generate=generate, seed=seed)


def draw_verification(folder, seed):
    manifests = {"manifests": [write_prepared(folder)["manifest"]]}
    params = {"rows": 20, "alphas": [1.0], "seed": seed}
    run("verify", folder, manifests, [str(folder / "verification.csv")], {"half": "first"}, **params)


def draw_times(folder, seed):
    settings = {"rows": {"l1_infinite_push": [10, 12]}, "noise": [3], "share": 0.3, "repeats": 1}
    run_metric(folder, f"{HOME}.rakotomamonjy2012.times", seed, settings | {"time_limit": 30, "relevant": 2})


def draw_dirty_model(folder, seed):
    settings = DIRTY | {"iterations": 1, "varied": {}}
    run_metric(folder, f"{HOME}.kadkhodaie2015.dirty_model", seed, settings, part="0-1")


def draw_scale(folder, seed):
    settings = {"rows": 40, "features": 5, "alpha": 0.1, "rho": 0.1, "iterations": 1, "time_limits": {}}
    run_metric(folder, f"{HOME}.kadkhodaie2015.scale", seed, settings, name="run_experiment")


def draw_samples(folder, seed):
    fold = SimpleNamespace(
        missing_data={}, split=0, train=lambda: (X[:60], Y[:60]), test=lambda: (X[60:], Y[60:])
    )
    assert not [*curves.run_experiment({"positives": [5, 10]}, splits=[fold], part="overlap", seed=seed)]


def run_metric(folder, module, seed, settings, part="all", name="run_experiment"):
    """Run the rule run_experiment on one part of an experiment."""
    params = {"settings": settings, "folds": [], "run": f"{module}.experiment:{name}", "code": "0a1b"}
    wildcards = {"study": "tiny", "kind": "split_batch", "part": part}
    run("run_experiment", folder, {}, [str(folder / "rows.jsonl")], wildcards, seed=seed, **params)


def draw_placebo(folder, seed):
    """Permutations among methods and data sets, and of the orders of eight methods."""
    methods = [f"m{i}" for i in range(8)]
    columns = {"study": "s", "artefact": "table1", "dataset": "a", "quantity": "map", "margin": 1.0}
    rows = comparison_rows(
        [columns | {"method": name, "published": 1.0, "verdict": "agrees"} for name in methods]
    )
    rows["published"], rows["ours_mean"] = np.arange(8.0), np.arange(8.0)
    numbers = {"a": [10.0, 20.0, 30.0, 40.0], "b": [10.0, 20.0, 30.0, 40.0]}
    compare_with_chance(make_measurements(numbers, numbers), "s", seed)
    compare_orders(rows, "s", seed)


def draw_ranking(folder, seed):
    """A ranking by each of six metrics."""
    cells = [(f"set-{i}", name) for i in range(5) for name in ("first", "second")]
    fits = pd.DataFrame(cells, columns=["dataset", "method"]).assign(split=0, **dict.fromkeys(METRICS, 0.5))
    assert set(joined_ranking.rank_own_methods(fits, ["first"], seed)["metric"]) == set(METRICS)


#: who draws -> module that derives the seeds, and how many this job derives
DRAWS = {
    draw_random_splits: ("splits.splits", 2),
    draw_held_out_splits: ("splits.splits", 2),
    draw_toy: ("papers.rakotomamonjy2012.toy.generate", 4),
    draw_verification: ("verification.solver_checks", 1),
    draw_times: ("papers.rakotomamonjy2012.times.experiment", 2),
    draw_dirty_model: ("papers.kadkhodaie2015.dirty_model.experiment", 2),
    draw_scale: ("papers.kadkhodaie2015.scale.experiment", 1),
    draw_placebo: ("comparison.placebo", 4),
    draw_ranking: ("papers.across.joined_ranking", 6),
    draw_samples: ("papers.across.learning_curves.experiment", 1),
}


@pytest.fixture
def draws(monkeypatch, tmp_path):
    """Return a function: the seeds of all generators that a job starts, but for those that are constant."""
    generator, seeds = np.random.default_rng, []

    def start(seed):
        seeds.append(seed)
        return generator(seed)

    def seeds_of(draw, master):
        seeds.clear()
        draw(tmp_path, master)
        return {int(seed) for seed in seeds if np.ndim(seed) == 0} - {0}

    monkeypatch.setattr(np.random, "default_rng", start)
    monkeypatch.setattr(verification, "CHECK_HALVES", {"first": ()})
    monkeypatch.setattr(curves, "METHODS", {})
    # not from its cache
    monkeypatch.setattr(dirty_model, "_draw_and_solve", dirty_model._draw_and_solve.__wrapped__)
    monkeypatch.setattr(times, "warm_up", lambda *_: None)
    return seeds_of


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_another_master_seed_changes_every_draw(draws, draw):
    first, repeated, other = (draws(draw, master) for master in (7, 7, 8))
    assert first == repeated and len(first) == len(other) == DRAWS[draw][1]
    assert not first & other, "a draw does not depend on the master seed"


def test_no_two_jobs_share_a_draw(draws):
    """But for the two kinds of splits, of which a study has one."""
    seeds = [draws(draw, 7) for draw in DRAWS if draw is not draw_held_out_splits]
    assert len(set.union(*seeds)) == sum(map(len, seeds))


def test_whoever_derives_a_seed_is_tried_above():
    """A module that begins to derive seeds needs a job in `DRAWS`."""
    derive = set()
    for path in sorted((SOURCE / "reproduction").rglob("*.py")):
        if re.search(r"(?<!def )\bderive_seed\(", path.read_text(encoding="utf-8")):
            derive.add(".".join(path.relative_to(SOURCE / "reproduction").with_suffix("").parts))
    assert derive == {module for module, _ in DRAWS.values()} | WITHOUT_MASTER
