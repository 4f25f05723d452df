"""A copy of the project with a study of each paper, as small as possible."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import yaml
from missing_dataset import register_dataset
from snakemake.utils import update_config

from reproduction.core.provenance import PROVENANCE_ROLE

ROOT = Path(__file__).resolve().parents[1]
STUDY, ADMM, PUSH, LETOR = "tiny", "tiny_admm", "tiny_push", "tiny_letor"
DATASETS = ["overlap", "hull"]  # generated, a few hundred rows; STUDY also names "planted"
SPLITS = 2
VERIFICATION = {"datasets": DATASETS[:1], "rows": 40, "alphas": [0.1]}
BLOCKS = ("dirty_model", "convergence", "trends", "suboptimality", "scale", "multiverse")
TOY = {"rows": [30], "noise": [5], "retrieval_rows": 30, "retrieval_noise": [5], "test_rows": 60}
TOY |= {"relevant": 4, "trials": 2, "trials_per_job": 2}
TIMES = {"rows": {"l1_infinite_push_admm": [12], "l1_infinite_push": [12, 30]}, "noise": [5]}


def studies(quick):
    """The studies, made smaller from the quick configuration.

    STUDY is a table on two small sets; ADMM has the figures of the same paper, on a set that is mapped.
    """
    table = {name: value for name, value in quick["quick"].items() if name not in BLOCKS}
    table |= {"datasets": {name: ["raw"] for name in [*DATASETS, "planted"]}, "alphas": [0.01, 1.0]}
    table |= {"methods": ["toppush", "admm", "exact"], "splits": SPLITS, "splits_per_job": SPLITS}
    table |= {"rhos": {"admm": [0.1, 1.0]}}

    admm = quick["quick"] | {"datasets": {"epsilon-like": ["raw"]}, "splits": 1, "alphas": [0.1, 1.0]}
    admm |= {"methods": ["toppush", "admm", "a2dm2", "a2dm2_restart", "exact"], "published": True}
    admm |= {"rhos": {"admm": [0.1], "a2dm2": [0.01], "a2dm2_restart": [0.1]}}
    admm["dirty_model"] |= {"rows": 16, "features": 32, "seeds": 2, "iterations": 60}
    admm["convergence"] |= {"dataset": "epsilon-like", "iterations": 100}
    admm["convergence"] |= {"rhos": {"admm": 0.1, "a2dm2": 0.01, "a2dm2_restart": 0.01}}
    admm["trends"] |= {"datasets": ["epsilon-like"], "splits": 1, "iterations": 100}
    admm["suboptimality"] |= {"levels": [1e-2, 1e-4, 1e-6], "max_iter": 200, "time_limit": 2}
    admm["scale"] |= {"rows": [400], "features": 20, "time_limits": {"exact": 5}}

    push = quick["quick_push"] | {"datasets": {"wdbc": ["standardised"], "planted": ["standardised"]}}
    push |= {"splits": 2, "splits_per_job": 2, "train_rows": {"wdbc": 100, "planted": 40}}
    push |= {"shares": [0.01, 0.1, 1.0], "n_features": [4, 2], "methods": ["l1_infinite_push", "l1_ranksvm"]}
    push["toy"] |= TOY | {"methods": ["l1_infinite_push", "l2_infinite_push", "rfe_infinite_push"]}
    push["times"] |= TIMES
    push["paths"] = {
        "wdbc": {"points": 5, "penalty": "l1"},
        "planted": {"points": 5, "penalty": "group", "group_size": 2},
    }

    letor = quick["quick_letor"] | {"datasets": {"letor-like": ["raw"], "td2003": ["raw"]}}
    letor |= {"methods": ["fenchelrank"], "extra_methods": ["l1_ranksvm"], "radii": [0.25, 4]}
    letor |= {"shares": [0.01, 0.1, 0.6]}
    letor["constant"] |= {"shares": [0.1], "max_iter": 200}
    letor["early_stop"] |= {"radii": [1, 4]}
    return {STUDY: table, ADMM: admm, PUSH: push, LETOR: letor}


class Project:
    """A copy of the project in ``folder``; the file ``overlay`` puts the studies into its configuration."""

    def __init__(self, folder):
        self.folder = folder
        self.overlay = folder / "tiny.yaml"
        self.results = folder / "results"

    def prepare(self):
        """Write the overlay with all studies, and name the data set that is nowhere in the registry."""
        register_dataset(self)
        config = yaml.safe_load((self.folder / "config.yaml").read_text())
        update_config(config, yaml.safe_load((self.folder / "config/quick.yaml").read_text()))
        self.write(studies(config["studies"]))

    def write(self, studies, **changes):
        """Write an overlay that runs these studies."""
        overlay = {"run": [*studies], "datasets": [], "verification": VERIFICATION, "studies": studies}
        self.overlay.write_text(yaml.safe_dump(overlay | changes, sort_keys=False))

    def study(self, name=STUDY):
        """The settings of a study."""
        return yaml.safe_load(self.overlay.read_text())["studies"][name]

    def select_study(self, name=STUDY, **changes):
        """Run one study alone, with ``changes``."""
        self.write({name: self.study(name) | changes})

    def copy(self, folder):
        """A copy of the project, with what it has computed."""
        shutil.copytree(self.folder, folder)
        return Project(folder)

    def command(self, *arguments, cores=2):
        snakemake = [sys.executable, "-m", "snakemake", "--configfile", str(self.overlay)]
        return [*snakemake, "--cores", str(cores), *map(str, arguments)]

    def environment(self):
        """Jobs import toprank from the copy, and no mirror of the caller comes in."""
        environment = {key: value for key, value in os.environ.items() if key != "TOPRANK_MIRROR"}
        return environment | {"PYTHONPATH": str(self.folder / "src")}

    def snakemake(self, *arguments, cores=2, fails=False, each_job=True):
        """Run Snakemake and return what it published; it has to succeed, or to fail if ``fails``.

        The targets come first; ``each_job`` asks for what Snakemake prints of each job.
        """
        run = subprocess.run(
            self.command(*arguments, *(["--printshellcmds"] if each_job else []), cores=cores),
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert (run.returncode != 0) == fails, run.stdout[-6000:]
        return run.stdout

    def kill_when(self, ready, *arguments, cores=1):
        """Start Snakemake and kill it with all its jobs as soon as ``ready()`` holds."""
        run = subprocess.Popen(
            self.command(*arguments, cores=cores),
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            deadline = time.monotonic() + 1200  # a guard against a hang, far above what a busy machine takes
            while not ready():
                assert run.poll() is None, f"the run ended with {run.returncode} before it could be killed"
                assert time.monotonic() < deadline, "nothing came that could have been interrupted"
                time.sleep(0.05)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()

    def fits(self):
        """The files of finished fits of STUDY."""
        return sorted((self.results / STUDY / "fits").glob("*.csv"))

    def table(self, name):
        return pd.read_csv(self.results / name, keep_default_na=False, dtype=str)

    def page(self):
        return (self.results / "report.html").read_text(encoding="utf-8")


def outputs(published):
    """The output files of the jobs that Snakemake says it runs."""
    return [
        file for line in re.findall(r"^ +output: (.+)$", published, re.MULTILINE) for file in line.split(", ")
    ]


def without_times(table):
    """All but the measured times, the marks that follow from them, and what says who made the file."""
    if "role" in table:
        table = table[table["role"] != PROVENANCE_ROLE]
    timed = [column for column in table if column.startswith("seconds") or column == "mark_fast"]
    return table.drop(columns=timed).to_csv(index=False)


def agree(project, other, *names):
    """Whether tables of two projects are the same but for the times."""
    return all(without_times(project.table(name)) == without_times(other.table(name)) for name in names)
