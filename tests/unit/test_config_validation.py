"""A wrong configuration gets one sentence that names the key and the nearest known one."""

import copy
import functools
import math
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from config_consistency import get_requirements
from config_validation import (
    ConfigError,
    list_known_datasets,
    list_known_methods,
    load_schema,
    validate_config,
)
from jsonschema import Draft202012Validator

from toprank.certificate import STATUSES

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def read():
    """The project's own configuration: nobody may change it."""
    return yaml.safe_load((ROOT / "config.yaml").read_text())


@pytest.fixture
def full_config():
    """A copy of it."""
    return copy.deepcopy(read())


def alone(paper):
    """The project's own study of a paper, alone."""
    return copy.deepcopy(read() | {"studies": {"trial": read()["studies"][paper]}, "run": ["trial"]})


@pytest.fixture
def config():
    """The study of K15, on two data sets and with two methods."""
    study = (config := alone("kadkhodaie2015"))["studies"]["trial"]
    study |= {"datasets": {"breast-cancer": ["raw", "standardised"]}, "methods": ["toppush", "exact"]}
    study["splits_per_job_by_dataset"] = study["multiverse"]["splits_by_dataset"] = {"diabetes": 1}
    study["multiverse"].pop("excluded_options")
    study["convergence"]["dataset"] = study["search_size"]["dataset"] = "breast-cancer"
    study["trends"]["datasets"] = study["perturbation"]["datasets"] = ["breast-cancer"]
    config["datasets"] = ["diabetes"]
    config["verification"]["datasets"] = ["digits-8"]
    return config


def message(config):
    """The one sentence that a configuration gets."""
    with pytest.raises(ConfigError) as caught:
        validate_config(config)
    text = str(caught.value)
    assert "\n" not in text and text.endswith("."), text
    return text


def change_config(config, path, value):
    """Return a copy with ``value`` at the dotted ``path``."""
    config = copy.deepcopy(config)
    *parents, last = path.split(".")
    place = config
    for key in parents:
        place = place[key]
    place[last] = value
    return config


def is_refused(config, path, value, expected):
    """Each part of the sentence is there when ``value`` stands at the path, which is PATH in the parts."""
    text = message(change_config(config, path, value))
    assert all(part.replace("PATH", path) in text for part in expected), text


def test_a_right_configuration_passes(config):
    validate_config(config)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("miror", "x", ["unknown key 'miror'", "'mirror'"]),
        ("studies.trial.split", 3, ["unknown key 'split' in studies.trial", "'splits'"]),
        ("run", ["trail"], ["unknown study 'trail' in run", "'trial'"]),
        ("datasets", ["diabets"], ["unknown data set 'diabets' in datasets", "'diabetes'"]),
        (
            "verification.datasets",
            ["digit-8"],
            ["unknown data set 'digit-8' in verification.d", "'digits-8'"],
        ),
        ("missing_data", "skp", ["missing_data is 'skp'", "'skip'"]),
        ("datasets", "some", ["datasets is 'some'", "a list, or all"]),
        ("studies", {"my-study": {}}, ["studies has the name 'my-study'", "digits and underscores"]),
        ("expected_status", {"exact": ["certifed"]}, ["expected_status.exact.0", "'certified'"]),
        ("seed", -1, ["seed", "-1 is less than the minimum of 0"]),
    ],
)
def test_a_wrong_one_gets_one_sentence(config, path, value, expected):
    is_refused(config, path, value, expected)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("splits_per_job_by_dataset", {"diabets": 1}, ["unknown data set 'diabets' in PATH", "'diabetes'"]),
        (
            "datasets",
            {"brest-cancer": ["raw"]},
            ["data set 'brest-cancer' in PATH", "'breast-cancer'"],
        ),
        ("datasets", {"diabetes": ["standardized"]}, ["PATH.diabetes.0", "'standardised'"]),
        ("methods", ["topush"], ["unknown method 'topush' in PATH", "'toppush'", "workflow/rules/methods"]),
        ("paper", "kadkhodaie-2015", ["PATH", "'kadkhodaie2015'"]),
        ("splits", "ten", ["PATH", "'ten' is not of type 'integer'"]),
        ("splits", 0, ["PATH", "0 is less than the minimum of 1"]),
        ("test_fraction", 1.0, ["PATH", "maximum of 1"]),
        ("alphas", ["1e-4"], ["PATH.0", "'1e-4'", "1.0e-04"]),
        ("alphas", [], ["PATH"]),
        ("datasets", None, ["PATH is wrong", "not of type 'object'"]),
        ("convergence.dataset", "spambase", ["PATH names 'spambase', which is not in studies.", "'breast-c"]),
        ("convergence.split", 10, ["convergence.split is 10", "the last split is 9"]),
        ("convergence.rhos", {"a2dm": 0.1}, ["unknown key 'a2dm' in PATH", "'a2dm2'"]),
        ("convergence.rhos", {"admm": 0}, ["PATH.admm", "minimum of 0"]),
        ("search_sample.share", 1.0, ["PATH", "maximum of 1"]),
        ("suboptimality.levels", [0.0], ["PATH.0", "minimum of 0"]),
    ],
)
def test_a_wrong_study_of_the_top_gets_one_sentence(config, path, value, expected):
    is_refused(config, f"studies.trial.{path}", value, expected)


