"""``snakemake --lint`` without the one finding that the design answers otherwise.

Snakemake wants a conda environment or a container for each rule. All rules of this workflow share one
environment, locked with hashes (envs/requirements.txt; the same versions for conda in envs/environment.yaml).
"""

from snakemake.cli import main
from snakemake.linting.rules import RuleLinter

del RuleLinter.lint_missing_software_definition
main(["--lint"])
