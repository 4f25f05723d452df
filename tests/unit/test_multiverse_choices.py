"""Choices of each paper: options that select anew among fits, early stops, and fits without a search."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from reproduction.core.results import ResultsError
from reproduction.papers.kadkhodaie2015 import multiverse as k15
from reproduction.papers.laporte2014 import multiverse as l14
from reproduction.papers.rakotomamonjy2012 import multiverse as r12
from reproduction.papers.rakotomamonjy2012.optimal_face.outcomes import count_other_optima
from reproduction.specs.multiverse import Specifications


def test_l14_chooses_anew_among_the_candidates():
    search = pd.DataFrame(
        {
            "params": [json.dumps({"share": s}) for s in (0.1, 0.001, 0.01)],
            "validation_map": [0.5, 0.501, 0.5],
            "validation_ndcg10": [0.6, 0.5, 0.5],
            "n_variables": [2.0, 9.0, 5.0],
        }
    )
    candidates = l14._sort_candidates(search)
    assert candidates["share"].tolist() == [0.001, 0.01, 0.1]
    default = {"smallest_share": "all", "ties": "fewest", "validation": "map", "largest_radius": "all"}
    default["largest_C"] = "relative"
    for change, place in (
        ({}, 0),
        ({"validation": "ndcg10"}, 2),
        ({"smallest_share": "0.01"}, 2),
        ({"smallest_share": "0.01", "ties": "weakest"}, 1),
        ({"smallest_share": "0.5"}, 2),
        ({"largest_radius": "8"}, 0),  # of FenchelRank alone
    ):
        assert l14._choose_candidate(candidates, default | change) == place, change


def test_l14_ends_fenchelranks_grid_and_takes_another_epsilon_from_the_tuned_search():
    common = {"dataset": "mq2007", "split": 0, "role": "search", "status": "certified", "map": 0.4}
    common |= {"ndcg10": 0.4, "validation_ndcg10": 0.4}
    radii = [("fenchelrank", {"radius": r}, 0.4 + r / 1000, r, r / 100) for r in (1, 8, 64)]
    tuned = [("log_ranksvm_tuned", {"share": 0.1, "epsilon": e}, 0.5, 5, e) for e in (0.01, 0.1)]
    own = [("log_ranksvm", {"share": 0.1}, 0.5, 5, 0.2)]
    columns = ["method", "params", "validation_map", "n_variables", "sparsity_ratio"]
    fits = pd.DataFrame([(m, json.dumps(p), *more) for m, p, *more in radii + tuned + own], columns=columns)
    choices = {"largest_radius": ["all", 8], "epsilon": [0.1, 0.01]}
    study = SimpleNamespace(settings={"multiverse": {"choices": choices}}, fits=fits.assign(**common))
    outcomes = l14.build_outcomes(study).set_index(["specification", "method"])["sparsity_ratio"]
    assert outcomes["default", "fenchelrank"] == 0.64 and outcomes["largest_radius=8", "fenchelrank"] == 0.08
    assert outcomes["default", "log_ranksvm"] == 0.2 == outcomes["largest_radius=8", "log_ranksvm"]
    assert outcomes["epsilon=0.01", "log_ranksvm"] == 0.01
    combined = outcomes["largest_radius=8; epsilon=0.01"]
    assert combined[["fenchelrank", "log_ranksvm"]].tolist() == [0.08, 0.01]


def test_l14_takes_an_absolute_grid_of_c_where_a_method_has_one():
    common = {"dataset": "mq2007", "split": 0, "role": "search", "status": "certified", "map": 0.4}
    common |= {"ndcg10": 0.4, "validation_ndcg10": 0.4}
    columns = ["method", "params", "validation_map", "n_variables", "sparsity_ratio"]
    own = [("mcp_ranksvm", {"share": 0.1}, 0.5, 5, 0.2), ("fsmrank", {"share": 0.1}, 0.5, 5, 0.7)]
    own += [
        ("log_ranksvm", {"share": 0.1}, 0.5, 5, 0.3),
        ("log_ranksvm_tuned", {"share": 0.1, "epsilon": 0.01}, 0.5, 5, 0.31),
    ]
    absolute = [("mcp_ranksvm", {"C": c}, 0.4 + c / 100, int(c * 10), c / 100) for c in (10, 1, 0.1)]
    absolute += [("log_ranksvm", {"C": 1, "epsilon": e}, 0.5, 5, e) for e in (0.1, 0.01)]

    def make(rows):
        return pd.DataFrame([(m, json.dumps(p), *more) for m, p, *more in rows], columns=columns)

    choices = {"largest_C": ["relative", 10, 1], "epsilon": [0.1, 0.01], "smallest_share": ["all", 0.2]}
    study = SimpleNamespace(
        settings={"multiverse": {"choices": choices}, "absolute_grid": {"values": [10, 1]}},
        fits=make(own).assign(**common),
        read_experiment=lambda *names: make(absolute).assign(**common).to_dict("records"),
    )
    outcomes = l14.build_outcomes(study).set_index(["specification", "method"])["sparsity_ratio"]
    assert outcomes["default", "mcp_ranksvm"] == 0.2
    assert outcomes["largest_C=10", "mcp_ranksvm"] == 0.1 and outcomes["largest_C=1", "mcp_ranksvm"] == 0.01
    assert ("largest_C=10", "fsmrank") not in outcomes.index, "it has no C"
    assert outcomes["largest_C=10", "log_ranksvm"] == 0.1
    assert outcomes["epsilon=0.01; largest_C=10", "log_ranksvm"] == 0.01
    names = outcomes.index.get_level_values(0)
    assert not [name for name in names if "smallest_share" in name and "largest_C" in name]


def test_l14_takes_decreases_from_the_best_method_of_each_specification():
    methods = ["l1_ranksvm", "mcp_ranksvm", "scad_ranksvm"]  # the last one is not the paper's
    frame = pd.DataFrame({"specification": np.repeat(["default", "ties=middle"], 6), "dataset": "mq2007"})
    frame["method"], frame["split"] = [*np.repeat(methods, 2)] * 2, [0, 1] * 6
    frame["map"] = [0.5, 0.4, 0.4, 0.3, 0.9, 0.9, 0.2, 0.4, 0.5, 0.3, 0.1, 0.1]
    decreases = frame.assign(value=l14._compute_decreases(frame, "map"))
    folds = {key: group["value"].tolist() for key, group in decreases.groupby(["specification", "method"])}
    assert folds["default", "l1_ranksvm"] == [0.0, 0.0]
    assert folds["default", "mcp_ranksvm"] == pytest.approx([100 * 0.1 / 0.45, 100 * 0.1 / 0.45])
    assert folds["ties=middle", "mcp_ranksvm"] == [0.0, 0.0], "another specification, another best"
    assert folds["ties=middle", "l1_ranksvm"] == pytest.approx([75.0, -25.0])


def test_r12_reads_every_option_from_the_fits():
    settings = {"multiverse": {"choices": {"ties": ["middle", "most"], "threshold": [0, 1e-6]}}}
    fit = {"method": "l1_ranksvm", "split": 0, "rate_at_top": 0.5, "n_variables": 3, "status": "certified"}
    fit["params"] = '{"share": 0.1}'
    chosen = fit | {"dataset": "sonar-rocks", "ties": "middle", "variables_at": '{"0": 7, "1e-06": 3}'}
    other = chosen | {"ties": "most", "variables_at": '{"0": 9, "1e-06": 4}'}
    specifications = Specifications(r12.CHOICES, settings)
    rows = pd.DataFrame(
        [row for fit in (chosen, other) for row in r12._build_fit_outcomes(fit, specifications)]
    )
    assert set(rows["dataset"]) == {"sonar"} and set(rows["positive"]) == {"other"}
    counts = rows.set_index(["ties", "threshold"])["variables"].to_dict()
    assert counts == {("middle", "1e-06"): 3, ("middle", "0"): 7, ("most", "1e-06"): 4, ("most", "0"): 9}
    with pytest.raises(ResultsError, match="sonar-rocks, l1_ranksvm, 0, certified, most"):
        r12._require_fits([chosen], specifications)
    fixed = chosen | {"ties": None, "share": "0.0001"}
    r12._require_fits([chosen, other, fixed], specifications)
    rows = list(r12._build_fit_outcomes(fixed, specifications))
    assert {(row["share"], row["ties"]) for row in rows} == {("0.0001", "middle")} and len(rows) == 2


def test_r12_counts_the_variables_of_all_optima_beside_one_other_change():
    choices = {"ties": ["middle", "most"], "threshold": [0, 1e-6], "optimum": ["computed", "fewest", "most"]}
    specifications = Specifications(r12.CHOICES, {"multiverse": {"choices": choices}})
    fit = {"method": "l1_ranksvm", "split": 0, "rate_at_top": 0.5, "n_variables": 3, "status": "certified"}
    fit |= {
        "params": '{"alpha": 2.0, "share": 0.1}',
        "variables_at": '{"0": 7, "1e-06": 3}',
        "ties": "middle most",
    }
    fits = [fit | {"dataset": "sonar-rocks"}, fit | {"dataset": "sonar"}, fit | {"dataset": "p300"}]
    early = fit | {"dataset": "sonar", "stop": "10"}
    rows = [row for fit in (*fits, early) for row in r12._build_fit_outcomes(fit, specifications)]
    face = {"method": "l1_ranksvm", "split": 0, "share": 0.1, "variables": 3, "fewest": 2, "most": 5}
    faces = [face | {"dataset": name} for name in ("sonar", "sonar-rocks")]
    counted = pd.DataFrame(count_other_optima(rows, faces, specifications))
    assert set(counted["stop"]) == {"certified"} and set(counted["threshold"]) == {"1e-06"}
    table = counted.set_index(["positive", "ties", "optimum"])["variables"].to_dict()
    assert table == {
        ("documented", "middle", "fewest"): 2,
        ("documented", "middle", "most"): 5,
        ("documented", "most", "fewest"): 2,
        ("documented", "most", "most"): 5,
        ("other", "middle", "fewest"): 2,
        ("other", "middle", "most"): 5,
    }, "three changes are one too many, and nothing was counted on p300"
    with pytest.raises(ResultsError, match="optimal_face"):
        count_other_optima(rows, [face | {"dataset": "sonar", "share": 0.2}], specifications)


def test_r12_fits_without_a_search_on_every_reading_and_stops_early_on_the_originals():
    datasets = {"sonar": ["standardised"], "sonar-rocks": ["standardised"]}
    choices = {
        "ties": ["middle"],
        "stop": ["certified", 10],
        "threshold": [1e-6],
        "share": ["validated", 1e-3],
    }
    settings = {"datasets": datasets, "methods": ["l1_ranksvm", "l2_infinite_push"], "shares": [0.1, 1.0]}
    settings["multiverse"] = {"choices": choices}
    assert r12.list_parts(settings) == ["sonar", "sonar-rocks"]
    original, other = (r12.build_experiment_settings(settings, name) for name in datasets)
    assert (original["stops"], other["stops"]) == (["10"], []) and other["fixed_shares"] == ["0.001"]
    method = r12._make_method("l1_ranksvm", "certified", other, 60)
    assert (method.grid, method.path) == ({}, {"share": [0.001]}) and method.fixed["solver"] == "prox-newton"
    method = r12._make_method("l1_ranksvm", "10", original, 60)
    assert method.grid == {"share": [0.1, 1.0]} and method.fixed["max_iter"] == 10
    assert r12._make_method("l1_infinite_push", "10", original, 101) is None, "too slow"
    del choices["share"]
    assert r12.list_parts(settings) == ["sonar"]
    settings = r12.build_experiment_settings(settings, "sonar")
    assert r12._make_method("l1_ranksvm", "certified", settings, 60) is None


def test_k15_fits_one_change_anew_and_another_stop_with_other_features():
    choices = {"stop": ["residuals", "combined"], "cap": [5000, 1000], "ties": ["strongest", "weakest"]}
    settings = {"splits": 10, "alphas": [1.0], "rhos": {"admm": [1.0]}, "admm": {"max_iter": 5000}}
    settings["datasets"] = {"diabetes": ["raw", "standardised"], "diabetes-scaled": ["raw"]}
    settings["methods"] = ["toppush", "admm", "exact"]
    settings["multiverse"] = {"choices": choices, "splits_by_dataset": {"diabetes": 2}}
    raw, scaled = (
        k15.experiment_settings(settings, part) for part in ("diabetes-raw", "diabetes-scaled-raw")
    )
    assert [tuple(options.values()) for options in raw["options"]] == [
        ("residuals", "5000", "weakest"),
        ("residuals", "1000", "strongest"),
        ("combined", "5000", "strongest"),
    ]
    assert [options["stop"] for options in scaled["options"]] == ["combined"]
    settings["multiverse"]["excluded_options"] = {"diabetes": ["cap=1000"]}
    changed_options = k15.experiment_settings(settings, "diabetes-raw")["options"]
    assert [options["cap"] for options in changed_options] == ["5000", "5000"] and len(raw["options"]) == 3
    assert raw["methods"] == ["toppush", "admm"] and (raw["splits"], scaled["splits"]) == (2, 10)
    assert k15.resolve_variant("diabetes-scaled", "raw") == ("diabetes", "scaled")
    assert k15.split_inputs(settings, "diabetes-raw") == [("diabetes", 0), ("diabetes", 1)]