def test_a_block_reads_features_that_its_data_set_has(config):
    config["studies"]["trial"]["datasets"] = {"breast-cancer": ["standardised"]}
    text = message(config)
    assert "studies.trial.convergence.feature_scaling is 'raw'" in text and "'standardised'" in text


def test_a_missing_key_is_named(config):
    del config["studies"]["trial"]["splits"]
    assert "the key 'splits' in studies.trial is missing" in message(config)


def test_an_unknown_key_is_told_before_what_follows_from_it(config):
    config["studies"]["trial"]["split"] = config["studies"]["trial"].pop("splits")
    assert "unknown key 'split'" in message(config)


def test_the_schema_is_one_and_describes_each_key():
    schema = load_schema()
    Draft202012Validator.check_schema(schema)
    offered = schema["properties"]["expected_status"]["additionalProperties"]["items"]["enum"]
    assert offered == list(STATUSES)

    def list_undescribed(properties):
        for key, entry in properties.items():
            if "description" not in entry:
                where = entry["$ref"].removeprefix("#/").split("/")
                entry = functools.reduce(dict.__getitem__, where, schema)
            assert entry.get("description", "").endswith("."), key
            list_undescribed(entry.get("properties", {}))

    list_undescribed(schema["properties"])
    for paper in schema["$defs"]["study"]["properties"]["paper"]["enum"]:
        list_undescribed(schema["$defs"][paper]["properties"])


@pytest.mark.parametrize("name", ["quick"])
def test_the_files_of_the_project_are_valid(full_config, name):
    from snakemake.utils import update_config

    assert list_known_methods() and list_known_datasets()
    validate_config(full_config)
    update_config(full_config, yaml.safe_load((ROOT / f"config/{name}.yaml").read_text()))
    validate_config(full_config)


R12, L14, K15 = "rakotomamonjy2012", "laporte2014", "kadkhodaie2015"
NO_METHODS_MESSAGE = "'kadkhodaie2015' have none, so leave the method out"


