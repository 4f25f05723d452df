# ROOT, the folder of this project. Another workflow may name this one as its module on a git host, or by `gitfile`.
# Snakemake then fetches single files, so the whole commit is checked out beside the run, once.
import os
import shutil
import subprocess
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.sourcecache import HostingProviderFile, LocalGitFile, LocalSourceFile


def checkout(basedir, folder: Path) -> Path:
    """Return the project above `basedir`; where that is not on this disk, a clone of it in `folder`."""
    if isinstance(basedir, LocalSourceFile):
        return Path(basedir).parents[1]
    if isinstance(basedir, HostingProviderFile):
        repository = basedir.hosted_repo.repo_clone
    elif isinstance(basedir, LocalGitFile):
        repository = basedir.repo_path
    else:
        raise WorkflowError(
            f"Module toprank: {basedir} is neither a folder nor in git; name it by a path, github, gitlab or gitfile."
        )

    def git(*words) -> str:
        process = subprocess.run(["git", *map(str, words)], capture_output=True, text=True)
        if process.returncode:
            raise WorkflowError(f"Module toprank: git {words[0]} fails: {process.stderr.strip()}")
        return process.stdout.strip()

    commit = git("-C", repository, "rev-parse", f"{basedir.ref}^{{commit}}")
    target = folder.absolute() / commit
    if not target.is_dir():
        unfinished = target.with_name(f"{commit}.{os.getpid()}")
        git("clone", "--quiet", "--no-checkout", repository, unfinished)
        git("-C", unfinished, "checkout", "--quiet", "--detach", commit)
        try:
            unfinished.rename(target)
        except OSError:
            # another run made it meanwhile
            shutil.rmtree(unfinished)
            if not target.is_dir():
                raise
    return target


ROOT = checkout(workflow.current_basedir, Path(".snakemake/toprank"))
