"""The workarounds for the SLURM executor plugin, tried without a cluster."""

import asyncio
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import slurm_monitor
import yaml
from paths import Paths
from small_project import ROOT

PATHS = Paths(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))

CONFIG = """\
Configuration data as of 2026-01-01T00:00:00
AccountingStorageType   = {storage}
MinJobAge               = {age}
SLURM_VERSION           = 22.05.8
"""


class Executor:
    """Yields the jobs that still run, reports those that have ended, and forgets the rest."""

    run_uuid = "a-run"
    next_seconds_between_status_checks = 180

    def __init__(self, running=(), ended=(), command="squeue"):
        self.running, self.ended, self.command = set(running), set(ended), command
        self.successes, self.errors = [], []

    def get_status_command(self):
        return self.command

    async def check_active_jobs(self, active_jobs):
        for job in active_jobs:
            if job.external_jobid in self.ended:
                self.report_job_success(job)
            elif job.external_jobid in self.running:
                yield job

    def report_job_success(self, job):
        self.successes.append(job.external_jobid)

    def report_job_error(self, job, msg, aux_logs):
        self.errors.append((job.external_jobid, msg, aux_logs))


def jobs(*numbers, is_group=False):
    fields = {"job": SimpleNamespace(is_group=lambda: is_group, groupid="fits.tiny")}
    named = [{"external_jobid": number, "aux": {"slurm_logfile": f"{number}.log"}} for number in numbers]
    return [SimpleNamespace(**fields, **of_job) for of_job in named]


def ask_states(executor, active):
    """The numbers of the jobs that go on after one question."""

    async def ask():
        return [job.external_jobid async for job in executor.check_active_jobs(active)]

    return asyncio.run(ask())


def monitored(known_ids, min_job_age=300, **executor):
    """An executor with a monitor; slurmctld knows the jobs ``known_ids``, or answers nothing (None)."""
    executor = Executor(**executor)
    slurm_monitor.JobMonitor(executor, min_job_age).query_known_jobs = lambda: known_ids
    slurm_monitor.log_group_errors(slurm_run(executor=executor))
    return executor


def slurm_run(**fields):
    """What a workaround acts on."""
    return slurm_monitor.SlurmRun(
        **dict.fromkeys(("executor", "settings", "plugin", "cluster", "log_folder")) | fields
    )


@pytest.mark.parametrize(
    ("answered", "read"),
    [
        ({"1": "CANCELLED by 1000", "2": "RUNNING", "3": ""}, {"1": "CANCELLED", "2": "RUNNING", "3": ""}),
        ({}, {}),
        (None, None),  # no answer stays none
    ],
)
def test_a_state_is_one_word(answered, read):
    async def query_job_status(command, logger):
        return answered, 0.1

    plugin = SimpleNamespace(query_job_status=query_job_status)
    slurm_monitor.shorten_states(slurm_run(plugin=plugin))
    assert asyncio.run(plugin.query_job_status("sacct", None)) == (read, 0.1)


def test_a_question_without_answer_loses_no_job():
    executor = monitored(None)
    for _ in range(10):
        assert ask_states(executor, jobs("1", "2")) == ["1", "2"]
    assert executor.successes == executor.errors == []


def test_what_ended_does_not_go_on():
    executor = monitored({"1", "2"}, running={"1"}, ended={"2"})
    assert ask_states(executor, jobs("1", "2")) == ["1"] and executor.successes == ["2"]


def test_a_job_that_slurm_does_not_know_is_an_error_at_the_third_question():
    executor = monitored({"1"}, running={"1", "2"})
    assert [ask_states(executor, jobs("1", "2")) for _ in range(2)] == [["1", "2"]] * 2
    assert ask_states(executor, jobs("1", "2")) == ["1"]
    ((number, message, logs),) = executor.errors
    assert number == "2" and message.startswith("SLURM no longer knows job 2") and logs == ["2.log"]


def test_why_a_batch_failed_is_said(monkeypatch):
    messages = []
    monkeypatch.setattr(slurm_monitor.logger, "error", messages.append)
    for is_group in (False, True):
        executor = monitored(set(), running={"1"})
        for _ in range(3):
            ask_states(executor, jobs("1", is_group=is_group))
        assert len(executor.errors) == 1
    assert [words.split(" knows")[0] for words in messages] == ["Group fits.tiny: SLURM no longer"]


def test_a_job_that_comes_late_counts_from_anew():
    executor = monitored(set(), running={"1"})
    monitor = executor.check_active_jobs.__self__
    for known_ids in (set(), set(), {"1"}, set(), set()):
        monitor.query_known_jobs = lambda known_ids=known_ids: known_ids
        assert ask_states(executor, jobs("1")) == ["1"]


@pytest.mark.parametrize(("command", "pause"), [("squeue", 30), ("sacct", 180)])
def test_squeue_is_asked_before_slurmctld_forgets(command, pause):
    executor = monitored({"1"}, min_job_age=60, running={"1"}, command=command)
    ask_states(executor, jobs("1"))
    assert executor.next_seconds_between_status_checks == pause


