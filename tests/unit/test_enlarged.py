"""A larger configuration: what is copied under which name, and how long its jobs are taken to be."""

from types import SimpleNamespace

import enlarged
import pytest
import yaml
from common import Layout
from needs import Needs
from small_project import ROOT

RULES = ROOT / "workflow/rules/methods"


@pytest.fixture(scope="module")
def needs():
    return Needs(Layout(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))))


@pytest.mark.parametrize("method", ["toppush", "admm", "a2dm2", "a2dm2_restart", "exact"])
def test_a_copied_method_writes_to_files_of_its_own_and_reads_the_same(method):
    rule = (RULES / f"{method}.smk").read_text(encoding="utf-8")
    copy = enlarged.renamed(rule, method, "twin")
    assert "rule twin:" in copy and 'layout.fits_of("twin")' in copy and ".twin.{block}.log" in copy
    assert f"benchmarks/{method}/" not in copy
    assert ('chosen=layout.fits_of("toppush")' in copy) == ('chosen=layout.fits_of("toppush")' in rule)
    assert copy.replace("twin", method) == rule


def test_a_rule_that_looks_otherwise_is_named():
    with pytest.raises(ValueError, match="The rule of logistic cannot be copied"):
        enlarged.renamed("rule logistic:\n    output:\n        'scores.txt',\n", "logistic", "twin")


def test_measured_jobs_take_what_they_took(needs):
    wildcards = {"study": enlarged.STUDY, "dataset": "spambase", "features": "raw", "block": "0-4"}
    took = needs.seconds("toppush", SimpleNamespace(**wildcards))
    assert took and enlarged.seconds(needs, "toppush", wildcards, seed=1) == took
    copy = wildcards | {"dataset": "spambase-copy17"}
    assert enlarged.seconds(needs, "toppush_copy3", copy, seed=1) == took
    alone = [enlarged.seconds(needs, "toppush", copy | {"block": f"{i}-{i}"}, seed=1) for i in range(5)]
    assert sum(alone) == pytest.approx(took)


def test_what_was_not_measured_is_drawn_and_short_enough(needs):
    wildcards = {"study": enlarged.STUDY, "dataset": "unheard-of", "features": "raw", "block": "0-9"}
    drawn = [enlarged.seconds(needs, "toppush", wildcards, seed) for seed in range(30)]
    assert len(set(drawn)) > 1 and max(drawn) <= enlarged.LONGEST
    assert enlarged.seconds(needs, "toppush", wildcards, seed=7) == drawn[7]
    table = enlarged.seconds(needs, "table1", {"study": enlarged.STUDY}, seed=1)
    assert table == enlarged.SECONDS_OF_A_SHORT_JOB
