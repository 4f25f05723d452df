"""Rule bench_cluster: graphs of jobs of growing configurations, and their way through a simulated cluster.

Each graph is built by Snakemake itself in a process of its own, on a copy of the project without results.
"""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median

import yaml

sys.path.append("workflow")  # the modules beside the rules, which no other script needs
from cluster_simulation import (
    POLLING,
    Cluster,
    Job,
    batched,
    critical_path,
    longest_first,
    lower_bound,
    makespan,
    one_machine,
    shuffled,
    submitted,
    work,
)
from common import Layout
from enlarged import copied, enlarge, measured_datasets, seconds
from needs import Needs

COLUMNS = (
    *(
        "configuration",
        "jobs",
        "local",
        "submitted_jobs",
        "submissions",
        "read_seconds",
        "dag_seconds",
        "wall_seconds",
    ),
    *("peak_mb", "ilp_choice_seconds", "greedy_choice_seconds", "outputs", "fullest_folder", "core_hours"),
    *(
        "longest_job_minutes",
        "median_submission_seconds",
        "critical_path_minutes",
        "cluster",
        "lower_bound_hours",
        "makespan_hours",
    ),
    "efficiency",
)
MEASURED = ("read_seconds", "dag_seconds", "wall_seconds", "peak_mb")
params = snakemake.params
project = Path.cwd()


def measured(folder):
    """What the probe finds in a copy of the project, and the peak memory of its process in MB."""
    file = folder / "probe.json"
    path = [str(folder / part) for part in ("src", "workflow")]
    options = ["--profile", "profiles/slurm", "--dry-run", "--forceall", "--quiet", "all"]
    command = [sys.executable, "-m", "dag_probe", str(file), *options]
    with (folder / "probe.log").open("w", encoding="utf-8") as printed:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"Snakemake built no graph: {(folder / 'probe.log').read_text(encoding='utf-8')[-2000:]}")
    return json.loads(file.read_text(encoding="utf-8")) | {"peak_mb": used.ru_maxrss / 1000}


def needs_of(folder):
    return Needs(Layout(yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))))


def simulated(single, jobs):
    """Yield a name, a list of jobs and a cluster: one machine, SLURM, SLURM without each of its limits.

    ``single`` are the jobs as one machine runs them, ``jobs`` the submissions.
    """
    cores = params.cores * params.nodes
    usual = Cluster(
        cores=cores,
        jobs=params.jobs_per_core * cores,
        per_minute=params.per_minute,
        overhead=params.overhead,
        polling=POLLING,
        local_cores=params.local_cores,
    )
    listed = shuffled(jobs, params.seed)
    yield (
        f"{params.cores} cores, one machine",
        submitted(shuffled(single, params.seed)),
        one_machine(params.cores),
    )
    name = f"{params.nodes} x {params.cores} cores, SLURM"
    yield name, listed, usual
    yield f"{name}, at most 100 jobs at a time", listed, replace(usual, jobs=100)
    yield f"{name}, no limit on submissions", listed, replace(usual, per_minute=math.inf)
    yield f"{name}, noticed at once", listed, replace(usual, polling=None)
    yield f"{name}, no overhead", listed, replace(usual, overhead=0.0)
    yield f"{name}, longest first", longest_first(jobs), usual
    yield f"{name}, each job submitted alone", shuffled(single, params.seed), usual


def rows(name, folder, repeats):
    """Measure one configuration, and simulate it on each cluster."""
    runs = [measured(folder) for _ in range(repeats)]
    for run in runs:
        said = {key: value for key, value in run.items() if key != "jobs"}
        print(name, len(run["jobs"]), said, file=log, flush=True)
    needs = needs_of(folder)
    described = runs[0]["jobs"]
    jobs = [
        Job(
            seconds(needs, job["rule"], job["wildcards"], params.seed),
            tuple(job["needs"]),
            job["local"],
        )
        for job in described
    ]
    together = batched(jobs, [job["batch"] for job in described])
    n_local = sum(job.local for job in jobs)
    hours = work(jobs, one_machine(1)) / 3600
    about = {
        "configuration": name,
        "jobs": len(jobs),
        "local": n_local,
        "submitted_jobs": len(jobs) - n_local,
        "submissions": len(together) - n_local,
        "ilp_choice_seconds": median(run["choice_seconds"]["ilp"] for run in runs),
        "greedy_choice_seconds": median(run["choice_seconds"]["greedy"] for run in runs),
        "outputs": runs[0]["outputs"],
        "fullest_folder": runs[0]["fullest_folder"],
        "core_hours": hours,
        "longest_job_minutes": max(job.seconds for job in together) / 60,
        "median_submission_seconds": median(job.seconds for job in together if not job.local),
        "critical_path_minutes": critical_path(together) / 60,
    }
    about |= {key: median(run[key] for run in runs) for key in MEASURED}
    for words, listed, cluster in simulated(jobs, together):
        took = makespan(listed, cluster) / 3600
        print(name, words, took, file=log, flush=True)
        yield about | {
            "cluster": words,
            "lower_bound_hours": lower_bound(listed, cluster) / 3600,
            "makespan_hours": took,
            "efficiency": hours / (took * cluster.cores),
        }


with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for name, size in params.configurations.items():
        with tempfile.TemporaryDirectory() as above:
            folder = Path(above, "project")
            copied(project, folder)
            if size["datasets"]:
                enlarge(
                    folder,
                    measured_datasets(needs_of(project)),
                    size["datasets"],
                    params.methods,
                    params.splits,
                    size["one_a_job"],
                    params.seed,
                )
            for row in rows(name, folder, size["repeats"]):
                writer.writerow(
                    {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()}
                )
                file.flush()
