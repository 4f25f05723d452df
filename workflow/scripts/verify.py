"""Rule verify: check half of the solvers against the conic solver, on small cases of every data set.

Called with ``input.manifests`` of the data sets, whose arrays lie beside them, ``params.rows`` (rows of a
case), ``params.alphas`` and ``params.seed``. ``wildcards.half`` names the solvers, since one job would be the
longest of the quick study. The output has a row a solver and case, with both objectives, their gap and the
tolerance.
"""

import csv
import gc
from pathlib import Path

from reproduction.core.atomic_io import atomic_write, read_manifest
from reproduction.core.result_columns import VERIFICATION_COLUMNS
from reproduction.datasets.prepared_data import load_prepared
from reproduction.verification.solver_checks import CHECK_HALVES, CHECKS, make_cases, verify_solver

params, all_cases = snakemake.params, []
with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    atomic_write(snakemake.output[0]) as unfinished,
    unfinished.open("w", newline="", encoding="utf-8") as file,
):
    for path in snakemake.input.manifests:
        manifest = read_manifest(path)
        if manifest["status"] == "not obtained":
            print(f"{manifest['dataset']}: left out, {manifest['reason']}", file=log)
            continue
        data = load_prepared(Path(path).parent)
        # Small subsamples, since the conic solver works on every pair or row at once.
        all_cases += make_cases(manifest["dataset"], data.X, data.y, params.rows, params.alphas, params.seed)
    writer = csv.DictWriter(file, VERIFICATION_COLUMNS, lineterminator="\n")
    writer.writeheader()
    # Solver by solver, so that the log says how far the job is.
    for solver in CHECK_HALVES[snakemake.wildcards.half]:
        for case in all_cases:
            writer.writerow(verify_solver(solver, CHECKS[solver], case))
        print(f"{solver}: done", file=log, flush=True)
gc.freeze()  # otherwise the garbage collection at exit visits all that was imported
