"""Rule verify: half of the solvers against the conic solver, on small cases of every data set."""

import csv
import gc
from pathlib import Path

from reproduction.core.atomic_io import read_manifest, whole
from reproduction.core.result_columns import VERIFICATION
from reproduction.datasets.prepare import load_prepared
from reproduction.verification.solver_checks import CHECKS, HALVES, cases, verify

params, all_cases = snakemake.params, []
with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    whole(snakemake.output[0]) as unfinished,
    unfinished.open("w", newline="", encoding="utf-8") as file,
):
    for path in snakemake.input.manifests:
        manifest = read_manifest(path)
        if manifest["status"] == "not obtained":
            print(f"{manifest['dataset']}: left out, {manifest['reason']}", file=log)
            continue
        data = load_prepared(Path(path).parent)
        all_cases += cases(manifest["dataset"], data.X, data.y, params.rows, params.alphas, params.seed)
    writer = csv.DictWriter(file, VERIFICATION, lineterminator="\n")
    writer.writeheader()
    for solver in HALVES[snakemake.wildcards.half]:
        for case in all_cases:
            writer.writerow(verify(solver, CHECKS[solver], case))
        print(f"{solver}: done", file=log, flush=True)
gc.freeze()  # otherwise the garbage collection at exit visits all that was imported
