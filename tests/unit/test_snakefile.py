"""The Snakefile of the project's folder runs what workflow/Snakefile describes."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = """
rule first:
    output:
        "first.txt"
    shell:
        "touch {output}"

rule all:
    default_target: True
    output:
        "all.txt"
    shell:
        "touch {output}"
"""
MODULE = """
module toprank:
    snakefile:
        "../Snakefile"

use rule * from toprank as its_*
"""


def test_snakemake_without_a_target_runs_the_rule_all(tmp_path):
    """Snakemake drops the default target of an included file: without one it runs nothing, and succeeds."""
    folder, other = tmp_path / "workflow", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    shutil.copy2(ROOT / "Snakefile", tmp_path)
    (folder / "Snakefile").write_text(WORKFLOW)
    (other / "Snakefile").write_text(MODULE)
    for place in (tmp_path, other):
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet"]
        process = subprocess.run(command, cwd=place, capture_output=True, text=True)
        assert process.returncode == 0, process.stderr
        assert [path.name for path in place.glob("*.txt")] == ["all.txt"], process.stderr
