"""A wrong configuration stops Snakemake before anything runs, with one sentence."""

import pytest
import yaml

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


@pytest.mark.parametrize(
    ("study", "top", "expected"),
    [
        ({"splitts": 3}, {}, "unknown key 'splitts' in studies.tiny; the nearest known one is 'splits'"),
        (
            {"methods": ["toppsh"]},
            {},
            "unknown method 'toppsh' in studies.tiny.methods; the nearest known one is 'toppush'",
        ),
        (
            {},
            {"datasets": ["overlaps"]},
            "unknown data set 'overlaps' in datasets; the nearest known one is 'overlap'",
        ),
    ],
)
def test_one_sentence_through_snakemake(empty_project, study, top, expected):
    empty_project.write_study(**study)
    overlay = yaml.safe_load(empty_project.overlay.read_text()) | top
    empty_project.overlay.write_text(yaml.safe_dump(overlay))
    printed = empty_project.snakemake("--dry-run", fails=True)
    assert expected in printed
    assert "Traceback" not in printed
    assert not empty_project.results.exists()
