"""Rule statistics: mean ranks of the methods of a study, and every pair of them."""

import sys
from pathlib import Path

from reproduction.papers.laporte2014.inputs import read_queries, read_query_fits
from reproduction.report.method_statistics.latex import latex_ranks
from reproduction.report.method_statistics.pairs import PAIRWISE, pairwise_table
from reproduction.report.method_statistics.ranks import RANKS, blocks_of, ranks_table
from reproduction.results import read_data, read_fits

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, protocol = snakemake.input, snakemake.params.protocol
ranks_file, pairs_file, tex_file = snakemake.output
is_of_queries = protocol == "query_ranking"
fits = (read_query_fits if is_of_queries else read_fits)(files.collected[0])
blocks = blocks_of(fits, protocol, read_data(files.data))
RANKS.write(ranks_table(blocks), ranks_file)
Path(tex_file).write_text(latex_ranks(RANKS.read(ranks_file)), encoding="utf-8")
pairs = pairwise_table(fits, blocks, read_queries(files.collected[1]) if is_of_queries else None)
PAIRWISE.write(pairs, pairs_file)