@pytest.mark.parametrize(
    ("storage", "expected_command", "chosen"),
    [
        ("accounting_storage/none", "sacct", "squeue"),
        ("(null)", "sacct", "squeue"),
        ("accounting_storage/slurmdbd", "sacct", "sacct"),
        ("accounting_storage/slurmdbd", "squeue", "squeue"),
    ],
)
def test_the_command_that_tells_states(storage, expected_command, chosen, monkeypatch):
    published = CONFIG.format(storage=storage, age="300 sec")
    monkeypatch.setattr(slurm_monitor.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=published))
    settings = SimpleNamespace(status_command=expected_command)
    slurm_monitor.set_status_command(
        slurm_run(settings=settings, cluster=slurm_monitor.read_cluster_configuration())
    )
    assert settings.status_command == chosen


@pytest.mark.parametrize(("age", "seconds"), [("300 sec", 300), ("20", 20), ("", 300)])
def test_what_slurmctld_remembers(age, seconds):
    assert slurm_monitor.parse_min_job_age({"MinJobAge": age}) == seconds


def test_without_slurm_there_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    message = r"^SLURM does not answer \(scontrol show config: .*\)\. Run this on"
    with pytest.raises(SystemExit, match=message):
        slurm_monitor.read_cluster_configuration()


def test_other_executors_are_left_alone(tmp_path):
    slurm_monitor.apply_workarounds(SimpleNamespace(executor_plugin=SimpleNamespace(name="local")), tmp_path)


@pytest.fixture
def run(monkeypatch, tmp_path):
    """A run with the SLURM executor, in an empty folder on a cluster that accounts no jobs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(slurm_monitor, "read_cluster_configuration", lambda: {"MinJobAge": "20"})
    monkeypatch.setenv("SBATCH_PARTITION", "night")
    monkeypatch.setenv("SBATCH_ACCOUNT", "a b")
    monkeypatch.setattr(sys.modules[__name__], "query_job_status", None, raising=False)
    executor = Executor()
    executor.slurm_logdir = executor._fallback_partition = executor._fallback_account_arg = None
    return SimpleNamespace(
        executor_plugin=SimpleNamespace(name="slurm"),
        executor_settings=SimpleNamespace(logdir=None, status_command="sacct"),
        scheduler=SimpleNamespace(_executor=executor),
    )


def test_every_workaround_is_applied_to_the_versions_of_the_lock(run, tmp_path):
    """A new version in the lock fails here: see whether it still has the faults."""
    assert [
        workaround.behaviour for workaround in slurm_monitor.WORKAROUNDS if not workaround.is_needed()
    ] == []
    slurm_monitor.apply_workarounds(run, Path("out/logs/slurm"))
    executor = run.scheduler._executor
    assert executor.slurm_logdir == tmp_path / "out/logs/slurm"
    assert run.executor_settings.status_command == "squeue"
    assert executor._fallback_partition == "night" and executor._fallback_account_arg == " -A 'a b'"
    assert executor.check_active_jobs.__self__.min_job_age == 20


def test_a_folder_of_logs_that_was_asked_for_is_kept(run):
    run.executor_settings.logdir = run.scheduler._executor.slurm_logdir = "asked/for"
    slurm_monitor.apply_workarounds(run, Path("out/logs/slurm"))
    assert run.scheduler._executor.slurm_logdir == "asked/for"


@pytest.mark.parametrize("package", ["snakemake-executor-plugin-slurm", "snakemake"])
def test_the_workarounds_of_another_version_are_off(package, run, monkeypatch):
    messages = []
    monkeypatch.setattr(slurm_monitor.logger, "warning", messages.append)
    installed = slurm_monitor.version
    monkeypatch.setattr(slurm_monitor, "version", lambda name: "99.0" if name == package else installed(name))
    executor = run.scheduler._executor
    untouched = dict(vars(executor))
    slurm_monitor.apply_workarounds(run, Path("out/logs/slurm"))
    of_package = [workaround for workaround in slurm_monitor.WORKAROUNDS if workaround.package == package]
    assert len(messages) == len(of_package) > 0
    for message, workaround in zip(messages, of_package, strict=True):
        assert message.startswith(
            f"{package} 99.0 is not {workaround.versions}, which {workaround.behaviour}"
        )
    if package != "snakemake":
        changed = {name for name, value in vars(executor).items() if untouched.get(name) is not value}
        assert changed == {"report_job_error"}, "of Snakemake's own fault"
        assert run.executor_settings.status_command == "sacct"
    else:
        assert executor.report_job_error == executor.check_active_jobs.__self__.report_error


def groups(text):
    """Rule -> its group, for the rules of a file that name one."""
    bodies = re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    groups_by_rule = {name: re.search(r'^    group:\s+"(.+)"', body, re.MULTILINE) for name, body in bodies}
    return {name: group[1] for name, group in groups_by_rule.items() if group}


def test_every_method_is_in_a_batch():
    """One outside of it would be submitted alone, some seconds at a time."""
    profile = yaml.safe_load((ROOT / "profiles/slurm/profile.v9+.yaml").read_text())
    rules = sorted((ROOT / "workflow/rules").rglob("*.smk"))
    named = {rule: group for file in rules for rule, group in groups(file.read_text()).items()}
    assert named["fit"].startswith("fits.") and set(named.values()) == set(profile["group-components"])
    assert profile["group-components"][named["fit"]] >= len(PATHS.studies.methods)
    for file in (ROOT / "workflow/rules/methods").glob("*.smk"):
        text = file.read_text()
        assert re.findall(r"^(?:use )?rule .*", text, re.MULTILINE) == [f"use rule fit as {file.stem} with:"]
        assert not re.search("(group|localrule|conda):", text), "it is inherited"
    assert profile["resources"] == {"at_once": 1} and profile["set-resource-scopes"] == {"at_once": "local"}
