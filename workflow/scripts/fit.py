"""All method rules: search, refit and evaluate one method on one batch of splits.

Called with ``input.arrays`` and ``input.manifest`` of the data set and ``input.splits``, and with the
``params`` that `method_rules.Methods.params` makes. They name the ``estimator``, its parameters that are
``fixed``, those that the cross-validation searches (``grid``) and further ones to fit (``path``). ``inherit``
names the parameters to take from the choice of another method, whose fits are ``input.chosen``. ``runs`` is
the module that searches on the folds of a split; ``ties``, ``thresholds`` and ``limits`` are its options. A
method with ``lists_only`` ranks no queries. ``seconds`` limits a fit of a program or of another package,
which runs in a process of its own; ``input.environment`` lists the packages of that program. The output has
the ``columns`` of the study's fits; its last row says what made it, with the digest ``code`` of the method's
code.
"""

import csv
import gc
import json
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from reproduction.core.atomic_io import atomic_write_text, read_manifest
from reproduction.core.provenance import collect_provenance, provenance_row, render_job


def get_param(name: str, default: object) -> Any:
    """Return a parameter that a rule may leave out.

    Parameters
    ----------
    name : str
        Name in the ``params`` of the rule.
    default : object
        Value where the rule leaves it out or empty.

    Returns
    -------
    Any
        The value.
    """
    return snakemake.params.get(name) or default


def read_inherited(split: int) -> dict[str, Any]:
    """Return the parameters to inherit from another method's choice on this split.

    Parameters
    ----------
    split : int
        Number of the split, from 0.

    Returns
    -------
    dict[str, Any]
        Parameter -> value; empty if the rule inherits nothing.

    Raises
    ------
    LookupError
        The other method has chosen nothing on this split.
    """
    names = get_param("inherit", [])
    if not names:
        return {}
    with open(snakemake.input.chosen, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["role"] == "chosen" and row["split"] == str(split):
                params = json.loads(row["params"])
                # the other method may have ended without a choice, for instance where all its fits failed
                if set(names) <= set(params):
                    return {name: params[name] for name in names}
                raise LookupError(f"no {', '.join(names)} to inherit on split {split}: {row['message']}")
    raise LookupError(f"no chosen fit to inherit {', '.join(names)} from on split {split}")


def write_log(text: str) -> None:
    """Write a line to the log of the job.

    Parameters
    ----------
    text : str
        The line.
    """
    print(text, file=log, flush=True)


def fit_rows() -> Iterator[dict]:
    """Yield the rows of the batch; a single one if the data set was not obtained."""
    manifest = read_manifest(snakemake.input.manifest)
    if manifest["status"] == "not obtained":
        yield {"role": "chosen", "status": "not obtained", "message": manifest["reason"], "params": "{}"}
        return
    # imported here: without the data set nothing of it is needed
    from tqdm import tqdm

    from reproduction.datasets.prepared_data import load_prepared
    from reproduction.fitting.fit_rows import infeasible_row, warm_up
    from reproduction.fitting.method import Method
    from reproduction.splits.splits import Splits

    method = Method(
        snakemake.params.estimator, get_param("fixed", {}), get_param("grid", {}), get_param("path", {})
    )
    if seconds := get_param("seconds", None):  # a method of others
        memory_mb = snakemake.resources.get("mem_mb")
        method = method.with_process(seconds, memory_mb)
        write_log(f"limits of a fit: {seconds:g} s of processor time, {memory_mb} MB of memory")
    prepared = load_prepared(Path(snakemake.input.arrays).parent)
    splits = Splits.load(snakemake.input.splits)
    first, last = map(int, snakemake.wildcards.split_batch.split("-"))
    # such as a dense method on sparse data: a row with the reason instead of a failure
    reason = method.find_obstacle(prepared.X, snakemake.wildcards.feature_scaling)
    if get_param("lists_only", False) and prepared.qid is not None:
        reason = "the method ranks single lists only (lists_only)"
    if reason:
        for split in range(first, last + 1):
            yield {"split": split, "role": "chosen", **infeasible_row(reason)}
        return
    options = {name: get_param(name, {}) for name in ("ties", "thresholds", "limits")}
    options["feature_scaling"] = snakemake.wildcards.feature_scaling
    run = import_module(snakemake.params.runs).make_split_runner(method, prepared, splits, **options)
    log_options = {"name": names["method"], "log": write_log}
    # compiled kernels are loaded before any time is taken
    warm_up(method, prepared.X, snakemake.wildcards.feature_scaling, prepared.qid is not None, **log_options)
    name, started = Path(snakemake.output[0]).stem, perf_counter()
    with tqdm(desc=name, unit=" fits", disable=None, mininterval=2.0, leave=False) as bar:
        for split in range(first, last + 1):
            # a split without an inherited parameter fails by itself: the others go on
            try:
                inherited = read_inherited(split)
            except LookupError as error:
                yield {"split": split, "role": "chosen", "params": "{}", "status": "failed", "message": error}
                continue
            split_rows = run(split, inherited=inherited, progress=bar.update)
            yield from split_rows
            if reasons := [row["message"] for row in split_rows if row.get("status") == "failed"]:
                write_log(
                    f"split {split}: {len(reasons)} of {len(split_rows)} rows failed, the first: {reasons[0]}"
                )
            write_log(f"split {split} done after {perf_counter() - started:.0f} s")
    if method.process:
        method.process.close()


params = snakemake.params
wildcards = snakemake.wildcards
names = {
    "study": wildcards.study,
    "dataset": wildcards.dataset,
    "feature_scaling": wildcards.feature_scaling,
    "method": Path(snakemake.output[0]).name.split(".")[2],  # in a module its rule may have another name
}
if packages := snakemake.input.get("environment"):  # the packages of the method's own programs
    os.environ["PATH"] = os.pathsep.join([str(Path(packages).resolve().parent / "bin"), os.environ["PATH"]])
with Path(snakemake.log[0]).open("w", encoding="utf-8") as log:
    all_rows = list(fit_rows())
# commit, data, machine and code digest stand in the file itself, as its last row
facts = collect_provenance(snakemake.config["seed"], [snakemake.input.arrays], params.code)
record = names | provenance_row(facts, wildcards.split_batch)
atomic_write_text(snakemake.output[0], render_job(params.columns, (names | row for row in all_rows), record))
gc.freeze()  # otherwise the garbage collection at exit visits all that was imported
