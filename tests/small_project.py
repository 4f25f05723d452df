"""A copy of the project that runs a study as small as possible."""

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
from snakemake.utils import update_config

ROOT = Path(__file__).resolve().parents[1]
STUDY = "tiny"
DATASETS = ["overlap", "hull"]  # generated, a few hundred rows
SPLITS = 2
RHOS = {"admm": [0.1, 1.0], "a2dm2": [0.001, 0.01], "a2dm2_restart": [0.1, 1.0]}
BLOCKS = ("dirty_model", "convergence", "suboptimality", "scale")
VERIFICATION = {"datasets": DATASETS, "rows": 40, "alphas": [0.1]}
# what two runs have to agree on
TABLES = [
    "data.csv",
    "verification.csv",
    "comparison.csv",
    "failures.csv",
    f"{STUDY}/diagnosis.csv",
    f"{STUDY}/fits.csv",
    f"{STUDY}/table1.csv",
]


class Project:
    """A copy of the project in ``folder``, with the study STUDY laid over its configuration."""

    def __init__(self, folder):
        self.folder = folder
        self.overlay = folder / "tiny.yaml"
        self.results = folder / "results"

    def quick(self, name):
        """A study of the quick configuration, to be made smaller."""
        config = yaml.safe_load((self.folder / "config.yaml").read_text())
        update_config(config, yaml.safe_load((self.folder / "workflow/quick.yaml").read_text()))
        return dict(config["studies"][name])

    def write_study(self, **changes):
        """Write the overlay: the quick table on two small data sets, with short grids and ``changes``."""
        study = {name: value for name, value in self.quick("quick").items() if name not in BLOCKS}
        study |= {"datasets": {name: ["raw"] for name in DATASETS}, "splits": SPLITS, "splits_per_job": 1}
        study |= {"alphas": [0.01, 1.0], "rhos": RHOS, "published": None} | changes
        self.write(study)

    def write(self, study):
        """Write the overlay with a study of any protocol."""
        overlay = {"run": [STUDY], "datasets": [], "verification": VERIFICATION, "studies": {STUDY: study}}
        self.overlay.write_text(yaml.safe_dump(overlay))

    def copy(self, folder):
        """A copy of the project, with what it has computed."""
        shutil.copytree(self.folder, folder)
        return Project(folder)

    def study(self):
        return yaml.safe_load(self.overlay.read_text())["studies"][STUDY]

    def command(self, *arguments, cores=2):
        snakemake = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        return [*snakemake, "--configfile", str(self.overlay), *map(str, arguments)]

    def environment(self):
        """Jobs import toprank from the copy, and no mirror of the caller comes in."""
        environment = {key: value for key, value in os.environ.items() if key != "TOPRANK_MIRROR"}
        return environment | {"PYTHONPATH": str(self.folder / "src")}

    def snakemake(self, *arguments, cores=2, fails=False):
        """Run Snakemake and return what it printed; it has to succeed, or to fail if ``fails``."""
        run = subprocess.run(
            self.command(*arguments, cores=cores),
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
        """The files of finished fits."""
        return sorted((self.results / STUDY / "fits").glob("*.csv"))

    def table(self, name):
        return pd.read_csv(self.results / name, keep_default_na=False, dtype=str)


def outputs(printed):
    """The output files of the jobs that Snakemake says it runs."""
    return [
        file for line in re.findall(r"^ +output: (.+)$", printed, re.MULTILINE) for file in line.split(", ")
    ]


def without_times(table):
    """All columns but the measured times and the marks that follow from them."""
    timed = [column for column in table if column.startswith("seconds") or column == "mark_fast"]
    return table.drop(columns=timed).to_csv(index=False)
