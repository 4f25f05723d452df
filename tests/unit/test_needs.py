"""What jobs ask of a cluster: from the table of what they took, by size where nothing was measured."""

import re
import sys
from math import inf
from pathlib import Path
from types import SimpleNamespace

import needs
import pytest
import yaml
from common import WATCHED, Layout

from toprank.datasets import registry
from toprank.datasets.toy_names import toy_size
from toprank.verification import CHECKS

ROOT = Path(__file__).resolve().parents[2]
RULE_FILES = sorted((ROOT / "workflow/rules").rglob("*.smk"))
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
#: The targets of `snakemake bench`, which measures a machine and leaves no benchmark of itself.
BENCH = {"bench_infinite_push", "bench_ranksvm", "bench_cluster"}


def rules():
    """Rule -> its text, and the rules that run where Snakemake was started."""
    texts, local = {}, set()
    for file in RULE_FILES:
        for part in re.split(r"(?m)^(?=rule |localrules:)", file.read_text(encoding="utf-8"))[1:]:
            head, _, body = part.partition(":\n")
            if head == "localrules":
                local |= set(re.findall(r"(?m)^    (\w+),$", body))
            else:
                texts[head.removeprefix("rule ")] = body
    return texts, local


TEXTS, LOCAL = rules()
SUBMITTED = {name: text for name, text in TEXTS.items() if name not in LOCAL and "script:" in text}


@pytest.fixture(scope="module")
def full():
    return needs.Needs(Layout(CONFIG))


def job(rule, **wildcards):
    return rule, SimpleNamespace(**wildcards)


def jobs(layout):
    """Every job of a configuration that is submitted: its rule and its wildcards."""
    yield from (job("prepare", dataset=name) for name in layout.datasets)
    yield from (job("verify", solver=solver) for solver in CHECKS)
    for study, settings in layout.studies.items():
        for file in layout.fit_files(study):
            dataset, features, method, block = Path(file).stem.split(".")
            yield job(method, study=study, dataset=dataset, features=features, block=block)
        if settings["protocol"] != "query_ranking":
            for dataset, features in layout.cases(study):
                yield job("diagnose", study=study, dataset=dataset, features=features)
        for file in layout.times(study):
            solver, noise = Path(file).stem.split(".noise")
            yield job("times", study=study, solver=solver, noise=noise)
        yield from (job("path", study=study, dataset=name) for name in settings.get("paths", {}))
        if "convergence" in settings:
            yield from (job("convergence", study=study, method=name) for name in layout.followed(study))
        if "suboptimality" in settings:
            for file in layout.watched_files(study):
                dataset, features, method = Path(file).stem.split(".")
                yield job("suboptimality", study=study, dataset=dataset, features=features, method=method)
        if "scale" in settings:
            yield from (job("scale_size", study=study, rows=str(rows)) for rows in settings["scale"]["rows"])
        yield from (job(block, study=study) for block in ("constant", "early_stop") if block in settings)
        if "dirty_model" in settings:
            for file in layout.dirty_model(study):
                yield job("dirty_traces", study=study, draws=Path(file).stem)


def test_every_rule_is_local_or_says_what_it_needs():
    assert {name for name, text in TEXTS.items() if "script:" in text} == {*SUBMITTED, *LOCAL}
    for name, text in SUBMITTED.items():
        assert f'**needs.of("{name}"' in text, f"the rule {name} is not local and names no needs of its own"
    assert not [name for name in LOCAL if "needs.of" in TEXTS[name]]
    assert not [name for name, text in TEXTS.items() if "threads:" in text], "each job is one thread"


@pytest.mark.parametrize("name", sorted({*SUBMITTED} - BENCH))
def test_a_benchmark_is_named_by_the_wildcards_of_its_rule(name):
    wildcards = ".".join(f"{{{part}}}" for part in needs.WILDCARDS.get(name, needs.OF_A_METHOD))
    assert f'"benchmarks/{name}/{wildcards}.tsv"' in SUBMITTED[name]


