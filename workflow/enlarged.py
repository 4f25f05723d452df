"""A configuration many times as large as the papers', to see where the workflow breaks first.

The project is copied, and the study of Kadkhodaie et al. 2015 gets copies of its own data sets and methods
under new names: the real rules, of which nothing is to be run. A copy takes as long as what it is a copy of,
and which data sets are copied is drawn from those that were measured.
"""

import random
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import yaml

STUDY = "kadkhodaie2015"
#: What the name of a copy has beside that of its original.
DATASET_COPY, METHOD_COPY = re.compile(r"-copy\d+$"), re.compile(r"_copy\d+$")
#: What no graph of jobs needs.
LEFT_OUT = (".*", "__pycache__", "results", "data", "logs", "benchmarks", "tests", "docs", "*.egg-info")
#: Seconds that a block of splits takes at most where config.yaml can help it.
LONGEST = 900.0
#: Seconds of the jobs that are not in the table of measured ones, all of them local.
SECONDS_OF_A_SHORT_JOB = 4.0


def copied(project: Path, folder: Path) -> None:
    """Copy what defines the workflow; not its results."""

    def left_out(above: str, names: list[str]) -> set[str]:
        patterns = LEFT_OUT if Path(above) == project else ("__pycache__",)
        return shutil.ignore_patterns(*patterns)(above, names)

    shutil.copytree(project, folder, ignore=left_out)


def enlarge(
    folder: Path, measured: list[str], datasets: int, methods: int, splits: int, one_a_job: bool, seed: int
) -> None:
    """Enlarge the study of the copy in ``folder``.

    Parameters
    ----------
    folder : Path
    measured : list of str
        Data sets that may be copied.
    datasets, methods, splits : int
        How many the study is to have.
    one_a_job : bool
        Whether each job is of one split; else its blocks of splits are as they are configured.
    seed : int
        Decides which data sets are copied; a larger number of them begins with the smaller.
    """
    file = folder / "config.yaml"
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    study = config["studies"][STUDY]
    own = list(study["datasets"])[:datasets]
    drawn = random.Random(seed).choices(measured, k=datasets - len(own))
    copies = {f"{name}-copy{number}": name for number, name in enumerate(drawn, start=1)}
    add_datasets(folder / "src/toprank/datasets/registry.yaml", copies)
    study["datasets"] = {name: ["raw"] for name in (*own, *copies)}
    own_methods = study["methods"]
    study["methods"] = with_copies(folder / "workflow/rules/methods", own_methods, methods)
    add_to_batches(folder / "profiles/slurm/profile.v9+.yaml", study["methods"][len(own_methods) :])
    study["splits"] = splits
    if one_a_job:
        study["splits_per_job"], study["splits_per_job_of"] = 1, {}
    else:
        sizes = study.get("splits_per_job_of", {})
        sizes.update({copy: sizes[name] for copy, name in copies.items() if name in sizes})
    file.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def add_datasets(registry: Path, copies: dict[str, str]) -> None:
    """Give the registry an entry for each copy, which is that of its original."""
    entries = yaml.safe_load(registry.read_text(encoding="utf-8"))["datasets"]
    with registry.open("a", encoding="utf-8") as file:  # its last key is ``datasets``
        for copy, name in copies.items():
            rows = yaml.safe_dump({copy: entries[name]}, sort_keys=False)
            file.write("\n" + "".join(f"  {line}\n" for line in rows.splitlines()))


def with_copies(rules: Path, methods: list[str], n_methods: int) -> list[str]:
    """The methods and, up to ``n_methods``, copies of them in turn, whose files of rules are written."""
    names = list(methods)
    while len(names) < n_methods:
        of = methods[len(names) % len(methods)]
        copy = f"{of}_copy{len(names) // len(methods)}"
        text = (rules / f"{of}.smk").read_text(encoding="utf-8")
        (rules / f"{copy}.smk").write_text(renamed(text, of, copy), encoding="utf-8")
        names.append(copy)
    return names[:n_methods]


def add_to_batches(profile: Path, copies: list[str]) -> None:
    """Let a copy of a method be submitted with the same batches as its original."""
    settings = yaml.safe_load(profile.read_text(encoding="utf-8"))
    batches = settings["groups"]
    batches.update({copy: batches[METHOD_COPY.sub("", copy)] for copy in copies})
    profile.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


def renamed(rule: str, old: str, new: str) -> str:
    """The file of a method's rule for another name: its rule, output and log, and its benchmark.

    Raises
    ------
    ValueError
        The file does not look as those of the methods do.
    """
    for pattern, replacement in (
        (rf"^rule {old}:", f"rule {new}:"),
        (rf'(output:\s+)layout\.fits_of\("{old}"\)', rf'\1layout.fits_of("{new}")'),
        (rf"(logs/fit/.*\.){old}(\.\{{block\}})", rf"\1{new}\2"),
        (rf"benchmarks/{old}/", f"benchmarks/{new}/"),
    ):
        rule, found = re.subn(pattern, replacement, rule, flags=re.MULTILINE)
        if not found:
            raise ValueError(f"The rule of {old} cannot be copied: {pattern!r} is not in its file.")
    return rule


def measured_datasets(needs) -> list[str]:
    """The data sets of the study on which its first method was measured."""
    study = needs.layout.studies[STUDY]
    return [name for name in study["datasets"] if (study["methods"][0], name) in needs.measured]


def seconds(needs, rule: str, wildcards: dict[str, str], seed: int) -> float:
    """Seconds of a job: measured, on its original if it is a copy, or drawn from what its rule took.

    The draw, for a data set that could not be had, depends on the seed and the names alone. It is of what
    makes no job longer than `LONGEST`, since that is how blocks of splits are configured.

    Parameters
    ----------
    needs : needs.Needs
        The measured seconds.
    rule : str
    wildcards : dict
    seed : int
    """
    rule = METHOD_COPY.sub("", rule)
    pool = sorted(of_one for (name, _), (of_one, _) in needs.measured.items() if name == rule)
    if not pool:
        return SECONDS_OF_A_SHORT_JOB
    original = wildcards | {"dataset": DATASET_COPY.sub("", wildcards.get("dataset", ""))}
    measured = needs.seconds(rule, SimpleNamespace(**original))
    if measured is not None:
        return measured
    splits = needs.splits(rule, SimpleNamespace(**original))
    short = [of_one for of_one in pool if of_one * splits <= LONGEST]
    named = " ".join(value for key, value in sorted(original.items()) if key not in ("block", "draws"))
    return random.Random(f"{seed} {rule} {named}").choice(short or pool) * splits
