"""What a run prints: a line for each part that is done, warnings, errors, and where the page is."""

import logging
from types import SimpleNamespace

import progress
import pytest
from snakemake_interface_logger_plugins.common import LogEvent

JOBS = {
    1: "data/wdbc/arrays.npz",
    2: "tiny/fits/wdbc.raw.exact.0-4.csv",
    3: "tiny/fits.csv",
    4: "verification/first.csv",
    5: "report.html",
    6: None,  # a rule without output
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A workflow, its screen as a list of lines, and what is put before the screen."""
    shown = []
    screen = logging.Handler()
    screen.emit = lambda record: shown.append(record.getMessage())
    kept = logging.FileHandler(tmp_path / "snakemake.log")
    logger = logging.Logger("snakemake")
    logger.addHandler(screen)
    logger.addHandler(kept)
    monkeypatch.setattr(progress, "logger", logger)
    outputs = {number: [f"{tmp_path}/{file}"] if file else [] for number, file in JOBS.items()}
    jobs = [SimpleNamespace(jobid=number, output=output) for number, output in outputs.items()]
    dag = SimpleNamespace(needrun_jobs=lambda: jobs, jobid=lambda job: job.jobid)
    asked = SimpleNamespace(dryrun=False, printshellcmds=False, verbose=False, quiet=None)
    workflow = SimpleNamespace(is_main_process=True, output_settings=asked, dag=dag)
    run = SimpleNamespace(workflow=workflow, logger=logger, shown=shown, page=tmp_path / "report.html")
    run.kept = (tmp_path / "snakemake.log").read_text
    run.install = lambda: progress.install(workflow, {"tiny": {}}, str(run.page))
    yield run
    kept.close()


def finish(run, *numbers):
    for number in numbers:
        event = {"event": LogEvent.JOB_FINISHED, "job_id": number}
        run.logger.info(f"Finished jobid: {number}", extra=event)


def test_before_it_begins_only_the_usual_lines_are_left_out(run):
    run.install()
    run.logger.info("Building DAG of jobs...")
    run.logger.info("host: somewhere", extra={"event": LogEvent.WORKFLOW_STARTED})
    run.logger.info("Cores: 2", extra={"event": LogEvent.RESOURCES_INFO})
    run.logger.info("a word of one's own")
    assert run.shown == ["a word of one's own"]
    assert "Building DAG" in run.kept(), "the file has everything"


def test_the_first_line_counts_the_jobs(run):
    run.install().begin()
    said = "6 jobs (1 data, 2 tiny, 1 verification, 2 report); snakemake -p prints each of them"
    assert run.shown == [f"0:00:00  {said}"]


def test_one_line_a_part_that_is_done(run):
    run.install().begin()
    run.shown.clear()
    run.logger.info("rule exact:", extra={"event": LogEvent.JOB_INFO})
    finish(run, 2, 1)
    assert [line.split("  ")[1] for line in run.shown] == ["data: done (2 of 6 jobs)"]
    finish(run, 3, 3, 99)  # one that is known already, and one of which nothing is known
    finish(run, 4, 5)
    done = ["tiny: done (3 of 6 jobs)", "verification: done (4 of 6 jobs)"]
    assert [line.split("  ")[1] for line in run.shown[1:]] == done
    finish(run, 6)
    assert run.shown[-1].endswith("report: done (6 of 6 jobs)")
    assert "rule exact:" in run.kept() and "Finished jobid: 2" in run.kept()


def test_after_a_while_it_says_what_is_left(run, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    run.install().begin()
    now[0] = progress.PATIENCE
    finish(run, 2)
    assert len(run.shown) == 1
    now[0] = 3725.0
    finish(run, 5)
    assert run.shown[1:] == ["1:02:05  2 of 6 jobs done; left: 1 data, 1 tiny, 1 verification, 1 report"]


def test_warnings_and_errors_are_printed_before_it_begins_and_after(run):
    shown = run.install()
    for has_begun in (False, True):
        if has_begun:
            shown.begin()
        run.shown.clear()
        run.logger.warning("a data set is missing")
        run.logger.error("Error in rule exact", extra={"event": LogEvent.JOB_ERROR, "rule_name": "exact"})
        assert run.shown == ["a data set is missing", "Error in rule exact"]


def fail(run, rule):
    text = f"RuleException:\nCalledProcessError in file x.smk:\npython .snakemake/scripts/tmp1.{rule}.py"
    run.logger.error(text, extra={"event": LogEvent.ERROR, "exception": "RuleException"})
    run.logger.error(f"Error in rule {rule}", extra={"event": LogEvent.JOB_ERROR, "rule_name": rule})


def test_what_the_check_has_said_snakemake_does_not_say_again(run):
    last = [
        "Exiting because a job execution failed. Look above for error messages",
        "WorkflowError:\nAt least one job did not complete successfully.",
    ]
    run.install().begin()
    run.shown.clear()
    fail(run, "check")
    for words in last:
        run.logger.error(words)
    assert run.shown == [] and "tmp1.check.py" in run.kept()
    fail(run, "page")
    for words in last:
        run.logger.error(words)
    assert run.shown[1:] == ["Error in rule page", *last] and "tmp1.page.py" in run.shown[0]


def test_nothing_to_be_done_says_where_the_page_is(run):
    words = "Nothing to be done (all requested files are present and up to date)."
    run.install()
    run.logger.info(words)
    run.page.write_text("<p></p>")
    run.logger.info(words)
    assert run.shown == [words, f"{words}\n{run.page}"]


@pytest.mark.parametrize(
    "asked",
    [{"dryrun": True}, {"printshellcmds": True}, {"verbose": True}, {"quiet": {"rules"}}, "another process"],
)
def test_other_options_about_printing_are_obeyed(run, asked):
    if asked == "another process":
        run.workflow.is_main_process = False
    else:
        vars(run.workflow.output_settings).update(asked)
    assert run.install() is None
    run.logger.info("rule exact:", extra={"event": LogEvent.JOB_INFO})
    run.logger.info("Building DAG of jobs...")
    assert run.shown == ["rule exact:", "Building DAG of jobs..."]
