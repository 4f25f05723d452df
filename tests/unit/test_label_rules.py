"""Which raw labels of each data set are positive, and how many rows hold them: without any file."""

import numpy as np
import pytest

from reproduction.core.errors import DataError
from reproduction.datasets import registry
from reproduction.datasets.prepare import binarize_labels

COVER = {"1": 211840, "2": 283301, "3": 35754, "4": 2747, "5": 9493, "6": 17367, "7": 20510}
CANCER = {"2": 444, "4": 239}
YEAST = {"TCA": 14, "histone": 11, "proteasome": 35, "respiration": 27, "ribosome": 121}
SONAR, IONOSPHERE, SPECTF = {"M": 111, "R": 97}, {"b": 126, "g": 225}, {"0": 55, "1": 214}
COLON, HEALTHY = {"normal": 22, "tumour": 40}, {"-1": 268, "1": 500}
DIGITS = {str(digit): n for digit, n in enumerate((178, 182, 177, 183, 181, 182, 181, 179, 174, 180))}

#: data set -> how many rows hold each raw label in the official files, and which of them are positive
FACTS = {
    "breast-cancer": (CANCER, "4"),
    "breast-cancer-without-id": (CANCER, "4"),
    "breast-cancer-scaled": (CANCER, "4"),
    "australian": ({"-1": 383, "1": 307}, "1"),
    "australian-scaled": ({"-1": 383, "1": 307}, "1"),
    "diabetes": (HEALTHY, "1"),
    "diabetes-scaled": (HEALTHY, "1"),
    "spambase": ({"0": 2788, "1": 1813}, "1"),
    "splice": ({"-1": 1527, "1": 1648}, "1"),
    "ijcnn1": ({"-1": 45137, "1": 4853}, "1"),
    "a9a": ({"-1": 37155, "1": 11687}, "1"),
    "w8a": ({"-1": 62767, "1": 1933}, "1"),
    "covtype": (COVER, "2"),
    "covtype-sample": ({"1": 7232, "2": 9728, "3": 1275, "4": 92, "5": 339, "6": 592, "7": 742}, "2"),
    "covtype-scaled": ({"1": 297711, "2": 283301}, "2"),
    "cod-rna": ({"-1": 325710, "1": 162855}, "1"),
    "epsilon": ({"-1": 250222, "1": 249778}, "1"),
    "colon": (COLON, "tumour"),
    "colon-normal": (COLON, "normal"),
    "yeast": (YEAST, "ribosome"),
    "yeast-rest": (YEAST, "TCA histone proteasome respiration"),
    "yeast-tca": (YEAST, "TCA"),
    "yeast-respiration": (YEAST, "respiration"),
    "yeast-proteasome": (YEAST, "proteasome"),
    "yeast-histone": (YEAST, "histone"),
    "sonar": (SONAR, "M"),
    "sonar-rocks": (SONAR, "R"),
    "wpbc": ({"N": 148, "R": 46}, "R"),
    "ionosphere": (IONOSPHERE, "g"),
    "ionosphere-bad": (IONOSPHERE, "b"),
    "spectf": (SPECTF, "1"),
    "spectf-normal": (SPECTF, "0"),
    "p300": ({"0": 1800, "1": 360}, "1"),
    "wdbc": ({"benign": 357, "malignant": 212}, "malignant"),
    "digits-8": (DIGITS, "8"),
    "overlap": ({"0": 240, "1": 160}, "1"),
    "hull": ({"0": 180, "1": 120}, "1"),
    "sparse-text": ({"0": 360, "1": 240}, "1"),
    "epsilon-like": ({"-1": 1487, "1": 1513}, "1"),
}


FACTS |= {
    f"adbench-{name}": ({"0": negatives, "1": positives}, "1")
    for name, negatives, positives in (
        *(("mammography", 10923, 260), ("shuttle", 45586, 3511), ("campaign", 36548, 4640)),
        *(("celeba", 198052, 4547), ("internetads", 1598, 368), ("aloi", 48026, 1508)),
    )
}
MUV = {"decoy": 15000, "active": 30}
FACTS |= {f"muv-{target}": (MUV, "active") for target in (466, 548, 600, 644, 652, 689)}
FACTS |= {  # without the compounds that RDKit refuses: an active of cdk2 and cox2, a decoy of dhfr
    f"dud-{target}": ({"decoy": decoys, "active": actives}, "active")
    for target, actives, decoys in (
        *(("ace", 46, 1796), ("ache", 99, 3859), ("ar", 68, 2848), ("cdk2", 46, 2070)),
        *(("cox2", 211, 12606), ("dhfr", 190, 8349), ("egfr", 365, 15560), ("p38", 137, 6779)),
    )
}


@pytest.mark.parametrize("name", FACTS)
def test_the_rule_finds_the_positives_and_as_many_as_are_expected(name):
    counts, positive = FACTS[name]
    spec, labels = registry.get(name), np.array(list(counts))
    relevant = binarize_labels(labels, spec)
    assert labels[relevant == 1].tolist() == positive.split()
    rows = np.array(list(counts.values()))
    class_counts = {"positives": rows[relevant == 1].sum(), "negatives": rows[relevant == 0].sum()}
    assert class_counts == {of_class: spec.expected[of_class] for of_class in class_counts}
    assert rows.sum() == spec.expected["rows"]


@pytest.mark.parametrize("empty", ["", " "])
def test_a_row_without_a_label_is_in_no_class(empty):
    with pytest.raises(DataError, match=r"^covtype holds no label in row 2: "):
        binarize_labels(np.array(["2", empty, "1"]), registry.get("covtype"))


def test_no_data_set_of_two_classes_is_left_out():
    assert {
        name for name in registry.list_project_names() if registry.get(name).task == "binary"
    } == FACTS.keys()


def test_graded_sets_have_the_grades_of_letor():
    graded = [registry.get(name) for name in registry.list_project_names() if name not in FACTS]
    assert graded and {tuple(spec.label["grades"]) for spec in graded} == {(0, 1, 2)}
