"""Every rule that runs a script has the digest of its code and, where it draws, the configured seed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEED = 987_654_321
#: Prints of each rule that runs a script: its name, the script, whose digest it has, and its seed.
READ_RULES_CODE = """
import json, sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, "workflow/lib")
import code_digest

code_digest.code_digest = lambda script, *modules, solver=None: f"<{script}>"
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, Quietness, ResourceSettings

JOB = {"study": "kadkhodaie2015", "dataset": "splice", "kind": "dirty_model"}
JOB |= {"part": "0-0", "split_batch": "0-0"}
WILDCARDS = SimpleNamespace(**JOB)
with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
    for files in ([], [Path("reports/snapshot/config.yaml")]):
        given = ConfigSettings(configfiles=files, config={"seed": int(sys.argv[1])})
        asked = {"snakefile": Path("workflow/Snakefile"), "resource_settings": ResourceSettings(cores=1)}
        for rule in api.workflow(**asked, config_settings=given)._workflow.rules:
            if rule.script and rule.name != "fit":  # no job is one of the rule fit, which methods inherit
                code = rule.params.get("code", "")
                code = code(WILDCARDS) if callable(code) else code
                about = [rule.name, Path(rule.script).stem, code, rule.params.get("seed", "")]
                print(json.dumps(about))
"""


@pytest.fixture(scope="module")
def rules():
    command = [sys.executable, "-c", READ_RULES_CODE, str(SEED)]
    read = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert read.returncode == 0, read.stderr
    by_name = {name: fields for name, *fields in map(json.loads, read.stdout.splitlines())}
    assert {
        "splits",
        "admm",
        "claims",
        "restore",
        "snapshot",
        "bench_scaling",
        "run_experiment",
    } <= by_name.keys()
    return by_name


def test_every_rule_reruns_when_its_code_changes(rules):
    for name, (script, code, _) in rules.items():
        assert code.split(" ")[0] == f"<{script}>", f"rule {name} lacks the digest of {script}.py"


def test_every_rule_that_draws_has_the_configured_seed(rules):
    seeds = {script: seed for script, _, seed in rules.values()}
    for script in {script for script, *_ in rules.values()}:
        text = (ROOT / f"workflow/scripts/{script}.py").read_text(encoding="utf-8")
        assert seeds[script] == (SEED if "params.seed" in text else ""), script
    # collect draws nothing: it checks that each file was made with this seed
    with_seed = {script for script, seed in seeds.items() if seed}
    assert with_seed == {"splits", "generate", "verify", "run_experiment", "collect", "compare", "rank"}
