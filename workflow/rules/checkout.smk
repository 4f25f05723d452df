# ROOT, the folder of this project. Another workflow may name this one as its module on a git host, or by `gitfile`.
# Snakemake then fetches single files, so the whole commit is checked out beside the run, once.
import os
import subprocess
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.sourcecache import HostingProviderFile, LocalGitFile, LocalSourceFile


def checkout(here, below: Path) -> Path:
    """The folder above `here`, that of this file; where that is not on this disk, a clone in the folder `below`."""
    if isinstance(here, LocalSourceFile):
        return Path(here).parents[1]
    if isinstance(here, HostingProviderFile):
        repository = here.hosted_repo.repo_clone
    elif isinstance(here, LocalGitFile):
        repository = here.repo_path
    else:
        raise WorkflowError(
            f"Module toprank: {here} is neither a folder nor in git; name it by a path, github, gitlab or gitfile."
        )

    def git(*words) -> str:
        done = subprocess.run(["git", *map(str, words)], capture_output=True, text=True)
        if done.returncode:
            raise WorkflowError(f"Module toprank: git {words[0]} fails: {done.stderr.strip()}")
        return done.stdout.strip()

    commit = git("-C", repository, "rev-parse", f"{here.ref}^{{commit}}")
    folder = below.absolute() / commit
    if not folder.is_dir():
        unfinished = folder.with_name(f"{commit}.{os.getpid()}")
        git("clone", "--quiet", "--no-checkout", repository, unfinished)
        git("-C", unfinished, "checkout", "--quiet", "--detach", commit)
        unfinished.rename(folder)
    return folder


ROOT = checkout(workflow.current_basedir, Path(".snakemake/toprank"))