@pytest.mark.parametrize(
    ("paper", "path", "value", "expected"),
    [
        (R12, "train_rows", {"colon": 43}, ["PATH lacks the data set 'colon-normal'"]),
        (R12, "train_rows.sonar", 2, ["PATH", "minimum of 4"]),
        (R12, "train_rows", {"colom": 43}, ["unknown data set 'colom' in PATH", "'colon'"]),
        (R12, "shares", [0.0], ["PATH.0"]),
        (R12, "alphas", [1.0], ["unknown key 'alphas' in studies.trial"]),
        (R12, "toy.methods", ["rfe_infinite_push"], ["inherits parameters from 'l2_infinite_push'"]),
        (R12, "toy.methods", ["l1_push"], ["unknown method 'l1_push' in PATH"]),
        (R12, "toy.rows", [50.5], ["PATH.0"]),
        (R12, "times.rows", {"l1_push": [20]}, ["times.rows is 'l1_push'", "'l1_infinite_push'"]),
        (R12, "paths", {"p300": {"penalty": "group", "points": 3}}, ["p300 needs the key 'group_size'"]),
        (R12, "paths", {"splice": {"penalty": "l1", "points": 3}}, ["names 'splice', which is not in"]),
        (L14, "splits", 6, ["PATH", "maximum of 5"]),
        (L14, "share", [0.1], ["unknown key 'share' in studies.trial", "'shares'"]),
        (L14, "shares", [0.0], ["PATH.0"]),
        (L14, "scad_gamma", 1, ["PATH"]),
        (L14, "methods", ["l2_ranksvn"], ["unknown method 'l2_ranksvn' in PATH", "_ranksvm'"]),
        (L14, "published", "x.csv", ["PATH", "is not of type 'boolean'"]),
        (L14, "extra_methods", ["scad_ranksvn"], ["unknown method 'scad_ranksvn' in PATH", "_ranksvm'"]),
        (
            L14,
            "extra_methods",
            ["l1_ranksvm"],
            ["names the method 'l1_ranksvm' in methods and in extra_methods"],
        ),
        (L14, "datasets", {"wdbc": ["raw"]}, ["names 'wdbc', which has no queries in LETOR's five parts"]),
        (L14, "alphas", [0.1], ["unknown key 'alphas' in studies.trial"]),
        (L14, "datasets", {"mq2009": ["raw"]}, ["unknown data set 'mq2009' in PATH"]),
        (L14, "paper", "laporte2015", ["PATH", "'laporte2014'"]),
        (L14, "constant.datasets", ["mq2009"], ["PATH names 'mq2009'", "'mq200"]),
        (L14, "constant.split", 5, ["PATH is 5", "the last split is 4"]),
        (L14, "constant.shares", [1.0], ["PATH.0"]),
        (L14, "constant.tol", 1.0, ["unknown key 'tol' in studies.trial.constant"]),
        (L14, "early_stop.datasets", ["sonar"], ["PATH names 'sonar', which is not in"]),
        (L14, "early_stop.split", 7, ["PATH is 7"]),
        (L14, "early_stop.radii", [0.0], ["PATH.0"]),
    ],
)
def test_a_wrong_study_of_another_paper_gets_one_sentence(paper, path, value, expected):
    is_refused(alone(paper), f"studies.trial.{path}", value, expected)


@pytest.mark.parametrize(
    ("study", "key", "asks"),
    [
        (L14, "radii", "names the method 'fenchelrank'"),
        (L14, "alpha_shares", "names the method 'fsmrank'"),
        (L14, "scad_gamma", "names the method 'scad_ranksvm'"),
        (L14, "gammas", "names the method 'mcp_ranksvm_tuned'"),
        (L14, "epsilons", "names the method 'log_ranksvm_tuned'"),
        (L14, "ps", "names the method 'lp_ranksvm_tuned'"),
        (R12, "n_features", ""),
        (R12, "toy", ""),
        (K15, "rhos", "names the method 'admm'"),
        (K15, "admm", "names the method 'admm'"),
    ],
)
def test_a_key_that_another_one_asks_for_is_named(full_config, study, key, asks):
    del full_config["studies"][study][key]
    text = message(full_config)
    assert f"needs the key '{key}" in text and asks in text


