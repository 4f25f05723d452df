"""What jobs ask of a cluster: the profile's default, and more where the data are large."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import resources
import yaml
from experiments import Experiments
from paths import Paths
from resources import JobResources

from reproduction.datasets import registry

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
PROFILE = yaml.safe_load((ROOT / "profiles/slurm/profile.v9+.yaml").read_text(encoding="utf-8"))
#: What the largest jobs took on one core of our machine, in megabytes and seconds: TopPush on cod-rna,
#: A2DM2 with restart on a9a, and the ten splits of p300.
MEASURED_MEMORY = {("cod-rna", "0-0"): (338, 506), ("a9a", "0-4"): (313, 595), ("p300", "0-9"): (285, 400)}


@pytest.fixture(scope="module")
def full_config():
    return JobResources(Experiments(Paths(CONFIG)))


def job(dataset, block="0-9", study="kadkhodaie2015"):
    return SimpleNamespace(study=study, dataset=dataset, feature_scaling="raw", split_batch=block)


def test_what_the_profile_asks_for_where_a_rule_says_nothing():
    default = PROFILE["default-resources"]
    first, second, third = (
        [eval(str(default[name]), {"attempt": attempt}) for name in ("mem_mb", "runtime")]
        for attempt in (1, 2, 3)
    )
    assert first == [resources.MIN_MB, resources.MIN_MINUTES]
    assert second == [2 * value for value in first] and third == [4 * value for value in first]
    assert default["at_once"] == 1 and PROFILE["resources"] == {"at_once": 1}


def test_large_jobs_ask_for_no_less_than_they_took(full_config):
    requests = full_config.request_for_splits(copies=4)
    for (dataset, block), (memory, seconds) in MEASURED_MEMORY.items():
        assert requests["mem_mb"](job(dataset, block), 1) >= memory + 400
        assert 60 * requests["runtime"](job(dataset, block), 1) >= 2 * seconds
    largest = SimpleNamespace(study="kadkhodaie2015", kind="scale", part="500000")
    assert full_config.request_for_experiment(largest, 1) > 4586 + 400


def test_only_what_is_large_asks_for_more_than_the_default(full_config):
    requests = full_config.request_for_splits(copies=4)
    for name, least in (("mem_mb", resources.MIN_MB), ("runtime", resources.MIN_MINUTES)):
        toy = job("toy-n400-noise100", study="rakotomamonjy2012")
        assert requests[name](job("wdbc"), 1) == requests[name](toy, 1) == least
        first, second, third = (requests[name](job("w8a", "0-4"), attempt) for attempt in (1, 2, 3))
        assert least < first and (second, third) == (2 * first, 4 * first)
        assert requests[name](job("a9a", "0-9"), 1) >= requests[name](job("a9a", "3-3"), 1)
    assert full_config.request_for_splits(copies=8)["mem_mb"](job("w8a"), 1) > requests["mem_mb"](
        job("w8a"), 1
    )
    mapped = requests["mem_mb"](job("epsilon"), 1)
    assert 4000 < mapped < 500_000 * 2000 * 8 / 1e6  # its pages, and no copy of it
    large = next(name for name in registry.list_names() if registry.get(name).memory_mb > resources.MIN_MB)
    assert (
        full_config.request_for_preparation(job(large), 1)
        > full_config.request_for_preparation(job("wdbc"), 1)
        == resources.MIN_MB
    )


def test_a_job_on_toy_data_holds_the_rows_of_all_its_trials(full_config, monkeypatch):
    """Training and test rows, relevant and noise features, of each of the 20 trials of the job."""
    monkeypatch.setattr(resources, "MIN_MB", 0)
    toy = CONFIG["studies"]["rakotomamonjy2012"]["toy"]
    wildcards = job("toy-n400-noise100-hard", "0-19", "rakotomamonjy2012")
    rows, features = 400 + toy["test_rows"], 100 + toy["relevant"]
    assert full_config.get_size(wildcards.dataset, wildcards) == (rows, features)
    request = full_config.request_for_splits(copies=40)["mem_mb"](wildcards, 1)
    assert 0 <= request - (resources.PROCESSES_MB + 40 * 20 * rows * features * 8 / 1e6) < 100


def test_a_method_with_more_memory_keeps_all_other_resources(full_config):
    """As docs/add_a_method.md has it: Snakemake replaces the resources of an inherited rule as a whole."""
    page = (ROOT / "docs/add_a_method.md").read_text(encoding="utf-8")
    (arguments,) = re.findall(r"^    resources:\n        (.+),$", page, re.MULTILINE)
    defaults = full_config.request_for_fit()
    own = eval(f"dict({arguments})", {"job_resources": full_config})
    assert own.keys() == defaults.keys() == {"mem_mb", "runtime", "bandwidth"}
    for dataset in ("wdbc", "covtype"):
        assert [own["mem_mb"](job(dataset), attempt) for attempt in (1, 2, 3)] == [8000, 16000, 32000]
        assert own["runtime"](job(dataset), 2) == defaults["runtime"](job(dataset), 2)
        assert own["bandwidth"](job(dataset)) == int(dataset == "covtype")
    own = full_config.request_for_fit(runtime=90, gpu=1)
    assert own["runtime"](job("wdbc"), 2) == 180 and own["gpu"] == 1
    assert own["mem_mb"](job("w8a"), 1) == defaults["mem_mb"](job("w8a"), 1)
