"""How long Snakemake takes for the graph of jobs, and what jobs there are.

``python -m dag_probe <file> <arguments>`` runs Snakemake's own command line, with ``arguments``, as far as
the graph, and writes to ``file`` as JSON: seconds until the Snakefiles are read, seconds for the graph,
seconds for one choice of the jobs to run next, and the jobs, with the batch in which each is submitted. All
are seconds of the processor, which other work on the machine changes less, but ``wall_seconds``, from the
start of the process to the graph. Snakemake has no interface for it: what begins with the graph and what
follows on it are wrapped.
"""

import json
import os
import sys
from collections import Counter, defaultdict
from pathlib import Path
from time import time

import psutil
from snakemake import cli
from snakemake import workflow as of_snakemake
from snakemake.logging import logger
from snakemake.scheduling import greedy, milp

#: Of how many jobs one choice is.
SLOTS = 100
SCHEDULERS = {"ilp": milp, "greedy": greedy}


def probe(file: Path, arguments: list[str]) -> None:
    """Run Snakemake with ``arguments``, and end the process when the graph is there."""
    build = of_snakemake.Workflow._build_dag
    read = []

    def clocked(workflow):
        read.append(_processor())
        build(workflow)

    def end(workflow, *_):
        found = {
            "wall_seconds": time() - psutil.Process().create_time(),
            "read_seconds": read[0],
            "dag_seconds": _processor() - read[0],
        }
        file.write_text(json.dumps(found | described(workflow)), encoding="utf-8")
        os._exit(0)  # nothing is to be run

    of_snakemake.Workflow._build_dag = clocked
    of_snakemake.JobScheduler = end
    cli.main(arguments)


def described(workflow) -> dict:
    """The jobs of the graph, the fullest folders, and the time of one choice."""
    jobs = sorted(workflow.dag.jobs, key=lambda job: (job.rule.name, sorted(job.wildcards_dict.items())))
    place = {job: position for position, job in enumerate(jobs)}
    outputs = [str(path) for job in jobs for path in job.output]
    folders = Counter(os.path.dirname(path) for path in outputs)
    outside = [job for job in jobs if not _is_local(workflow, job)]
    groups = workflow.dag._group
    numbers = {group: number for number, group in enumerate(dict.fromkeys(map(groups.get, jobs)))}
    batch = {job: numbers[groups[job]] for job in jobs if job in groups}
    return {
        "jobs": [
            {
                "rule": job.rule.name,
                "wildcards": dict(job.wildcards_dict),
                "needs": sorted(place[needed] for needed in workflow.dag.dependencies[job]),
                "local": _is_local(workflow, job),
                "batch": batch.get(job),
            }
            for job in jobs
        ],
        "outputs": len(outputs),
        "fullest_folder": max(folders.values(), default=0),
        "choice_seconds": {name: _choice(workflow, name, outside) for name in SCHEDULERS},
    }


def _is_local(workflow, job) -> bool:
    """Whether the main process would run a job itself if there were a cluster."""
    return job.rule.name in workflow._localrules or job.rule.norun


def _choice(workflow, name: str, ready: list) -> float:
    """Seconds of one choice of a scheduler between all submitted jobs, as if all were ready.

    Not of the first: what a job asks for is worked out there, and kept for those that follow.
    """
    for job in ready:
        _ = job.scheduler_resources
    module = SCHEDULERS[name]
    scheduler = module.Scheduler(workflow.dag, module.SchedulerSettings(), logger)
    available = {"_cores": sys.maxsize, "_nodes": SLOTS, "_job_count": SLOTS}
    begin = _processor()
    scheduler.select_jobs(ready, ready, available, defaultdict(int))
    return _processor() - begin


def _processor() -> float:
    """Seconds of the processor so far, with those of programs that were started and have ended."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    probe(Path(sys.argv[1]), sys.argv[2:])
