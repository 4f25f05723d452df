"""A wrong configuration stops Snakemake before anything runs, with one sentence.

All cases: tests/unit/test_config_validation.py.
"""

import pytest

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("bare")]


def test_one_sentence_through_snakemake(bare_project, tmp_path):
    project = bare_project.copy(tmp_path / "copy")
    project.select_study(splitts=3)
    published = project.snakemake("--dry-run", fails=True)
    assert "unknown key 'splitts' in studies.tiny; the nearest known one is 'splits'" in published
    assert "Traceback" not in published
    assert not project.results.exists()
