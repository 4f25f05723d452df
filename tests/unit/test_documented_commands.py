"""The commands that the pages print: Snakemake takes them as they stand, and the configuration too."""

import copy
import re
import shlex
from types import SimpleNamespace

import pytest
import yaml
from config_selection import resolve_config
from small_project import ROOT
from snakemake.cli import get_argument_parser, parse_config
from snakemake.utils import update_config
from test_config_selection import FULL_CONFIG

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PATTERNS = (r"^ *(snakemake .+?)(?: {2,}#.*)?$", r"`(snakemake (?!--help)-{0,2}\w[^`]*)`")
FOREIGN_WORDS = ("losses.yaml", "mine.yaml", "[ridge]")  # what a page adds beforehand
COMMANDS = sorted(
    {
        command
        for page in PAGES
        for pattern in PATTERNS
        for command in re.findall(pattern, page.read_text(encoding="utf-8"), re.MULTILINE)
        if not any(word in command for word in (*FOREIGN_WORDS, "…"))
    }
)


def rules():
    """The names of the rules that somebody may ask for."""
    files = [ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
    text = "".join(path.read_text() for path in files)
    return set(re.findall(r"^rule (\w+):", text, re.MULTILINE))


@pytest.mark.parametrize("command", COMMANDS)
def test_snakemake_takes_it(command):
    arguments = get_argument_parser().parse_args(shlex.split(command)[1:])
    assert set(arguments.targets) <= rules()
    does_not_run = arguments.dryrun or arguments.unlock or arguments.lint or arguments.report
    assert does_not_run or arguments.cores or arguments.profile, "Snakemake asks for --cores"
    files = [ROOT / file for file in arguments.configfile or ()]
    assert all(file.is_file() for file in files)
    config, words = copy.deepcopy(FULL_CONFIG), parse_config(arguments.config)
    for changes in (*(yaml.safe_load(file.read_text()) for file in files), words):
        update_config(config, changes)
    of_run, ours = SimpleNamespace(config=words, configfiles=files), [ROOT / "config.yaml"]
    resolve_config(config, SimpleNamespace(configfiles=ours, config_settings=of_run, is_main_process=0))


def test_there_are_commands():
    assert len(COMMANDS) > 15 and any("retry_missing=true" in command for command in COMMANDS)
