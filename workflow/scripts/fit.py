"""All method rules: search, refit and measure one method on one block of splits.

A rule names an estimator and says with ``params`` what is fixed, what the cross-validation searches
(``grid``), at which parameters to look as well (``path``), and which parameters to take over (``inherit``)
from the method whose fits are ``input.chosen``.
"""

import csv
import json
from pathlib import Path
from time import perf_counter

COLUMNS = (
    *("study", "dataset", "features", "method", "split", "role", "fold", "params", "status", "message"),
    *("n_iter", "seconds", "objective", "lower_bound", "gap", "relative_gap"),
    *("positives_at_top", "rate_at_top", "positives_at_top_train", "weight_norm"),
    *("n_train_positives", "n_train_negatives", "n_test_positives", "n_test_negatives"),
)


def optional(name, default):
    """A parameter that a rule may leave out."""
    return snakemake.params.get(name) or default


def chosen_before(split):
    """The parameters that another method's search chose on this split."""
    if not optional("inherit", []):
        return {}
    with open(snakemake.input.chosen, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["role"] == "chosen" and row["split"] == str(split):
                params = json.loads(row["params"])
                missing = [name for name in snakemake.params.inherit if name not in params]
                if not missing:
                    return {name: params[name] for name in snakemake.params.inherit}
                missed = ", ".join(missing)
                return f"{snakemake.input.chosen} chose no {missed} on split {split}: {row['message']}"
    return f"{snakemake.input.chosen} holds no chosen fit of split {split}"


def rows():
    """Yield the rows of the block; a single one where the data set was not obtained."""
    manifest = json.loads(Path(snakemake.input.manifest).read_text(encoding="utf-8"))
    if manifest["status"] == "not obtained":
        yield {"role": "chosen", "status": "not obtained", "message": manifest["reason"], "params": "{}"}
        return
    # only now: a data set that is not there costs no import
    from tqdm import tqdm

    from toprank.datasets import load_prepared
    from toprank.datasets.splits import Splits
    from toprank.protocol import Method, run_split, warm_up

    method = Method(
        snakemake.params.estimator, optional("fixed", {}), optional("grid", {}), optional("path", {})
    )
    prepared = load_prepared(Path(snakemake.input.arrays).parent)
    splits = Splits.load(snakemake.input.splits)
    first, last = map(int, snakemake.wildcards.block.split("-"))
    warm_up(method, prepared.X)
    name, started = Path(snakemake.output[0]).stem, perf_counter()
    with tqdm(desc=name, unit=" fits", disable=None, mininterval=2.0, leave=False) as bar:
        for split in range(first, last + 1):
            inherited = chosen_before(split)
            if isinstance(inherited, str):
                yield {
                    "split": split,
                    "role": "chosen",
                    "params": "{}",
                    "status": "failed",
                    "message": inherited,
                }
                continue
            features = snakemake.wildcards.features
            yield from run_split(
                method, prepared.X, prepared.y, splits, split, features, inherited, bar.update
            )
            print(f"split {split} done after {perf_counter() - started:.0f} s", file=log, flush=True)


wildcards = snakemake.wildcards
names = {
    "study": wildcards.study,
    "dataset": wildcards.dataset,
    "features": wildcards.features,
    "method": snakemake.rule,
}
with Path(snakemake.log[0]).open("w", encoding="utf-8") as log:
    complete = list(rows())
with open(snakemake.output[0], "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(names | row for row in complete)
