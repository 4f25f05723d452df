"""The study across data sets has lists of papers and further lists; another study has those of compounds."""

import yaml
from documented_pages import ROOT


def test_the_further_lists_come_to_those_of_the_papers():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    datasets = config["studies"]["across"]["datasets"]
    added = [name for name in datasets if name.startswith(("adbench-", "muv-", "dud-"))]
    assert len(added) == 20 and "sonar" in datasets
    # fingerprints stay as they are; no scaffold is in two parts of a split
    compounds = config["studies"]["across_scaffolds"]
    assert compounds["datasets"] == {name: ["raw"] for name in added[6:]} and compounds["group_splits"]
    assert all(datasets[name] == ["raw"] for name in added[6:])
