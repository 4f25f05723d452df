"""Families of synthetic data sets that no registry lists, since an experiment of a paper draws them.

The names of a family state the size of a data set, such as ``toy-n100-noise20``. A family is declared by the
folder of its experiment: by a file ``synthetic.yaml`` with the keys of :class:`SyntheticFamily`, beside the
``schema.yaml`` of the experiment's settings. So generic code knows no family and asks :func:`find_family`.

Light on purpose (PyYAML and the standard library): it is read while the workflow's graph is built.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

PAPERS_FOLDER = Path(__file__).resolve().parents[1] / "papers"


@dataclass(frozen=True)
class SyntheticFamily:
    """Describe the synthetic data sets of one experiment.

    Attributes
    ----------
    name : str
        The folder of the experiment, which is its key in the settings of a study. Names of data sets begin
        with it and a hyphen. The settings below the key have ``trials`` (the number of splits),
        ``trials_per_job`` and ``methods``.
    pattern : str
        Regular expression of the names; it has no named group.
    list_names : str
        "module:function": settings of a study, and its `multiverse.Specifications` -> names of data sets.
    select_settings : str
        Likewise: settings of a study -> those that the data depend on.
    measure_size : str
        Likewise: these settings, and the name of a data set -> rows and features of one split, for the
        resources of a job.
    generate : str
        Likewise: these settings, the name of a data set, the numbers of its splits (range), the master seed
        and the name of the study -> X, y, `splits.Splits`, and further entries of the manifest.
    """

    name: str
    pattern: str
    list_names: str
    select_settings: str
    measure_size: str
    generate: str


@cache
def list_families() -> tuple[SyntheticFamily, ...]:
    """List the families that the experiments of all papers declare.

    Returns
    -------
    tuple[SyntheticFamily, ...]
    """
    files = sorted(PAPERS_FOLDER.glob("*/*/synthetic.yaml"))
    return tuple(
        SyntheticFamily(name=file.parent.name, **yaml.safe_load(file.read_text(encoding="utf-8")))
        for file in files
    )


@cache
def find_family(dataset: str) -> SyntheticFamily | None:
    """Return the family of a synthetic data set.

    Parameters
    ----------
    dataset : str

    Returns
    -------
    SyntheticFamily or None
        None if the name matches no family.
    """
    return next((family for family in list_families() if re.fullmatch(family.pattern, dataset)), None)


def list_reserved_prefixes() -> list[str]:
    """List the beginnings of names that only synthetic data sets may have, such as ``toy-``.

    Returns
    -------
    list[str]
    """
    return [f"{family.name}-" for family in list_families()]
