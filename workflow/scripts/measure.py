"""Rule measure: one part of a block of a study, as rows of its tables, a line of JSON each."""

import gc
import json
from pathlib import Path

from reproduction.artefact import load
from reproduction.fold import Fold

params, files, wildcards = snakemake.params, snakemake.input, snakemake.wildcards
paths = zip(files.get("manifests", []), files.get("arrays", []), files.get("splits", []), strict=True)
folds = [Fold(*named, *found) for named, found in zip(params.folds, paths, strict=True)]
rows = load(params.measure)(
    params.settings, part=wildcards.part, folds=folds, seed=params.seed, study=wildcards.study
)
with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", encoding="utf-8") as file,
):
    for table, row in rows:
        # what NumPy computed is no number to JSON
        line = json.dumps({"table": table, "row": row}, default=lambda value: value.item())
        file.write(line + "\n")
        print(line[:200], file=log, flush=True)
gc.freeze()  # or the end of the process walks through all that was imported
