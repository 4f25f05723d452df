"""Every rule that runs a script has the digest of its code and, where it draws, the configured seed.

An edited table is made again, rows of a snapshot are unpacked again when its archives change, and a rule asks
for no file that nothing makes.
"""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEED = 987_654_321
SNAPSHOT = Path("reports/snapshot")
#: Prints of each rule that runs a script: its name, the script, whose digest it has, its seed, its named
#: inputs, its outputs and the tables whose edits it counts.
READ_RULES_CODE = """
import json, sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, "workflow/lib")
import code_digest

code_digest.code_digest = lambda script, *modules, solver=None: f"<{script}>"
import edited_tables

edited_tables.TableEdits.count_edits = lambda self, *files: files
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, Quietness, ResourceSettings

JOB = {"study": "kadkhodaie2015", "dataset": "splice", "kind": "dirty_model"}
JOB |= {"part": "0-0", "split_batch": "0-0"}
WILDCARDS = SimpleNamespace(**JOB)

def list_texts(files):
    files = [files] if callable(files) or isinstance(files, str) else files
    return [str(file) for file in files if not callable(file)]

with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
    for files in ([], [Path("reports/snapshot/config.yaml")]):
        given = ConfigSettings(configfiles=files, config={"seed": int(sys.argv[1])})
        asked = {"snakefile": Path("workflow/Snakefile"), "resource_settings": ResourceSettings(cores=1)}
        workflow = api.workflow(**asked, config_settings=given)._workflow
        for rule in workflow.rules:
            if rule.script and rule.name != "fit":  # no job is one of the rule fit, which methods inherit
                code = rule.params.get("code", "")
                code = code(WILDCARDS) if callable(code) else code
                about = {"published": bool(files), "name": rule.name, "script": Path(rule.script).stem}
                about |= {"studies": workflow.globals["config"]["run"]}
                about |= {"code": code, "seed": rule.params.get("seed", "")}
                about |= {"inputs": {name: list_texts(paths) for name, paths in rule.input.items()}}
                about |= {"outputs": list_texts(rule.output), "edits": rule.params.get("edits", ())}
                # units of the resource that a job holds, and of those that there are
                units = [resources.get("race") for resources in (rule.resources, workflow.global_resources)]
                about |= {"races": [resource and resource.value for resource in units]}
                print(json.dumps(about))
"""


@pytest.fixture(scope="module")
def rules():
    """The rules of a run with fits, and of one with published fits."""
    command = [sys.executable, "-c", READ_RULES_CODE, str(SEED)]
    read = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert read.returncode == 0, read.stderr
    rules = [SimpleNamespace(**json.loads(line)) for line in read.stdout.splitlines()]
    assert {
        "splits",
        "admm",
        "claims",
        "restore",
        "snapshot",
        "bench_scaling",
        "run_experiment",
    } <= {rule.name for rule in rules}
    return rules


def test_every_rule_reruns_when_its_code_changes(rules):
    for rule in rules:
        digest = f"<{rule.script}>"
        assert rule.code.split(" ")[0] == digest, f"rule {rule.name} lacks the digest of {rule.script}.py"


def test_every_rule_that_draws_has_the_configured_seed(rules):
    seeds = {rule.script: rule.seed for rule in rules}
    for script, seed in seeds.items():
        text = (ROOT / f"workflow/scripts/{script}.py").read_text(encoding="utf-8")
        assert seed == (SEED if "params.seed" in text else ""), script
    # collect draws nothing: it checks that each file was made with this seed
    with_seed = {script for script, seed in seeds.items() if seed}
    assert with_seed == {"splits", "generate", "verify", "run_experiment", "collect", "compare", "rank"}


def test_a_table_whose_edit_is_noticed_is_made_again(rules):
    """A rule counts the edits of all its tables in the folders that `TableEdits` looks at."""
    n_tables = 0
    for rule in rules:
        results = Path("results/snapshot" if rule.published else "results")
        folders = {results, *(results / study for study in rule.studies)}
        tables = [name for name in rule.outputs if name.endswith(".csv") and Path(name).parent in folders]
        n_tables += len(tables)
        assert {*tables} <= {*rule.edits}, f"rule {rule.name} does not count the edits of its tables"
    assert n_tables > 50


def test_races_run_one_at_a_time(rules):
    races = [rule for rule in rules if rule.script.startswith("bench_")]
    assert len(races) == 4 and {tuple(rule.races) for rule in races} == {(1, 1)}


def test_what_is_unpacked_is_an_input(rules):
    archives = [str(path.relative_to(ROOT)) for path in sorted((ROOT / SNAPSHOT).glob("fits/*.tar.xz"))]
    readers = {rule.name: rule.inputs for rule in rules if rule.script in ("restore", "rank")}
    assert readers.keys() == {"restore", "rank_across", "rank_across_scaffolds"}
    for inputs in readers.values():
        assert inputs["config"] == [f"{SNAPSHOT}/config.yaml"] and inputs["archives"] == archives


def test_the_crate_of_published_fits_needs_no_other_data_set(rules):
    rules_of = {rule.name: rule for rule in rules if rule.published}
    manifests = {*rules_of["crate"].inputs["manifests"]}
    assert manifests and manifests <= {*rules_of["restore"].outputs}