def test_every_job_of_the_full_configuration_asks_for_no_less_than_it_took(full):
    of_rule = {name: full.of(name) for name in SUBMITTED}
    seen, measured = set(), 0
    for rule, wildcards in jobs(full.layout):
        memory, minutes = (of_rule[rule][name](wildcards, 1) for name in ("mem_mb", "runtime"))
        assert isinstance(memory, int) and isinstance(minutes, int)
        assert memory >= needs.LEAST_MB and minutes >= needs.LEAST_MINUTES
        assert memory >= needs.SNAKEMAKE_MB + (full.peak_mb(rule, wildcards) or 0)
        assert 60 * minutes >= 2 * (full.seconds(rule, wildcards) or 0)
        seen.add(rule)
        measured += full.seconds(rule, wildcards) is not None
    assert seen == {*SUBMITTED} - BENCH
    assert measured > 300, "the names of the table and those of the jobs have come apart"


def test_further_attempts_ask_for_more(full):
    resources = full.of("toppush")
    wildcards = job("toppush", study="kadkhodaie2015", dataset="a9a", features="raw", block="0-4")[1]
    for name in ("mem_mb", "runtime"):
        first, second, third = (resources[name](wildcards, attempt) for attempt in (1, 2, 3))
        assert (second, third) == (2 * first, 4 * first)


def test_a_longer_block_asks_for_more_time(full):
    about = {"study": "kadkhodaie2015", "dataset": "a9a", "features": "raw"}
    one, five = (job("a2dm2_restart", **about, block=block) for block in ("3-3", "0-4"))
    assert full.seconds(*five) == pytest.approx(5 * full.seconds(*one))
    assert full.minutes(*five) > full.minutes(*one)
    draws = [
        full.seconds(*job("dirty_traces", study="kadkhodaie2015", draws=name)) for name in ("0-0", "5-9")
    ]
    assert draws[1] == pytest.approx(5 * draws[0])


def test_a_method_that_was_never_measured_asks_by_the_size_of_the_data(full):
    about = {"study": "kadkhodaie2015", "features": "raw", "block": "0-9"}
    small, large = (job("my_method", **about, dataset=name) for name in ("wdbc", "w8a"))
    assert full.seconds(*small) is None and full.peak_mb(*small) is None
    assert full.memory_mb(*small) == needs.LEAST_MB and full.minutes(*small) >= needs.LEAST_MINUTES
    assert full.memory_mb(*large, copies=8) > full.memory_mb(*large, copies=4) > needs.LEAST_MB
    assert full.minutes(*large) > full.minutes(*small)
    mapped = full.memory_mb(*job("my_method", **about, dataset="epsilon"))
    assert 4000 < mapped < 500_000 * 2000 * 8 / 1e6  # its pages, and no copy of it
    other = job("my_rule_without_data", study="kadkhodaie2015", block="0-9")
    assert full.default_mb(*other, copies=4) == needs.OTHER_MB


def test_a_job_of_no_data_asks_like_the_longest_of_its_rule(full):
    known = [seconds for (rule, _), (seconds, _) in full.measured.items() if rule == "verify"]
    assert full.minutes(*job("verify", solver="a_new_one")) >= needs.TIME_FACTOR * max(known) / 60
    assert full.minutes(*job("my_rule")) * 60 == needs.TIME_FACTOR * needs.OTHER_SECONDS


def wildcards_of(rule, name):
    """Wildcards whose instance is ``name``, in a study that has it."""
    names = [part for part in needs.WILDCARDS.get(rule, needs.OF_A_METHOD) if part not in needs.ALIKE]
    parts = dict(zip(names, name.split("."), strict=True)) if name else {"draws": "0-0"}
    study = "rakotomamonjy2012" if name.startswith("toy-") else "kadkhodaie2015"
    return SimpleNamespace(study=study, features="raw", block="0-0", **parts)


