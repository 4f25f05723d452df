"""The output of a run: a line when a study is done, errors and warnings, and finally the path of the page.

Snakemake prints about twenty lines per job. They are in its log below .snakemake/log; ``snakemake -p`` prints
them. ``--quiet``, ``--verbose`` and dry runs print the same as without this module.
"""

import logging
import time
from collections import Counter
from pathlib import Path

from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

NOTHING = "Nothing to be done"
#: Seconds after which a line is printed even if no study is done.
PATIENCE = 300
#: Messages of Snakemake before it starts, which are not printed.
BEFORE = {LogEvent.WORKFLOW_STARTED, LogEvent.RUN_INFO, LogEvent.RESOURCES_INFO}
BEFORE_WORDS = (
    "Building DAG",
    "Using shell",
    "Assuming unrestricted",
    "Group jobs",
    "Conda env",
    "Singularity",
)
#: The rule that fails if the run is not clean, after it has said why, and what Snakemake adds to that.
CHECK = "check"
OF_A_FAILED_JOB = ("Exiting because a job execution failed", "At least one job did not complete successfully")


class Progress(logging.Filter):
    """Filters what Snakemake prints on the screen; ``page`` is the page of the run."""

    def __init__(self, workflow, studies, page: str):
        super().__init__()
        self.workflow, self.studies, self.page = workflow, set(studies), page
        self.has_begun = False
        self.begun_at = self.said_at = time.monotonic()
        self.part_of: dict[int, str] = {}
        self.left: Counter = Counter()
        self.failed_rules: set[str] = set()

    def begin(self) -> None:
        """Count the jobs; call it in ``onstart``, when they are known."""
        for job in self.workflow.dag.needrun_jobs():
            self.part_of[self.workflow.dag.jobid(job)] = self.part(job)
        self.left = Counter(self.part_of.values())
        self.total = len(self.part_of)
        parts = ", ".join(f"{count} {name}" for name, count in self.left.items())
        self.say(f"{self.total} jobs ({parts}); snakemake -p prints each of them")
        self.has_begun = True

    def part(self, job) -> str:
        """The study of a job, or "data", "verification" or "report"."""
        results = Path(self.page).parent
        for file in map(Path, job.output):
            first = file.relative_to(results).parts[0] if file.is_relative_to(results) else ""
            if first in self.studies or first in ("data", "verification"):
                return first
        return "report"

    def filter(self, record: logging.LogRecord) -> bool:
        """Let warnings, errors and our own lines pass."""
        event, words = getattr(record, "event", None), str(record.msg)
        if event == LogEvent.JOB_FINISHED and self.has_begun:
            self.finished(record.job_id)
        if words.startswith(NOTHING) and Path(self.page).is_file():
            record.msg = f"{words}\n{self.page}"
        if self.is_of_the_check(record, words):
            return False
        if record.levelno > logging.INFO or hasattr(record, "is_ours") or words.startswith(NOTHING):
            return True
        return not (self.has_begun or event in BEFORE or words.startswith(BEFORE_WORDS))

    def is_of_the_check(self, record: logging.LogRecord, words: str) -> bool:
        """Whether Snakemake says that the rule check failed, and no other: its script has said why."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_ERROR:
            self.failed_rules.add(record.rule_name)
            return record.rule_name == CHECK
        if event == LogEvent.ERROR and f".{CHECK}.py" in words:  # names the temporary file of its script
            return True
        return self.failed_rules == {CHECK} and any(part in words for part in OF_A_FAILED_JOB)

    def finished(self, jobid: int) -> None:
        """Count a job, and say so when it was the last one of its part."""
        part = self.part_of.pop(jobid, None)
        if part is None:
            return
        self.left[part] -= 1
        done = self.total - len(self.part_of)
        if not self.left[part]:
            self.say(f"{part}: done ({done} of {self.total} jobs)")
        elif time.monotonic() - self.said_at > PATIENCE:
            waiting = ", ".join(f"{count} {name}" for name, count in self.left.items() if count)
            self.say(f"{done} of {self.total} jobs done; left: {waiting}")

    def say(self, words: str) -> None:
        """Print a line with the time since the start."""
        self.said_at = time.monotonic()
        seconds = round(self.said_at - self.begun_at)
        minutes = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        logger.info(f"{minutes}  {words}", extra={"is_ours": True})


def install(workflow, studies, page: str) -> Progress | None:
    """Filter the screen output of the main process, unless an option asks for other output."""
    asked = workflow.output_settings
    if not workflow.is_main_process or asked.dryrun or asked.printshellcmds or asked.verbose or asked.quiet:
        return None
    progress = Progress(workflow, studies, page)
    for handler in logger.handlers:
        if not isinstance(handler, logging.FileHandler):
            handler.addFilter(progress)
    return progress
