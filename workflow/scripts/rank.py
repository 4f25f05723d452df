"""Rule rank_STUDY: the place of the methods of this run among those of the snapshot; prints it, too.

Called with ``params.study`` (its name), ``params.settings``, ``params.seed``, ``params.columns`` of the fits
and ``params.cases`` (data set and feature scaling of each list), the fits of this run as ``input.fits`` and
the configuration of the published ones as ``input.config``, in whose folder ``input.archives`` lie.
``output.table`` is the ranking, ``output.figure`` its picture and ``output.text`` its sentences.
"""

import sys
import tempfile
from pathlib import Path

import pandas as pd
import yaml

from reproduction.collection.collect import collect_fits
from reproduction.core.atomic_io import atomic_write, atomic_write_text
from reproduction.core.errors import DataError
from reproduction.core.results import ResultsError
from reproduction.papers.across.joined_ranking import (
    RANK_FORMAT,
    check_same_splits,
    describe_ranking,
    explain_missing,
    join_fits,
    rank_own_methods,
    read_metric_fits,
)
from reproduction.papers.across.ranking_figure import draw_ranking
from reproduction.plotting.style import placeholder_figure, save_figure
from reproduction.snapshot.archive import unpack

params, output, log = snakemake.params, snakemake.output, Path(snakemake.log[0])
snapshot = Path(snakemake.input.config).parent
try:
    published_config = yaml.safe_load(Path(snakemake.input.config).read_text(encoding="utf-8"))
    # splits that were drawn in another way would compare numbers of different rows
    published_study = published_config["studies"].get(params.study, {})
    seeds = {"seed": published_config["seed"]}, {"seed": params.seed}
    check_same_splits(published_study | seeds[0], params.settings | seeds[1])
    with tempfile.TemporaryDirectory() as folder:
        published_file, own_file = (Path(folder, params.study, name) for name in ("fits.csv", "own.csv"))
        unpack(snapshot, folder, [published_file])
        own_text = collect_fits(snakemake.input.fits, params.columns).to_csv(index=False)
        atomic_write_text(own_file, own_text)
        published, own = (read_metric_fits(file, params.columns) for file in (published_file, own_file))
    # the default specification only: one feature scaling of each data set
    cases = pd.MultiIndex.from_tuples(params.cases)
    published = published[pd.MultiIndex.from_frame(published[["dataset", "feature_scaling"]]).isin(cases)]
    if reason := explain_missing(own):
        ranking, lines, figure = RANK_FORMAT.to_frame([]), [reason], placeholder_figure(reason)
    else:
        ranking = rank_own_methods(join_fits(published, own), sorted(set(own["method"])), params.seed)
        lines, figure = [*describe_ranking(ranking)], draw_ranking(ranking)
except (DataError, ResultsError) as error:
    log.write_text(f"{error}\n", encoding="utf-8")
    sys.exit(str(error))
with atomic_write(output.table) as unfinished:
    RANK_FORMAT.write(ranking, unfinished)
save_figure(figure, [output.figure])
atomic_write_text(output.text, "\n".join(lines) + "\n")
log.write_text(f"{len(ranking)} rows\n", encoding="utf-8")
print(f"Study {params.study}:", *lines, output.figure, sep="\n", flush=True)
