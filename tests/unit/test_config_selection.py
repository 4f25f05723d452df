"""A part of a run: what is selected, with which words, and what is said where it cannot be."""

import copy
import json
from types import SimpleNamespace

import pytest
import yaml
from config_selection import (
    add_extra_methods,
    drop_null_keys,
    drop_unavailable_methods,
    parse_cli_values,
    resolve_config,
)
from config_validation import ConfigError, validate_config
from paths import Paths
from small_project import ROOT
from study_selection import apply_selection

from reproduction.datasets import registry
from reproduction.specs.metrics import FURTHER_LIST_METRICS

FULL_CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
PUSH, LETOR, TOP = "rakotomamonjy2012", "laporte2014", "kadkhodaie2015"
#: without the study that shares the data sets of all
PAPERS_CONFIG = FULL_CONFIG | {"run": [PUSH, LETOR, TOP]}


def select_part(only):
    config = copy.deepcopy(PAPERS_CONFIG) | {"only": only}
    validate_config(config)
    apply_selection(config)
    validate_config(config)  # a part is a configuration
    return config


def parts(config):
    """Study -> data sets and methods of its table (none where it is not run), and experiments."""
    paths, parts_by_study = Paths(config), {}
    for name, study in paths.studies.settings.items():
        experiments = [experiment.name for experiment in paths.studies.papers[name].experiments_of(study)]
        cases = {dataset for dataset, _ in paths.studies.list_cases(name)}
        parts_by_study[name] = (
            cases,
            {*study["methods"], *study.get("extra_methods", [])} if cases else set(),
            set(experiments),
        )
    return parts_by_study


def test_a_data_set_is_run_with_all_methods_and_without_other_blocks():
    config = select_part("mq2008")
    study = FULL_CONFIG["studies"][LETOR]
    assert parts(config) == {LETOR: ({"mq2008"}, {*study["methods"], *study["extra_methods"]}, set())}
    assert {*Paths(config).studies.datasets} == {
        "mq2008",
        "overlap",
        "hull",
        "sparse-text",
        "wdbc",
        "digits-8",
    }


@pytest.mark.parametrize("only", ["sonar, mq2008", ["mq2008", "sonar"], {"datasets": ["sonar", "mq2008"]}])
def test_names_may_be_of_several_studies(only):
    parts_by_study = parts(select_part(only))
    assert {name: cases for name, (cases, *_) in parts_by_study.items()} == {
        PUSH: {"sonar"},
        LETOR: {"mq2008"},
    }
    assert parts_by_study[PUSH][2] == {"multiverse"}  # which the ties and thresholds of its fits come from


def test_a_method_brings_the_one_whose_choice_it_takes_over():
    assert parts(select_part({"datasets": "diabetes", "methods": "exact"})) == {
        TOP: ({"diabetes"}, {"toppush", "exact"}, {"multiverse"})
    }


def test_blocks_alone_run_no_table():
    assert parts(select_part("dirty_model")) == {TOP: (set(), set(), {"dirty_model"})}
    config = select_part("convergence")
    assert parts(config) == {TOP: (set(), set(), {"convergence"})}
    assert [*config["studies"][TOP]["datasets"]] == ["spambase"] and Paths(config).list_fit_files(TOP) == []
    assert {*parts(select_part(["toy", "times"]))[PUSH][2]} == {"toy", "times"}


def test_a_block_is_cut_to_the_data_sets_that_are_named():
    config = select_part({"datasets": ["mq2008", "sonar"], "experiments": "early_stop"})
    assert config["studies"][LETOR]["early_stop"]["datasets"] == ["mq2008"]
    paths = select_part({"datasets": "p300", "experiments": "paths"})["studies"][PUSH]["paths"]
    assert [*paths] == ["p300"]


def test_splits_are_the_first_ones():
    config = select_part({"splits": 2})
    assert {config["studies"][name]["splits"] for name in config["run"]} == {2}
    assert config["studies"][PUSH]["toy"]["trials"] == 2
    assert parts(config)[TOP][2] == set(parts(FULL_CONFIG)[TOP][2])
    looked_at = config["studies"][TOP]["multiverse"]
    assert looked_at["splits"] == 2 and max(looked_at["splits_by_dataset"].values()) == 2


