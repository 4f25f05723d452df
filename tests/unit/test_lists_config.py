"""The configuration of the new lists adds data sets and metrics to what the study across data sets has."""

import yaml
from documented_pages import ROOT
from snakemake.utils import update_config


def test_the_lists_come_to_those_of_the_papers():
    config, lists = (
        yaml.safe_load((ROOT / f"config/{name}.yaml").read_text(encoding="utf-8"))
        for name in ("config", "lists")
    )
    update_config(config, lists)
    datasets = list(config["studies"]["across"]["datasets"])
    added = [name for name in datasets if name.startswith(("adbench-", "muv-", "dud-"))]
    assert len(added) == 20 and "sonar" in datasets
    assert list(config["studies"]["across_scaffolds"]["datasets"]) == added[6:]
