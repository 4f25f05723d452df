"""A wrong configuration gets one sentence that names the key and the nearest known one."""

import copy
from pathlib import Path

import pytest
import yaml
from config_check import ConfigError, known_datasets, known_methods, validate_config
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]

DATASETS = ["breast-cancer", "diabetes", "digits-8"]
METHODS = ["admm", "exact", "toppush"]


@pytest.fixture
def config():
    """The project's own configuration, with the names of DATASETS and METHODS in its first study."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    study = next(iter(config["studies"].values()))
    study |= {"datasets": {"breast-cancer": ["raw", "standardised"]}, "methods": ["toppush", "exact"]}
    study["splits_per_job_of"] = {"diabetes": 1}
    config |= {"studies": {"trial": study}, "run": ["trial"], "datasets": ["diabetes"]}
    config["verification"]["datasets"] = ["digits-8"]
    return config


def message(config):
    with pytest.raises(ConfigError) as caught:
        validate_config(config, DATASETS, METHODS)
    return str(caught.value)


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
        ("studies.trial.protocol", "top-ranking", ["studies.trial.protocol", "'top_ranking'"]),
        ("missing_data", "skp", ["missing_data is 'skp'", "'skip'"]),
        ("studies.trial.splits", "ten", ["studies.trial.splits", "'ten' is not of type 'integer'"]),
        ("studies.trial.splits", 0, ["studies.trial.splits", "0 is less than the minimum of 1"]),
        ("studies.trial.test_fraction", 1.0, ["studies.trial.test_fraction", "maximum of 1"]),
        ("studies.trial.alphas", ["1e-4"], ["studies.trial.alphas.0", "'1e-4'", "1.0e-04"]),
        ("studies.trial.alphas", [], ["studies.trial.alphas"]),
        ("datasets", "some", ["datasets is 'some'", "a list, or all"]),
        ("studies", [], ["studies is wrong", "not of type 'object'"]),
        ("studies.trial.datasets", None, ["studies.trial.datasets is wrong", "not of type 'object'"]),
        ("expected_status", {"exact": ["optimum"]}, ["expected_status.exact.0", "'optimal'"]),
        ("seed", -1, ["seed", "-1 is less than the minimum of 0"]),
    ],
)
def test_a_wrong_one_gets_one_sentence(config, path, value, expected):
    said = message(changed(config, path, value))
    assert all(part in said for part in expected), said
    assert "\n" not in said and said.endswith(".")


def test_a_missing_key_is_named(config):
    del config["studies"]["trial"]["splits"]
    assert "the key 'splits' in studies.trial is missing" in message(config)


def test_an_unknown_key_is_told_before_what_follows_from_it(config):
    config["studies"]["trial"]["split"] = config["studies"]["trial"].pop("splits")
    assert "unknown key 'split'" in message(config)


def test_the_schema_is_one_and_describes_each_key():
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    Draft202012Validator.check_schema(schema)

    def described(properties):
        for key, entry in properties.items():
            assert entry.get("description", "").endswith("."), key
            described(entry.get("properties", {}))

    described(schema["properties"])
    described(schema["$defs"]["study"]["properties"])


def test_the_files_of_the_project_are_valid():
    from snakemake.utils import update_config

    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    assert known_methods() and known_datasets()
    validate_config(config)
    update_config(config, yaml.safe_load((ROOT / "workflow/quick.yaml").read_text()))
    validate_config(config)