def test_all_else_of_a_study_stays():
    """So that parameters of jobs are those of the whole run, which then computes nothing twice."""
    full, part = FULL_CONFIG["studies"][PUSH], select_part("sonar")["studies"][PUSH]
    changed = {key for key in full if part.get(key) != full[key]}
    assert changed == {"datasets", "toy", "times", "paths", "optimal_face"}


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("mq2009", "unknown name 'mq2009' in only; the nearest known one is 'mq2008'"),
        ({"methods": "mq2008"}, "unknown name 'mq2008' in only.methods"),
        ({"study": LETOR}, "only is {'study': 'laporte2014'}, but must be a name (of a study"),
        ({"studies": LETOR, "datasets": "sonar"}, "only names 'sonar', which none of its studies has"),
        ({"studies": LETOR, "datasets": "sonar"}, "'laporte2014' lacks the data set 'sonar'."),
        (
            {"datasets": "sonar", "experiments": "early_stop"},
            "only names 'early_stop', which none of its studies",
        ),
        ({"datasets": ["sonar"], "methods": ["toppush"]}, f"'{TOP}' lacks the data set 'sonar'"),
        ({"datasets": ["sonar"], "methods": ["toppush"]}, f"'{PUSH}' lacks the method 'toppush'"),
    ],
)
def test_what_cannot_be_selected_is_said(only, message):
    with pytest.raises(ConfigError) as caught:
        select_part(only)
    assert message in str(caught.value) and str(caught.value).count("\n") == 0


def test_a_name_of_two_things_is_refused():
    config = copy.deepcopy(FULL_CONFIG)
    config["studies"]["exact"] = config["studies"].pop(TOP)
    config |= {"run": ["exact"], "only": "exact"}
    message = "'exact' in only can mean studies and methods: write {studies: exact} or {methods: exact}."
    with pytest.raises(ConfigError, match=message):
        apply_selection(config)


def test_words_of_the_command_line_are_read_as_yaml():
    config = {"retry_missing": "true", "only": {"splits": "2", "datasets": ["mq2008"]}, "results": "r"}
    parse_cli_values(config, copy.deepcopy(config))
    assert config == {"retry_missing": True, "only": {"splits": 2, "datasets": ["mq2008"]}, "results": "r"}


def overlay(tmp_path, studies):
    """The configuration with a file of changes laid over it, as Snakemake merges them."""
    from snakemake.utils import update_config

    file = tmp_path / "mine.yaml"
    file.write_text(json.dumps({"studies": studies}))
    config = copy.deepcopy(FULL_CONFIG)
    update_config(config, {"studies": studies})
    return config, SimpleNamespace(
        configfiles=[file, ROOT / "config.yaml"],  # in the order of Snakemake
        config_settings=SimpleNamespace(config={}, configfiles=[file]),
        is_main_process=False,
    )


def test_null_takes_away(tmp_path):
    nulls = {"toy": None, "times": None, "datasets": {"p300": None}, "paths": None}
    config, workflow = overlay(tmp_path, {PUSH: nulls})
    resolve_config(config, workflow)
    study = config["studies"][PUSH]
    assert "toy" not in study and "p300" not in study["datasets"] and "sonar" in study["datasets"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"datasets": {"sonar": ["standardised"]}},
            "mine.yaml names data sets of the study 'rakotomamonjy2012' without 'colon', which does not "
            "remove it: write 'colon: null' there, or select with the key 'only'.",
        ),
        (
            {key: value for key, value in FULL_CONFIG["studies"][PUSH].items() if key != "toy"},
            "mine.yaml describes the study 'rakotomamonjy2012' without 'toy', which does not remove it",
        ),
    ],
)
def test_a_file_of_changes_that_leaves_out_is_refused(tmp_path, change, message):
    config, workflow = overlay(tmp_path, {PUSH: change})
    with pytest.raises(ConfigError) as caught:
        resolve_config(config, workflow)
    assert message in str(caught.value)


def test_a_file_of_changes_that_adds_or_changes_is_taken(tmp_path):
    config = copy.deepcopy(FULL_CONFIG)
    for change in ({"datasets": {"wdbc": ["raw"]}}, {"datasets": {"sonar": ["raw"]}}, {"splits": 2}):
        _, workflow = overlay(tmp_path, {PUSH: change})
        drop_null_keys(config, workflow.config_settings.configfiles, FULL_CONFIG)
    assert config == FULL_CONFIG


