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

from config_check import ConfigError, validate_config
import slurm
import stale_lock

try:
    validate_config(config)
except ConfigError as error:
    sys.exit(str(error))
stale_lock.release(workflow)

from common import Layout, command, note_retries
from digest import code_digest, remember
from needs import Needs
from toprank.datasets.registry import entry_digest, registry_digest
from toprank.datasets.registry import get as get_dataset

layout = Layout(config)
RESULTS, STUDIES, DATASETS = layout.results, layout.studies, layout.datasets
fit_files = layout.fit_files
needs = Needs(layout)
if workflow.is_main_process:
    note_retries(layout)


wildcard_constraints:
    study="[a-z][a-z0-9_]*",
    dataset="[a-z0-9-]+",
    features="raw|standardised",
    block=r"\d+-\d+",


onstart:
    stale_lock.claim(workflow)
    remember()
    if workflow.local_exec:
        # Snakemake 9 limits the rate of job starts by a timer that each look at the queue sets again, and each
        # finished job adds a look: after some hundred jobs the main process takes half a core. On one machine
        # there is nothing to limit.
        workflow.scheduler.job_rate_limiter = None
    slurm.look_after(workflow)


rule all:
    default_target: True
    input:
        f"{RESULTS}/check.txt",
        [file for study in STUDIES for file in layout.printed(study)],
        f"{RESULTS}/provenance.json",
        f"{RESULTS}/paper/paper.tex",


include: "workflow/rules/data.smk"
include: "workflow/rules/study.smk"
include: "workflow/rules/protocols/top_ranking.smk"
include: "workflow/rules/protocols/dirty_model.smk"
include: "workflow/rules/protocols/convergence.smk"
include: "workflow/rules/protocols/scale.smk"
include: "workflow/rules/protocols/infinite_push.smk"
include: "workflow/rules/protocols/query_ranking.smk"
include: "workflow/rules/protocols/query_ranking_report.smk"
include: "workflow/rules/protocols/query_ranking_beside.smk"
include: "workflow/rules/verify.smk"
include: "workflow/rules/collect.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/statistics.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/snapshot.smk"
include: "workflow/rules/bench.smk"


for method in layout.methods:

    include: f"workflow/rules/methods/{method}.smk"