def test_the_defaults_by_size_hold_for_all_that_was_measured(full):
    copies = {
        name: int(found) for name, text in SUBMITTED.items() for found in re.findall(r"copies=(\d)", text)
    }
    for (rule, name), (seconds, peak) in full.measured.items():
        wildcards = wildcards_of(rule, name)
        if not hasattr(wildcards, "dataset"):
            continue
        of_all = full.splits(rule, wildcards)
        assert full.default_seconds(rule, wildcards) * needs.TIME_FACTOR >= seconds * of_all, (rule, name)
        if rule != "prepare":
            asked = full.default_mb(rule, wildcards, copies.get(rule, 4))
            assert asked >= (peak or 0), f"{rule} on {name} took {peak} MB, but asks for {asked} by size"


def test_the_table_is_well_formed(full, tmp_path):
    needs.write(full.measured, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == needs.TABLE.read_bytes()
    for (rule, name), (seconds, peak) in full.measured.items():
        assert rule in SUBMITTED, f"needs.csv names {rule}, which is no rule or runs locally"
        assert 0 < seconds < inf and (peak is None or 20 < peak < 1e6)
        wildcards = wildcards_of(rule, name)
        assert needs.instance(rule, wildcards) == name
        dataset = getattr(wildcards, "dataset", None)
        assert dataset is None or toy_size(dataset) or registry.get(dataset)
        assert getattr(wildcards, "solver", None) in {
            None,
            *CHECKS,
            *CONFIG["studies"]["rakotomamonjy2012"]["times"]["rows"],
        }
        assert rule not in ("convergence", "suboptimality") or wildcards.method in WATCHED


@pytest.fixture
def finished(tmp_path, monkeypatch):
    """A folder in which something was run, with a table of its own; writes a benchmark."""
    (tmp_path / "config.yaml").write_text(
        (ROOT / "config.yaml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    (tmp_path / "needs.csv").write_text(
        "rule,instance,seconds,peak_mb\nexact,a9a,1.0,500\nexact,splice,2.0,300\nverify,admm,9.0,\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(needs, "TABLE", tmp_path / "needs.csv")
    monkeypatch.setattr(sys, "argv", ["needs.py"])

    def benchmark(name, seconds, peak):
        file = tmp_path / "benchmarks" / f"{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"s\th:m:s\tmax_rss\n{seconds}\t0:00:00\t{peak}\n")

    return benchmark


def test_the_table_is_renewed_from_the_benchmarks_of_a_run(finished, tmp_path):
    finished("exact/kadkhodaie2015.a9a.raw.0-4", 30.0, 612.4)
    finished("exact/kadkhodaie2015.a9a.raw.5-9", 20.0, 650.2)
    finished("exact/kadkhodaie2015.splice.raw.0-9", 1.0, 80.0)  # too short for its memory to be seen
    finished("diagnose/kadkhodaie2015.splice.raw", 20.0, 300.0)
    finished("dirty_traces/kadkhodaie2015.0-4", 50.0, "NA")
    finished("toppush/kadkhodaie2015.covtype.raw.0-0", 1.0, 60.0)
    finished("toppush/another.splice.raw.0-0", 1.0, 60.0)
    (tmp_path / "results/data/covtype").mkdir(parents=True)
    (tmp_path / "results/data/covtype/manifest.json").write_text('{"status": "not obtained"}')
    needs.main()
    assert needs.TABLE.read_text().splitlines() == [
        "rule,instance,seconds,peak_mb",
        "diagnose,splice,2.0,300",
        "dirty_traces,,10.0,",
        "exact,a9a,6.0,650",
        "exact,splice,0.1,300",
        "verify,admm,9.0,",
    ]


def test_benchmarks_that_are_not_there_or_not_ours(finished):
    with pytest.raises(SystemExit, match=r"There is no benchmark below benchmarks: run the workflow first"):
        needs.main()
    finished("exact/kadkhodaie2015.a9a", 1.0, 1.0)
    with pytest.raises(
        SystemExit, match=r"kadkhodaie2015\.a9a\.tsv should be named by study\.dataset\.features"
    ):
        needs.main()
