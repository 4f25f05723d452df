# Entry point: the whole of config.yaml, from official files to certified tables and the page.
# `snakemake --cores 16` reproduces everything; `snakemake data` only obtains and checks the data.
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


# Whatever toprank is installed, or none (as in the environment of conda): this process, the scripts of the rules and
# what these start import that of this checkout. Snakemake drops PYTHONPATH where it activates a conda environment;
# the prefix comes after that, and the processes of jobs, on a cluster too, set it again when they read this file.
SOURCE = f"{workflow.basedir}/src"
sys.path[:0] = [f"{workflow.basedir}/workflow", SOURCE]
shell.prefix("set -euo pipefail; export PYTHONPATH={SOURCE:q}${{PYTHONPATH:+:$PYTHONPATH}}; ")

from config_check import ConfigError, name_own_data
import progress
import requirement
import selection
import slurm
import stale_lock

try:
    name_own_data(config)
    selection.settle(config, workflow)
except ConfigError as error:
    sys.exit(str(error))
stale_lock.release(workflow)

from captions import in_report
from common import KINDS, Layout
from digest import code_digest, remember
from methods import Methods
from needs import Needs
from runs import command, note_retries
from reproduction.data.registry import entry_digest, registry_digest
from reproduction.data.registry import get as get_dataset
from reproduction.report.made import note

layout = Layout(config)
RESULTS, STUDIES, DATASETS = layout.results, layout.studies, layout.datasets
LOGS, BENCHMARKS = f"{RESULTS}/logs", f"{RESULTS}/benchmarks"
ENVIRONMENT = f"{workflow.basedir}/envs/environment.yaml"
needs, methods = Needs(layout), Methods(layout, LOGS, BENCHMARKS)
if workflow.is_main_process:
    note_retries(layout)
if workflow.group_settings.local_groupid:
    # A batch on a cluster, whose jobs share out one unit: Snakemake does not hand it the limits of the profile.
    workflow.register_resource("at_once", 1)
shown = progress.install(workflow, STUDIES, f"{RESULTS}/report.html")


onstart:
    stale_lock.claim(workflow)
    remember()
    note(RESULTS)
    if workflow.local_exec:
        # Snakemake 9 limits the rate of job starts by a timer that each look at the queue sets again, and each
        # finished job adds a look: after some hundred jobs the main process takes half a core. On one machine
        # there is nothing to limit.
        workflow.scheduler.job_rate_limiter = None
    slurm.look_after(workflow, Path(LOGS, "slurm"))
    if shown:
        shown.begin()


# A whole run ends with the path of its page.
onsuccess:
    if any(job.rule.name == "check" for job in workflow.dag.jobs):
        print(f"{RESULTS}/report.html", flush=True)


rule all:
    default_target: True
    input:
        f"{RESULTS}/check.txt",
        [file for study in STUDIES for file in layout.printed(study)],
        f"{RESULTS}/provenance.json",
        f"{RESULTS}/paper/paper.tex",


include: "workflow/rules/data.smk"
include: "workflow/rules/fits.smk"
include: "workflow/rules/measured.smk"
include: "workflow/rules/verify.smk"
include: "workflow/rules/study.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/snapshot.smk"
include: "workflow/rules/bench.smk"
