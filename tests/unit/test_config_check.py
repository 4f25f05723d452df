"""A wrong configuration gets one sentence that names the key and the nearest known one."""

import copy
import functools
import math
from dataclasses import replace
from pathlib import Path

import config_schema
import pytest
import yaml
from config_check import ConfigError, known_datasets, known_methods, validate_config
from cross_checks import asked_by
from jsonschema import Draft202012Validator

from toprank.certificate import STATUSES

ROOT = Path(__file__).resolve().parents[2]

DATASETS = ["breast-cancer", "diabetes", "digits-8"]
METHODS = ["a2dm2", "a2dm2_restart", "admm", "exact", "toppush"]


@functools.cache
def read():
    """The project's own configuration: nobody may change it."""
    return yaml.safe_load((ROOT / "config.yaml").read_text())


@pytest.fixture
def whole():
    """A copy of it."""
    return copy.deepcopy(read())


def alone(paper):
    """The project's own study of a paper, alone."""
    return copy.deepcopy(read() | {"studies": {"trial": read()["studies"][paper]}, "run": ["trial"]})


@pytest.fixture
def push():
    return alone("rakotomamonjy2012")


@pytest.fixture
def letor():
    return alone("laporte2014")


@pytest.fixture
def config(whole):
    """The project's own configuration, with the names of DATASETS and METHODS in one study."""
    config = whole
    study = config["studies"]["kadkhodaie2015"]
    study |= {"datasets": {"breast-cancer": ["raw", "standardised"]}, "methods": ["toppush", "exact"]}
    study["splits_per_job_of"] = study["multiverse"]["splits_of"] = {"diabetes": 1}
    study["multiverse"].pop("left_out")
    study["convergence"]["dataset"] = "breast-cancer"
    config |= {"studies": {"trial": study}, "run": ["trial"], "datasets": ["diabetes"]}
    config["verification"]["datasets"] = ["digits-8"]
    return config


def message(config, *known):
    """The one sentence that a configuration gets."""
    with pytest.raises(ConfigError) as caught:
        validate_config(config, *known)
    said = str(caught.value)
    assert "\n" not in said and said.endswith("."), said
    return said


def changed(config, path, value):
    """Return a copy with ``value`` at the dotted ``path``."""
    config = copy.deepcopy(config)
    *above, last = path.split(".")
    place = config
    for key in above:
        place = place[key]
    place[last] = value
    return config


def test_a_right_configuration_passes(config):
    validate_config(config, DATASETS, METHODS)


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
            ["unknown data set 'digit-8' in verification.datasets", "'digits-8'"],
        ),
        (
            "studies.trial.splits_per_job_of",
            {"diabets": 1},
            ["unknown data set 'diabets' in studies.trial.splits_per_job_of", "'diabetes'"],
        ),
        (
            "studies.trial.datasets",
            {"brest-cancer": ["raw"]},
            ["unknown data set 'brest-cancer' in studies.trial.datasets", "'breast-cancer'"],
        ),
        (
            "studies.trial.datasets",
            {"diabetes": ["standardized"]},
            ["studies.trial.datasets.diabetes.0", "'standardised'"],
        ),
        (
            "studies.trial.methods",
            ["topush"],
            ["unknown method 'topush' in studies.trial.methods", "'toppush'", "workflow/rules/methods"],
        ),
        ("studies.trial.paper", "kadkhodaie-2015", ["studies.trial.paper", "'kadkhodaie2015'"]),
        ("missing_data", "skp", ["missing_data is 'skp'", "'skip'"]),
        ("studies.trial.splits", "ten", ["studies.trial.splits", "'ten' is not of type 'integer'"]),
        ("studies.trial.splits", 0, ["studies.trial.splits", "0 is less than the minimum of 1"]),
        ("studies.trial.test_fraction", 1.0, ["studies.trial.test_fraction", "maximum of 1"]),
        ("studies.trial.alphas", ["1e-4"], ["studies.trial.alphas.0", "'1e-4'", "1.0e-04"]),
        ("studies.trial.alphas", [], ["studies.trial.alphas"]),
        ("datasets", "some", ["datasets is 'some'", "a list, or all"]),
        ("studies", [], ["studies is wrong", "not of type 'object'"]),
        ("studies.trial.datasets", None, ["studies.trial.datasets is wrong", "not of type 'object'"]),
        ("expected_status", {"exact": ["certifed"]}, ["expected_status.exact.0", "'certified'"]),
        ("seed", -1, ["seed", "-1 is less than the minimum of 0"]),
        (
            "studies.trial.convergence.dataset",
            "spambase",
            [
                "studies.trial.convergence.dataset names 'spambase'",
                "not in studies.trial.datasets",
                "'breast-c",
            ],
        ),
        (
            "studies.trial.datasets",
            {"breast-cancer": ["standardised"]},
            ["studies.trial.convergence.features is 'raw'", "'standardised'"],
        ),
        ("studies.trial.convergence.split", 10, ["convergence.split is 10", "the last split is 9"]),
        (
            "studies.trial.convergence.rhos",
            {"a2dm": 0.1},
            ["unknown key 'a2dm' in studies.trial.convergence.rhos", "'a2dm2'"],
        ),
        ("studies.trial.convergence.rhos", {"admm": 0}, ["convergence.rhos.admm", "minimum of 0"]),
        ("studies.trial.suboptimality.levels", [0.0], ["suboptimality.levels.0", "minimum of 0"]),
    ],
)
def test_a_wrong_one_gets_one_sentence(config, path, value, expected):
    said = message(changed(config, path, value), DATASETS, METHODS)
    assert all(part in said for part in expected), said