def test_a_study_that_shares_data_sets_is_cut_with_the_others_and_to_as_many_splits():
    config = copy.deepcopy(FULL_CONFIG) | {"run": ["across", LETOR]}
    config["only"] = {"datasets": ["mq2008", "a9a"], "splits": 1}
    apply_selection(config)
    paths = Paths(config)
    datasets = {name: [*study["datasets"]] for name, study in paths.studies.settings.items()}
    assert datasets == {"across": ["a9a", "mq2008"], LETOR: ["mq2008"]}
    assert [paths.split_batches.list_batches("across", name) for name in ("a9a", "mq2008")] == [["0-0"]] * 2
    job = SimpleNamespace(study="across", dataset="a9a", method="fenchelrank")
    assert paths.studies.get_search_limits(job) == {
        "candidates": 3,
        "seconds": 30,
        "further_metrics": [*FURTHER_LIST_METRICS],
    }
    job.method = "toppush_depth"  # of two parameters
    assert paths.studies.get_search_limits(job)["candidates"] == 15
    paths.studies.settings["across"]["limits"]["candidate_factors"] = {"toppush_depth": 0.7, "fsmrank": 0.1}
    assert paths.studies.get_search_limits(job)["candidates"] == 2
    job.method = "fsmrank"  # at least one
    assert paths.studies.get_search_limits(job)["candidates"] == 1
    assert paths.split_batches.get_split_settings(job)["kind"] == "random"
    mixed = SimpleNamespace(study="across", dataset="mq2008")
    assert paths.split_batches.get_split_settings(mixed) == {"kind": "folds", "feature_scaling": []}
    assert "across" not in paths.studies.with_published_values
    assert "across" in paths.studies.with_claims


def test_a_method_of_no_study_joins_the_study_of_every_method():
    config = copy.deepcopy(FULL_CONFIG) | {"only": {"methods": ["adaptive_l1_ranksvm", "toppush_exact"]}}
    add_extra_methods(config)
    # a method of another study stays there, as before
    assert config["studies"] == FULL_CONFIG["studies"]
    config = copy.deepcopy(FULL_CONFIG) | {"run": ["across", TOP], "only": {"methods": "lp_ranksvm, banana"}}
    add_extra_methods(config)
    extra = FULL_CONFIG["studies"]["across"]["extra_methods"]
    assert config["studies"]["across"]["extra_methods"] == [*extra, "lp_ranksvm"]
    assert config["studies"][TOP] == FULL_CONFIG["studies"][TOP]
    with pytest.raises(ConfigError, match="banana"):
        apply_selection(config)


@pytest.mark.parametrize("methods", [["l2_infinite_push", "lambdamart"], ["lambdamart"]])
def test_a_method_that_cannot_run_leaves_the_toy_problem_too(methods, monkeypatch):
    monkeypatch.setattr("optional_dependencies.get_version", lambda name: None if name == "lightgbm" else "1")
    config = copy.deepcopy(FULL_CONFIG) | {"run": [PUSH]}
    config["studies"][PUSH]["toy"]["methods"] = methods
    (message,) = drop_unavailable_methods(config)
    assert message.startswith("'lambdamart' is left out: it needs lightgbm")
    study = config["studies"][PUSH]
    assert study["methods"] == FULL_CONFIG["studies"][PUSH]["methods"]
    assert study.get("toy", {}).get("methods", []) == [name for name in methods if name != "lambdamart"]
    assert ("toy" in study) == (len(methods) > 1)


def test_small_data_sets_are_selected_by_their_rows():
    config = copy.deepcopy(FULL_CONFIG) | {"run": ["across", TOP], "only": {"max_rows": 500}}
    config["only"]["methods"] = ["toppush_exact"]
    validate_config(config)
    apply_selection(config)
    validate_config(config)
    assert [*config["studies"]["across"]["datasets"]][:2] == ["colon-normal", "yeast-rest"]
    rows = {registry.get(name).expected["rows"] for name in config["studies"]["across"]["datasets"]}
    assert max(rows) <= 500
    assert config["run"] == ["across"], "the other study has larger ones alone"


def test_a_ranking_needs_the_default_specification_alone():
    paths = Paths(copy.deepcopy(FULL_CONFIG) | {"run": ["across"]})
    cases = paths.list_default_cases("across")
    assert ("diabetes", "standardised") in cases and ("diabetes", "raw") not in cases
    assert not {"sonar", "ionosphere", "spectf"} & {dataset for dataset, _ in cases}
    assert cases == [case for case in paths.studies.list_cases("across") if case in cases]
    assert len(paths.list_default_fit_files("across")) < len(paths.list_fit_files("across"))
