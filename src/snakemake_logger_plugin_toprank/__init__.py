"""Logger plugin of Snakemake: one line of progress every 30 seconds instead of twenty lines per job.

Snakemake finds the package by its name (``--logger toprank``; ``profiles/default`` sets it) and instantiates
`LogHandler`, the class that its interface for logger plugins asks for. On the screen, the handler replaces
Snakemake's messages by lines such as ::

    0:01:30  57 of 119 jobs done, about 0:01:40 left; running: toppush quick overlap raw 0-3

Warnings, errors and the lines that a Snakefile logs itself are published as they are. ``-p``, ``--verbose``,
``--quiet``, ``--debug-dag`` and dry runs print what Snakemake prints without a plugin; the log below
``.snakemake/log`` always holds everything. The counts and the estimate are in
`snakemake_logger_plugin_toprank.job_progress`.
"""

import logging
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import snakemake
from snakemake.logging import ColorizingTextHandler
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from .job_progress import JobProgress

#: Where Snakemake and its plugins are installed: the INFO messages of their modules are not published in a
#: run.
SNAKEMAKE_FOLDER = Path(snakemake.__file__).parents[1]
#: Messages of Snakemake before the first job, which are not published.
SETUP_EVENTS = {LogEvent.WORKFLOW_STARTED, LogEvent.RUN_INFO, LogEvent.RESOURCES_INFO}
SETUP_MESSAGES = (
    "Building DAG",
    "Using shell",
    "Assuming unrestricted",
    "Group jobs",
    "Conda env",
    "Singularity",
)
#: What Snakemake adds at the end of a run in which a job failed.
FAILURE_MESSAGES = (
    "Exiting because a job execution failed",
    "At least one job did not complete successfully",
)


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Options of the plugin: ``--logger-toprank-…``, or ``logger-toprank-…`` in a profile.

    Parameters
    ----------
    interval : float, default=30.0
        Seconds between two lines of progress.
    quiet_rules : str
        Rules, separated by commas, that say themselves why they failed.
    """

    interval: float = field(
        default=30.0, metadata={"help": "Seconds between two lines of progress.", "type": float}
    )
    quiet_rules: str = field(
        default="",
        metadata={
            "help": "Rules, separated by commas, whose own output says why they failed; Snakemake's report "
            "of their failure is left out.",
            "type": str,
        },
    )


class LogHandler(LogHandlerBase, ColorizingTextHandler):
    """Prints progress, warnings and errors; Snakemake calls `emit` in a thread of its own."""

    def __post_init__(self) -> None:
        """Choose the stream, as Snakemake's default handler does, and whether to print all messages."""
        output = self.common_settings
        stream = sys.stdout if output.stdout else sys.stderr
        ColorizingTextHandler.__init__(self, nocolor=output.nocolor, stream=stream)
        self.prints_all = bool(
            output.dryrun or output.printshellcmds or output.verbose or output.debug_dag or output.quiet
        )
        self.progress: JobProgress | None = None
        self.quiet_rules = {rule.strip() for rule in self.settings.quiet_rules.split(",") if rule.strip()}
        self.failed_rules: set[str] = set()
        self.is_ended = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record or count its job.

        Parameters
        ----------
        record : logging.LogRecord
        """
        if not self.prints_all:
            self.follow(record)
            if not self.is_published(record):
                return
        ColorizingTextHandler.emit(self, record)

    def follow(self, record: logging.LogRecord) -> None:
        """Count the job of a record, and report the begin and the end of the run.

        Parameters
        ----------
        record : logging.LogRecord
        """
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO:
                self.progress = JobProgress(record.stats)
                self.report()
                threading.Thread(target=self.report_regularly, daemon=True).start()
            case LogEvent.JOB_INFO if self.progress:
                self.progress.start(record.jobid, record.rule_name, record.wildcards)
            case LogEvent.JOB_FINISHED if self.progress:
                self.progress.finish(record.job_id)
            case LogEvent.JOB_ERROR:
                self.failed_rules.add(record.rule_name)
                if self.progress:
                    self.progress.fail(record.jobid)
            case LogEvent.PROGRESS if self.progress:
                self.progress.total = record.total  # checkpoints add jobs
                if self.progress.n_done == record.total:
                    self.end_report()

    def is_published(self, record: logging.LogRecord) -> bool:
        """Whether a record is published: warnings, errors, and what neither Snakemake nor its plugins log.

        Parameters
        ----------
        record : logging.LogRecord

        Returns
        -------
        bool
        """
        if self.is_repeated_failure(record):
            return False
        if record.levelno > logging.INFO or not Path(record.pathname).is_relative_to(SNAKEMAKE_FOLDER):
            return True
        event, message = getattr(record, "event", None), str(record.msg)
        return not (self.progress or event in SETUP_EVENTS or message.startswith(SETUP_MESSAGES))

    def is_repeated_failure(self, record: logging.LogRecord) -> bool:
        """Whether Snakemake reports the failure of a quiet rule, which has said itself why it failed.

        Parameters
        ----------
        record : logging.LogRecord

        Returns
        -------
        bool
        """
        event, message = getattr(record, "event", None), str(record.msg)
        if event == LogEvent.JOB_ERROR:
            return record.rule_name in self.quiet_rules
        # the exception of a script names its temporary file, .snakemake/scripts/tmp….<rule>.py
        if event == LogEvent.ERROR and any(f".{rule}.py" in message for rule in self.quiet_rules):
            return True
        has_only_quiet = bool(self.failed_rules) and self.failed_rules <= self.quiet_rules
        return has_only_quiet and any(part in message for part in FAILURE_MESSAGES)

    def report(self) -> None:
        """Print a line of progress."""
        with self._output_lock:
            self.stream.write(f"{self.progress.describe()}\n")
            self.flush()

    def report_regularly(self) -> None:
        """Print a line of progress at each interval until the run ends; the body of a thread."""
        while not self.is_ended.wait(self.settings.interval):
            with self.lock:
                self.report()

    def end_report(self) -> None:
        """Print the last line of progress, once."""
        with self.lock:
            if self.progress and not self.is_ended.is_set():
                self.is_ended.set()
                self.report()

    def close(self) -> None:
        """End the run; Snakemake calls this after the last message, of whatever kind it was."""
        self.end_report()
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        """Snakemake adds no handler of its own for the screen."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Snakemake writes its log file itself."""
        return False

    @property
    def has_filter(self) -> bool:
        """Snakemake adds its filter, which obeys ``--quiet``."""
        return False

    @property
    def has_formatter(self) -> bool:
        """Snakemake adds its formatter, which appends the logs of failed jobs."""
        return False

    @property
    def needs_rulegraph(self) -> bool:
        """The graph of the rules is not needed."""
        return False