def test_a_missing_key_is_named(config):
    del config["studies"]["trial"]["splits"]
    assert "the key 'splits' in studies.trial is missing" in message(config, DATASETS, METHODS)


def test_an_unknown_key_is_told_before_what_follows_from_it(config):
    config["studies"]["trial"]["split"] = config["studies"]["trial"].pop("splits")
    assert "unknown key 'split'" in message(config, DATASETS, METHODS)


def test_the_schema_is_one_and_describes_each_key():
    schema = config_schema.schema()
    Draft202012Validator.check_schema(schema)
    offered = schema["properties"]["expected_status"]["additionalProperties"]["items"]["enum"]
    assert offered == list(STATUSES)

    def described(properties):
        for key, entry in properties.items():
            if "description" not in entry:
                where = entry["$ref"].removeprefix("#/").split("/")
                entry = functools.reduce(dict.__getitem__, where, schema)
            assert entry.get("description", "").endswith("."), key
            described(entry.get("properties", {}))

    described(schema["properties"])
    for paper in schema["$defs"]["study"]["properties"]["paper"]["enum"]:
        described(schema["$defs"][paper]["properties"])


def test_the_files_of_the_project_are_valid(whole):
    from snakemake.utils import update_config

    assert known_methods() and known_datasets()
    validate_config(whole)
    update_config(whole, yaml.safe_load((ROOT / "workflow/quick.yaml").read_text()))
    validate_config(whole)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("train_rows", {"colon": 43}, ["studies.trial.train_rows lacks the data set 'colon-normal'"]),
        ("train_rows.sonar", 2, ["studies.trial.train_rows.sonar", "minimum of 4"]),
        ("train_rows", {"colom": 43}, ["unknown data set 'colom' in studies.trial.train_rows", "'colon'"]),
        ("shares", [0.0], ["studies.trial.shares.0"]),
        ("alphas", [1.0], ["unknown key 'alphas' in studies.trial"]),
        ("toy.methods", ["rfe_infinite_push"], ["inherits parameters from 'l2_infinite_push'"]),
        ("toy.methods", ["l1_push"], ["unknown method 'l1_push' in studies.trial.toy.methods"]),
        ("toy.rows", [50.5], ["studies.trial.toy.rows.0"]),
        ("times.rows", {"l1_push": [20]}, ["times.rows is 'l1_push'", "'l1_infinite_push'"]),
        ("paths", {"p300": {"penalty": "group", "points": 3}}, ["p300 needs the key 'group_size'"]),
        ("paths", {"splice": {"penalty": "l1", "points": 3}}, ["names 'splice', which is not in"]),
    ],
)
def test_a_wrong_study_of_the_infinite_push_gets_one_sentence(push, path, value, expected):
    said = message(changed(push, f"studies.trial.{path}", value))
    assert all(part in said for part in expected), said


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("splits", 6, ["studies.trial.splits", "maximum of 5"]),
        ("share", [0.1], ["unknown key 'share' in studies.trial", "'shares'"]),
        ("alphas", [0.1], ["unknown key 'alphas' in studies.trial"]),
        ("shares", [0.0], ["studies.trial.shares.0"]),
        ("scad_gamma", 1, ["studies.trial.scad_gamma"]),
        ("published", "x.csv", ["studies.trial.published", "is not of type 'boolean'"]),
        ("methods", ["l2_ranksvn"], ["unknown method 'l2_ranksvn' in studies.trial.methods", "_ranksvm'"]),
        ("beyond", ["scad_ranksvn"], ["unknown method 'scad_ranksvn' in studies.trial.beyond"]),
        ("beyond", ["l1_ranksvm"], ["names the method 'l1_ranksvm' in methods and in beyond"]),
        ("datasets", {"wdbc": ["raw"]}, ["names 'wdbc', which has no queries in LETOR's five parts"]),
        ("datasets", {"mq2009": ["raw"]}, ["unknown data set 'mq2009' in studies.trial.datasets"]),
        ("paper", "laporte2015", ["studies.trial.paper", "'laporte2014'"]),
        ("constant.datasets", ["mq2009"], ["trial.constant.datasets names 'mq2009'", "'mq200"]),
        ("constant.split", 5, ["studies.trial.constant.split is 5", "the last split is 4"]),
        ("constant.shares", [1.0], ["studies.trial.constant.shares.0"]),
        ("constant.tol", 1.0, ["unknown key 'tol' in studies.trial.constant"]),
        ("early_stop.datasets", ["sonar"], ["trial.early_stop.datasets names 'sonar', which is not in"]),
        ("early_stop.split", 7, ["studies.trial.early_stop.split is 7"]),
        ("early_stop.radii", [0.0], ["studies.trial.early_stop.radii.0"]),
    ],
)
def test_a_wrong_study_of_queries_gets_one_sentence(letor, path, value, expected):
    said = message(changed(letor, f"studies.trial.{path}", value))
    assert all(part in said for part in expected), said


