"""An experiment that reads more splits than a data set has is one sentence, with data set, key and remedy."""

import pytest
from config_validation import validate_config
from test_config_validation import alone, message

PLACE = "studies.trial"


@pytest.mark.parametrize(
    ("splits", "refits", "sentence"),
    [
        (
            {"a9a": 2},
            {},
            f"{PLACE}.multiverse.splits_by_dataset.a9a is 3, but {PLACE}.splits_by_dataset.a9a is 2: write "
            f"{PLACE}.multiverse.splits_by_dataset.a9a: 2, or less.",
        ),
        (
            {"diabetes": 4},
            {},
            f"{PLACE}.multiverse.splits is 10, but {PLACE}.splits_by_dataset.diabetes is 4: write "
            f"{PLACE}.multiverse.splits_by_dataset.diabetes: 4, or less.",
        ),
        ({"diabetes": 4}, {"splits": None}, f"but {PLACE}.splits_by_dataset.diabetes is 4: write"),
        ({"diabetes": 4}, {"splits": 4}, ""),
        ({"diabetes": 20}, {"splits": 20}, ""),
    ],
)
def test_a_multiverse_of_more_splits_than_are_drawn(splits, refits, sentence):
    config = alone("kadkhodaie2015")
    study = config["studies"]["trial"]
    study["splits_by_dataset"] = {"a9a": 10} | splits
    study["datasets"] = {name: study["datasets"][name] for name in ("a9a", "diabetes", "spambase")}
    for key in ("trends", "perturbation", "search_size"):
        study.pop(key)
    merged = study["multiverse"] | {"splits_by_dataset": {"a9a": 3, "spambase": 10}} | refits
    study["multiverse"] = {key: value for key, value in merged.items() if value is not None}
    if sentence:
        assert sentence in message(config)
    else:
        validate_config(config)


def test_a_split_that_only_other_data_sets_have():
    config = alone("kadkhodaie2015")
    study = config["studies"]["trial"]
    assert study["search_size"]["dataset"] == "covtype" and study["splits_by_dataset"]["covtype"] == 3
    study["search_size"]["split"] = 3
    text = message(config)
    assert "search_size.split is 3, but studies.trial.splits_by_dataset.covtype is 3: the last" in text


def test_a_multiverse_without_new_fits_may_have_any_splits():
    config = alone("across")
    assert config["studies"]["trial"]["multiverse"].keys() == {"choices"}
    assert (
        min(config["studies"]["trial"]["splits_by_dataset"].values()) < config["studies"]["trial"]["splits"]
    )
    validate_config(config)