@pytest.mark.parametrize("study", [R12, K15])
def test_graded_rows_are_refused_where_single_lists_are_ranked(full_config, study):
    full_config["studies"][study]["datasets"]["mq2008"] = ["raw"]
    full_config["studies"][study].get("train_rows", {})["mq2008"] = 100
    assert "names 'mq2008', whose rows are graded documents of queries" in message(full_config)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (f"{K15}.rhos", {"admm": [1.0]}, ["needs the key 'rhos.a2dm2': it names the method 'a2dm2'"]),
        (
            f"{K15}.methods",
            ["toppush", "l1_ranksvm"],
            ["'l1_ranksvm', which reads the key 'shares'", NO_METHODS_MESSAGE],
        ),
        (f"{K15}.methods", ["exact"], ["'exact' inherits parameters from 'toppush': name 'toppush'"]),
        (f"{K15}.methods", ["admm"], ["'admm' inherits parameters from 'toppush'"]),
        (f"{K15}.alphas", [1.0, math.nan], ["PATH.1 is nan", "finite number"]),
        (f"{L14}.radii", [1.0, math.inf], ["PATH.1 is inf"]),
        (f"{L14}.shares", [0.1, 1.5], ["PATH.1", "1.5 is greater than the maximum of 1"]),
        (f"{L14}.alpha_shares", [2.0], ["PATH.0", "maximum of 1"]),
        (f"{R12}.extra_shares", [1.1], ["PATH.0", "maximum of 1"]),
        (f"{R12}.train_rows.sonar", 208, ["train_rows.sonar is 208 of its 208 rows: leave"]),
        (f"{K15}.multiverse.splits", 11, [f"multiverse.splits is 11, but studies.{K15}.splits is 10"]),
        (f"{K15}.multiverse.splits_by_dataset", {"a9b": 1}, ["unknown data set 'a9b' in PATH"]),
        (
            f"{K15}.multiverse.excluded_options",
            {"a9a": ["cap=5e4"]},
            ["unknown option 'cap=5e4' in PATH", "cap=5000"],
        ),
    ],
)
def test_what_one_key_asks_of_another(full_config, path, value, expected):
    is_refused(full_config, f"studies.{path}", value, expected)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (f"{K15}.multiverse.axes", "choices"),
        (f"{L14}.beyond", "extra_methods"),
        (f"{R12}.looked_at", "extra_shares"),
        (f"{K15}.convergence.features", "feature_scaling"),
    ],
)
def test_an_old_key_gets_its_new_name(full_config, path, new):
    old = path.rpartition(".")[2]
    is_refused(full_config, f"studies.{path}", [], [f"the key '{old}'", f"is called '{new}' now: rename it"])


def test_blocks_that_run_the_admm_family_need_its_keys_too(full_config):
    study = full_config["studies"][K15] | {"methods": ["toppush", "exact"]}
    del study["rhos"]
    full_config |= {"studies": {"trial": study}, "run": ["trial"]}
    assert "studies.trial.suboptimality needs the key 'rhos' beside it" in message(full_config)


def test_a_missing_file_of_published_numbers_is_named(full_config, monkeypatch, tmp_path):
    import config_consistency

    real = config_consistency.paper
    published = tmp_path / "published_values.csv"
    monkeypatch.setattr(
        config_consistency, "paper", lambda name: replace(real(name), published_values=published)
    )
    with pytest.raises(
        ConfigError, match=r"published is true, but .*published_values.csv, does not exist: restore it"
    ):
        validate_config(full_config)


def test_names_that_the_results_need_and_sets_that_no_solver_can_be_verified_on(full_config):
    study = full_config["studies"][L14]
    for name in ("verification", "report"):
        renamed_config = full_config | {"studies": {name: study}, "run": [name]}
        assert f"studies.{name} needs another name" in message(renamed_config)
    full_config |= {"studies": {"trial": study}, "run": ["trial"], "expected_status": {"admmm": ["stopped"]}}
    assert "unknown method 'admmm' in expected_status" in message(full_config)
    del full_config["expected_status"]
    full_config["verification"]["datasets"] = ["letor-like"]
    assert "verification.datasets names 'letor-like', whose rows are graded" in message(full_config)


def test_what_a_method_reads_is_found_in_its_rule():
    """The check finds the keys in the text of the rule; a key that is read otherwise would be missed."""
    for method in list_known_methods():
        keys, _ = get_requirements(method)
        text = (ROOT / f"workflow/rules/methods/{method}.smk").read_text()
        assert text.count("studies.get_settings(wildcards)[") == len(keys) - ("methods.admm(" in text), method