@pytest.mark.parametrize(
    ("study", "key", "asks"),
    [
        ("laporte2014", "radii", "names the method 'fenchelrank'"),
        ("laporte2014", "alpha_shares", "names the method 'fsmrank'"),
        ("laporte2014", "scad_gamma", "names the method 'scad_ranksvm'"),
        ("laporte2014", "gammas", "names the method 'mcp_ranksvm_tuned'"),
        ("laporte2014", "epsilons", "names the method 'log_ranksvm_tuned'"),
        ("laporte2014", "ps", "names the method 'lp_ranksvm_tuned'"),
        ("rakotomamonjy2012", "n_features", ""),
        ("rakotomamonjy2012", "toy", ""),
        ("kadkhodaie2015", "rhos", "names the method 'admm'"),
        ("kadkhodaie2015", "admm", "names the method 'admm'"),
    ],
)
def test_a_key_that_another_one_asks_for_is_named(whole, study, key, asks):
    del whole["studies"][study][key]
    said = message(whole)
    assert f"needs the key '{key}" in said and asks in said


@pytest.mark.parametrize("study", ["rakotomamonjy2012", "kadkhodaie2015"])
def test_graded_rows_are_refused_where_single_lists_are_ranked(whole, study):
    whole["studies"][study]["datasets"]["mq2008"] = ["raw"]
    whole["studies"][study].get("train_rows", {})["mq2008"] = 100
    with pytest.raises(ConfigError, match="names 'mq2008', whose rows are graded documents of queries"):
        validate_config(whole)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("kadkhodaie2015.rhos", {"admm": [1.0]}, ["needs the key 'rhos.a2dm2': it names the method 'a2dm2'"]),
        (
            "kadkhodaie2015.methods",
            ["toppush", "l1_ranksvm"],
            [
                "'l1_ranksvm', which reads the key 'shares'",
                "'kadkhodaie2015' have none, so leave the method out",
            ],
        ),
        (
            "kadkhodaie2015.methods",
            ["exact"],
            ["'exact' inherits parameters from 'toppush': name 'toppush'"],
        ),
        ("kadkhodaie2015.methods", ["admm"], ["'admm' inherits parameters from 'toppush'"]),
        (
            "kadkhodaie2015.alphas",
            [1.0, math.nan],
            ["studies.kadkhodaie2015.alphas.1 is nan", "finite number"],
        ),
        ("laporte2014.radii", [1.0, math.inf], ["studies.laporte2014.radii.1 is inf"]),
        (
            "laporte2014.shares",
            [0.1, 1.5],
            ["studies.laporte2014.shares.1", "1.5 is greater than the maximum of 1"],
        ),
        ("laporte2014.alpha_shares", [2.0], ["studies.laporte2014.alpha_shares.0", "maximum of 1"]),
        ("rakotomamonjy2012.looked_at", [1.1], ["studies.rakotomamonjy2012.looked_at.0", "maximum of 1"]),
        ("rakotomamonjy2012.train_rows.sonar", 208, ["train_rows.sonar is 208 of its 208 rows: leave"]),
        (
            "kadkhodaie2015.multiverse.splits",
            11,
            ["multiverse.splits is 11, but studies.kadkhodaie2015.splits is 10"],
        ),
        (
            "kadkhodaie2015.multiverse.splits_of",
            {"a9b": 1},
            ["unknown data set 'a9b' in studies.kadkhodaie2015.mul"],
        ),
        (
            "kadkhodaie2015.multiverse.left_out",
            {"a9a": ["cap=5e4"]},
            ["unknown level 'cap=5e4' in studies.kadkhodaie2015.multiverse.left_out.a9a", "cap=5000"],
        ),
    ],
)
def test_what_one_key_asks_of_another(whole, path, value, expected):
    said = message(changed(whole, f"studies.{path}", value))
    assert all(part in said for part in expected), said


def test_blocks_that_run_the_admm_family_need_its_keys_too(whole):
    study = whole["studies"]["kadkhodaie2015"] | {"methods": ["toppush", "exact"]}
    del study["rhos"]
    whole |= {"studies": {"trial": study}, "run": ["trial"]}
    with pytest.raises(ConfigError, match=r"studies.trial.suboptimality needs the key 'rhos' beside it"):
        validate_config(whole)


def test_a_missing_file_of_printed_numbers_is_named(whole, monkeypatch, tmp_path):
    import cross_checks

    real = cross_checks.paper
    printed = tmp_path / "printed.csv"
    monkeypatch.setattr(cross_checks, "paper", lambda name: replace(real(name), printed=printed))
    with pytest.raises(
        ConfigError, match=r"published is true, but .*printed.csv, does not exist: restore it"
    ):
        validate_config(whole)


def test_names_that_the_results_need_and_sets_that_no_solver_can_be_verified_on(whole):
    whole["studies"] = {"verification": whole["studies"]["laporte2014"]}
    whole["run"] = ["verification"]
    with pytest.raises(ConfigError, match=r"studies.verification needs another name"):
        validate_config(whole)
    whole["studies"] = {"trial": whole["studies"]["verification"]}
    whole |= {"run": ["trial"], "expected_status": {"admmm": ["stopped"]}}
    with pytest.raises(ConfigError, match=r"unknown method 'admmm' in expected_status"):
        validate_config(whole)
    del whole["expected_status"]
    whole["verification"]["datasets"] = ["letor-like"]
    with pytest.raises(ConfigError, match=r"verification.datasets names 'letor-like', whose rows are graded"):
        validate_config(whole)


def test_what_a_method_reads_is_found_in_its_rule():
    """A rule that reads its study in another way than the check knows would need no key."""
    for method in known_methods():
        keys, _ = asked_by(method)
        text = (ROOT / f"workflow/rules/methods/{method}.smk").read_text()
        assert text.count("layout.study(wildcards)[") == len(keys) - ("methods.admm(" in text), method
